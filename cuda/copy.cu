#include "cuda/copy.h"
#include "cuda/grid.h"

namespace gls::cuda {
namespace {

// Of a launch; parameters of kernels are at most 4 KB.
constexpr size_t kTogether = 64;

struct Copies {
  ArrayCopy copies[kTogether];
  int count;
};
static_assert(sizeof(Copies) <= 4096);

template <typename Word>
__device__ void copy_words(const ArrayCopy& copy, uint64_t first, uint64_t end) {
  const auto* const from = static_cast<const Word*>(copy.from);
  auto* const to = static_cast<Word*>(copy.to);
  for (uint64_t i = first + static_cast<uint64_t>(thread_number()); i < end;
       i += static_cast<uint64_t>(num_threads())) {
    to[i] = from[i];
  }
}

// Arrays are at multiples of 16, but for parts of larger ones.
__global__ void __launch_bounds__(kThreads) copy_kernel(Copies copies) {
  for (int k = 0; k < copies.count; ++k) {
    const ArrayCopy& copy = copies.copies[k];
    const uint64_t places =
        reinterpret_cast<uint64_t>(copy.from) | reinterpret_cast<uint64_t>(copy.to);
    const uint64_t quads = places % sizeof(uint4) == 0 ? copy.bytes / sizeof(uint4) : 0;
    copy_words<uint4>(copy, 0, quads);
    copy_words<uint32_t>(copy, quads * 4, copy.bytes / sizeof(uint32_t));
  }
}

}  // namespace

cudaError_t copy_arrays(const ArrayCopy* copies, size_t count, cudaStream_t stream) {
  for (size_t first = 0; first < count; first += kTogether) {
    Copies together = {};
    uint64_t most = 0;
    for (size_t i = first; i < count && i < first + kTogether; ++i) {
      together.copies[together.count++] = copies[i];
      most = copies[i].bytes > most ? copies[i].bytes : most;
    }
    const auto threads = static_cast<int64_t>((most + sizeof(uint4) - 1) / sizeof(uint4));
    const cudaError_t result =
        most == 0 ? cudaSuccess : launch(copy_kernel, grid_for(threads, stream), together);
    if (result != cudaSuccess) {
      return result;
    }
  }
  return cudaSuccess;
}

}  // namespace gls::cuda
