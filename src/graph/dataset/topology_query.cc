#include "graph/dataset/topology_query.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <span>

#include "context/parallel.h"
#include "graph/dataset/pair_search.h"

namespace gls {

Result<RowRange> row_range(const EdgeType& type, const Topology& topology, int64_t node) {
  const int64_t row = topology.row_of(node);
  const RowRange range = {topology.indptr[row], topology.indptr[row + 1]};
  if (range.begin < 0 || range.begin > range.end || range.end > topology.num_edges) {
    return corrupt("edge type \"{}\": indptr of node {} goes from {} to {}, of {} edges",
                   type.joined, node, range.begin, range.end, topology.num_edges)
        .with("type", type.joined)
        .with("offset", std::to_string(node));
  }
  return range;
}

Status bad_stored_id(const EdgeType& type, const char* what, int64_t position, int64_t id,
                     int64_t limit) {
  return corrupt("edge type \"{}\": {} at position {} is {}, expected 0 .. {}", type.joined, what,
                 position, id, limit - 1)
      .with("type", type.joined)
      .with("offset", std::to_string(position));
}

namespace {

template <typename Index>
bool contains(const void* indices, RowRange range, int64_t neighbor) {
  if (neighbor > std::numeric_limits<Index>::max()) {
    return false;
  }
  const auto* const begin = static_cast<const Index*>(indices) + range.begin;
  // Without an early exit, so that the compiler can compare many at a time.
  int64_t found = 0;
  for (int64_t i = 0; i < range.size(); ++i) {
    found |= static_cast<int64_t>(begin[i] == static_cast<Index>(neighbor));
  }
  return found != 0;
}

Status check_nodes(const NodeType& type, const IdSpan& nodes, const char* argument) {
  if (const int64_t bad = nodes.find_outside(type.count); bad >= 0) {
    return invalid("{}: node {} at index {} is outside 0 .. {} of type \"{}\"", argument,
                   nodes[bad], bad, type.count - 1, type.name)
        .with("argument", argument);
  }
  return {};
}

}  // namespace

namespace {

// The shorter of the two stored rows, in which an edge between two nodes is searched.
struct ShorterRow {
  const Topology* topology = nullptr;  // NULL: no layout is stored
  int64_t row = 0;
  int64_t neighbor = 0;
  RowRange range;
};

Result<ShorterRow> shorter_row(const EdgeType& type, int64_t source, int64_t target) {
  ShorterRow best;
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    if (!type.topology(layout)) {
      continue;
    }
    const Topology& topology = *type.topology(layout);
    const bool csc = layout == Layout::kCsc;
    const int64_t row = csc ? target : source;
    GLS_ASSIGN(const RowRange range, row_range(type, topology, row));
    if (best.topology == nullptr || range.size() < best.range.size()) {
      best = {&topology, row, csc ? source : target, range};
    }
  }
  return best;
}

bool row_has(const ShorterRow& in) {
  return in.topology != nullptr &&
         (in.topology->wide_indices
              ? contains<int64_t>(in.topology->indices, in.range, in.neighbor)
              : contains<int32_t>(in.topology->indices, in.range, in.neighbor));
}

// Searches the rows that `choose` returns for each of `count` pairs.
template <typename Choose>
Result<std::vector<uint8_t>> look_in_rows(const EdgeType& type, int64_t count, const Choose& choose,
                                          int64_t* looked_at) {
  int64_t short_rows = 0;
  std::vector<uint8_t> out(static_cast<size_t>(count));
  constexpr int64_t kLong = 1024;  // rows that are worth reading once for all their pairs
  std::map<const Topology*, std::vector<NodePair>> of_long_rows;
  for (size_t i = 0; i < out.size(); ++i) {
    GLS_ASSIGN(const ShorterRow in, choose(static_cast<int64_t>(i)));
    if (in.range.size() > kLong) {
      of_long_rows[in.topology].push_back({in.row, in.neighbor, i});
    } else {
      out[i] = row_has(in) ? 1 : 0;
      short_rows += in.range.size();
    }
  }
  // Marks equal pairs together; the first of parallel edges does it.
  const auto mark = [&out](int64_t, std::span<const NodePair> same) {
    if (out[same[0].tag] == 0) {
      for (const NodePair& pair : same) {
        out[pair.tag] = 1;
      }
    }
    return Status();
  };
  for (auto& [topology, pairs] : of_long_rows) {
    GLS_TRY(find_pairs(type, *topology, std::move(pairs), mark, looked_at));
  }
  if (looked_at != nullptr) {
    *looked_at += short_rows;
  }
  return out;
}

}  // namespace

Result<bool> has_edge(const EdgeType& type, int64_t source, int64_t target) {
  GLS_ASSIGN(const ShorterRow in, shorter_row(type, source, target));
  return row_has(in);
}

Result<std::vector<uint8_t>> has_edges(const Dataset& dataset, size_t edge_type,
                                       const IdSpan& sources, const IdSpan& targets,
                                       int64_t* looked_at) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  if (sources.size() != targets.size()) {
    return invalid("target: {} nodes for {} of source, expected as many", targets.size(),
                   sources.size())
        .with("argument", "target");
  }
  GLS_TRY(check_nodes(dataset.node_types()[type.source], sources, "source"));
  GLS_TRY(check_nodes(dataset.node_types()[type.target], targets, "target"));
  GLS_TRY(need_topology(type, "has_edge"));
  return look_in_rows(
      type, sources.size(), [&](int64_t i) { return shorter_row(type, sources[i], targets[i]); },
      looked_at);
}

