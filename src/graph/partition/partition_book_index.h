// Where its owner has each id of a book: ids of a part are in the order of the whole, so that it is
// how many before it have the same owner.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/partition/partition_book.h"

namespace gls {

class BookRanks {
 public:
  // Reads the book once, and keeps it. An error: it is damaged.
  static Result<BookRanks> make(const Book& book);

  const Book& book() const { return book_; }
  // How many ids a part has.
  int64_t owned(uint32_t part) const { return owned_[part]; }
  // `id` is in the range of the book; below owned() of its owner.
  int64_t rank(int64_t id) const;

 private:
  Book book_;
  int64_t block_ = 1;            // ids for which there are counts
  std::vector<int64_t> before_;  // by block and part; none of ranges
  std::vector<int64_t> owned_;
};

}  // namespace gls
