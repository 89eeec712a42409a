// Threads that process one row together: a warp, or a block of kThreads. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/grid.h"

namespace gls::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kWarps = kThreads / kWarp;  // in a block

// All threads of a team call the same functions in the same order.
struct WarpTeam {
  static constexpr int kSize = kWarp;
  __device__ int rank() const { return static_cast<int>(threadIdx.x) % kWarp; }
  __device__ void sync() const { __syncwarp(); }
  // The number of earlier threads with the flag, and of all threads with it.
  __device__ int before(bool flag, int* all) const {
    const unsigned mask = __ballot_sync(0xffffffffu, flag ? 1 : 0);
    *all = __popc(mask);
    return __popc(mask & ((1u << rank()) - 1));
  }
  __device__ bool any(bool flag) const { return __any_sync(0xffffffffu, flag ? 1 : 0) != 0; }
};

struct BlockTeam {
  static constexpr int kSize = kThreads;
  int* counts;  // shared [kWarps]

  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ void sync() const { __syncthreads(); }
  __device__ int before(bool flag, int* all) const {
    const unsigned mask = __ballot_sync(0xffffffffu, flag ? 1 : 0);
    const int warp = rank() / kWarp;
    const int lane = rank() % kWarp;
    if (lane == 0) {
      counts[warp] = __popc(mask);
    }
    __syncthreads();
    int sum = __popc(mask & ((1u << lane) - 1));
    int total = 0;
    for (int w = 0; w < kWarps; ++w) {
      sum += w < warp ? counts[w] : 0;
      total += counts[w];
    }
    __syncthreads();  // no thread may write before all have read
    *all = total;
    return sum;
  }
  __device__ bool any(bool flag) const {
    int all = 0;
    before(flag, &all);
    return all > 0;
  }
};

// For share_rows(): one warp for each of `most` rows, but not many more blocks than fit at once.
// With more rows, a block checks more of them together, one per thread.
inline constexpr unsigned kMostSharing = 1024;
inline Grid sharing_grid(int64_t most, cudaStream_t stream) {
  Grid grid = grid_for(most, stream, kWarp);
  grid.blocks = grid.blocks < kMostSharing ? grid.blocks : kMostSharing;
  return grid;
}

// The rows that a block takes at a time: few enough to leave some to all other blocks, but one for
// each warp.
__device__ inline int64_t rows_at_once(int64_t count) {
  if (count >= int64_t{gridDim.x} * kThreads) {
    return kThreads;
  }
  const unsigned each = (static_cast<unsigned>(count) + gridDim.x - 1) / gridDim.x;
  return (each + kWarps - 1) / kWarps * kWarps;
}

// Calls look(i, long) for each i below `count`, which returns whether there is work, and whether
// the whole block does it. Then a warp or the block calls work(team, i, number), where `number` is
// that of the warp, or 0. All threads of all blocks call this function.
template <typename Look, typename Work>
__device__ void share_rows(int64_t count, const Look& look, const Work& work) {
  __shared__ int64_t short_rows[kThreads];
  __shared__ int64_t long_rows[kThreads];
  __shared__ int num_short;
  __shared__ int num_long;
  __shared__ int counts[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int64_t rows = rows_at_once(count);
  for (int64_t base = blockIdx.x * rows; base < count; base += gridDim.x * rows) {
    if (threadIdx.x == 0) {
      num_short = 0;
      num_long = 0;
    }
    __syncthreads();
    const int64_t i = base + threadIdx.x;
    bool is_long = false;
    if (threadIdx.x < rows && i < count && look(i, &is_long)) {
      (is_long ? long_rows : short_rows)[atomicAdd(is_long ? &num_long : &num_short, 1)] = i;
    }
    __syncthreads();
    for (int k = warp; k < num_short; k += kWarps) {
      work(WarpTeam{}, short_rows[k], warp);
    }
    __syncthreads();
    for (int k = 0; k < num_long; ++k) {
      work(BlockTeam{counts}, long_rows[k], 0);
    }
    __syncthreads();
  }
}

}  // namespace gls::cuda
