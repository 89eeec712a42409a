// How rows are shared among the threads of a kernel. The kernels are the tests' own, so they run on
// the emulated runtime alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "cuda/cuda_gpu.h"

#if defined(GLS_CUDA_ON_HOST)
#include "cuda/team.h"

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

}  // namespace
}  // namespace gls::cuda

#else

TEST(CudaRows, EachIsWorkedOnOnce) {
  GTEST_SKIP() << "kernels of a test are for the emulated runtime alone";
}

#endif
