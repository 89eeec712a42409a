// What lets a weighted draw be one look and not a pass over its row: the alias tables of all rows,
// docs/contract.md section 2. With or without the table a batch is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "rules/alias_rule.h"
#include "sample/kernels/kernels.h"
#include "system/memory.h"

namespace gls {

// What has to be known of rows before they are read where nothing can be said of what is wrong.
struct WeighedRows {
  // Each is one, its ids and weights fit, and no sum is infinite.
  bool fit = true;
  int64_t longest = 0;
};

class WeightTable {
 public:
  // One for each edge type, layout and column of a dataset, made on the context's threads when
  // first asked for, and kept with the dataset. NULL when all tables of the dataset would take more
  // than `most_bytes`, when there is no memory for it, or when rows overlap, as those of damaged
  // data do: then rows have to be read.
  static Result<std::shared_ptr<const WeightTable>> of(const Dataset& dataset, size_t edge_type,
                                                       Layout layout, const Column& column,
                                                       uint64_t most_bytes);
  static uint64_t bytes_for(const Topology& topology);
  // Of the same rows, without a table. Found and kept as it is.
  static Result<WeighedRows> weighed_rows(const Dataset& dataset, size_t edge_type, Layout layout,
                                          const Column& column);

  using Row = WeightedRow;
  // For `positive`: the row has a weight or an id that does not fit, which is an error for whoever
  // uses it, or a sum that is infinite.
  static constexpr int32_t kUnknown = -1;
  const Row* rows() const { return rows_; }
  // Whether no row is unknown.
  bool complete() const { return complete_; }
  int64_t longest() const { return longest_; }  // row that is known
  // Of all positions; those of rows that are unknown, or have no positive weight, say nothing.
  const AliasSlot* slots() const { return slots_; }
  std::span<const AliasSlot> slots_of(const Row& row) const {
    return {slots_ + row.begin, static_cast<size_t>(row.degree)};
  }

  // The positions of positive weight, ascending.
  void append_positive(const Row& row, std::vector<int64_t>* out) const {
    if (row.positive == 0) {
      return;
    }
    const bool all = row.positive == row.degree;  // the commonest case reads no memory
    for (int64_t i = 0; i < row.degree; ++i) {
      if (all || slots_[row.begin + i].positive(static_cast<uint32_t>(i))) {
        out->push_back(row.begin + i);
      }
    }
  }

 private:
  WeightTable(const Topology& topology, bool huge_pages);
  Status fill_all(const Topology& topology, const Tensor& column, ThreadPool& pool);
  struct RowOfWeights;
  void fill(const Topology& topology, const Tensor& column, int64_t node, RowOfWeights* read);

  PageBlock slots_block_;
  PageBlock rows_block_;
  bool complete_ = true;
  int64_t longest_ = 0;
  AliasSlot* slots_ = nullptr;
  Row* rows_ = nullptr;
};

}  // namespace gls
