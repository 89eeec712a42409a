// Sums of 64 bits in shared memory, where atomics of 64 bits are loops, and those of 32 bits are
// not. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace gls::cuda {

struct SharedSum {
  unsigned low;
  unsigned high;

  __device__ void clear() { low = high = 0; }
  // At the same time as others.
  __device__ void add(unsigned number) {
    const unsigned before = atomicAdd(&low, number);
    if (before + number < before) {
      atomicAdd(&high, 1u);
    }
  }
  __device__ uint64_t value() const { return uint64_t{high} << 32 | low; }
};

}  // namespace gls::cuda
