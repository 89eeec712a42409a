// Samples one batch: the seeds, then hop by hop and edge type by edge type.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/dataset/topology_query.h"
#include "sample/links/links.h"
#include "sample/neighbor/anchors.h"
#include "sample/neighbor/hop_worker.h"

namespace gls {

// An error names the first seed that is not a node of the type.
Status check_seed_ids(const NodeType& type, const IdSpan& ids);
// Checks that each seed has a time, or that the sampler is not temporal and there are no times.
Status check_seed_times(const SamplerOptions& options, const NodeType& type, const SeedSet& seeds);

// The seeds of a request's links, with negatives; `key` is the key of the batch.
Result<LinkSeeds> find_link_seeds(const Sampler& sampler, const SampleRequest& request,
                                  uint64_t key);
// As find_link_seeds(), but `draw` draws the negatives; it receives the sampler that would draw
// them on the host.
using DrawElsewhere = std::function<Result<DrawnNegatives>(const NegativeSampler& negatives,
                                                           std::span<const int64_t> sources)>;
Result<LinkSeeds> find_link_seeds(const Sampler& sampler, const SampleRequest& request,
                                  const DrawElsewhere& draw);
// By edge type: its reverse type, for bidirectional subgraphs.
std::vector<std::optional<size_t>> mirrors_of(const Dataset& dataset,
                                              const SamplerOptions& options);
SeedSet seed_set(const LinkSeeds::List& list, bool timed);

class BatchWorker : private HopWorker {
 public:
  BatchWorker(const Sampler& sampler, SamplerScratch& scratch, const SampleRequest& request);
  ~BatchWorker();
  Result<std::shared_ptr<Batch>> run();

 private:
  struct NodeState {
    IdArray ids;
    IdArray trees;
    Relabel* table = nullptr;  // NULL until the type is first visited
    int64_t count = 0;
    int64_t frontier_begin = 0;
    int64_t frontier_end = 0;
    Tensor seed;
    Tensor seed_time;
    std::vector<int64_t> per_hop;
  };
  struct EdgeState : PickedEdges {
    IdArray neighbors;  // local ids of neighbours
    bool reached = false;
    std::vector<int64_t> per_hop;
  };
  // Gives the neighbours along one edge type their local ids.
  class Numbering;
  // One edge type, from all nodes of the batch.
  struct Inside : Hop {
    NodeState* anchor;
    NodeState* neighbor;
    EdgeState* kept;
  };

  Status add_all_seeds();
  Status add_seeds(const SeedSet& seeds);
  Status add_lists(const std::vector<LinkSeeds::List>& lists, bool timed);
  Status find_excluded_here();
  Status run_hop(size_t hop);
  // See remote_batch.cc.
  Status run_hop_elsewhere(size_t hop);
  Status number_picks(size_t edge_type, const HopPicks& picks);
  void end_hop();
  static FrontierNodes frontier_of(const NodeState& type, int64_t begin, int64_t end) {
    return {&type.ids, &type.ids, &type.trees, begin, end};
  }
  Status check_edges(int64_t count) const;
  Status relabel(NodeState& type, int64_t count, const uint32_t* edge_trees, void* out);

  // Replaces the picked edges by all edges between nodes of the batch.
  Status induce();
  Status induce_type(const Inside& hop);
  Status take_row(const Inside& hop, int64_t local);
  Status look_up_rows(const Inside& hop);
  Status sift_rows(const Inside& hop);
  void make_filter(const NodeState& neighbor);
  Status keep_inside(const Inside& hop, const int64_t* positions, int64_t* ids);
  // Adds the reverse of every picked edge.
  Status add_reverses();
  void join_both_ways(size_t edge_type, const EdgeState& own, const EdgeState* mirror);

  void reach(size_t node_type);
  void reach_edges(size_t edge_type);
  std::shared_ptr<Batch> finish();

  const SampleRequest& request_;
  std::optional<LinkSeeds> links_;          // the seeds of request_.links
  std::optional<AnchorSeeds> anchors_;      // set for samplers with supervisions
  std::vector<EdgeSet> exclude_elsewhere_;  // sent with each question to the parts
  std::vector<NodeState> nodes_;
  std::vector<EdgeState> edges_;
};

}  // namespace gls
