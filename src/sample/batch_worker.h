// Samples one batch: seeds, then hop by hop and edge type by edge type.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/memory.h"
#include "graph/topology_query.h"
#include "sample/anchors.h"
#include "sample/id_array.h"
#include "sample/index_set.h"
#include "sample/layer.h"
#include "sample/links.h"
#include "sample/relabel.h"
#include "sample/sampler.h"
#include "sample/weighted_block.h"

namespace gls {

// How a row is picked from by weight: read, taken whole, or drawn from with the block.
enum class WeightedWay : uint8_t { kRead, kAll, kDrawn };

// Frontier nodes picked from together.
struct WeightedRows {
  int64_t from;
  int64_t to;
  std::vector<WeightedWay> ways;
  WeightedBlock block;
};

struct HgtScratch;
struct NearScratch;

// What a worker keeps from batch to batch: tables, chunk buffers, and the sizes seen last.
struct SamplerScratch {
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
  std::vector<int64_t> row_usable;  // positions that are early enough
  std::vector<int64_t> keys;        // of neighbours that may be in the batch
  std::vector<uint32_t> filter;     // bits of nodes that are in it
  std::array<WeightedRows, 3> weighted_rows;
  LayerScratch layer;
  IndexSet taken;
  // Rows whose picks wait in row_positions: local id and number of picks.
  std::vector<std::pair<int64_t, int64_t>> row_runs;
  std::unique_ptr<NearScratch> near;  // made when first needed
  std::unique_ptr<HgtScratch> hgt;    // the same
};

// An error names the first seed that is no node of the type.
Status check_seed_ids(const NodeType& type, const IdSpan& ids);
// There is one for each seed, or none where the sampler does not go by times.
Status check_seed_times(const SamplerOptions& options, const NodeType& type, const SeedSet& seeds);

class BatchWorker {
 public:
  BatchWorker(const Sampler& sampler, SamplerScratch& scratch, const SampleRequest& request);
  ~BatchWorker();
  Result<std::shared_ptr<Batch>> run();

 private:
  struct NodeState {
    IdArray ids;
    IdArray trees;
    Relabel* table = nullptr;  // NULL until the type is first reached
    int64_t count = 0;
    int64_t frontier_begin = 0;
    int64_t frontier_end = 0;
    Tensor seed;
    Tensor seed_time;
    std::vector<int64_t> per_hop;
  };
  struct EdgeState {
    IdArray anchors;    // local ids at the frontier's end
    IdArray neighbors;  // local ids at the other end
    IdArray edge_ids;
    int64_t count = 0;
    bool reached = false;
    std::vector<int64_t> per_hop;
  };
  // One edge type in one hop.
  struct Hop {
    size_t edge_type;
    const Topology* topology;
    NodeState* anchor;
    NodeState* neighbor;
    EdgeState* edges;
    int64_t fanout;
    uint32_t row_word;
    bool vectorised;  // the kernels for whole hops apply
  };
  // Neighbours or edge ids, one per position.
  struct StoredIds {
    const char* what;
    IdSpan ids;
    int64_t limit;  // ids are below this
  };

  Status add_all_seeds();
  Status add_seeds(const SeedSet& seeds);
  Status add_lists(const std::vector<LinkSeeds::List>& lists, bool timed);
  Status find_excluded_here();
  Status run_hop(size_t hop);
  Status expand(const Hop& hop);
  // Vector picks from `from` on; returns the first node not done.
  Result<int64_t> pick_run(const Hop& hop, int64_t from);
  Status pick_one(const Hop& hop, int64_t local);
  // See weighted_hop.cc.
  int64_t rows_in_weighted_block(const Hop& hop) const;
  Status expand_weighted(const Hop& hop, int64_t rows_in_block);
  void begin_weighted_block(const Hop& hop, WeightedRows* rows);
  Status take_weighted_block(const Hop& hop, WeightedRows* rows);
  WeightedWay weighted_way(const Hop& hop, int64_t local) const;
  // See layer_block.cc.
  // Asks for the beginning of a row that is longer than the fanout.
  void ask_for_row(const Hop& hop, int64_t local) const;
  Status pick_layer_block(const Hop& hop, int64_t from, int64_t to);
  Status pick_layer_row(const Hop& hop, const RowPick& row);
  Status pick_stored_row(const Hop& hop, const kernels::NumberArgs& args, int64_t begin,
                         int64_t end);
  kernels::NumberArgs number_args(const Hop& hop) const;
  Result<const uint64_t*> stored_numbers(const Hop& hop, const kernels::NumberArgs& args,
                                         int64_t begin, int64_t count);
  Status load_neighbors(const Hop& hop, const std::vector<int64_t>& positions);
  // The row of a frontier node without what is excluded or not in time; views scratch memory.
  Result<RowPick> row_of(const Hop& hop, int64_t local);
  Status flush_rows(const Hop& hop);
  // Loads, reports and relabels `count` picks whose anchors are written already.
  Status take_picks(const Hop& hop, const int64_t* positions, int64_t count);
  Status take_edge_ids(const Hop& hop, const int64_t* positions, int64_t count, int64_t at);
  static StoredIds indices_of(const Hop& hop);
  // The error that one of these is out of range.
  Status name_bad_id(const Hop& hop, const StoredIds& stored, const int64_t* positions,
                     int64_t count) const;
  // Reads what is stored at `positions`, as unsigned numbers.
  Status load(const Hop& hop, const StoredIds& stored, const int64_t* positions, int64_t count,
              bool wide, void* out) const;
  Status relabel(NodeState& type, int64_t count, const uint32_t* edge_trees, void* out);
  Status bad_row(const Hop& hop, int64_t local) const;
  uint64_t key_of_row(const Hop& hop, int64_t local) const {
    return disjoint_ ? tree_keys_[static_cast<size_t>(hop.anchor->trees[local])] : key_;
  }

  // Replaces the edges picked by all between the nodes of the batch.
  Status induce();
  Status induce_type(const Hop& hop);
  Status take_row(const Hop& hop, int64_t local);
  Status look_up_rows(const Hop& hop);
  Status sift_rows(const Hop& hop);
  void make_filter(const NodeState& neighbor);
  Status keep_inside(const Hop& hop, const int64_t* positions, int64_t* ids);
  // Adds the reverse of every edge picked.
  Status add_reverses();
  std::optional<size_t> mirror_of(size_t edge_type) const;
  void join_both_ways(size_t edge_type, const EdgeState& own, const EdgeState* mirror);

  void reach(size_t node_type);
  void reach_edges(size_t edge_type);
  std::shared_ptr<Batch> finish();

  const Sampler& sampler_;
  SamplerScratch& scratch_;
  const SampleRequest& request_;
  const Dataset& dataset_;
  BufferPool& pool_;
  const bool wide_;
  const bool disjoint_;
  uint64_t key_;
  std::vector<uint64_t> tree_keys_;
  std::vector<int64_t> tree_times_;          // where the sampler goes by times
  std::vector<ExcludedEdges> excluded_;      // of this request
  std::optional<ExclusionView> exclusions_;  // of it and of the sampler, from add_all_seeds() on
  std::optional<LinkSeeds> links_;           // the seeds of request_.links
  std::optional<LayerKeys> layer_keys_;      // where rows are picked by layer
  std::optional<AnchorSeeds> anchors_;       // where the sampler has supervisions
  std::vector<NodeState> nodes_;
  std::vector<EdgeState> edges_;
};

}  // namespace gls
