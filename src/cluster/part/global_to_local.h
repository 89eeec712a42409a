// Ids of the whole to ids of a part, also of what the part knows and does not own.
#pragma once

#include <cstdint>

#include "graph/topology/global_ids.h"

namespace gls {

class PartLookup {
 public:
  // Reads the ids behind the owned once, for where their second run begins. `ids` outlive this.
  explicit PartLookup(const WholeIds& ids);

  // `whole` is below whole_count(). -1: the part does not know it.
  int64_t local_of(int64_t whole) const;

 private:
  const WholeIds& ids_;
  const int64_t* begin_ = nullptr;  // of those that are not owned: two ascending runs
  const int64_t* middle_ = nullptr;
  const int64_t* end_ = nullptr;
};

}  // namespace gls