Result<std::vector<uint8_t>> rows_have(const Dataset& dataset, size_t edge_type, Layout layout,
                                       const IdSpan& rows, const IdSpan& neighbors) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  const Topology& topology = *type.topology(layout);
  const auto choose = [&](int64_t i) -> Result<ShorterRow> {
    GLS_ASSIGN(const RowRange range, row_range(type, topology, rows[i]));
    return ShorterRow{&topology, rows[i], neighbors[i], range};
  };
  return look_in_rows(type, rows.size(), choose, nullptr);
}

namespace {

template <typename Index>
bool ascends(const void* indices, RowRange row) {
  const auto* const begin = static_cast<const Index*>(indices) + row.begin;
  return std::is_sorted(begin, begin + row.size());
}

template <typename Index>
bool bisect(const void* indices, RowRange row, int64_t neighbor) {
  const auto* const begin = static_cast<const Index*>(indices) + row.begin;
  return neighbor <= std::numeric_limits<Index>::max() &&
         std::binary_search(begin, begin + row.size(), static_cast<Index>(neighbor));
}

}  // namespace

bool rows_ascend(ThreadPool& pool, const Topology& topology) {
  if (topology.index != nullptr) {
    return false;  // edges that are not stored here are unknown
  }
  constexpr size_t kGrain = 1 << 14;
  std::atomic<bool> all = true;
  const Status unused = parallel_try(
      pool, static_cast<size_t>(topology.num_rows), kGrain, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end && all.load(std::memory_order_relaxed); ++row) {
          const RowRange range = {topology.indptr[row], topology.indptr[row + 1]};
          const bool good = range.begin >= 0 && range.begin <= range.end &&
                            range.end <= topology.num_edges &&
                            (topology.wide_indices ? ascends<int64_t>(topology.indices, range)
                                                   : ascends<int32_t>(topology.indices, range));
          if (!good) {
            all.store(false, std::memory_order_relaxed);
          }
        }
        return Status();
      });
  static_cast<void>(unused);  // nothing in there fails
  return all;
}

bool ascending_row_has(const Topology& topology, RowRange row, int64_t neighbor) {
  return topology.wide_indices ? bisect<int64_t>(topology.indices, row, neighbor)
                               : bisect<int32_t>(topology.indices, row, neighbor);
}

Status edge_ends(const Dataset& dataset, size_t edge_type, const IdSpan& ids, const char* argument,
                 std::vector<int64_t>* sources, std::vector<int64_t>* targets) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  if (const int64_t bad = ids.find_outside(type.count); bad >= 0) {
    return invalid("{}: edge id {} at index {} is outside 0 .. {} of type \"{}\"", argument,
                   ids[bad], bad, type.count - 1, type.joined)
        .with("argument", argument);
  }
  GLS_TRY(need_topology(type, argument));
  const Layout layout = type.csc ? Layout::kCsc : Layout::kCsr;
  const Topology& topology = *type.topology(layout);
  GLS_ASSIGN(const Tensor positions, dataset.edge_positions(edge_type, layout));
  for (int64_t i = 0; i < ids.size(); ++i) {
    const int64_t at = positions.defined() ? positions.as<int64_t>()[ids[i]] : ids[i];
    // The last row that begins at or before the position.
    const int64_t row =
        std::upper_bound(topology.indptr, topology.indptr + topology.num_rows + 1, at) -
        topology.indptr - 1;
    const int64_t neighbor = topology.neighbor(at);
    if (row < 0 || row >= topology.num_rows || neighbor < 0 || neighbor >= topology.num_neighbors) {
      return bad_stored_id(type, "index", at, neighbor, topology.num_neighbors);
    }
    sources->push_back(layout == Layout::kCsc ? neighbor : row);
    targets->push_back(layout == Layout::kCsc ? row : neighbor);
  }
  return {};
}

Result<std::vector<int64_t>> all_degrees(const Dataset& dataset, size_t edge_type, Layout layout) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  GLS_TRY(need_topology(type, "degrees"));
  std::vector<int64_t> out;
  if (type.topology(layout)) {
    const Topology& topology = *type.topology(layout);
    out.resize(static_cast<size_t>(topology.num_rows));
    for (int64_t row = 0; row < topology.num_rows; ++row) {
      GLS_ASSIGN(const RowRange range, row_range(type, topology, row));
      out[static_cast<size_t>(row)] = range.size();
    }
    return out;
  }
  const Topology& other = *type.topology(layout == Layout::kCsc ? Layout::kCsr : Layout::kCsc);
  out.resize(static_cast<size_t>(other.num_neighbors));
  for (int64_t at = 0; at < other.num_edges; ++at) {
    const int64_t neighbor = other.neighbor(at);
    if (neighbor < 0 || neighbor >= other.num_neighbors) {
      return bad_stored_id(type, "index", at, neighbor, other.num_neighbors);
    }
    ++out[static_cast<size_t>(neighbor)];
  }
  return out;
}

Result<std::vector<int64_t>> degrees(const Dataset& dataset, size_t edge_type, Layout layout,
                                     const IdSpan& nodes) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  const size_t end = layout == Layout::kCsc ? type.target : type.source;
  GLS_TRY(check_nodes(dataset.node_types()[end], nodes, "nodes"));
  std::vector<int64_t> out(static_cast<size_t>(nodes.size()));
  if (const std::optional<Topology>& stored = type.topology(layout)) {
    for (int64_t i = 0; i < nodes.size(); ++i) {
      GLS_ASSIGN(const RowRange range, row_range(type, *stored, nodes[i]));
      out[static_cast<size_t>(i)] = range.size();
    }
    return out;
  }
  GLS_ASSIGN(const std::vector<int64_t> all, all_degrees(dataset, edge_type, layout));
  for (int64_t i = 0; i < nodes.size(); ++i) {
    out[static_cast<size_t>(i)] = all[static_cast<size_t>(nodes[i])];
  }
  return out;
}

}  // namespace gls
