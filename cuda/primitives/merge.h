// A stable sort by numbers that merges runs of one into runs of two, and so on. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/grid.h"

namespace gls::cuda {

template <typename Value>
struct Keyed {
  uint64_t* keys;
  Value* values;
};

namespace merge {

// How many of the ascending keys [begin, end) are below a key, or not above it.
__device__ inline int64_t keys_before(const uint64_t* keys, int64_t begin, int64_t end,
                                      uint64_t key, bool same) {
  const int64_t first = begin;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (keys[middle] < key || (same && keys[middle] == key)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin - first;
}

// Merges runs of `size` into runs of twice that. Among equal keys, those of the first run stay
// first.
template <typename Value>
__global__ void __launch_bounds__(kThreads)
    merge_kernel(Keyed<Value> from, Keyed<Value> to, int64_t total, int64_t size) {
  for (int64_t i = thread_number(); i < total; i += num_threads()) {
    const int64_t begin = i / size * size;
    const bool first = i / size % 2 == 0;
    const uint64_t key = from.keys[i];
    int64_t at = i;
    if (first) {
      const int64_t other = begin + size < total ? begin + size : total;
      const int64_t end = other + size < total ? other + size : total;
      at += keys_before(from.keys, other, end, key, false);
    } else {
      at += keys_before(from.keys, begin - size, begin, key, true) - size;
    }
    to.keys[at] = key;
    to.values[at] = from.values[i];
  }
}

}  // namespace merge

// Sorts lists[0], with the other list as scratch memory; *sorted is the list with the result.
template <typename Value>
cudaError_t sort_stably(const Keyed<Value> (&lists)[2], int64_t total, Keyed<Value>* sorted,
                        cudaStream_t stream) {
  cudaError_t result = cudaSuccess;
  int now = 0;
  for (int64_t size = 1; result == cudaSuccess && size < total; size *= 2) {
    result = launch(merge::merge_kernel<Value>, grid_for(total, stream), lists[now], lists[1 - now],
                    total, size);
    now = 1 - now;
  }
  *sorted = lists[now];
  return result;
}

}  // namespace gls::cuda
