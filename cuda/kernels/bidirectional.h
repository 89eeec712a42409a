// Sampled edges in both directions: docs/contract.md section 3, "Both ways". Of one edge type.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/id_pointer.h"

namespace gls::cuda {

// Picks of an edge type in all hops: local ids, which are below 2^31.
struct PickedEdges {
  IdsIn anchors;
  IdsIn neighbors;
  IdsIn edge_ids;  // NULL: not asked for
  int64_t count = 0;
};

// All memory is the device's.
struct BothWays {
  PickedEdges own;
  PickedEdges mirror;  // of the type whose edges are these backwards; may be the same, or none
  void* scratch;       // both_ways_bytes()
  int64_t* total;      // becomes the number of picks of both
  // Room for all of them; `found` becomes the number of those that are there.
  int64_t* found;
  IdsOut anchors;
  IdsOut neighbors;
  IdsOut edge_ids;
};

// `total` picks, not 0.
uint64_t both_ways_bytes(int64_t total);
cudaError_t join_both_ways(const BothWays& work, cudaStream_t stream);

}  // namespace gls::cuda
