// Copies arrays on the device, many with one kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace gls::cuda {

// Elements have 4 or 8 bytes, so `bytes` is a multiple of 4.
struct ArrayCopy {
  const void* from;
  void* to;
  uint64_t bytes;
};
cudaError_t copy_arrays(const ArrayCopy* copies, size_t count, cudaStream_t stream);

}  // namespace gls::cuda
