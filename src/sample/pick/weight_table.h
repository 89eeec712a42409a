// The alias tables of all rows, docs/contract.md section 2. A weighted draw then needs one look-up
// instead of a pass over its row. Batches are the same with and without the table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "host_device/alias_rule.h"
#include "sample/kernels/kernels.h"
#include "system/memory.h"

namespace gls {

// What code without error reports must know about rows before it reads them.
struct WeighedRows {
  // Every row is valid, its ids and weights are valid, and no sum is infinite.
  bool fit = true;
  int64_t longest = 0;
};

class WeightTable {
 public:
  // One table for each edge type, layout and column of a dataset, made on the context's threads at
  // first use, and kept with the dataset. NULL if all tables of the dataset would exceed
  // `most_bytes`, memory is lacking, or rows overlap, as in damaged data. Rows must then be read.
  static Result<std::shared_ptr<const WeightTable>> of(const Dataset& dataset, size_t edge_type,
                                                       Layout layout, const Column& column,
                                                       uint64_t most_bytes);
  static uint64_t bytes_for(const Topology& topology);
  // Information about the same rows, without a table. It is found once and kept.
  static Result<WeighedRows> weighed_rows(const Dataset& dataset, size_t edge_type, Layout layout,
                                          const Column& column);

  using Row = WeightedRow;
  // A value of `positive`: the row has an invalid weight or id, which is an error for its users, or
  // an infinite sum.
  static constexpr int32_t kUnknown = -1;
  const Row* rows() const { return rows_; }
  // Whether no row is unknown.
  bool complete() const { return complete_; }
  int64_t longest() const { return longest_; }  // row that is known
  // For all positions; slots of unknown rows, and of rows without a positive weight, are undefined.
  const AliasSlot* slots() const { return slots_; }
  std::span<const AliasSlot> slots_of(const Row& row) const {
    return {slots_ + row.begin, static_cast<size_t>(row.degree)};
  }

  // The positions with positive weight, ascending.
  void append_positive(const Row& row, std::vector<int64_t>* out) const {
    if (row.positive == 0) {
      return;
    }
    const bool all = row.positive == row.degree;  // the most common case reads no memory
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
