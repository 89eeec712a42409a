#include "cuda/kernels/copy.h"
#include "cuda/primitives/batched_launch.h"

namespace gls::cuda {
namespace {

using Copies = BatchedLaunch<ArrayCopy, 64>;

template <typename Word>
__device__ void copy_words(const ArrayCopy& copy, uint64_t first, uint64_t end) {
  const auto* const from = static_cast<const Word*>(copy.from);
  auto* const to = static_cast<Word*>(copy.to);
  for (uint64_t i = first + static_cast<uint64_t>(thread_number()); i < end;
       i += static_cast<uint64_t>(num_threads())) {
    to[i] = from[i];
  }
}

// Arrays are at multiples of 16, except parts of larger arrays.
__global__ void __launch_bounds__(kThreads) copy_kernel(Copies copies) {
  for (int k = 0; k < copies.count; ++k) {
    const ArrayCopy& copy = copies.works[k];
    const uint64_t places =
        reinterpret_cast<uint64_t>(copy.from) | reinterpret_cast<uint64_t>(copy.to);
    const uint64_t quads = places % sizeof(uint4) == 0 ? copy.bytes / sizeof(uint4) : 0;
    copy_words<uint4>(copy, 0, quads);
    copy_words<uint32_t>(copy, quads * 4, copy.bytes / sizeof(uint32_t));
  }
}

}  // namespace

cudaError_t copy_arrays(const ArrayCopy* copies, size_t count, cudaStream_t stream) {
  const auto threads_of = [](const ArrayCopy& copy) {
    return static_cast<int64_t>((copy.bytes + sizeof(uint4) - 1) / sizeof(uint4));
  };
  return launch_together(copy_kernel, copies, count, threads_of, stream);
}

}  // namespace gls::cuda
