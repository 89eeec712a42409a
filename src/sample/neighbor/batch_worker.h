// Samples one batch: the seeds, then hop by hop and edge type by edge type.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/dataset/topology_query.h"
#include "sample/links/links.h"
#include "sample/neighbor/anchors.h"
#include "sample/neighbor/hop_worker.h"
#include "sample/neighbor/request_seeds.h"

namespace gls {

// For bidirectional subgraphs, by edge type: the type whose edges are its own reversed.
std::vector<std::optional<size_t>> mirrors_of(const Dataset& dataset,
                                              const SamplerOptions& options);

class BatchWorker : protected HopWorker {
 public:
  BatchWorker(const SamplerPlan& plan, SamplerScratch& scratch, const SampleRequest& request);
  virtual ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  // The neighbourhoods of the request's seeds.
  Result<std::shared_ptr<Batch>> run();
  // The request's nodes with the edges between them. Of a long row, uses only as many entries as
  // HGT considers; -1: all.
  Result<std::shared_ptr<Batch>> run_induced(int64_t most_of_row);

 protected:
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

  // Makes the picks of one hop, and numbers the neighbours.
  virtual Status run_hop(size_t hop);
  // Excludes edges of this batch.
  virtual Status exclude(std::vector<EdgeSet> sets);
  void end_hop();
  Status check_edges(int64_t count) const;
  Status relabel(NodeState& type, int64_t count, const uint32_t* edge_trees, void* out);
  void reach(size_t node_type);
  void reach_edges(size_t edge_type);

  const SampleRequest& request_;
  std::vector<NodeState> nodes_;
  std::vector<EdgeState> edges_;

 private:
  // Gives the neighbours along one edge type their local ids.
  class Numbering;
  // One edge type, from all nodes of the batch.
  struct Inside : Hop {
    NodeState* anchor;
    NodeState* neighbor;
    EdgeState* kept;
  };

  // Adds the seeds and finds the excluded edges.
  Status begin();
  Status add_all_seeds();
  Status add_seeds(const SeedSet& seeds);
  Status add_lists(const std::vector<LinkSeeds::List>& lists, bool timed);
  static FrontierNodes frontier_of(const NodeState& type, int64_t begin, int64_t end) {
    return {&type.ids, &type.ids, &type.trees, begin, end};
  }

  // Replaces the picked edges by all edges between nodes of the batch.
  Status induce(int64_t most_of_row);
  Status induce_type(const Inside& hop);
  Status take_row(const Inside& hop, int64_t local);
  Status look_up_rows(const Inside& hop);
  Status sift_rows(const Inside& hop);
  void make_filter(const NodeState& neighbor);
  Status keep_inside(const Inside& hop, const int64_t* positions, int64_t* ids);
  // Adds the reverse of every picked edge.
  Status add_reverses();
  void join_bidirectional(size_t edge_type, const EdgeState& own, const EdgeState* mirror);

  std::shared_ptr<Batch> finish();

  LinkSeedSets links_;                  // the seeds of request_.links
  std::optional<AnchorSeeds> anchors_;  // set for samplers with supervisions
};

}  // namespace gls
