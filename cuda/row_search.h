// Whether a row has a neighbour. For .cu files.
#pragma once

#include "cuda/stored_rows.h"
#include "cuda/team.h"

namespace gls::cuda {

// Of positions [begin, end), whose neighbours ascend.
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

// Of positions in any order, but for those that counts(position) leaves out. All lanes of a warp
// ask the same.
template <typename Counts>
__device__ bool scan_row(const RowEntries& entries, int64_t begin, int64_t end, int64_t neighbor,
                         const Counts& counts) {
  for (int64_t first = begin; first < end; first += kWarp) {
    const int64_t at = first + WarpTeam().rank();
    if (WarpTeam().any(at < end && entries.neighbor(at) == neighbor && counts(at))) {
      return true;
    }
  }
  return false;
}

}  // namespace gls::cuda
