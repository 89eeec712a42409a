// Converts a list of edges to a compressed sparse topology, in bounded memory. Rows list their
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
  const EdgeSource* edges = nullptr;  // every end is below the counts given here
  Layout layout = Layout::kCsc;
  int64_t num_rows = 0;
  int64_t num_neighbors = 0;
  bool wide_edge_ids = false;  // int64 ids; true if int32 is too small
  std::string what;            // the name of the topology in errors
};

// Edge ids are omitted if they would equal the positions. Uses a scratch file if the workspace
// allows one, and if reading the edges again for each range that fits in memory would be slower.
Status sort_edges(Workspace& workspace, const SortRequest& request, TopologySink& sink);

}  // namespace gls
