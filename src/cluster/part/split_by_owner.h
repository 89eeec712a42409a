// Ids by the part that owns them, each list in the order of the ids.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graph/partition/partition_book.h"
#include "tensor/tensor.h"

namespace gls {

class ByOwner {
 public:
  // Who is asked in place of the owner of an id.
  using Instead = std::function<uint32_t(int64_t id, uint32_t owner)>;
  // An error: the book is damaged. The ids are in its range.
  static Result<ByOwner> split(const Book& book, const IdSpan& ids, const Instead& instead = {});

  // Who owns all of them, if one does; reads no further than that. The book may be damaged.
  static std::optional<uint32_t> only_owner(const Book& book, const IdSpan& ids,
                                            const Instead& instead = {});

  struct Share {
    std::vector<int64_t> ids;
    std::vector<int64_t> places;  // where they were among all
    IdSpan span() const { return {ids.data(), true, static_cast<int64_t>(ids.size())}; }
  };
  const std::vector<Share>& shares() const { return shares_; }
  // By place.
  const std::vector<uint16_t>& owners() const { return owners_; }

 private:
  std::vector<Share> shares_;  // by part
  std::vector<uint16_t> owners_;
};

}  // namespace gls
