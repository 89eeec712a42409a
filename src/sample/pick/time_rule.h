// Decides which edges of a row are early enough for a seed: docs/contract.md section 2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "host_device/time_bounds.h"
#include "query/sampler_options.h"
#include "sample/kernels/kernels.h"
#include "sample/kernels/row_scan.h"
#include "sample/pick/row_times.h"

namespace gls {

// A column of integers, one per row, of any width.
class IntegerColumn {
 public:
  IntegerColumn() = default;
  explicit IntegerColumn(Tensor column);
  static bool fits(const Tensor& column);  // accepts integers below 2^63, one per row

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
           const SamplerOptions& options, const kernels::Table& kernels);
  // Finds and keeps the times by row. `key` distinguishes the columns and the layout from others of
  // the dataset. Call it before rows are requested.
  Status keep_times(const Dataset& dataset, const std::string& key);

  bool active() const { return edge_.defined() || node_.defined(); }
  const IntegerColumn& edge() const { return edge_; }
  const IntegerColumn& node() const { return node_; }

  // A row, and the entries that are wanted.
  struct Wanted {
    int64_t row;
    int64_t seed_time;
    std::span<const int64_t> excluded;  // positions in it, ascending
    int64_t latest;                     // number of latest entries; -1: all within the time limits
    int64_t picks;  // limit on picks from the entries within the time limits; -1: no limit
  };
  // The entries of a row that a seed may use. Where times ascend, it is the range [begin, end)
  // without excluded edges; else the contents of `entries`.
  struct Usable {
    int64_t begin = 0;
    int64_t end = 0;
    bool is_range = true;
  };
  Result<Usable> usable(const Wanted& wanted, RowEntries* entries) const;
  // Prefetch in stages: the first reads of a row, and some rows later the next and the last reads.
  // Rows are those of the topology, where all rows are local.
  void ask_for(int64_t row) const;
  void ask_for_times(int64_t row) const;
  void ask_for_entries(int64_t row, int64_t seed_time) const;

 private:
  Status check(int64_t position) const;
  // The edge time at a checked position.
  int64_t edge_time(int64_t position) const {
    return edge_[by_position_ ? position : topology_->edge_id(position)];
  }
  int64_t node_time(int64_t position) const {
    return node_[by_position_ ? position : topology_->neighbor(position)];
  }
  // An edge has one or two times, and both count. For two edge columns, the later time suffices if
  // only late edges are excluded. The first time defines the latest entries.
  int64_t first_time(int64_t position) const {
    if (merged_) {
      return std::max(edge_time(position), node_time(position));
    }
    return edge_.defined() ? edge_time(position) : node_time(position);
  }
  int64_t second_time(int64_t position) const { return node_time(position); }
  RowTimes::Shape shape(const std::string& key) const;

  Result<uint8_t> state_of(int64_t row, int64_t begin, int64_t end) const;
  Result<uint8_t> read_row(int64_t begin, int64_t end) const;
  void scan(const Wanted& wanted, const RowScan& row, const std::byte* order,
            RowEntries* entries) const;
  void read_edges(const Wanted& wanted, const Usable& row, const TimeBounds& bounds,
                  std::vector<int64_t>* positions) const;
  void keep_last(int64_t count, std::vector<int64_t>* positions) const;

  const EdgeType* type_ = nullptr;
  const Topology* topology_ = nullptr;
  IntegerColumn edge_;        // by edge id
  IntegerColumn node_;        // by neighbour
  bool by_position_ = false;  // both are indexed by position, because only some rows are local
  bool merged_ = false;
  bool two_ = false;
  bool strict_ = false;
  int64_t window_ = 0;
  const kernels::Table* kernels_ = nullptr;
  std::shared_ptr<const RowTimes> times_;
};

// An error if options contradict each other, or a column does not exist or is not integer.
Status check_times(const Dataset& dataset, const SamplerOptions& options);
// By edge type, from checked options.
Result<std::vector<TimeRule>> make_time_rules(const Dataset& dataset, const SamplerOptions& options,
                                              const kernels::Table& kernels);

}  // namespace gls
