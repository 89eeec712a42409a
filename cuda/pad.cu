#include "cuda/grid.h"
#include "cuda/pad.h"

namespace gls::cuda {
namespace {

using device::PadWork;

// Of a launch; parameters of kernels are at most 4 KB.
constexpr size_t kTogether = 32;

struct Works {
  PadWork work[kTogether];
  int count;
};
static_assert(sizeof(Works) <= 4096);

// The real row that is row `row` of the result, or -1.
__device__ int64_t real_row(const PadWork& work, int64_t row) {
  if (row < work.head) {
    return row;
  }
  const int64_t behind = row - work.rest + work.head;
  return row >= work.rest && behind < work.real ? behind : -1;
}

template <typename Number, typename Out>
__device__ void fill(const PadWork& work) {
  const auto* const from = static_cast<const Number*>(work.from);
  auto* const out = static_cast<Out*>(work.out);
  const int64_t count = work.rows * work.columns;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    const int64_t row = work.columns == 1 ? i : i / work.columns;
    const int64_t column = i - row * work.columns;
    const int64_t real = real_row(work, row);
    if (real < 0) {
      out[i] = static_cast<Out>(column == 0 ? work.first : work.value);
    } else if (from == nullptr) {
      out[i] = 1;
    } else if (work.as_bools) {
      out[i] = static_cast<Out>(from[real * work.columns + column] >= 0 ? 1 : 0);
    } else {
      out[i] = static_cast<Out>(from[real * work.columns + column]);
    }
  }
}

__global__ void __launch_bounds__(kThreads) pad_kernel(Works works) {
  for (int w = 0; w < works.count; ++w) {
    const PadWork& work = works.work[w];
    if (work.as_bools && work.bytes == 8) {
      fill<int64_t, uint8_t>(work);
    } else if (work.as_bools) {
      fill<int32_t, uint8_t>(work);
    } else if (work.bytes == 8) {
      fill<int64_t, int64_t>(work);
    } else {
      fill<int32_t, int32_t>(work);
    }
  }
}

}  // namespace

cudaError_t pad(const PadWork* works, size_t count, cudaStream_t stream) {
  for (size_t first = 0; first < count; first += kTogether) {
    Works together = {};
    int64_t most = 0;
    for (size_t i = first; i < count && i < first + kTogether; ++i) {
      together.work[together.count++] = works[i];
      const int64_t numbers = works[i].rows * works[i].columns;
      most = numbers > most ? numbers : most;
    }
    const cudaError_t result =
        most == 0 ? cudaSuccess : launch(pad_kernel, grid_for(most, stream), together);
    if (result != cudaSuccess) {
      return result;
    }
  }
  return cudaSuccess;
}

}  // namespace gls::cuda
