// Computes the position of an id in its owner's part. The ids of a part keep the global order, so
// the position is the number of earlier ids with the same owner.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/partition/partition_book.h"

namespace gls {

class PartitionBookIndex {
 public:
  // Reads the book once, and keeps it. An error: it is damaged.
  static Result<PartitionBookIndex> make(const PartitionBook& book);

  const PartitionBook& book() const { return book_; }
  // The number of ids that a part owns.
  int64_t owned(uint32_t part) const { return owned_[part]; }
  // `id` is in the range of the book; the result is below owned() of its owner.
  int64_t rank(int64_t id) const;

 private:
  PartitionBook book_;
  int64_t block_ = 1;            // ids in a block with a count
  std::vector<int64_t> before_;  // by block and part; empty for ranges
  std::vector<int64_t> owned_;
};

}  // namespace gls
