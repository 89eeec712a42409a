// Turns the inputs of a builder into the contents of a dataset: reads the text, determines the
// number of nodes, and checks every id.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/dataset/dataset.h"
#include "ingest/build/builder_inputs.h"
#include "ingest/common/edge_source.h"
#include "ingest/common/id_map.h"
#include "ingest/common/workspace.h"

namespace gls {

struct AssembledEdges {
  const EdgeInput* part = nullptr;
  int64_t count = 0;
  std::shared_ptr<const EdgeSource> edges;       // the edges, for layouts that are not ready
  std::array<std::optional<Topology>, 2> ready;  // by Layout
  std::vector<Column> columns;  // of the given edges; repeated if the edges are doubled
};

struct Assembly {
  std::vector<NodeType> node_types;
  std::vector<AssembledEdges> edges;
  std::vector<std::unique_ptr<IdMap>> id_maps;  // by node type; edge sources refer to them
};

Result<Assembly> assemble(Workspace& workspace, const BuilderInputs& parts);

}  // namespace gls
