#include "cuda/both_ways.h"
#include "cuda/grid.h"
#include "cuda/scan.h"

namespace gls::cuda {
namespace {

// Numbers of picks, by the nodes that they join; each list is in the order of picks at first.
struct Picks {
  uint64_t* keys;
  int64_t* numbers;
};

struct Lists {
  Picks lists[2];
  void* sums;
};

Lists lists_in(void* scratch, int64_t total) {
  auto* const numbers = static_cast<int64_t*>(scratch);
  auto* const keys = reinterpret_cast<uint64_t*>(numbers + 2 * total);
  return {{{keys, numbers}, {keys + total, numbers + total}}, keys + 2 * total};
}

__device__ uint64_t key_of_pick(const BothWays& work, int64_t pick) {
  const bool own = pick < work.own.count;
  const int64_t other = pick - work.own.count;
  const int64_t anchor = own ? work.own.anchors[pick] : work.mirror.neighbors[other];
  const int64_t neighbor = own ? work.own.neighbors[pick] : work.mirror.anchors[other];
  return static_cast<uint64_t>(anchor) << 32 | static_cast<uint64_t>(neighbor);
}

__global__ void __launch_bounds__(kThreads) list_kernel(BothWays work, Picks out) {
  const int64_t total = work.own.count + work.mirror.count;
  for (int64_t i = thread_number(); i < total; i += num_threads()) {
    out.keys[i] = key_of_pick(work, i);
    out.numbers[i] = i;
    if (i == 0) {
      *work.total = total;
    }
  }
}

// How many of the ascending keys [begin, end) are below a key, or not above it.
__device__ int64_t keys_before(const uint64_t* keys, int64_t begin, int64_t end, uint64_t key,
                               bool same) {
  const int64_t first = begin;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (keys[middle] < key || (same && keys[middle] == key)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin - first;
}

// Runs of `size` become runs of twice that. Of equal keys those of the first run stay the first.
__global__ void __launch_bounds__(kThreads)
    merge_kernel(Picks from, Picks to, int64_t total, int64_t size) {
  for (int64_t i = thread_number(); i < total; i += num_threads()) {
    const int64_t begin = i / size * size;
    const bool first = i / size % 2 == 0;
    const uint64_t key = from.keys[i];
    int64_t at = i;
    if (first) {
      const int64_t other = begin + size < total ? begin + size : total;
      const int64_t end = other + size < total ? other + size : total;
      at += keys_before(from.keys, other, end, key, false);
    } else {
      at += keys_before(from.keys, begin - size, begin, key, true) - size;
    }
    to.keys[at] = key;
    to.numbers[at] = from.numbers[i];
  }
}

struct IsFirstOfPair {
  const uint64_t* keys;
  __device__ int64_t operator()(int64_t i) const {
    return i == 0 || keys[i] != keys[i - 1] ? 1 : 0;
  }
};
struct TellEdges {
  int64_t* found;
  __device__ void operator()(int64_t count) const { *found = count; }
};
struct TakeEdge {
  BothWays work;
  Picks picks;
  __device__ void operator()(int64_t i, int64_t before, int64_t first) const {
    if (first == 0) {
      return;
    }
    work.anchors.set(before, static_cast<int64_t>(picks.keys[i] >> 32));
    work.neighbors.set(before, static_cast<int64_t>(picks.keys[i] & 0xffffffffu));
    if (work.edge_ids.data != nullptr) {
      const int64_t pick = picks.numbers[i];
      work.edge_ids.set(before, pick < work.own.count
                                    ? work.own.edge_ids[pick]
                                    : work.mirror.edge_ids[pick - work.own.count]);
    }
  }
};

}  // namespace

uint64_t both_ways_bytes(int64_t total) {
  return 4 * static_cast<uint64_t>(total) * sizeof(int64_t) + kScanBytes;
}

cudaError_t join_both_ways(const BothWays& work, cudaStream_t stream) {
  const int64_t total = work.own.count + work.mirror.count;
  const Lists lists = lists_in(work.scratch, total);
  const Grid grid = grid_for(total, stream);
  cudaError_t result = launch(list_kernel, grid, work, lists.lists[0]);
  int now = 0;
  for (int64_t size = 1; result == cudaSuccess && size < total; size *= 2) {
    result = launch(merge_kernel, grid, lists.lists[now], lists.lists[1 - now], total, size);
    now = 1 - now;
  }
  const Picks sorted = lists.lists[now];
  return result != cudaSuccess
             ? result
             : running_sums(IsFirstOfPair{sorted.keys}, TellEdges{work.found},
                            TakeEdge{work, sorted}, work.total, total, lists.sums, stream);
}

}  // namespace gls::cuda
