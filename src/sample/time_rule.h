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

namespace gls {

// A column of integers, one per row, of any width.
class IntegerColumn {
 public:
  IntegerColumn() = default;
  explicit IntegerColumn(Tensor column);
  static bool fits(const Tensor& column);  // integers below 2^63, one per row

  bool defined() const { return column_.defined(); }
  int64_t rows() const { return column_.rows(); }
  int64_t operator[](int64_t row) const;

 private:
  Tensor column_;
  const std::byte* data_ = nullptr;
  int64_t stride_ = 0;
  bool is_signed_ = true;
  uint8_t bytes_ = 8;
};

// The columns and bounds of one edge type, followed in one direction.
class TimeRule {
 public:
  TimeRule() = default;
  TimeRule(const EdgeType& type, const Topology& topology, Tensor edge_time, Tensor node_time,
           const SamplerOptions& options);

  bool active() const { return edge_.defined() || node_.defined(); }

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
  // Whether a row's times ascend is found out when it is first looked at.
  enum RowState : uint8_t { kUnknown = 0, kAscending = 1, kMixed = 2 };

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
  bool too_early(int64_t time, int64_t seed_time) const;
  bool too_late(int64_t time, int64_t seed_time) const {
    return strict_ ? time >= seed_time : time > seed_time;
  }
  Result<bool> ascends(int64_t row, int64_t begin, int64_t end) const;
  template <typename TimeOf>
  void narrow(Usable* range, int64_t seed_time, TimeOf time_of) const;

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
