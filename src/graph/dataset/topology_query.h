// Questions about single edges and nodes, answered from whichever topology is stored.
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
// Row of a node that is in range; an error when indptr is damaged there.
Result<RowRange> row_range(const EdgeType& type, const Topology& topology, int64_t node);

// What is wrong with an index or edge id, as `what` says, that is not below `limit`.
Status bad_stored_id(const EdgeType& type, const char* what, int64_t position, int64_t id,
                     int64_t limit);

// Whether there is an edge between two nodes that are in range. Reads the shorter of the two rows
// that are stored.
Result<bool> has_edge(const EdgeType& type, int64_t source, int64_t target);

// The same for many pairs; errors name the first node that is not in range, as one of `source` or
// `target`. A long row is read once for all its pairs. `looked_at` as in find_pairs().
Result<std::vector<uint8_t>> has_edges(const Dataset& dataset, size_t edge_type,
                                       const IdSpan& sources, const IdSpan& targets,
                                       int64_t* looked_at = nullptr);
// The same of rows and neighbours in one layout, which is stored; all are in range.
Result<std::vector<uint8_t>> rows_have(const Dataset& dataset, size_t edge_type, Layout layout,
                                       const IdSpan& rows, const IdSpan& neighbors);
// Whether the neighbours of every row ascend, so that one can be found by bisection. Reads all
// indices, in parallel; rows that are damaged do not ascend.
bool rows_ascend(ThreadPool& pool, const Topology& topology);
// Whether a row whose neighbours ascend has this one.
bool ascending_row_has(const Topology& topology, RowRange row, int64_t neighbor);

// Both ends of each edge id; an error names the first id out of range, as one of `argument`.
Status edge_ends(const Dataset& dataset, size_t edge_type, const IdSpan& ids, const char* argument,
                 std::vector<int64_t>* sources, std::vector<int64_t>* targets);

// Edges of each node of a type at one end: in-degrees for the layout CSC, out-degrees for CSR, from
// whichever topology is stored.
Result<std::vector<int64_t>> all_degrees(const Dataset& dataset, size_t edge_type, Layout layout);
// Those of some; an error names the first that is not in range, as one of `nodes`.
Result<std::vector<int64_t>> degrees(const Dataset& dataset, size_t edge_type, Layout layout,
                                     const IdSpan& nodes);

}  // namespace gls
