// Personalised PageRank of one seed at a time by forward push: docs/contract.md section 9.
//
// A seed touches some thousands of nodes of a graph of any size. They are numbered as they are met;
// a hash table finds the number of a node, and is not cleared between seeds: its slots carry the
// number of the seed they are of.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/excluded_edges.h"
#include "sample/near_rows.h"
#include "sample/pick.h"
#include "sample/ppr_plan.h"

namespace gls {

// Of one seed; kept from batch to batch for its memory.
class PushTable {
 public:
  struct Entry {
    double score = 0;
    double residual = 0;
    double limit = 0;  // above it a node is pushed
    int64_t node = 0;
    uint32_t type = 0;
    int32_t hop = 0;
    bool queued = false;
    bool pushed = false;
  };
  static constexpr uint32_t kNone = 0xffffffffu;

  void clear();
  // kNone: it was not met.
  uint32_t find(uint32_t type, int64_t node) const;
  uint32_t add(uint32_t type, int64_t node);
  void prefetch(uint32_t type, int64_t node) const {
    __builtin_prefetch(&slots_[home(type, node)]);
  }
  Entry& operator[](uint32_t index) { return entries_[index]; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  struct Slot {
    uint32_t seed = 0;
    uint32_t index = 0;
  };
  size_t home(uint32_t type, int64_t node) const {
    return ((static_cast<uint64_t>(node) + (uint64_t{type} << 40)) * 0x9e3779b97f4a7c15u) >> shift_;
  }
  void grow();

  std::vector<Entry> entries_;
  std::vector<Slot> slots_ = std::vector<Slot>(size_t{1} << 10);
  uint32_t shift_ = 54;
  uint32_t seed_ = 0;
};

class ForwardPush {
 public:
  // All of it must outlive this.
  struct Input {
    const Dataset& dataset;
    const PprPlan& plan;
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // of this request; may be empty
    uint64_t batch_key;
  };
  ForwardPush(const Input& input, PushTable& table);

  // The neighbours of a seed, appended by node type; `local` is the seed's local id.
  Status run(size_t type, int64_t seed, int64_t local, std::vector<NearRows>* out);

 private:
  // One edge type of the row of the node that is pushed.
  struct Row {
    const PushStep* step;
    int64_t begin;
    int64_t end;
    size_t first_listed;  // in positions_; used when `listed`
    int64_t count;
    bool listed;
  };
  struct Near {
    double value;
    double rank;  // what it is chosen by
    int64_t node;
    int32_t hop;
  };

  Status push(uint32_t index);
  // Finds the edges that are taken of a node; returns their number.
  Result<int64_t> read_rows(uint32_t type, int64_t node);
  Status spread(const Row& row, double share, int32_t hop);
  Status arrive(uint32_t type, int64_t node, double share, int32_t hop);
  // Edges of a node without those excluded.
  Result<int64_t> degree(uint32_t type, int64_t node);
  void choose(size_t type, int64_t local, NearRows* out);

  const Input in_;
  const PprOptions& options_;
  const double factor_;  // of a degree
  const ExclusionView excluded_;
  PushTable& table_;
  std::vector<uint32_t> queue_;
  size_t front_ = 0;
  uint64_t edges_ = 0;
  RowPicker picker_;
  std::vector<Row> rows_;
  std::vector<int64_t> positions_;
  std::vector<int64_t> row_excluded_;
  std::vector<Near> near_;
  std::vector<Near> rest_;
};

}  // namespace gls
