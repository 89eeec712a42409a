// Rows that blocks with extra memory for their entries handle. One kernel lists these rows. Then
// one kernel handles rows that need little memory, with many blocks. Another one handles longer
// rows, with few blocks that have memory for the longest row. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/arena.h"
#include "cuda/primitives/grid.h"

namespace gls::cuda {

// Memory for each team of each of some blocks, for this many entries.
struct Rooms {
  int64_t blocks = 0;
  int teams = 1;
  int64_t entries = 0;

  uint64_t all_entries() const { return static_cast<uint64_t>(blocks * teams * entries); }
};

// As many blocks as the memory allows, and at least one.
inline Rooms rooms_for(int64_t most_blocks, int teams, int64_t entries, uint64_t entry_bytes) {
  constexpr uint64_t kBytes = uint64_t{64} << 20;
  Rooms out = {1, teams, entries};
  const auto blocks = static_cast<int64_t>(kBytes / (out.all_entries() * entry_bytes));
  out.blocks = blocks < 1 ? 1 : blocks < most_blocks ? blocks : most_blocks;
  return out;
}

// The nodes of a frontier with such rows, in any order.
struct LongRows {
  static constexpr int64_t kMiddle = 16384;  // the most entries of rows that need little memory
  enum class Part : int { kMiddle, kLongest };

  // [most]: rows of the first kind from the front on, of the second kind from the back.
  int64_t* rows = nullptr;
  unsigned* counts = nullptr;  // [2]: their numbers; 0 before the first kernel
  int64_t most = 0;

  static constexpr uint64_t kCountsBytes = 2 * sizeof(unsigned);

  // Called by one thread.
  __device__ void add(int64_t i, int64_t length) const {
    const bool longest = length > kMiddle;
    const int64_t at = atomicAdd(counts + (longest ? 1 : 0), 1u);
    rows[longest ? most - 1 - at : at] = i;
  }
  // Calls work(i) with all threads of one block.
  template <typename Work>
  __device__ void share(Part part, const Work& work) const {
    const bool longest = part == Part::kLongest;
    const int64_t count = counts[longest ? 1 : 0];
    for (int64_t at = blockIdx.x; at < count; at += gridDim.x) {
      work(rows[longest ? most - 1 - at : at]);
      __syncthreads();
    }
  }
};

// The blocks and the memory for these rows, where each entry needs `entry_bytes`.
struct LongPlan {
  Rooms middle;
  Rooms longest;  // without blocks: no row is that long

  LongPlan() = default;
  LongPlan(int64_t most_nodes, int64_t longest_row, uint64_t entry_bytes) {
    const auto rooms = [&](int64_t most_blocks, int64_t entries) {
      return rooms_for(most_nodes < most_blocks ? most_nodes : most_blocks, 1, entries,
                       entry_bytes);
    };
    middle = rooms(256, longest_row < LongRows::kMiddle ? longest_row : LongRows::kMiddle);
    if (longest_row > LongRows::kMiddle) {
      longest = rooms(64, longest_row);
    }
  }
  uint64_t all_entries() const {
    const uint64_t one = middle.all_entries();
    const uint64_t other = longest.all_entries();
    return one > other ? one : other;
  }
  LongRows place(Places* places, int64_t most_nodes) const {
    LongRows out;
    if (middle.blocks > 0) {
      out.counts = places->next<unsigned>(LongRows::kCountsBytes);
      out.rows = places->next<int64_t>(static_cast<uint64_t>(most_nodes) * sizeof(int64_t));
      out.most = most_nodes;
    }
    return out;
  }
  // Before the kernel that lists the rows.
  cudaError_t clear(const LongRows& rows, cudaStream_t stream) const {
    return middle.blocks == 0 ? cudaSuccess
                              : cudaMemsetAsync(rows.counts, 0, LongRows::kCountsBytes, stream);
  }
  // Calls start(grid, part, entries) for each kind.
  template <typename Start>
  cudaError_t go_over(cudaStream_t stream, const Start& start) const {
    cudaError_t result = cudaSuccess;
    if (middle.blocks > 0) {
      result = start(Grid{static_cast<unsigned>(middle.blocks), kThreads, 0, stream},
                     LongRows::Part::kMiddle, middle.entries);
    }
    if (result == cudaSuccess && longest.blocks > 0) {
      result = start(Grid{static_cast<unsigned>(longest.blocks), kThreads, 0, stream},
                     LongRows::Part::kLongest, longest.entries);
    }
    return result;
  }
};

}  // namespace gls::cuda
