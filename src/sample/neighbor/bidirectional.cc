// Makes sampled edges bidirectional: docs/contract.md section 3.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sample/neighbor/batch_worker.h"

namespace gls {
namespace {

// An edge of the result: its neighbour and its origin.
struct Half {
  int64_t neighbor;
  int64_t pick;  // picks of the type itself, then those of its mirror
};

}  // namespace

std::vector<std::optional<size_t>> mirrors_of(const Dataset& dataset,
                                              const SamplerOptions& options) {
  const std::vector<EdgeType>& types = dataset.edge_types();
  std::vector<std::optional<size_t>> out(types.size());
  for (const auto& [one, other] : options.reverse_types) {
    out[one] = out[one].value_or(other);
    out[other] = out[other].value_or(one);
  }
  for (size_t t = 0; t < types.size(); ++t) {
    if (!out[t].has_value() && types[t].source == types[t].target) {
      out[t] = t;
    }
  }
  return out;
}

Status BatchWorker::add_reverses() {
  std::vector<EdgeState> picked(edges_.size());
  picked.swap(edges_);
  const std::vector<std::optional<size_t>> mirrors = mirrors_of(dataset_, plan_.options());
  for (size_t t = 0; t < edges_.size(); ++t) {
    join_bidirectional(t, picked[t], mirrors[t].has_value() ? &picked[*mirrors[t]] : nullptr);
    edges_[t].per_hop = {edges_[t].count};
  }
  return {};
}

// Joins the edges of `own` with the reversed edges of `mirror`, each pair of nodes once. Edges are
// in the order of the frontier's ends, then of the other ends.
void BatchWorker::join_bidirectional(size_t edge_type, const EdgeState& own,
                                     const EdgeState* mirror) {
  const int64_t own_count = own.count;
  const int64_t total = own_count + (mirror != nullptr ? mirror->count : 0);
  if (total == 0) {
    return;
  }
  const EdgeType& type = dataset_.edge_types()[edge_type];
  const bool in = plan_.options().direction == Direction::kIn;
  const auto num_anchors = static_cast<size_t>(nodes_[in ? type.target : type.source].count);
  const auto anchor_of = [&](int64_t pick) {
    return pick < own_count ? own.anchors[pick] : mirror->neighbors[pick - own_count];
  };
  const auto neighbor_of = [&](int64_t pick) {
    return pick < own_count ? own.neighbors[pick] : mirror->anchors[pick - own_count];
  };
  // End of each anchor's edges, once they are distributed.
  std::vector<int64_t> ends(num_anchors + 1);
  for (int64_t pick = 0; pick < total; ++pick) {
    ++ends[static_cast<size_t>(anchor_of(pick)) + 1];
  }
  for (size_t anchor = 0; anchor < num_anchors; ++anchor) {
    ends[anchor + 1] += ends[anchor];
  }
  std::vector<Half> halves(static_cast<size_t>(total));
  for (int64_t pick = 0; pick < total; ++pick) {
    const auto at = static_cast<size_t>(ends[static_cast<size_t>(anchor_of(pick))]++);
    halves[at] = {neighbor_of(pick), pick};
  }
  reach_edges(edge_type);
  EdgeState& out = edges_[edge_type];
  out.anchors.reserve(total, 0);
  out.neighbors.reserve(total, 0);
  if (plan_.options().edge_ids) {
    out.edge_ids.reserve(total, 0);
  }
  int64_t begin = 0;
  for (size_t anchor = 0; anchor < num_anchors; ++anchor) {
    const auto from = halves.begin() + begin;
    const auto to = halves.begin() + ends[anchor];
    begin = ends[anchor];
    std::sort(from, to, [](const Half& a, const Half& b) {
      return std::pair(a.neighbor, a.pick) < std::pair(b.neighbor, b.pick);
    });
    const auto last = std::unique(
        from, to, [](const Half& a, const Half& b) { return a.neighbor == b.neighbor; });
    for (auto half = from; half != last; ++half, ++out.count) {
      out.anchors.set(out.count, static_cast<int64_t>(anchor));
      out.neighbors.set(out.count, half->neighbor);
      if (plan_.options().edge_ids) {
        out.edge_ids.set(out.count, half->pick < own_count
                                        ? own.edge_ids[half->pick]
                                        : mirror->edge_ids[half->pick - own_count]);
      }
    }
  }
}

}  // namespace gls
