// Makes sampled edges bidirectional, for one edge type: docs/contract.md section 3, "Both ways".
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/id_pointer.h"

namespace gls::cuda {

// The picks of an edge type in all hops, as local ids, which are below 2^31.
struct PickedEdges {
  IdsIn anchors;
  IdsIn neighbors;
  IdsIn edge_ids;  // NULL: not requested
  int64_t count = 0;
};

// All pointers are to device memory.
struct BidirectionalEdges {
  PickedEdges own;
  PickedEdges mirror;  // of the reverse edge type; may be the same, or empty
  void* scratch;       // bidirectional_bytes()
  int64_t* total;      // becomes the number of picks of both
  // Room for all edges; `found` becomes their number.
  int64_t* found;
  IdsOut anchors;
  IdsOut neighbors;
  IdsOut edge_ids;
};

// For `total` picks, not 0.
uint64_t bidirectional_bytes(int64_t total);
cudaError_t join_bidirectional(const BidirectionalEdges& work, cudaStream_t stream);

}  // namespace gls::cuda
