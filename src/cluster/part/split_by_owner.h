// Splits ids by the part that owns them. Each list keeps the order of the ids.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graph/partition/partition_book.h"
#include "tensor/tensor.h"

namespace gls {

class SplitByOwner {
 public:
  // Returns the part to ask in place of the owner of an id.
  using Instead = std::function<uint32_t(int64_t id, uint32_t owner)>;
  // An error: the book is damaged. The ids must be in its range.
  static Result<SplitByOwner> split(const PartitionBook& book, const IdSpan& ids,
                                    const Instead& instead = {});

  // The owner of all ids, if there is only one; stops reading at the second owner. The book may be
  // damaged.
  static std::optional<uint32_t> only_owner(const PartitionBook& book, const IdSpan& ids,
                                            const Instead& instead = {});

  struct Share {
    std::vector<int64_t> ids;
    std::vector<int64_t> places;  // positions among all ids
    IdSpan span() const { return {ids.data(), true, static_cast<int64_t>(ids.size())}; }
  };
  const std::vector<Share>& shares() const { return shares_; }
  // By position.
  const std::vector<uint16_t>& owners() const { return owners_; }

 private:
  std::vector<Share> shares_;  // by part
  std::vector<uint16_t> owners_;
};

}  // namespace gls
