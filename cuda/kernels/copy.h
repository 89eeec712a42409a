// Arrays of the device copied to other places there, many by one kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace gls::cuda {

// Numbers of 4 or 8 bytes, so `bytes` are a multiple of 4.
struct ArrayCopy {
  const void* from;
  void* to;
  uint64_t bytes;
};
cudaError_t copy_arrays(const ArrayCopy* copies, size_t count, cudaStream_t stream);

}  // namespace gls::cuda
