// Edges between the nodes of a batch: docs/contract.md section 3, "Induced subgraphs". Of one edge
// type, from all nodes of the batch at its frontier's end.
#pragma once

#include "cuda/kernels/pick.h"
#include "cuda/kernels/relabel.h"

namespace gls::cuda {

struct InduceStep {
  PickStep pick;       // of all nodes, with a fanout of -1; rows were placed
  RelabelTable table;  // of the neighbours
  uint64_t num_nodes;  // of their type
  int64_t* kept;       // [pick.most_nodes]: edges of each node
  IdsOut neighbors;    // local ids
};

// How many edges there are, in *pick.num_picks.
cudaError_t count_inside(const InduceStep& step, cudaStream_t stream);
// Then writes them: anchors, edge ids on request, and neighbours.
cudaError_t take_inside(const InduceStep& step, cudaStream_t stream);

}  // namespace gls::cuda
