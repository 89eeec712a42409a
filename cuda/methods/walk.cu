#include "cuda/kernels/pick.h"
#include "cuda/methods/walk_step.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/scan.h"

namespace gls::cuda {
namespace {

__global__ void __launch_bounds__(kWalkThreads) walk_kernel(WalkWork work) {
  for (int64_t number = thread_number(); number < work.count; number += num_threads()) {
    const int64_t seed = work.seeds[number / work.walks];
    const uint64_t key = walk_key(work.key, static_cast<uint64_t>(number));
    int64_t node = seed;
    int64_t path_at = 0;
    int64_t at = number * (work.length + 1);
    work.nodes.set(at, seed);
    for (int64_t step = 0; step < work.length; ++step) {
      int64_t edge = -1;
      const WalkTurn turn = node < 0 ? WalkTurn::kEnd : turn_at(work, key, step);
      if (turn == WalkTurn::kRestart) {
        node = seed;
        path_at = 0;
      } else if (turn == WalkTurn::kGo) {
        const WalkMove next =
            step_first_order(work.path[path_at], node, key, step, work.edges.data != nullptr);
        if (next.at_fault) {
          tell_walk_fault(work, number, step, next);
        }
        node = next.at_fault ? -1 : next.node;
        edge = next.edge;
        path_at = path_at + 1 == work.path_length ? 0 : path_at + 1;
      } else {
        node = -1;
      }
      work.nodes.set(++at, node);
      if (work.edges.data != nullptr) {
        work.edges.set(number * work.length + step, edge);
      }
    }
  }
}

// Repeats what the faulty walk did at that place.
__global__ void walk_fault_kernel(WalkWork work, WalkPlace place, IdsIn ids, int64_t* values) {
  const uint64_t key = walk_key(work.key, static_cast<uint64_t>(place.number));
  int64_t path_at = 0;
  for (int64_t step = 0; step < place.step; ++step) {
    path_at = turn_at(work, key, step) == WalkTurn::kRestart || path_at + 1 == work.path_length
                  ? 0
                  : path_at + 1;
  }
  const IdsIn nodes = {work.nodes.data, work.nodes.wide};
  const int64_t node = ids[nodes[place.number * (work.length + 1) + place.step]];
  write_walk_fault(
      step_first_order(work.path[path_at], node, key, place.step, work.edges.data != nullptr),
      path_at, values);
}

// ---- numbering ---------------------------------------------------------------------------------

struct IsOfType {
  WalkedNodes nodes;
  __device__ int64_t operator()(int64_t i) const {
    const IdsIn ids = {nodes.walks.data, nodes.walks.wide};
    return nodes.types[i % nodes.columns] == nodes.type && ids[i] >= 0 ? 1 : 0;
  }
};

struct CollectNode {
  WalkedNodes nodes;
  __device__ void operator()(int64_t i, int64_t before, int64_t is_one) const {
    if (is_one != 0) {
      const IdsIn ids = {nodes.walks.data, nodes.walks.wide};
      nodes.ids.set(before, ids[i]);
      nodes.places[before] = i;
    }
  }
};

__global__ void __launch_bounds__(kThreads) put_local_kernel(WalkedNodes nodes, IdsIn local) {
  const int64_t count = *nodes.found;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    nodes.walks.set(nodes.places[i], local[i]);
  }
}

}  // namespace

cudaError_t walk(const WalkWork& work, cudaStream_t stream) {
  return work.second_order ? walk_biased(work, stream)
                           : launch(walk_kernel, walk_grid(work.count, stream), work);
}

WalkPlace place_of_fault(const WalkWork& work, unsigned long long fault) {
  const auto place = static_cast<int64_t>(fault);
  const int64_t turn = place / kWalksTogether / kWalkRounds;
  return {turn / work.length * kWalksTogether + place % kWalksTogether, turn % work.length};
}

cudaError_t read_walk_fault(const WalkWork& work, const WalkPlace& place, const IdsIn& ids,
                            int64_t* values, cudaStream_t stream) {
  return work.second_order
             ? read_biased_fault(work, place, ids, values, stream)
             : launch(walk_fault_kernel, Grid{1, 1, 0, stream}, work, place, ids, values);
}

uint64_t collect_bytes() { return kScanBytes; }

cudaError_t collect_walked(const WalkedNodes& nodes, cudaStream_t stream) {
  return running_sums(IsOfType{nodes}, TellTotal{nodes.found}, CollectNode{nodes}, nodes.all,
                      nodes.count, nodes.sums, stream);
}

cudaError_t put_local_ids(const WalkedNodes& nodes, const IdsIn& local, cudaStream_t stream) {
  return launch(put_local_kernel, grid_for(nodes.count, stream), nodes, local);
}

}  // namespace gls::cuda
