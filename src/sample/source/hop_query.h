// A query for one hop of some nodes, and its picks. A sampler sends it to each part of a graph, and
// numbers the nodes of all picks itself.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/topology/global_ids.h"
#include "sample/pick/options.h"
#include "tensor/tensor.h"

namespace gls {

// A frontier, or some nodes of one.
struct HopQuestion {
  size_t edge_type = 0;
  size_t hop = 0;
  uint64_t epoch = 0;
  uint64_t batch = 0;
  IdSpan rows;     // of the topology here
  IdSpan nodes;    // as many: the ids that draws are made by, which are those of the whole graph
  IdSpan trees{};  // as many, where trees are disjoint: the number of each node's tree in its batch
  IdSpan times{};  // as many, where the sampler goes by times: of each node's tree
  std::vector<EdgeSet> exclude{};
  // Where the sampler's dataset is a part of a graph: what its neighbours and edges are in the
  // whole.
  const WholeIds* whole_neighbors = nullptr;
  const WholeIds* whole_edges = nullptr;
};

struct HopPicks {
  Tensor counts;     // int32 [nodes]: picks from each row
  Tensor neighbors;  // int32 or int64, as the sampler's ids, [picks]: as they are stored
  Tensor edge_ids;   // [picks], where the sampler reports them: as they are stored
};

}  // namespace gls
