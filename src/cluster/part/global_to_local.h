// Maps global ids to ids in a part, including nodes that the part stores but does not own.
#pragma once

#include <cstdint>

#include "graph/topology/global_ids.h"

namespace gls {

class GlobalToLocal {
 public:
  // Reads the ids that are not owned once, to find where their second run begins. `ids` must
  // outlive this object.
  explicit GlobalToLocal(const GlobalIds& ids);

  // `whole` is below whole_count(). -1: the part does not know the node.
  int64_t local_of(int64_t whole) const;

 private:
  const GlobalIds& ids_;
  const int64_t* begin_ = nullptr;  // the ids that are not owned: two ascending runs
  const int64_t* middle_ = nullptr;
  const int64_t* end_ = nullptr;
};

}  // namespace gls
