// Sums of 64 bits in shared memory, where 64-bit atomics are loops and 32-bit atomics are not. For
// .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace gls::cuda {

struct BlockSum {
  unsigned low;
  unsigned high;

  __device__ BlockSum& operator=(uint64_t number) {
    low = static_cast<unsigned>(number);
    high = static_cast<unsigned>(number >> 32);
    return *this;
  }
  __device__ operator uint64_t() const { return uint64_t{high} << 32 | low; }
  // Concurrently with other threads.
  __device__ void add(unsigned number) {
    const unsigned before = atomicAdd(&low, number);
    if (before + number < before) {
      atomicAdd(&high, 1u);
    }
  }
};

}  // namespace gls::cuda
