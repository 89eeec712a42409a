// Turns a list of edges into a compressed sparse topology, in bounded memory. Rows list their
// neighbours in ascending order of edge id, so the result depends on the edges alone.
#pragma once

#include <cstdint>
#include <string>

#include "graph/topology/topology.h"
#include "ingest/common/edge_source.h"
#include "ingest/common/topology_sink.h"
#include "ingest/common/workspace.h"

namespace gls {

struct SortRequest {
  const EdgeSource* edges = nullptr;  // every end below the counts given here
  Layout layout = Layout::kCsc;
  int64_t num_rows = 0;
  int64_t num_neighbors = 0;
  bool wide_edge_ids = false;  // int64 ids; true where int32 does not do
  std::string what;            // names the topology in errors
};

// Edge ids are left out when they would be the positions. Uses a scratch file when the workspace
// has room for one and reading the edges again for each part that fits in memory would be slower.
Status sort_edges(Workspace& workspace, const SortRequest& request, TopologySink& sink);

}  // namespace gls
