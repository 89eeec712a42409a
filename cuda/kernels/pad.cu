#include "cuda/kernels/pad.h"
#include "cuda/primitives/batched_launch.h"

namespace gls::cuda {
namespace {

using device::PadWork;

using Works = BatchedLaunch<PadWork, 32>;

// The real row at row `row` of the result, or -1.
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
    const PadWork& work = works.works[w];
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
  const auto threads_of = [](const PadWork& work) { return work.rows * work.columns; };
  return launch_together(pad_kernel, works, count, threads_of, stream);
}

}  // namespace gls::cuda
