#include "cuda/methods/importance.h"
#include "cuda/methods/walk_step.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/scan.h"
#include "cuda/primitives/sort.h"

namespace gls::cuda {
namespace {

// ---- walking -----------------------------------------------------------------------------------

// The order in which a CPU finds faults. The walks of `together` nodes are one list, of which the
// CPU takes kWalksTogether step by step. It starts again after `at_once` nodes.
struct ImportanceOrder {
  int64_t blocks;  // of this many nodes
  int64_t groups;  // of the walks in each
  int64_t length;

  GLS_HOST_DEVICE explicit ImportanceOrder(const ImportanceWork& work)
      : blocks((work.at_once + work.together - 1) / work.together),
        groups((work.together * work.walks + kWalksTogether - 1) / kWalksTogether),
        length(work.length) {}
};

struct ImportanceWalk {
  int64_t node;  // number in the frontier
  int64_t walk;  // number among the node's walks
};

GLS_HOST_DEVICE int64_t place_of(const ImportanceWork& work, const ImportanceWalk& walk,
                                 int64_t step, int64_t round) {
  const ImportanceOrder order(work);
  const int64_t within = walk.node % work.at_once;
  const int64_t number = within % work.together * work.walks + walk.walk;
  const int64_t block = walk.node / work.at_once * order.blocks + within / work.together;
  const int64_t group = block * order.groups + number / kWalksTogether;
  return ((group * order.length + step) * kWalkRounds + round) * kWalksTogether +
         number % kWalksTogether;
}

ImportanceWalk walk_at(const ImportanceWork& work, unsigned long long fault) {
  const ImportanceOrder order(work);
  const auto place = static_cast<int64_t>(fault);
  const int64_t group = place / kWalksTogether / kWalkRounds / order.length;
  const int64_t block = group / order.groups;
  const int64_t number = group % order.groups * kWalksTogether + place % kWalksTogether;
  return {block / order.blocks * work.at_once + block % order.blocks * work.together +
              number / work.walks,
          number % work.walks};
}

struct NoVisits {
  __device__ void operator()(int64_t, int64_t) const {}
};

// Calls visit(number, node) for the end of each traversal; -1 behind the end of the walk.
template <typename Visit>
__device__ WalkMove walk_importance(const ImportanceWork& work, const ImportanceWalk& walk,
                                    int64_t* step_of_fault, int64_t* path_of_fault,
                                    const Visit& visit) {
  int64_t node = work.nodes[work.first_node + walk.node];
  const uint64_t key = walk_key(importance_key(work.key, static_cast<uint64_t>(node), work.hop),
                                static_cast<uint64_t>(walk.walk));
  WalkMove fault;
  int64_t path_at = 0;
  for (int64_t step = 0; step < work.length; ++step) {
    const bool may_stop = work.stop > 0 && step > 0 && step % work.traversal == 0;
    if (node >= 0 && may_stop &&
        walk_turn(walk_draws(key, static_cast<uint32_t>(step), 0), work.stop, 0) ==
            WalkTurn::kEnd) {
      node = -1;
    }
    if (node >= 0) {
      const WalkMove next = step_first_order(work.path[path_at], node, key, step, false);
      if (next.at_fault) {
        fault = next;
        *step_of_fault = step;
        *path_of_fault = path_at;
      }
      node = next.at_fault ? -1 : next.node;
      path_at = path_at + 1 == work.path_length ? 0 : path_at + 1;
    }
    if ((step + 1) % work.traversal == 0) {
      visit(step / work.traversal, node);
    }
  }
  return fault;
}

__global__ void __launch_bounds__(kThreads) importance_walk_kernel(ImportanceWork work) {
  const int64_t ends = work.length / work.traversal;
  for (int64_t i = thread_number(); i < work.count * work.walks; i += num_threads()) {
    const ImportanceWalk walk = {work.first + i / work.walks, i % work.walks};
    int64_t step = 0;
    int64_t path_at = 0;
    int64_t* const visits = work.visits + i * ends;
    const WalkMove fault = walk_importance(
        work, walk, &step, &path_at, [&](int64_t number, int64_t node) { visits[number] = node; });
    if (fault.at_fault) {
      atomicMin(work.fault,
                static_cast<unsigned long long>(place_of(work, walk, step, fault.round)));
    }
  }
}

__global__ void importance_fault_kernel(ImportanceWork work, ImportanceWalk walk, int64_t* values) {
  int64_t step = 0;
  int64_t path_at = 0;
  const WalkMove fault = walk_importance(work, walk, &step, &path_at, NoVisits{});
  write_walk_fault(fault, path_at, values);
}

// ---- ranking -----------------------------------------------------------------------------------

constexpr uint64_t kNothing = ~uint64_t{0};

// Sorts in ascending order with the threads of a block.
__device__ void sort_in_block(uint64_t* numbers, int count) {
  sort_together(
      numbers, count, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x),
      [](uint64_t a, uint64_t b) { return a < b; }, [] { __syncthreads(); });
}

// The first of ascending numbers from `begin` on that is above the number or, if `same`, not below
// it.
template <typename Number>
__device__ int first_beyond(const Number* numbers, int begin, int end, Number number, bool same) {
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    const bool beyond = same ? numbers[middle] >= number : numbers[middle] > number;
    begin = beyond ? begin : middle + 1;
    end = beyond ? middle : end;
  }
  return begin;
}

