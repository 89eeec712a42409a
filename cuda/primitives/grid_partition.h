// Finds the entry of a row that owns a part, without cumulative sums. For .cu files.
#pragma once

#include "cuda/primitives/scan.h"
#include "cuda/primitives/thread_group.h"

namespace gls::cuda {

static_assert(kScanThreads == kThreads);

// The sum of the numbers of earlier threads, and the sum of all in `total`.
__device__ inline int64_t sum_before(const WarpTeam& team, int64_t number, int64_t* total) {
  int64_t sum = number;
  for (int step = 1; step < kWarp; step *= 2) {
    const int64_t before = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(step));
    sum += team.rank() >= step ? before : 0;
  }
  *total = __shfl_sync(0xffffffffu, sum, kWarp - 1);
  return sum - number;
}
__device__ inline int64_t sum_before(const BlockTeam&, int64_t number, int64_t* total) {
  return scan::block_sum(number, total);
}

// Writes to *found, which is in the team's shared memory: the first entry of [begin, end) where the
// parts up to it exceed `target`. It must exist.
template <typename Team, typename Part>
__device__ void find_part(const Team& team, const Part* parts, int64_t begin, int64_t end,
                          int64_t target, int64_t* found) {
  int64_t before = 0;
  for (int64_t first = begin; first < end && target >= before; first += Team::kSize) {
    const int64_t entry = first + team.rank();
    const int64_t own = entry < end ? static_cast<int64_t>(parts[entry]) : 0;
    int64_t added = 0;
    const int64_t until = before + sum_before(team, own, &added);
    if (target >= until && target < until + own) {
      *found = entry;
    }
    before += added;
  }
  team.sync();
}

}  // namespace gls::cuda
