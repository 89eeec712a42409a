// A question for one hop of some nodes, and its picks. A sampler sends it to each part of a graph,
// and numbers the nodes of all picks itself.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/topology/global_ids.h"
#include "query/sampler_options.h"
#include "tensor/tensor.h"

namespace gls {

// A frontier, or some of its nodes.
struct HopQuestion {
  size_t edge_type = 0;
  size_t hop = 0;
  uint64_t epoch = 0;
  uint64_t batch = 0;
  IdSpan rows;     // rows of the local topology
  IdSpan nodes;    // as many: the global ids, on which draws depend
  IdSpan trees{};  // as many, with disjoint trees: the number of each node's tree in its batch
  IdSpan times{};  // as many, for temporal samplers: the time of each node's tree
  std::vector<EdgeSet> exclude{};
  // Where the sampler's dataset is a part of a graph: the global ids of its neighbours and edges.
  const GlobalIds* whole_neighbors = nullptr;
  const GlobalIds* whole_edges = nullptr;
};

struct HopPicks {
  Tensor counts;     // int32 [nodes]: picks from each row
  Tensor neighbors;  // int32 or int64, as wide as the sampler's ids, [picks]: stored values
  Tensor edge_ids;   // [picks], where the sampler reports them: stored values
};

}  // namespace gls
