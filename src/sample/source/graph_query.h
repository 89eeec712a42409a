// Questions about single edges and nodes of a graph that is here (graph/dataset/topology_query.h),
// or elsewhere. Errors name the first id that is out of range.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/dataset/dataset.h"
#include "sample/source/seed_share.h"

namespace gls {

// That they are nodes or edges of the type.
Status check_type_ids(const Dataset& dataset, Dataset::TypeIndex type, const IdSpan& ids,
                      const char* argument);

// Both ends of each edge id, behind what is there already.
Status find_edge_ends(const Dataset& dataset, size_t edge_type, const IdSpan& ids,
                      const char* argument, std::vector<int64_t>* sources,
                      std::vector<int64_t>* targets);
// Whether there is an edge between two nodes, for each pair.
Result<std::vector<uint8_t>> find_edges_between(const Dataset& dataset, size_t edge_type,
                                                const IdSpan& sources, const IdSpan& targets);
// In-degrees for the layout CSC, out-degrees for CSR, whichever is stored.
Result<std::vector<int64_t>> find_degrees(const Dataset& dataset, size_t edge_type, Layout layout,
                                          const IdSpan& nodes);
Result<std::vector<int64_t>> find_all_degrees(const Dataset& dataset, size_t edge_type,
                                              Layout layout);

// The part that owns each id; 0 of a graph that is in no parts. Of a part that is open by itself
// ids are its own, and -1 is for those of others.
Result<std::vector<int32_t>> find_owners(const Dataset& dataset, Dataset::TypeIndex type,
                                         const IdSpan& ids, const char* argument);

// The ids of a rank's share of some, or of all of the type, in the order given: seed_share.h. Of a
// graph that is in no parts, and of a part that is open by itself, shares are runs.
Result<std::vector<int64_t>> find_share(const Dataset& dataset, Dataset::TypeIndex type,
                                        const IdSpan* ids, const ShareOptions& options,
                                        const char* argument);

// In how many parts a graph is, and which of them are read in this process, ascending. One that is
// in no parts is part 0 of one; of a part that is open by itself they are those of its graph.
struct PartsOfGraph {
  uint32_t count = 1;
  std::vector<uint32_t> here{0};
};
PartsOfGraph parts_of_graph(const Dataset& dataset);

// A column with a row for every id; an error names the argument that asked for it.
Result<Column> find_all_rows(const Dataset& dataset, bool of_nodes, size_t type,
                             const Column& column, const char* argument);

}  // namespace gls
