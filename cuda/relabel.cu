#include "cuda/grid.h"
#include "cuda/relabel.h"
#include "cuda/scan.h"
#include "cuda/slots.h"

namespace gls::cuda {
namespace {

__global__ void __launch_bounds__(kThreads) enter_kernel(Slots slots, NumberedNodes nodes) {
  const IdsIn ids = {nodes.ids.data, nodes.ids.wide};
  const IdsIn trees = {nodes.trees.data, nodes.trees.wide};
  const int64_t count = *nodes.count;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    const int64_t tree = trees.data == nullptr ? 0 : trees[i];
    slots.values[slots.enter(key_of_node(ids[i], tree, nodes.num_nodes))] =
        static_cast<unsigned>(i);
  }
}

__global__ void __launch_bounds__(kThreads)
    meet_kernel(Slots slots, RelabelWork work, uint64_t num_nodes, uint32_t* places) {
  const int64_t count = *work.count;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    const int64_t tree = work.trees.data == nullptr ? 0 : work.trees[i];
    const uint32_t at = slots.enter(key_of_node(work.ids[i], tree, num_nodes));
    places[i] = at;
    atomicMin(slots.values + at, kMet + static_cast<unsigned>(i));
  }
}

__global__ void __launch_bounds__(kThreads)
    tell_kernel(Slots slots, RelabelWork work, const uint32_t* places) {
  const int64_t count = *work.count;
  const int64_t from = *work.local_from;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    work.local.set(from + i, slots.values[places[i]]);
  }
}

__global__ void __launch_bounds__(kThreads)
    take_at_kernel(IdsIn from, const int64_t* places, int64_t count, IdsOut out) {
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    out.set(i, places[i] < 0 ? -1 : from[places[i]]);
  }
}

// Whether a node is new and met here first.
struct IsFirst {
  Slots slots;
  const uint32_t* places;
  __device__ int64_t operator()(int64_t i) const {
    return slots.values[places[i]] == kMet + static_cast<unsigned>(i) ? 1 : 0;
  }
};

struct AddNodes {
  int64_t* count;
  int64_t* before;
  __device__ void operator()(int64_t added) const {
    *before = *count;
    *count += added;
  }
};

struct NumberNode {
  Slots slots;
  const uint32_t* places;
  RelabelWork work;
  NumberedNodes nodes;
  const int64_t* before;
  __device__ void operator()(int64_t i, int64_t rank, int64_t is_first) const {
    if (is_first == 0) {
      return;
    }
    const int64_t local = *before + rank;
    slots.values[places[i]] = static_cast<unsigned>(local);
    nodes.ids.set(local, work.ids[i]);
    if (nodes.trees.data != nullptr) {
      nodes.trees.set(local, work.trees[i]);
    }
  }
};

constexpr uint64_t kHeadBytes = kScanBytes + 256;

}  // namespace

uint64_t table_slots(int64_t most_nodes) {
  uint64_t slots = 1024;
  while (slots < 2 * static_cast<uint64_t>(most_nodes)) {
    slots *= 2;
  }
  return slots;
}

uint64_t table_bytes(uint64_t slots) {
  return slots * (sizeof(unsigned long long) + sizeof(unsigned));
}

cudaError_t clear_table(const RelabelTable& table, cudaStream_t stream) {
  static_assert(kFreeKey == ~0ull && kNothing == ~0u);
  return cudaMemsetAsync(table.slots, 0xff, table_bytes(table.size), stream);
}

cudaError_t enter_nodes(const RelabelTable& table, const NumberedNodes& nodes, int64_t most,
                        cudaStream_t stream) {
  return most == 0 ? cudaSuccess
                   : launch(enter_kernel, grid_for(most, stream), slots_of(table), nodes);
}

uint64_t relabel_bytes(int64_t most) {
  return kHeadBytes + static_cast<uint64_t>(most) * sizeof(uint32_t);
}

cudaError_t relabel(const RelabelTable& table, const NumberedNodes& nodes, const RelabelWork& work,
                    cudaStream_t stream) {
  const Slots slots = slots_of(table);
  auto* const before = reinterpret_cast<int64_t*>(static_cast<char*>(work.scratch) + kScanBytes);
  auto* const places = reinterpret_cast<uint32_t*>(static_cast<char*>(work.scratch) + kHeadBytes);
  const Grid grid = grid_for(work.most, stream);
  cudaError_t result = launch(meet_kernel, grid, slots, work, nodes.num_nodes, places);
  if (result == cudaSuccess) {
    result = running_sums(IsFirst{slots, places}, AddNodes{nodes.count, before},
                          NumberNode{slots, places, work, nodes, before}, work.count, work.most,
                          work.scratch, stream);
  }
  return result == cudaSuccess ? launch(tell_kernel, grid, slots, work, places) : result;
}

cudaError_t take_at(const IdsIn& from, const int64_t* places, int64_t count, const IdsOut& out,
                    cudaStream_t stream) {
  return launch(take_at_kernel, grid_for(count, stream), from, places, count, out);
}

}  // namespace gls::cuda
