// Subgraphs induced by the nodes of a batch: docs/contract.md section 3. Where nodes were drawn
// from budgets, of a long row only what was considered there (section 11).
#include <algorithm>
#include <span>
#include <utility>

#include "base/philox.h"
#include "sample/batch_worker.h"

namespace gls {

using kernels::kChunkPicks;
using kernels::kSlack;

Status BatchWorker::induce() {
  const bool in = sampler_.options_.direction == Direction::kIn;
  const std::vector<bool> followed = followed_types(dataset_, sampler_.options_);
  const bool considered =
      sampler_.hgt_plan_.has_value() && sampler_.options_.subgraph == Subgraph::kSampled;
  const int64_t most = considered ? sampler_.hgt_plan_->options.most_neighbors : -1;
  for (size_t t = 0; t < edges_.size(); ++t) {
    const EdgeType& type = dataset_.edge_types()[t];
    EdgeState& edges = edges_[t];
    NodeState& anchor = nodes_[in ? type.target : type.source];
    NodeState& neighbor = nodes_[in ? type.source : type.target];
    edges.count = 0;
    if (followed[t] && anchor.count > 0 && neighbor.count > 0) {
      reach_edges(t);
      GLS_TRY(induce_type({t, &*type.topology(sampler_.layout_), &anchor, &neighbor, &edges, most,
                           row_word(0, static_cast<uint32_t>(t)), false}));
    }
    edges.per_hop = {edges.count};
  }
  return {};
}

Status BatchWorker::induce_type(const Hop& hop) {
  for (int64_t local = 0; local < hop.anchor->count; ++local) {
    GLS_ASSIGN(const RowPick row, row_of(hop, local));
    std::vector<int64_t>& out = scratch_.row_positions;
    const size_t before = out.size();
    scratch_.picker.uniform(row, &out);
    scratch_.row_runs.emplace_back(local, static_cast<int64_t>(out.size() - before));
    const bool full = static_cast<int64_t>(out.size()) >= kChunkPicks / 2;
    if (full || local + 1 == hop.anchor->count) {
      GLS_TRY(keep_inside(hop));
    }
  }
  return {};
}

// Hands on those of the waiting picks whose neighbour is in the batch.
Status BatchWorker::keep_inside(const Hop& hop) {
  const std::vector<int64_t>& positions = scratch_.row_positions;
  const Topology& topology = *hop.topology;
  const Relabel& table = *hop.neighbor->table;
  std::vector<int64_t>& keys = scratch_.keys;
  keys.resize(positions.size() + static_cast<size_t>(kSlack));
  const StoredIds indices = {"index",
                             IdSpan(topology.indices, topology.wide_indices, topology.num_edges),
                             topology.num_neighbors};
  GLS_TRY(load(hop, indices, positions.data(), static_cast<int64_t>(positions.size()), true,
               keys.data()));
  if (disjoint_) {
    size_t at = 0;
    for (const auto& [local, picks] : scratch_.row_runs) {
      const auto tree = static_cast<uint64_t>(hop.anchor->trees[local]);
      for (int64_t j = 0; j < picks; ++j, ++at) {
        keys[at] = static_cast<int64_t>(tree * table.num_nodes() + static_cast<uint64_t>(keys[at]));
      }
    }
  }
  table.find(std::span(keys).first(positions.size()));
  EdgeState& edges = *hop.edges;
  // By what is kept: a hub's row is long, and few of its neighbours are in the batch.
  const auto hits = std::count_if(keys.begin(), keys.begin() + std::ssize(positions),
                                  [](int64_t local) { return local >= 0; });
  const int64_t most = edges.count + hits;
  edges.anchors.reserve(most, edges.count);
  edges.neighbors.reserve(most, edges.count);
  std::vector<int64_t>& kept = scratch_.row_usable;
  kept.clear();
  const int64_t before = edges.count;
  size_t at = 0;
  for (const auto& [local, picks] : scratch_.row_runs) {
    for (int64_t j = 0; j < picks; ++j, ++at) {
      if (keys[at] >= 0) {
        edges.anchors.set(edges.count, local);
        edges.neighbors.set(edges.count, keys[at]);
        ++edges.count;
        kept.push_back(positions[at]);
      }
    }
  }
  scratch_.row_positions.clear();
  scratch_.row_runs.clear();
  return take_edge_ids(hop, kept.data(), edges.count - before, before);
}

}  // namespace gls
