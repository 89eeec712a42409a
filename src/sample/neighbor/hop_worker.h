// Picks one hop along one edge type, for all nodes of a frontier: first positions in their rows,
// then the neighbours stored there. The caller numbers the neighbours (batch_worker.h) or returns
// them in an answer (answer_hop.h).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sample/kernels/id_array.h"
#include "sample/neighbor/sampler_scratch.h"
#include "sample/pick/labor.h"
#include "sample/pick/weight_table.h"
#include "sample/plan/sampler_plan.h"
#include "system/memory.h"

namespace gls {

// Nodes of one type, by local id. Picks are made from the rows of [begin, end).
struct FrontierNodes {
  const IdArray* rows;   // of the topology
  const IdArray* nodes;  // the ids that their draws depend on; equal to `rows` in a whole dataset
  const IdArray* trees;  // only with disjoint trees
  int64_t begin;
  int64_t end;
};

// Edges of one type, in the order of picking.
struct PickedEdges {
  IdArray anchors;  // local ids of the expanded end
  IdArray edge_ids;
  int64_t count = 0;
};

// Receives picks, one chunk at a time.
class PickSink {
 public:
  virtual ~PickSink() = default;
  virtual bool wide_neighbors() const = 0;
  // Receives `count` neighbours in the scratch memory, uint32 or uint64. Their anchors and edge ids
  // are already behind the edges of the hop.
  virtual Status take(int64_t count) = 0;
};

// Picks the hops of one batch or one question, and passes the picks to a PickSink.
class HopWorker {
 public:
  // One edge type in one hop.
  struct Hop {
    size_t edge_type;
    const Topology* topology;
    FrontierNodes frontier;
    PickedEdges* edges;
    PickSink* sink;
    int64_t fanout;
    uint32_t row_word;
    bool vectorised;  // the kernels for whole hops can be used
  };

  HopWorker(const SamplerPlan& plan, SamplerScratch& scratch, uint64_t epoch, uint64_t batch);

  // Whether the kernels for whole hops can be used with this fanout.
  bool can_vectorise(size_t edge_type, int64_t fanout) const;
  Status expand(const Hop& hop);

 protected:
  // Neighbours or edge ids, one per position.
  struct StoredIds {
    const char* what;
    IdSpan ids;
    int64_t limit;  // ids are below this
  };

  // The row of a frontier node without excluded and late edges; views scratch memory.
  Result<RowPick> row_of(const Hop& hop, int64_t local);
  // Prefetches the start of a row that is longer than the fanout.
  void ask_for_row(const Hop& hop, int64_t local) const;
  // Writes the ids of the edges at `positions`, if requested, from index `at` on.
  Status take_edge_ids(const Hop& hop, const int64_t* positions, int64_t count, int64_t at);
  static StoredIds indices_of(const Hop& hop);
  // The error that one of these ids is out of range.
  Status name_bad_id(const Hop& hop, const StoredIds& stored, const int64_t* positions,
                     int64_t count) const;
  // Reads the values at `positions`, as unsigned numbers.
  Status load(const Hop& hop, const StoredIds& stored, const int64_t* positions, int64_t count,
              bool wide, void* out) const;
  Status bad_row(const Hop& hop, int64_t local) const;

  const SamplerPlan& plan_;
  SamplerScratch& scratch_;
  const Dataset& dataset_;
  BufferPool& pool_;
  const bool wide_;
  const bool disjoint_;
  uint64_t key_;
  std::vector<uint64_t> tree_keys_;
  std::vector<int64_t> tree_times_;          // set for temporal samplers
  std::vector<ExcludedEdges> excluded_;      // of this request
  std::optional<ExclusionView> exclusions_;  // of the request and the sampler; set before hops
  std::optional<LaborKeys> labor_keys_;      // set for LABOR
  // Set for LABOR in a part of a graph: global ids of neighbours.
  const GlobalIds* whole_ids_ = nullptr;

 private:
  void ask_for_times(const Hop& hop, int64_t local) const;
  // The end of the kernel's range that starts at `from`: the next row with excluded edges.
  int64_t end_of_run(const Hop& hop, int64_t from) const;
  // Makes vector picks from `from` on; returns the first unprocessed node.
  Result<int64_t> pick_run(const Hop& hop, int64_t from);
  Status pick_one(const Hop& hop, int64_t local);
  // See weighted_hop.cc.
  Status expand_weighted(const Hop& hop);
  Result<int64_t> pick_weighted_run(const Hop& hop, int64_t from);
  Status pick_weighted_one(const Hop& hop, int64_t local);
  // See labor_block.cc.
  Status pick_labor_block(const Hop& hop, int64_t from, int64_t to);
  Status pick_labor_row(const Hop& hop, const RowPick& row);
  Status pick_stored_row(const Hop& hop, const kernels::NumberArgs& args, int64_t begin,
                         int64_t end);
  kernels::NumberArgs number_args(const Hop& hop) const;
  Result<const uint64_t*> stored_numbers(const Hop& hop, const kernels::NumberArgs& args,
                                         int64_t begin, int64_t count);
  Status load_neighbors(const Hop& hop, const std::vector<int64_t>& positions);
  Status flush_rows(const Hop& hop);
  // Loads and passes on `count` picks whose anchors are written already.
  Status take_picks(const Hop& hop, const int64_t* positions, int64_t count);
  uint64_t key_of_row(const Hop& hop, int64_t local) const {
    return disjoint_ ? tree_keys_[static_cast<size_t>((*hop.frontier.trees)[local])] : key_;
  }
};

}  // namespace gls
