// Subgraphs induced by the nodes of a batch: docs/contract.md section 3. With HGT sampling, only
// the entries of a long row that the method considered are used (section 11).
//
// Most neighbours are not in the batch. A filter with some bits for each node of the batch stays in
// the cache, and rejects nearly all of them, as DGL's IdHashMap does. The rest are looked up.
#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "base/philox.h"
#include "sample/neighbor/batch_worker.h"

namespace gls {

using kernels::kChunkPicks;
using kernels::kSlack;

namespace {

// Trees use different parts of the filter, as far as it is large enough.
uint32_t filter_offset(int64_t tree) { return static_cast<uint32_t>(tree) * 0x9e3779b9u; }

}  // namespace

Status BatchWorker::induce(int64_t most_of_row) {
  const bool in = plan_.options().direction == Direction::kIn;
  const std::vector<bool> followed = followed_types(dataset_, plan_.options());
  for (size_t t = 0; t < edges_.size(); ++t) {
    const EdgeType& type = dataset_.edge_types()[t];
    EdgeState& edges = edges_[t];
    NodeState& anchor = nodes_[in ? type.target : type.source];
    NodeState& neighbor = nodes_[in ? type.source : type.target];
    edges.count = 0;
    if (followed[t] && anchor.count > 0 && neighbor.count > 0) {
      reach_edges(t);
      const bool whole = most_of_row < 0 && !plan_.times()[t].active();
      GLS_TRY(
          induce_type({{t, &*type.topology(plan_.layout()), frontier_of(anchor, 0, anchor.count),
                        &edges, nullptr, most_of_row, row_word(0, static_cast<uint32_t>(t)), whole},
                       &anchor,
                       &neighbor,
                       &edges}));
    }
    edges.per_hop = {edges.count};
  }
  return {};
}

Status BatchWorker::induce_type(const Inside& hop) {
  if (hop.vectorised) {
    return sift_rows(hop);
  }
  for (int64_t local = 0; local < hop.frontier.end; ++local) {
    GLS_TRY(take_row(hop, local));
    const bool full = std::ssize(scratch_.row_positions) >= kChunkPicks / 2;
    if (full || local + 1 == hop.frontier.end) {
      GLS_TRY(look_up_rows(hop));
    }
  }
  return {};
}

// Handles a row without its excluded and late edges.
Status BatchWorker::take_row(const Inside& hop, int64_t local) {
  GLS_ASSIGN(const RowPick row, row_of(hop, local));
  std::vector<int64_t>& out = scratch_.row_positions;
  const size_t before = out.size();
  scratch_.picker.uniform(row, &out);
  scratch_.row_runs.emplace_back(local, static_cast<int64_t>(out.size() - before));
  return {};
}

Status BatchWorker::look_up_rows(const Inside& hop) {
  std::vector<int64_t>& positions = scratch_.row_positions;
  std::vector<int64_t>& ids = scratch_.keys;
  ids.resize(std::max(ids.size(), positions.size() + static_cast<size_t>(kSlack)));
  GLS_TRY(load(hop, indices_of(hop), positions.data(), std::ssize(positions), true, ids.data()));
  GLS_TRY(keep_inside(hop, positions.data(), ids.data()));
  positions.clear();
  return {};
}

// Sets the bits of the nodes that may be neighbours.
void BatchWorker::make_filter(const NodeState& neighbor) {
  constexpr uint64_t kBitsPerNode = 32;
  constexpr uint64_t kMostBits = uint64_t{1} << 23;  // half a cache of 2 MB
  const auto count = static_cast<uint64_t>(neighbor.count);
  const uint64_t bits = std::min(std::bit_ceil(kBitsPerNode * count), kMostBits);
  std::vector<uint32_t>& filter = scratch_.filter;
  filter.assign(bits / 32, 0);
  for (int64_t i = 0; i < neighbor.count; ++i) {
    const uint32_t offset = disjoint_ ? filter_offset(neighbor.trees[i]) : 0;
    const uint32_t bit =
        (static_cast<uint32_t>(neighbor.ids[i]) + offset) & static_cast<uint32_t>(bits - 1);
    filter[bit / 32] |= uint32_t{1} << bit % 32;
  }
}

// Reads rows as they are stored, except those with excluded edges. A hub's row is processed in
// pieces.
Status BatchWorker::sift_rows(const Inside& hop) {
  constexpr int64_t kIndptrAhead = 24;  // nodes
  constexpr int64_t kRowsAhead = 8;
  make_filter(*hop.neighbor);
  const Topology& topology = *hop.topology;
  const auto sift = plan_.kernels().sift[topology.wide_indices ? 1 : 0];
  kernels::SiftArgs args = {topology.indices, static_cast<uint64_t>(topology.num_neighbors),
                            scratch_.filter.data(),
                            static_cast<uint32_t>(32 * scratch_.filter.size() - 1), 0};
  int64_t* const positions = scratch_.positions;
  std::vector<int64_t>& ids = scratch_.keys;
  ids.resize(std::max(ids.size(), static_cast<size_t>(kChunkPicks + kSlack)));
  const IdArray& nodes = hop.anchor->ids;
  const int64_t last = hop.frontier.end - 1;
  int64_t waiting = 0;
  const auto flush = [&] {
    waiting = 0;
    return keep_inside(hop, positions, ids.data());
  };
  for (int64_t local = 0; local <= last; ++local) {
    if (topology.index == nullptr) {
      __builtin_prefetch(topology.indptr + nodes[std::min(local + kIndptrAhead, last)]);
    }
    ask_for_row(hop, std::min(local + kRowsAhead, last));
    const int64_t node = nodes[local];
    if (exclusions_->touches(hop.edge_type, node)) {
      GLS_TRY(flush());
      GLS_TRY(take_row(hop, local));
      GLS_TRY(look_up_rows(hop));
      continue;
    }
    const int64_t row = topology.row_of(node);
    const int64_t end = topology.indptr[row + 1];
    int64_t at = topology.indptr[row];
    if (at < 0 || at > end || end > topology.num_edges) {
      return bad_row(hop, local);
    }
    args.offset = disjoint_ ? filter_offset(hop.anchor->trees[local]) : 0;
    while (at < end) {
      const int64_t piece = std::min(end - at, kChunkPicks);
      if (waiting + piece > kChunkPicks) {
        GLS_TRY(flush());
      }
      const int64_t kept = sift(args, at, piece, ids.data() + waiting, positions + waiting);
      if (kept < 0) {
        std::iota(positions, positions + piece, at);
        return name_bad_id(hop, indices_of(hop), positions, piece);
      }
      scratch_.row_runs.emplace_back(local, kept);
      waiting += kept;
      at += piece;
    }
  }
  return flush();
}

// Passes on the neighbours of the waiting rows that are in the batch. The positions and ids are
// grouped by row_runs, and overwritten.
Status BatchWorker::keep_inside(const Inside& hop, const int64_t* positions, int64_t* ids) {
  const Relabel& table = *hop.neighbor->table;
  int64_t total = 0;
  for (const auto& [local, count] : scratch_.row_runs) {
    if (disjoint_) {
      const auto tree = static_cast<uint64_t>(hop.anchor->trees[local]);
      const auto first = static_cast<int64_t>(tree * table.num_nodes());
      for (int64_t j = 0; j < count; ++j) {
        ids[total + j] += first;
      }
    }
    total += count;
  }
  table.find(std::span(ids, static_cast<size_t>(total)));
  EdgeState& edges = *hop.kept;
  // Sized by the kept entries: a hub's row is long, and few of its neighbours are in the batch.
  const int64_t most =
      edges.count + std::count_if(ids, ids + total, [](int64_t local) { return local >= 0; });
  GLS_TRY(check_edges(most));
  edges.anchors.reserve(most, edges.count);
  edges.neighbors.reserve(most, edges.count);
  std::vector<int64_t>& kept = scratch_.row_kept;
  kept.clear();
  const int64_t before = edges.count;
  int64_t at = 0;
  for (const auto& [local, count] : scratch_.row_runs) {
    for (const int64_t end = at + count; at < end; ++at) {
      if (ids[at] >= 0) {
        edges.anchors.set(edges.count, local);
        edges.neighbors.set(edges.count, ids[at]);
        ++edges.count;
        kept.push_back(positions[at]);
      }
    }
  }
  scratch_.row_runs.clear();
  return take_edge_ids(hop, kept.data(), edges.count - before, before);
}

}  // namespace gls
