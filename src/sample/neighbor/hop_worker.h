// Picks of one hop along one edge type, for all nodes of a frontier: positions in their rows, then
// what is stored there. Who asked for them numbers the neighbours (batch_worker.h) or answers with
// them (hop_answer.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sample/batch/relabel.h"
#include "sample/kernels/id_array.h"
#include "sample/kernels/index_set.h"
#include "sample/neighbor/sampler.h"
#include "sample/pick/labor.h"
#include "sample/pick/weight_table.h"
#include "system/memory.h"

namespace gls {

struct HgtScratch;
struct NearScratch;

// What a worker keeps from batch to batch: tables, chunk buffers, and the sizes seen last.
struct SamplerScratch {
  static constexpr int64_t kMinExpected = 1024;
  explicit SamplerScratch(const Dataset& dataset);
  ~SamplerScratch();

  std::vector<std::unique_ptr<Relabel>> tables;  // by node type, made when first needed
  std::vector<int64_t> expected_nodes;           // by node type
  std::vector<int64_t> expected_edges;           // by edge type
  PageBlock chunk;
  int64_t* positions;
  void* neighbors;  // uint32 or uint64
  uint32_t* edge_trees;
  RowPicker picker;
  std::vector<int64_t> row_positions;
  std::vector<int64_t> row_excluded;
  RowEntries row_entries;         // of a row, those in time where they are no range
  std::vector<int64_t> row_kept;  // positions whose neighbours are in the batch
  std::vector<int64_t> keys;      // of neighbours that may be in the batch
  std::vector<uint32_t> filter;   // bits of nodes that are in it
  AliasPicker alias;
  LayerScratch layer;
  IndexSet taken;
  // Rows whose picks wait in row_positions: local id and number of picks.
  std::vector<std::pair<int64_t, int64_t>> row_runs;
  std::unique_ptr<NearScratch> near;  // made when first needed
  std::unique_ptr<HgtScratch> hgt;    // the same
};

// Nodes of one type, by local id; those whose rows are picked from are [begin, end).
struct FrontierNodes {
  const IdArray* rows;   // of the topology
  const IdArray* nodes;  // the ids that their draws are made by; the same in a whole dataset
  const IdArray* trees;  // disjoint only
  int64_t begin;
  int64_t end;
};

// Edges of one type, in the order of picking.
struct PickedEdges {
  IdArray anchors;  // local ids at the frontier's end
  IdArray edge_ids;
  int64_t count = 0;
};

// Takes what was picked, a chunk at a time.
class PickSink {
 public:
  virtual ~PickSink() = default;
  virtual bool wide_neighbors() const = 0;
  // So many neighbours are in the scratch memory, uint32 or uint64, and their anchors and edge ids
  // stand behind the `count` edges of the hop.
  virtual Status take(int64_t count) = 0;
};

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
    bool vectorised;  // the kernels for whole hops apply
  };

  HopWorker(const Sampler& sampler, SamplerScratch& scratch, uint64_t epoch, uint64_t batch);

  // Whether the kernels for whole hops apply to a hop of this fanout.
  bool can_vectorise(size_t edge_type, int64_t fanout) const;
  Status expand(const Hop& hop);

 protected:
  // Neighbours or edge ids, one per position.
  struct StoredIds {
    const char* what;
    IdSpan ids;
    int64_t limit;  // ids are below this
  };

  // The row of a frontier node without what is excluded or not in time; views scratch memory.
  Result<RowPick> row_of(const Hop& hop, int64_t local);
  // Asks for the beginning of a row that is longer than the fanout.
  void ask_for_row(const Hop& hop, int64_t local) const;
  // Writes the ids of the edges at `positions`, where they are asked for, from index `at` on.
  Status take_edge_ids(const Hop& hop, const int64_t* positions, int64_t count, int64_t at);
  static StoredIds indices_of(const Hop& hop);
  // The error that one of these is out of range.
  Status name_bad_id(const Hop& hop, const StoredIds& stored, const int64_t* positions,
                     int64_t count) const;
  // Reads what is stored at `positions`, as unsigned numbers.
  Status load(const Hop& hop, const StoredIds& stored, const int64_t* positions, int64_t count,
              bool wide, void* out) const;
  Status bad_row(const Hop& hop, int64_t local) const;

  const Sampler& sampler_;
  SamplerScratch& scratch_;
  const Dataset& dataset_;
  BufferPool& pool_;
  const bool wide_;
  const bool disjoint_;
  uint64_t key_;
  std::vector<uint64_t> tree_keys_;
  std::vector<int64_t> tree_times_;          // where the sampler goes by times
  std::vector<ExcludedEdges> excluded_;      // of this request
  std::optional<ExclusionView> exclusions_;  // of it and of the sampler; set before hops
  std::optional<LayerKeys> layer_keys_;      // where rows are picked by layer
  const WholeIds* whole_ids_ = nullptr;      // then, in a part of a graph: of neighbours

 private:
  void ask_for_times(const Hop& hop, int64_t local) const;
  // How far kernels may go from `from` on: up to a row that has excluded edges.
  int64_t end_of_run(const Hop& hop, int64_t from) const;
  // Vector picks from `from` on; returns the first node not done.
  Result<int64_t> pick_run(const Hop& hop, int64_t from);
  Status pick_one(const Hop& hop, int64_t local);
  // See weighted_hop.cc.
  Status expand_weighted(const Hop& hop);
  Result<int64_t> pick_weighted_run(const Hop& hop, int64_t from);
  Status pick_weighted_one(const Hop& hop, int64_t local);
  // See layer_block.cc.
  Status pick_layer_block(const Hop& hop, int64_t from, int64_t to);
  Status pick_layer_row(const Hop& hop, const RowPick& row);
  Status pick_stored_row(const Hop& hop, const kernels::NumberArgs& args, int64_t begin,
                         int64_t end);
  kernels::NumberArgs number_args(const Hop& hop) const;
  Result<const uint64_t*> stored_numbers(const Hop& hop, const kernels::NumberArgs& args,
                                         int64_t begin, int64_t count);
  Status load_neighbors(const Hop& hop, const std::vector<int64_t>& positions);
  Status flush_rows(const Hop& hop);
  // Loads and hands on `count` picks whose anchors are written already.
  Status take_picks(const Hop& hop, const int64_t* positions, int64_t count);
  uint64_t key_of_row(const Hop& hop, int64_t local) const {
    return disjoint_ ? tree_keys_[static_cast<size_t>((*hop.frontier.trees)[local])] : key_;
  }
};

}  // namespace gls
