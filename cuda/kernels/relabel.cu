#include <type_traits>

#include "cuda/kernels/hash_table.h"
#include "cuda/kernels/relabel.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/scan.h"

namespace gls::cuda {
namespace {

template <typename Table>
__global__ void __launch_bounds__(kThreads) enter_kernel(Table slots, NumberedNodes nodes) {
  const IdsIn ids = {nodes.ids.data, nodes.ids.wide};
  const IdsIn trees = {nodes.trees.data, nodes.trees.wide};
  const int64_t count = *nodes.count;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    const int64_t tree = trees.data == nullptr ? 0 : trees[i];
    uint32_t place = 0;
    slots.meet(key_of_node(ids[i], tree, nodes.num_nodes), static_cast<unsigned>(i), &place);
  }
}

__device__ unsigned long long key_at(const RelabelWork& work, uint64_t num_nodes, int64_t i) {
  return key_of_node(work.ids[i], work.trees.data == nullptr ? 0 : work.trees[i], num_nodes);
}

template <typename Table>
__global__ void __launch_bounds__(kThreads)
    meet_kernel(Table slots, RelabelWork work, Meetings meetings) {
  const int64_t count = *work.count;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    meet(slots, meetings, i, key_at(work, meetings.num_nodes, i));
  }
}

template <typename Table>
__global__ void __launch_bounds__(kThreads)
    tell_kernel(Table slots, RelabelWork work, NumberedNodes nodes, Meetings meetings) {
  if (thread_number() == 0) {
    const int64_t now = *nodes.count + *meetings.added;
    *nodes.count = now;  // no thread numbers nodes from it any more
    for (int64_t k = 0; k < nodes.num_also; ++k) {
      nodes.also[k * nodes.also_apart] = now;
    }
  }
  const int64_t count = *work.count;
  const int64_t from = *work.local_from;
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    if (meetings.met[i] == Met::kAgain) {
      work.local.set(from + i, slots.value(meetings.places[i]));
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    take_at_kernel(IdsIn from, const int64_t* places, int64_t count, IdsOut out) {
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    out.set(i, places[i] < 0 ? -1 : from[places[i]]);
  }
}

struct IsFirst {
  const Met* met;
  __device__ int64_t operator()(int64_t i) const { return met[i] == Met::kFirst ? 1 : 0; }
};

template <typename Table>
struct NumberNode {
  Table slots;
  RelabelWork work;
  NumberedNodes nodes;
  Meetings meetings;
  __device__ void operator()(int64_t i, int64_t rank, int64_t is_first) const {
    if (is_first == 0) {
      return;
    }
    const int64_t local = *nodes.count + rank;
    slots.set(meetings.places[i], key_at(work, nodes.num_nodes, i), static_cast<unsigned>(local));
    work.local.set(*work.local_from + i, local);
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

uint64_t table_bytes(uint64_t slots, bool packed) {
  return slots * (sizeof(unsigned long long) + (packed ? 0 : sizeof(unsigned)));
}

cudaError_t clear_table(const RelabelTable& table, cudaStream_t stream) {
  static_assert(kFreeKey == ~0ull && kNothing == ~0u);
  return cudaMemsetAsync(table.slots, 0xff, table_bytes(table.size, table.packed), stream);
}

cudaError_t enter_nodes(const RelabelTable& table, const NumberedNodes& nodes, int64_t most,
                        cudaStream_t stream) {
  return most == 0 ? cudaSuccess : with_slots(table, [&](const auto& slots) {
    return launch(enter_kernel<std::decay_t<decltype(slots)>>, grid_for(most, stream), slots,
                  nodes);
  });
}

uint64_t relabel_bytes(int64_t most) {
  return kHeadBytes + static_cast<uint64_t>(most) * (sizeof(uint32_t) + sizeof(Met));
}

cudaError_t begin_meetings(const RelabelTable& table, const NumberedNodes& nodes,
                           const RelabelWork& work, Meetings* out, cudaStream_t stream) {
  static_assert(static_cast<int>(Met::kFirst) == 0);
  char* const scratch = static_cast<char*>(work.scratch);
  auto* const places = reinterpret_cast<uint32_t*>(scratch + kHeadBytes);
  *out = {table,
          nodes.num_nodes,
          work.local,
          work.local_from,
          reinterpret_cast<int64_t*>(scratch + kScanBytes),
          places,
          reinterpret_cast<Met*>(places + work.most)};
  return cudaMemsetAsync(out->met, 0, static_cast<uint64_t>(work.most) * sizeof(Met), stream);
}

cudaError_t number_met(const Meetings& meetings, const NumberedNodes& nodes,
                       const RelabelWork& work, cudaStream_t stream) {
  return with_slots(meetings.table, [&](const auto& slots) {
    using Table = std::decay_t<decltype(slots)>;
    const cudaError_t result = running_sums(IsFirst{meetings.met}, TellTotal{meetings.added},
                                            NumberNode<Table>{slots, work, nodes, meetings},
                                            work.count, work.most, work.scratch, stream);
    return result == cudaSuccess ? launch(tell_kernel<Table>, grid_for(work.most, stream), slots,
                                          work, nodes, meetings)
                                 : result;
  });
}

cudaError_t relabel(const RelabelTable& table, const NumberedNodes& nodes, const RelabelWork& work,
                    cudaStream_t stream) {
  Meetings meetings = {};
  cudaError_t result = begin_meetings(table, nodes, work, &meetings, stream);
  if (result == cudaSuccess) {
    result = with_slots(table, [&](const auto& slots) {
      return launch(meet_kernel<std::decay_t<decltype(slots)>>, grid_for(work.most, stream), slots,
                    work, meetings);
    });
  }
  return result == cudaSuccess ? number_met(meetings, nodes, work, stream) : result;
}

cudaError_t take_at(const IdsIn& from, const int64_t* places, int64_t count, const IdsOut& out,
                    cudaStream_t stream) {
  return launch(take_at_kernel, grid_for(count, stream), from, places, count, out);
}

}  // namespace gls::cuda
