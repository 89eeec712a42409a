// Sorts with threads that work together, in memory that all of them read and write. For .cu files.
//
// Batcher's network (AFIPS 1968), in the form that orders all pairs in the same direction, so that
// any number of items is possible.
#pragma once

#include <cuda_runtime.h>

namespace gls::cuda {

// Called by all threads with these numbers; sync() makes the writes of others visible.
template <typename Count, typename Item, typename Before, typename Sync>
__device__ void sort_together(Item* items, Count count, int thread, int threads,
                              const Before& before, const Sync& sync) {
  for (Count run = 2; run / 2 < count; run *= 2) {
    const Count pairs = ((count + run - 1) & ~(run - 1)) / 2;
    for (Count apart = run / 2; apart > 0; apart /= 2) {
      for (Count pair = thread; pair < pairs; pair += threads) {
        const Count first = (pair & ~(apart - 1)) * 2;
        const Count within = pair & (apart - 1);
        // In a run of twice the length, the second half is compared with the first in reverse
        // order.
        const Count other = apart == run / 2 ? first + run - 1 - within : first + within + apart;
        if (other < count && before(items[other], items[first + within])) {
          const Item kept = items[first + within];
          items[first + within] = items[other];
          items[other] = kept;
        }
      }
      sync();
    }
  }
}

}  // namespace gls::cuda
