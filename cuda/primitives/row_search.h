// Finds a neighbour in a row. For .cu files.
#pragma once

#include "cuda/primitives/stored_rows.h"
#include "cuda/primitives/thread_group.h"

namespace gls::cuda {

// Searches positions [begin, end), whose neighbours ascend.
__device__ inline bool bisect_row(const RowEntries& entries, int64_t begin, int64_t end,
                                  int64_t neighbor) {
  const int64_t last = end;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (entries.neighbor(middle) < neighbor) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < last && entries.neighbor(begin) == neighbor;
}

// Searches positions in any order, except those that counts(position) rejects. All lanes of a warp
// pass equal arguments. Each reads several entries at a time, so that no load waits for another.
template <typename Counts>
__device__ bool scan_row(const RowEntries& entries, int64_t begin, int64_t end, int64_t neighbor,
                         const Counts& counts) {
  constexpr int kEach = 4;
  for (int64_t first = begin; first < end; first += kEach * kWarp) {
    const int64_t own = first + WarpTeam().rank();
    int64_t ids[kEach];
    for (int k = 0; k < kEach; ++k) {
      const int64_t at = own + k * kWarp;
      ids[k] = entries.neighbor(at < end ? at : end - 1);
    }
    bool found = false;
    for (int k = 0; k < kEach; ++k) {
      const int64_t at = own + k * kWarp;
      found = found || (ids[k] == neighbor && at < end && counts(at));
    }
    if (WarpTeam().any(found)) {
      return true;
    }
  }
  return false;
}

}  // namespace gls::cuda
