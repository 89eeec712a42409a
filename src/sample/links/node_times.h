// The nodes of one type in the order of a column of times: docs/contract.md section 5, "In time".
// It is made once, and kept with the dataset where `sample.row_times` leaves room.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "tensor/tensor.h"

namespace gls {

class NodeTimes {
 public:
  // For a node type that has the column. Rows of other parts are fetched.
  static Result<std::shared_ptr<const NodeTimes>> of(const Dataset& dataset, size_t node_type,
                                                     const std::string& column);
  // Orders nodes by time, and by id within the same time.
  explicit NodeTimes(const Tensor& column);
  NodeTimes(const NodeTimes&) = delete;
  NodeTimes& operator=(const NodeTimes&) = delete;

  int64_t count() const { return times_.size(); }
  int64_t node(int64_t rank) const { return in_order_ ? rank : order_[rank]; }
  int64_t time(int64_t rank) const { return times_[rank]; }
  // How many nodes have at most this time (strict: less).
  int64_t count_until(int64_t time, bool strict) const;
  uint64_t bytes() const;

 private:
  // Ids and times have 32 bits where all of them fit.
  std::vector<int32_t> narrow_order_;
  std::vector<int64_t> wide_order_;
  std::vector<int32_t> narrow_times_;
  std::vector<int64_t> wide_times_;
  bool in_order_ = false;  // the id of a node is its rank
  IdSpan order_;
  IdSpan times_;
};

}  // namespace gls
