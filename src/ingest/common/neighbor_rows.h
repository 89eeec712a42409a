// Reads the neighbours of a node along all edge types, from any stored topology.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/dataset/topology_query.h"

namespace gls {

inline constexpr int64_t kNodesPerReport = int64_t{1} << 16;  // between reports of progress

struct NeighborRows {
  const EdgeType* type;
  const Topology* topology;
  size_t other;  // type of the neighbours
};

// By node type. With `once`, only one topology of each edge type, so that every edge is visited
// from one end.
inline std::vector<std::vector<NeighborRows>> neighbor_rows(const Dataset& dataset, bool once) {
  std::vector<std::vector<NeighborRows>> out(dataset.node_types().size());
  for (const EdgeType& type : dataset.edge_types()) {
    if (type.csc) {
      out[type.target].push_back({&type, &*type.csc, type.source});
    }
    if (type.csr && !(once && type.csc)) {
      out[type.source].push_back({&type, &*type.csr, type.target});
    }
  }
  return out;
}

// Calls visit(neighbour) for each in the row, in stored order. Mapped files were not checked, so
// bounds are checked here.
template <typename Visit>
Status for_each_neighbor(const NeighborRows& rows, int64_t node, const Visit& visit) {
  const Topology& topology = *rows.topology;
  GLS_ASSIGN(const RowRange range, row_range(*rows.type, topology, node));
  const auto each = [&](const auto* indices) -> Status {
    for (int64_t at = range.begin; at < range.end; ++at) {
      const int64_t neighbor = indices[at];
      if (neighbor < 0 || neighbor >= topology.num_neighbors) [[unlikely]] {
        return bad_stored_id(*rows.type, "index", at, neighbor, topology.num_neighbors);
      }
      visit(neighbor);
    }
    return {};
  };
  return topology.wide_indices ? each(static_cast<const int64_t*>(topology.indices))
                               : each(static_cast<const int32_t*>(topology.indices));
}

}  // namespace gls
