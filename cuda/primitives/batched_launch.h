// Runs many small works in one launch, because a launch takes longer than most of them. For .cu
// files.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/primitives/grid.h"

namespace gls::cuda {

// The argument of a kernel: all of its threads process each of the works.
template <typename Work, size_t kMost>
struct BatchedLaunch {
  static constexpr size_t kRoom = kMost;
  Work works[kMost];
  int count;
  static_assert(sizeof(Work) * kMost + sizeof(int) <= 4096, "as much as parameters may take");
};

// Uses as many launches as necessary. threads_of(work): the number of threads that a work can use.
template <typename All, typename Work, typename ThreadsOf>
cudaError_t launch_together(void (*kernel)(All), const Work* works, size_t count,
                            const ThreadsOf& threads_of, cudaStream_t stream) {
  for (size_t first = 0; first < count; first += All::kRoom) {
    All together = {};
    int64_t most = 0;
    for (size_t i = first; i < count && i < first + All::kRoom; ++i) {
      together.works[together.count++] = works[i];
      const int64_t threads = threads_of(works[i]);
      most = threads > most ? threads : most;
    }
    const cudaError_t result =
        most == 0 ? cudaSuccess : launch(kernel, grid_for(most, stream), together);
    if (result != cudaSuccess) {
      return result;
    }
  }
  return cudaSuccess;
}

}  // namespace gls::cuda
