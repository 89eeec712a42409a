#include "cuda/kernels/bidirectional.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/merge.h"
#include "cuda/primitives/scan.h"

namespace gls::cuda {
namespace {

// Numbers of picks, by the nodes that they connect; each list starts in the order of picks.
using Picks = Keyed<int64_t>;

struct Lists {
  Picks lists[2];
  void* sums;
};

Lists lists_in(void* scratch, int64_t total) {
  auto* const numbers = static_cast<int64_t*>(scratch);
  auto* const keys = reinterpret_cast<uint64_t*>(numbers + 2 * total);
  return {{{keys, numbers}, {keys + total, numbers + total}}, keys + 2 * total};
}

__device__ uint64_t key_of_pick(const BidirectionalEdges& work, int64_t pick) {
  const bool own = pick < work.own.count;
  const int64_t other = pick - work.own.count;
  const int64_t anchor = own ? work.own.anchors[pick] : work.mirror.neighbors[other];
  const int64_t neighbor = own ? work.own.neighbors[pick] : work.mirror.anchors[other];
  return static_cast<uint64_t>(anchor) << 32 | static_cast<uint64_t>(neighbor);
}

__global__ void __launch_bounds__(kThreads) list_kernel(BidirectionalEdges work, Picks out) {
  const int64_t total = work.own.count + work.mirror.count;
  for (int64_t i = thread_number(); i < total; i += num_threads()) {
    out.keys[i] = key_of_pick(work, i);
    out.values[i] = i;
    if (i == 0) {
      *work.total = total;
    }
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
  BidirectionalEdges work;
  Picks picks;
  __device__ void operator()(int64_t i, int64_t before, int64_t first) const {
    if (first == 0) {
      return;
    }
    work.anchors.set(before, static_cast<int64_t>(picks.keys[i] >> 32));
    work.neighbors.set(before, static_cast<int64_t>(picks.keys[i] & 0xffffffffu));
    if (work.edge_ids.data != nullptr) {
      const int64_t pick = picks.values[i];
      work.edge_ids.set(before, pick < work.own.count
                                    ? work.own.edge_ids[pick]
                                    : work.mirror.edge_ids[pick - work.own.count]);
    }
  }
};

}  // namespace

uint64_t bidirectional_bytes(int64_t total) {
  return 4 * static_cast<uint64_t>(total) * sizeof(int64_t) + kScanBytes;
}

cudaError_t join_bidirectional(const BidirectionalEdges& work, cudaStream_t stream) {
  const int64_t total = work.own.count + work.mirror.count;
  const Lists lists = lists_in(work.scratch, total);
  Picks sorted = lists.lists[0];
  cudaError_t result = launch(list_kernel, grid_for(total, stream), work, lists.lists[0]);
  if (result == cudaSuccess) {
    result = sort_stably(lists.lists, total, &sorted, stream);
  }
  return result != cudaSuccess
             ? result
             : running_sums(IsFirstOfPair{sorted.keys}, TellEdges{work.found},
                            TakeEdge{work, sorted}, work.total, total, lists.sums, stream);
}

}  // namespace gls::cuda
