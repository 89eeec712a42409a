// The edges between nodes of a batch, for one edge type: docs/contract.md section 3, "Induced
// subgraphs". All nodes of the batch form the frontier.
#pragma once

#include "cuda/kernels/pick.h"
#include "cuda/kernels/relabel.h"

namespace gls::cuda {

struct InduceStep {
  PickStep pick;       // for all nodes, with a fanout of -1; rows were placed
  RelabelTable table;  // of the neighbours
  uint64_t num_nodes;  // of the neighbours' type
  int64_t* kept;       // [pick.most_nodes]: edges of each node
  IdsOut neighbors;    // local ids
};

// Writes the number of edges to *pick.num_picks.
cudaError_t count_inside(const InduceStep& step, cudaStream_t stream);
// Then writes the edges: anchors, neighbours and, on request, edge ids.
cudaError_t take_inside(const InduceStep& step, cudaStream_t stream);

}  // namespace gls::cuda
