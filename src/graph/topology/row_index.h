// The rows of a remote graph that were fetched, by node. Used by one thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

class RowIndex {
 public:
  static constexpr int64_t kEmpty = 0;  // a row without entries

  // The row of a node. A missing node is recorded, and has the empty row.
  int64_t find(int64_t node) const {
    const auto [at, is_new] = rows_.try_emplace(node, kEmpty);
    if (is_new) {
      missing_.push_back(node);
    }
    return at->second;
  }
  // Returns the missing nodes that were requested, and clears the record.
  std::vector<int64_t> take_missing() const { return std::exchange(missing_, {}); }
  bool complete() const { return missing_.empty(); }
  void add(int64_t node, int64_t row) { rows_[node] = row; }

  // For the neighbour at each position, if node times are needed.
  Tensor neighbor_times;

 private:
  mutable std::unordered_map<int64_t, int64_t> rows_;
  mutable std::vector<int64_t> missing_;
};

}  // namespace gls