// Called by a block: sorts the visits of a node, with kNothing for missing ones. Then it sorts the
// runs of equal visits by length, ties in that order. Both arrays have room for all visits.
__device__ void rank_node(const ImportanceWork& work, int64_t n, uint64_t* visits, uint64_t* runs) {
  constexpr uint32_t kLongest = ~uint32_t{0};
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  const auto made = static_cast<int>(work.num_visits());
  sort_in_block(visits, made);
  const int total = first_beyond(visits, 0, made, kNothing, true);
  for (int i = thread; i < made; i += threads) {
    const bool first = i < total && (i == 0 || visits[i - 1] != visits[i]);
    const auto length =
        static_cast<uint32_t>(first ? first_beyond(visits, i, total, visits[i], false) - i : 0);
    runs[i] = first ? (uint64_t{kLongest - length} << 32) | static_cast<uint32_t>(i) : kNothing;
  }
  __syncthreads();
  sort_in_block(runs, made);
  const int64_t met = first_beyond(runs, 0, made, kNothing, true);
  const int64_t kept = met < work.most ? met : work.most;
  for (int64_t i = thread; i < kept; i += threads) {
    work.found[n * work.most_found() + i] =
        static_cast<int64_t>(visits[static_cast<uint32_t>(runs[i])]);
    work.times[n * work.most_found() + i] =
        static_cast<int32_t>(kLongest - static_cast<uint32_t>(runs[i] >> 32));
  }
  if (thread == 0) {
    work.num_found[n] = kept;
    work.num_visits_made[n] = total;
  }
}

__device__ void tell_nodes(const ImportanceWork& work) {
  if (thread_number() == 0) {
    *work.num_nodes = work.count;
  }
}

// One block for each node, in shared memory.
template <int kMost>
__global__ void __launch_bounds__(kThreads) rank_kernel(ImportanceWork work) {
  __shared__ uint64_t visits[kMost];
  __shared__ uint64_t runs[kMost];
  const int64_t made = work.num_visits();
  tell_nodes(work);
  for (int64_t n = blockIdx.x; n < work.count; n += gridDim.x) {
    for (int64_t i = threadIdx.x; i < made; i += blockDim.x) {
      visits[i] = static_cast<uint64_t>(work.visits[n * made + i]);  // -1 is above all nodes
    }
    __syncthreads();
    rank_node(work, n, visits, runs);
    __syncthreads();  // no thread may write before all have read
  }
}

// As rank_kernel, in the memory of the visits.
__global__ void __launch_bounds__(kThreads) rank_in_memory_kernel(ImportanceWork work) {
  const int64_t made = work.num_visits();
  tell_nodes(work);
  for (int64_t n = blockIdx.x; n < work.count; n += gridDim.x) {
    rank_node(work, n, reinterpret_cast<uint64_t*>(work.visits) + n * made, work.runs + n * made);
  }
}

cudaError_t rank(const ImportanceWork& work, cudaStream_t stream) {
  constexpr int kFew = 128;
  const auto blocks = static_cast<unsigned>(work.count < kMostBlocks ? work.count : kMostBlocks);
  if (work.num_visits() <= kFew) {
    return launch(rank_kernel<kFew>, Grid{blocks, kFew / 2, 0, stream}, work);
  }
  return work.ranks_in_memory()
             ? launch(rank_in_memory_kernel, Grid{blocks, kThreads, 0, stream}, work)
             : launch(rank_kernel<ImportanceWork::kMostShared>, Grid{blocks, kThreads, 0, stream},
                      work);
}

__global__ void __launch_bounds__(kThreads)
    write_importance_kernel(ImportanceWork work, ImportanceRowsOut rows) {
  const int64_t most = work.most_found();
  if (thread_number() == 0) {
    *rows.num_of_hop = rows.row_of_hop + *work.sum;
  }
  for (int64_t i = thread_number(); i < work.count * most; i += num_threads()) {
    const int64_t n = i / most;
    const int64_t k = i % most;
    if (k >= work.num_found[n]) {
      continue;
    }
    const int64_t at = work.before[n] + k;
    const auto times = static_cast<double>(work.times[i]);
    rows.seeds.set(rows.row + at, work.first_node + work.first + n);
    rows.ids.set(rows.row_of_hop + at, work.found[i]);
    rows.scores[2 * (rows.row + at)] =
        static_cast<float>(times / static_cast<double>(work.num_visits_made[n]));
    rows.scores[2 * (rows.row + at) + 1] = static_cast<float>(times);
  }
}

}  // namespace

uint64_t importance_scan_bytes() { return kScanBytes; }

cudaError_t find_importance(const ImportanceWork& work, cudaStream_t stream) {
  cudaError_t result =
      launch(importance_walk_kernel, grid_for(work.count * work.walks, stream), work);
  if (result == cudaSuccess) {
    result = rank(work, stream);
  }
  return result != cudaSuccess
             ? result
             : running_sums(NumberOf{work.num_found}, TellTotal{work.sum}, TellBegin{work.before},
                            work.num_nodes, work.count, work.sums, stream);
}

cudaError_t write_importance(const ImportanceWork& work, const ImportanceRowsOut& rows,
                             cudaStream_t stream) {
  return launch(write_importance_kernel, grid_for(work.count * work.most_found(), stream), work,
                rows);
}

cudaError_t read_importance_fault(const ImportanceWork& work, unsigned long long fault,
                                  int64_t* values, cudaStream_t stream) {
  return launch(importance_fault_kernel, Grid{1, 1, 0, stream}, work, walk_at(work, fault), values);
}

}  // namespace gls::cuda
