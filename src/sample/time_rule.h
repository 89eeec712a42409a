// Which edges of a row are early enough for a seed: docs/contract.md section 2.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/status.h"
#include "graph/dataset.h"
#include "sample/options.h"
#include "sample/time_bounds.h"

namespace gls {

// A column of integers, one per row, of any width.
class IntegerColumn {
 public:
  IntegerColumn() = default;
  explicit IntegerColumn(Tensor column);
  static bool fits(const Tensor& column);  // integers below 2^63, one per row

  bool defined() const { return column_.defined(); }
  int64_t rows() const { return column_.rows(); }
  int64_t operator[](int64_t row) const { return integer_at(view_, row); }
  const device::Integers& view() const { return view_; }
  const Tensor& tensor() const { return column_; }

 private:
  Tensor column_;
  device::Integers view_;
};

// The columns and bounds of one edge type, followed in one direction.
class TimeRule {
 public:
  TimeRule() = default;
  TimeRule(const EdgeType& type, const Topology& topology, Tensor edge_time, Tensor node_time,
           const SamplerOptions& options);

  bool active() const { return edge_.defined() || node_.defined(); }
  const IntegerColumn& edge() const { return edge_; }
  const IntegerColumn& node() const { return node_; }

  // What of a row a seed of time `seed_time` may use: the range [begin, end) without `excluded`
  // where the row's times ascend, else the positions listed.
  struct Usable {
    int64_t begin = 0;
    int64_t end = 0;
    bool listed = false;
  };
  // `positions` is scratch: on return those listed, ascending.
  Result<Usable> usable(int64_t row, int64_t seed_time, std::span<const int64_t> excluded,
                        std::vector<int64_t>* positions) const;
  // Keeps the latest `count` of `positions`, ascending in position.
  void keep_last(int64_t count, std::vector<int64_t>* positions) const;

 private:
  Status check(int64_t position) const;
  // Of a checked position.
  int64_t edge_time(int64_t position) const {
    return edge_[by_position_ ? position : topology_->edge_id(position)];
  }
  int64_t node_time(int64_t position) const {
    return node_[by_position_ ? position : topology_->neighbor(position)];
  }
  int64_t order_time(int64_t position) const {
    return edge_.defined() ? edge_time(position) : node_time(position);
  }
  Result<bool> ascends(int64_t row, int64_t begin, int64_t end) const;

  const EdgeType* type_ = nullptr;
  const Topology* topology_ = nullptr;
  IntegerColumn edge_;        // by edge id
  IntegerColumn node_;        // by neighbour
  bool by_position_ = false;  // both, where only some rows are here
  bool strict_ = false;
  int64_t window_ = 0;
  std::shared_ptr<PageBlock> row_states_;
};

// An error when options do not go together, or a column does not exist or holds no integers.
Status check_times(const Dataset& dataset, const SamplerOptions& options);
// By edge type, of options that were checked.
std::vector<TimeRule> make_time_rules(const Dataset& dataset, const SamplerOptions& options);

}  // namespace gls
