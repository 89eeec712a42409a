// Answers questions about single edges and nodes, of a local graph (graph/dataset/topology_query.h)
// or a remote one. Errors name the first id that is out of range.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/dataset/dataset.h"
#include "query/seed_share.h"

namespace gls {

// Checks that they are nodes or edges of the type.
Status check_type_ids(const Dataset& dataset, Dataset::TypeIndex type, const IdSpan& ids,
                      const char* argument);

// Appends both ends of each edge id.
Status find_edge_ends(const Dataset& dataset, size_t edge_type, const IdSpan& ids,
                      const char* argument, std::vector<int64_t>* sources,
                      std::vector<int64_t>* targets);
// Whether there is an edge between two nodes, for each pair.
Result<std::vector<uint8_t>> find_edges_between(const Dataset& dataset, size_t edge_type,
                                                const IdSpan& sources, const IdSpan& targets);
// In-degrees for the layout CSC, out-degrees for CSR, whichever layout is stored.
Result<std::vector<int64_t>> find_degrees(const Dataset& dataset, size_t edge_type, Layout layout,
                                          const IdSpan& nodes);
Result<std::vector<int64_t>> find_all_degrees(const Dataset& dataset, size_t edge_type,
                                              Layout layout);

// The part that owns each id; 0 if the graph has no parts. In a part that is opened alone, ids are
// local, and -1 stands for ids that other parts own.
Result<std::vector<int32_t>> find_owners(const Dataset& dataset, Dataset::TypeIndex type,
                                         const IdSpan& ids, const char* argument);

// The ids in a rank's share of some ids, or of all ids of the type, in the given order: see
// seed_share.h. In a graph without parts, and in a part that is opened alone, shares are
// consecutive runs.
Result<std::vector<int64_t>> find_share(const Dataset& dataset, Dataset::TypeIndex type,
                                        const IdSpan* ids, const ShareOptions& options,
                                        const char* argument);

// The number of parts of a graph, and the parts that this process reads, ascending. A graph without
// parts is part 0 of one. A part that is opened alone reports the parts of its graph.
struct PartsOfGraph {
  uint32_t count = 1;
  std::vector<uint32_t> local{0};
};
PartsOfGraph parts_of_graph(const Dataset& dataset);

// A column with a row for every id; an error names the argument that requested it.
Result<Column> find_all_rows(const Dataset& dataset, bool of_nodes, size_t type,
                             const Column& column, const char* argument);

}  // namespace gls
