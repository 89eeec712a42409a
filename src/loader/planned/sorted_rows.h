// The rows that a batch needs of a column, in ascending order with their places in the batch.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

// Throws std::bad_alloc.
class SortedRows {
 public:
  // One for each thread, as fresh memory for each batch costs more than sorting.
  static SortedRows& of_thread() {
    static thread_local SortedRows rows;
    return rows;
  }

  // Ids are below `num_rows`; they may repeat.
  void sort(const IdSpan& ids, uint64_t num_rows);

  // Calls visit(row, places in `ids`) for each row.
  template <typename Visit>
  void visit(Visit visit) {
    const uint64_t mask = (uint64_t{1} << place_bits_) - 1;
    for (size_t begin = 0, end = 0; begin < keys_.size(); begin = end) {
      const uint64_t row = keys_[begin] >> place_bits_;
      places_.clear();
      while (end < keys_.size() && keys_[end] >> place_bits_ == row) {
        places_.push_back(static_cast<int64_t>(keys_[end++] & mask));
      }
      visit(row, std::span<const int64_t>(places_));
    }
  }

 private:
  int place_bits_ = 0;
  std::vector<uint64_t> keys_;  // row, then place
  std::vector<uint64_t> other_;
  std::vector<int64_t> places_;
};

}  // namespace gls
