// How the threads of a kernel share rows, and what they find of one. The kernels are the tests'
// own, so they run on the emulated runtime alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "cuda/plugin/cuda_gpu.h"
#include "random_numbers.h"

#if defined(GLS_CUDA_ON_HOST)
#include "cuda/primitives/thread_group.h"
#include "cuda/primitives/weight_search.h"

namespace gls::cuda {
namespace {

// Who worked on a row.
struct Worker {
  int times = 0;
  int threads = 0;
  int64_t block = -1;
  int64_t warp = -1;
};

struct LookAtNumber {
  int64_t every;  // a block is for one of so many; 0: for none
  __device__ bool operator()(int64_t i, bool* is_long) const {
    *is_long = every > 0 && i % every == 0;
    return i % 7 != 3;
  }
};
struct Note {
  Worker* workers;
  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int number) const {
    ++workers[i].threads;
    if (team.rank() == 0) {
      ++workers[i].times;
      workers[i].block = blockIdx.x;
      workers[i].warp = number;
    }
    team.sync();
  }
};

__global__ void share_kernel(Worker* workers, int64_t count, int64_t every) {
  share_rows(count, LookAtNumber{every}, Note{workers});
}

std::vector<Worker> share(int64_t most, int64_t count, int64_t every) {
  std::vector<Worker> workers(static_cast<size_t>(count));
  EXPECT_EQ(launch(share_kernel, sharing_grid(most, nullptr), workers.data(), count, every),
            cudaSuccess);
  return workers;
}

TEST(CudaRows, EachIsWorkedOnOnce) {
  for (const int64_t most : {1, 8, 9, 300, 10000}) {
    for (const int64_t every : {0, 1, 5}) {
      for (const int64_t count : {most, most / 3}) {
        const std::vector<Worker> workers = share(most, count, every);
        for (int64_t i = 0; i < count; ++i) {
          const Worker& worker = workers[static_cast<size_t>(i)];
          const bool is_long = every > 0 && i % every == 0;
          const bool works = i % 7 != 3;
          ASSERT_EQ(worker.times, works ? 1 : 0) << i << " of " << count << ", " << most;
          ASSERT_EQ(worker.threads, !works ? 0 : is_long ? kThreads : kWarp) << i;
        }
      }
    }
  }
}

// A warp for each row, where there are warps enough; and all blocks of the grid, where there are
// not.
TEST(CudaRows, ManyBlocksShareFew) {
  std::set<std::pair<int64_t, int64_t>> warps;
  for (const Worker& worker : share(1024, 1024, 0)) {
    if (worker.times > 0) {
      EXPECT_TRUE(warps.emplace(worker.block, worker.warp).second);
    }
  }
  std::set<int64_t> blocks;
  for (const Worker& worker : share(20000, 10000, 0)) {
    blocks.insert(worker.block);
  }
  EXPECT_GT(blocks.size(), kMostSharing / 2);
}

// ---- thresholds --------------------------------------------------------------------------------

// Every place has an order but those of multiples of seven; after `all` questions none has.
struct OrderOf {
  const uint64_t* orders;
  int64_t* left;
  __device__ bool operator()(int64_t at, uint64_t* out) const {
    *out = orders[at];
    return atomicAdd(left, -1) > 0 && at % 7 != 0;
  }
};

template <typename Team>
__global__ void threshold_kernel(const uint64_t* orders, int64_t count, int64_t last, int64_t* left,
                                 Threshold* out) {
  __shared__ Bins bins;
  __shared__ int counts[kWarps];
  Team team;
  if constexpr (Team::kSize == kThreads) {
    team.counts = counts;
  }
  const Threshold found = find_threshold(team, 0, count, last, OrderOf{orders, left}, &bins);
  if (team.rank() == 0) {
    *out = found;
  }
}

Threshold threshold_of(const std::vector<uint64_t>& orders, int64_t last, bool block,
                       int64_t asked = INT64_MAX) {
  Threshold out = {};
  const auto count = static_cast<int64_t>(orders.size());
  const Grid grid = {1, block ? static_cast<unsigned>(kThreads) : static_cast<unsigned>(kWarp), 0,
                     nullptr};
  EXPECT_EQ(launch(block ? threshold_kernel<BlockTeam> : threshold_kernel<WarpTeam>, grid,
                   orders.data(), count, last, &asked, &out),
            cudaSuccess);
  return out;
}

TEST(CudaThreshold, IsThatOfTheSortedOrders) {
  test::Numbers random(7);
  // Bytes that differ, of orders that have the others in common.
  for (const uint64_t differ :
       {~uint64_t{0}, uint64_t{0}, uint64_t{0xff}, uint64_t{0xff00}, uint64_t{3} << 56,
        uint64_t{0xff00ff}, uint64_t{0x0f00000000000001}, uint64_t{0xffffffff}}) {
    for (const int64_t count : {40, 700}) {
      std::vector<uint64_t> orders;
      std::vector<uint64_t> sorted;
      for (int64_t at = 0; at < count; ++at) {
        const auto drawn = static_cast<uint64_t>(random.below(INT64_MAX)) << 1;
        orders.push_back((0x8123456789abcdef & ~differ) | ((drawn ^ drawn << 32) & differ));
        if (at % 7 != 0) {
          sorted.push_back(orders.back());
        }
      }
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      const auto usable = static_cast<int64_t>(sorted.size());
      for (const int64_t last : {int64_t{1}, int64_t{2}, usable / 2, usable - 1, usable}) {
        for (const bool block : {false, true}) {
          const Threshold found = threshold_of(orders, last, block);
          // Where all of some order are taken, it is found as far as it tells them from others.
          const auto above = std::count_if(sorted.begin(), sorted.end(),
                                           [&](uint64_t one) { return one > found.order; });
          const auto same = std::count(sorted.begin(), sorted.end(), found.order);
          if (found.skipped > 0) {
            EXPECT_EQ(found.order, sorted[static_cast<size_t>(last - 1)]);
            EXPECT_EQ(found.taken + found.skipped, same);
            EXPECT_EQ(above + found.taken, last);
          } else {
            EXPECT_EQ(above + same, last) << differ << " " << count;
          }
        }
      }
    }
  }
}

// As with rows in memory of the host that somebody changes meanwhile.
TEST(CudaThreshold, EndsWhereOrdersAreGone) {
  const std::vector<uint64_t> orders(500, 77);
  for (const bool block : {false, true}) {
    for (const int64_t asked : {0, 3, 499, 600}) {
      const Threshold found = threshold_of(orders, 400, block, asked);
      EXPECT_LE(found.taken, 400);
      EXPECT_GE(found.skipped, 0);
    }
  }
}

__global__ void sum_kernel(uint64_t* out) {
  __shared__ BlockSum sum;
  if (threadIdx.x == 0) {
    sum = 0;
  }
  __syncthreads();
  sum.add(0xfffffff0u + threadIdx.x);
  __syncthreads();
  *out = sum;
}

TEST(CudaThreshold, SumsPassThirtyTwoBits) {
  uint64_t sum = 0;
  EXPECT_EQ(launch(sum_kernel, Grid{1, 8, 0, nullptr}, &sum), cudaSuccess);
  EXPECT_EQ(sum, 8 * uint64_t{0xfffffff0} + 28);
}

}  // namespace
}  // namespace gls::cuda

#else

TEST(CudaRows, EachIsWorkedOnOnce) {
  GTEST_SKIP() << "kernels of a test are for the emulated runtime alone";
}

#endif
