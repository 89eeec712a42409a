// Finding the entry of a row that has a part, where there are no running sums: for .cu files.
#pragma once

#include "cuda/scan.h"

namespace gls::cuda {

// In *found, which is shared, the first of [begin, end) such that it and those of them before it
// have more parts than `target`; there is one. All threads of the block call it.
template <typename Part>
__device__ void find_part(const Part* parts, int64_t begin, int64_t end, int64_t target,
                          int64_t* found) {
  int64_t before = 0;
  for (int64_t first = begin; first < end && target >= before; first += kScanThreads) {
    const int64_t entry = first + threadIdx.x;
    const int64_t own = entry < end ? static_cast<int64_t>(parts[entry]) : 0;
    int64_t here = 0;
    const int64_t until = before + scan::block_sum(own, &here);
    if (target >= until && target < until + own) {
      *found = entry;
    }
    before += here;
  }
  __syncthreads();
}

}  // namespace gls::cuda
