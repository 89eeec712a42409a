// Answers questions about single edges and nodes from any stored topology.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "context/thread_pool.h"
#include "graph/dataset/dataset.h"

namespace gls {

struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};
// The row of a node that is in range; an error if indptr is damaged there.
Result<RowRange> row_range(const EdgeType& type, const Topology& topology, int64_t node);

// The error of an index or edge id (named by `what`) that is not below `limit`.
Status bad_stored_id(const EdgeType& type, const char* what, int64_t position, int64_t id,
                     int64_t limit);

// Whether an edge connects two nodes that are in range. Reads the shorter of the two stored rows.
Result<bool> has_edge(const EdgeType& type, int64_t source, int64_t target);

// As has_edge() for many pairs; errors name the first node out of range, as one of `source` or
// `target`. A long row is read once for all its pairs. `looked_at` as in find_pairs().
Result<std::vector<uint8_t>> has_edges(const Dataset& dataset, size_t edge_type,
                                       const IdSpan& sources, const IdSpan& targets,
                                       int64_t* looked_at = nullptr);
// As has_edges(), for rows and neighbours in one stored layout; all are in range.
Result<std::vector<uint8_t>> rows_have(const Dataset& dataset, size_t edge_type, Layout layout,
                                       const IdSpan& rows, const IdSpan& neighbors);
// Whether the neighbours of every row ascend, so that bisection finds one. Reads all indices in
// parallel; damaged rows count as not ascending.
bool rows_ascend(ThreadPool& pool, const Topology& topology);
// Whether a row with ascending neighbours contains this one.
bool ascending_row_has(const Topology& topology, RowRange row, int64_t neighbor);

// Both ends of each edge id; an error names the first id out of range, as one of `argument`.
Status edge_ends(const Dataset& dataset, size_t edge_type, const IdSpan& ids, const char* argument,
                 std::vector<int64_t>* sources, std::vector<int64_t>* targets);

// The number of edges at one end, for each node of a type: in-degrees for the layout CSC,
// out-degrees for CSR. Uses any stored topology.
Result<std::vector<int64_t>> all_degrees(const Dataset& dataset, size_t edge_type, Layout layout);
// The degrees of some nodes; an error names the first node out of range, as one of `nodes`.
Result<std::vector<int64_t>> degrees(const Dataset& dataset, size_t edge_type, Layout layout,
                                     const IdSpan& nodes);

}  // namespace gls
