// Reads whole text files: edges into spools, lists of nodes into an id map, fields into columns.
#pragma once

#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "ingest/common/build_options.h"
#include "ingest/common/edge_source.h"
#include "ingest/common/id_map.h"
#include "ingest/common/workspace.h"

namespace gls {

// The names of the nodes at one end of an edge.
struct NamedEnd {
  IdMap* ids = nullptr;
  bool is_number = true;
};

// Edges keep the order of the file.
Result<ReadEdges> read_edges_text(Workspace& workspace, const std::string& path,
                                  const TextOptions& options, const NamedEnd& source,
                                  const NamedEnd& target);

// Adds the nodes to `ids` in the order of the file, and returns their columns.
Result<std::vector<Column>> read_nodes_text(Workspace& workspace, const std::string& path,
                                            const TextOptions& options, ListedIds& ids,
                                            bool is_number);

}  // namespace gls
