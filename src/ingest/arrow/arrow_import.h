// Reads a stream of Arrow batches: slices of rows are converted in parallel, and spooled in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "ingest/arrow/arrow_plan.h"
#include "ingest/arrow/arrow_stream.h"
#include "ingest/common/edge_source.h"
#include "ingest/common/id_map.h"
#include "ingest/common/workspace.h"

namespace gls {

// A stream that a builder received. The plan refers to the fields by their numbers.
struct ArrowInput {
  std::shared_ptr<ArrowStream> stream;
  std::vector<ArrowField> fields;
  ArrowPlan plan;
  std::string label;
};

struct ArrowNodes {
  int64_t count = 0;
  std::vector<Column> columns;
  std::vector<IdSet> id_sets;
};

// `ids` gets the keys; NULL if the plan has none.
Result<ArrowNodes> read_nodes_arrow(Workspace& workspace, const ArrowInput& input, ListedIds* ids);
Result<ReadEdges> read_edges_arrow(Workspace& workspace, const ArrowInput& input, IdMap& source,
                                   IdMap& target);

}  // namespace gls
