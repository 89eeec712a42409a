// Grids of kernels that loop over all elements, whose number may be below the bound.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/launch.h"

namespace gls::cuda {

inline constexpr int kThreads = 256;
// Of a launch. More than fit at once, because some have less work.
inline constexpr int64_t kMostBlocks = 4096;

// One thread for each of `most` elements, or a group of `lanes`.
inline Grid grid_for(int64_t most, cudaStream_t stream, int lanes = 1) {
  const int64_t per_block = kThreads / lanes;
  const int64_t blocks = (most + per_block - 1) / per_block;
  return {static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks), kThreads, 0, stream};
}

__device__ inline int64_t thread_number() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t num_threads() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

}  // namespace gls::cuda
