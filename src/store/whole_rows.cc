#include "store/whole_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tensor/vector_tensor.h"

namespace gls {
namespace {

Result<NeighborLists> read_lists(const Topology& topology, const std::vector<int64_t>& nodes) {
  NeighborLists out;
  for (const int64_t node : nodes) {
    const int64_t begin = topology.indptr[node];
    const int64_t end = topology.indptr[node + 1];
    if (begin < 0 || end < begin || end > topology.num_edges) {
      return corrupt("indptr: {} to {} at node {}", begin, end, node);
    }
    out.counts.push_back(end - begin);
    for (int64_t at = begin; at < end; ++at) {
      out.neighbors.push_back(topology.neighbor(at));
      out.edge_ids.push_back(topology.edge_id(at));
    }
  }
  return out;
}

std::vector<int64_t> copy(const IdSpan& ids) {
  std::vector<int64_t> out(static_cast<size_t>(ids.size()));
  for (int64_t i = 0; i < ids.size(); ++i) {
    out[static_cast<size_t>(i)] = ids[i];
  }
  return out;
}

}  // namespace

Deferred<NeighborLists> ask_lists(const RowsOfType& rows, const IdSpan& nodes) {
  if (rows.store != nullptr) {
    return rows.store->ask(nodes, rows.num_neighbors);
  }
  return [topology = rows.topology, ids = copy(nodes)]() -> Result<NeighborLists> {
    if (topology == nullptr) {
      return error(GLS_ERR_INTERNAL, "an edge type has no rows in this layout");
    }
    return read_lists(*topology, ids);
  };
}

Result<std::shared_ptr<const HopSource>> WholeRows::open(std::shared_ptr<const Dataset> owner,
                                                         std::vector<RowsOfType> types,
                                                         const SamplerOptions& options) {
  std::shared_ptr<WholeRows> out(new WholeRows(std::move(owner)));
  for (const std::vector<int64_t>& fanouts : options.fanouts) {
    if (std::any_of(fanouts.begin(), fanouts.end(), [](int64_t fanout) { return fanout > 0; })) {
      return error(GLS_ERR_INTERNAL, "stores answer whole rows");
    }
  }
  out->csc_ = options.direction == Direction::kIn;
  out->always_.resize(types.size());
  out->types_ = std::move(types);
  for (size_t t = 0; t < out->types_.size(); ++t) {
    GLS_TRY(out->exclude(options.exclude, t, &out->always_[t]));
  }
  return std::shared_ptr<const HopSource>(std::move(out));
}

Status WholeRows::exclude(const std::vector<EdgeSet>& sets, size_t edge_type, Excluded* out) const {
  const RowsOfType& rows = types_[edge_type];
  for (const EdgeSet& set : sets) {
    if (set.edge_type != edge_type) {
      continue;
    }
    const Tensor& edges = set.edges;
    const bool wide = same_dtype(edges.dtype(), kInt64);
    if (edges.shape().size() == 1) {
      if (rows.store != nullptr && !rows.store->spec().edge_ids) {
        return error(GLS_ERR_UNSUPPORTED,
                     "exclude: edges are given by id, but {} has no edge ids; give pairs of nodes",
                     rows.store->name())
            .with("argument", "exclude");
      }
      const IdSpan ids(edges.data(), wide, edges.rows());
      for (int64_t i = 0; i < ids.size(); ++i) {
        out->ids.insert(ids[i]);
      }
      continue;
    }
    const int64_t count = edges.shape()[1];
    const IdSpan sources(edges.data(), wide, count);
    const IdSpan targets(edges.data() + edges.row_stride(), wide, count);
    for (int64_t i = 0; i < count; ++i) {
      out->pairs[csc_ ? targets[i] : sources[i]].insert(csc_ ? sources[i] : targets[i]);
    }
  }
  return {};
}

Deferred<HopPicks> WholeRows::ask(const HopQuestion& question) const {
  const size_t edge_type = question.edge_type;
  if (edge_type >= types_.size()) {
    return failed<HopPicks>(invalid("hop: edge type number {}, of {}", edge_type, types_.size()));
  }
  if (const int64_t bad = question.nodes.find_outside(types_[edge_type].num_nodes); bad >= 0) {
    return failed<HopPicks>(invalid("hop: node {} is outside 0 .. {}", question.nodes[bad],
                                    types_[edge_type].num_nodes - 1));
  }
  Excluded excluded;
  if (Status bad = exclude(question.exclude, edge_type, &excluded); !bad.ok()) {
    return failed<HopPicks>(std::move(bad));
  }
  return [this, edge_type, nodes = copy(question.nodes), excluded = std::move(excluded),
          lists = ask_lists(types_[edge_type], question.nodes)]() -> Result<HopPicks> {
    GLS_ASSIGN(NeighborLists found, lists());
    return picks_of(edge_type, nodes, excluded, std::move(found));
  };
}

Result<HopPicks> WholeRows::picks_of(size_t edge_type, const std::vector<int64_t>& nodes,
                                     const Excluded& excluded, NeighborLists lists) const {
  const Excluded& always = always_[edge_type];
  const bool has_ids = !lists.edge_ids.empty();
  const bool keep_all = excluded.empty() && always.empty();
  std::vector<int32_t> counts;
  counts.reserve(nodes.size());
  size_t kept = 0;
  size_t at = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const size_t end = at + static_cast<size_t>(lists.counts[i]);
    const size_t first = kept;
    const auto pairs_of = [&](const Excluded& of) {
      const auto found = of.pairs.find(nodes[i]);
      return found != of.pairs.end() ? &found->second : nullptr;
    };
    const auto* const now = keep_all ? nullptr : pairs_of(excluded);
    const auto* const ever = keep_all ? nullptr : pairs_of(always);
    for (; at < end; ++at) {
      const int64_t neighbor = lists.neighbors[at];
      const int64_t edge = has_ids ? lists.edge_ids[at] : 0;
      if (!keep_all && ((now != nullptr && now->contains(neighbor)) ||
                        (ever != nullptr && ever->contains(neighbor)) ||
                        (has_ids && (excluded.ids.contains(edge) || always.ids.contains(edge))))) {
        continue;
      }
      lists.neighbors[kept] = neighbor;
      if (has_ids) {
        lists.edge_ids[kept] = edge;
      }
      ++kept;
    }
    if (kept - first > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      return error(GLS_ERR_UNSUPPORTED, "node {} has {} neighbours, the limit is 2^31 - 1",
                   nodes[i], kept - first);
    }
    counts.push_back(static_cast<int32_t>(kept - first));
  }
  lists.neighbors.resize(kept);
  lists.edge_ids.resize(kept);  // without ids: zeros, which no result shows
  return HopPicks{vector_tensor(std::move(counts), kInt32),
                  vector_tensor(std::move(lists.neighbors), kInt64),
                  vector_tensor(std::move(lists.edge_ids), kInt64)};
}

}  // namespace gls
