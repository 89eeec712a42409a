#include <type_traits>
#include <utility>

#include "cuda/kernels/hash_table.h"
#include "cuda/kernels/picker.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/scan.h"
#include "host_device/alias_rule.h"

namespace gls::cuda {
namespace {

constexpr unsigned kWholeWarp = 0xffffffffu;
constexpr int kWarp = 32;
// The lanes of a warp make the picks of fanouts up to this, two each.
constexpr int64_t kMostGrouped = 2 * kWarp;
// Memory for sets of picks, which blocks share, and the useful number of blocks.
constexpr uint64_t kSetBytes = uint64_t{64} << 20;
constexpr int64_t kMostSets = 1024;

// ---- rows --------------------------------------------------------------------------------------

// Finds the row with number `i` of the frontier.
__device__ void find_row_of(const PickStep& step, int64_t i) {
  const int64_t local = *step.first_node + i;
  const int64_t node = step.nodes[local];
  FoundRow row;
  if (!find_row(step, node, &row)) {
    step.rows[i] = row;
    tell_fault(&step.faults->row, local);
    return;
  }
  set_row(step, i, node, row);
  if (has_times(step)) {
    step.rows[i].degree = row.degree;  // the neighbours are read next
  } else if (has_tables(step.weights) && !has_gaps(step, i)) {
    step.rows[i].degree = static_cast<uint64_t>(step.weights.rows[node].positive);
  }
}

__global__ void __launch_bounds__(kThreads) rows_kernel(PickStep step) {
  const int64_t nodes = *step.end_node - *step.first_node;
  if (thread_number() == 0) {
    *step.num_nodes = nodes;
  }
  for (int64_t i = thread_number(); i < nodes; i += num_threads()) {
    find_row_of(step, i);
  }
}

// For each row, which may not be found yet; leaves the number at which it begins for later.
template <bool kFinds>
struct CountPicks {
  PickStep step;
  __device__ int64_t operator()(int64_t i) const {
    if (kFinds) {
      find_row_of(step, i);
    }
    const auto picks =
        static_cast<int64_t>(row_picks(step.rows[i].degree, step.fanout, step.replace));
    step.first_picks[i] = picks;
    return picks;
  }
};

struct TakeTotal {
  PickStep step;
  __device__ void operator()(int64_t picks) const {
    *step.num_nodes = *step.end_node - *step.first_node;
    *step.num_picks = picks;
    *step.edges_before =
        step.last_edges_before == nullptr ? 0 : *step.last_edges_before + *step.last_num_picks;
  }
};

template <bool kFinds>
cudaError_t sum_picks(const PickStep& step, cudaStream_t stream) {
  return running_sums(CountPicks<kFinds>{step}, NumberOf{step.first_picks}, TakeTotal{step},
                      TellBegin{step.first_picks}, {step.end_node, step.first_node},
                      step.most_nodes, step.sums, stream);
}

__global__ void __launch_bounds__(kThreads)
    tree_keys_kernel(uint64_t key, int64_t count, uint64_t* keys) {
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    keys[i] = tree_key(key, static_cast<uint64_t>(i));
  }
}

__global__ void fault_kernel(PickStep step, FaultKind kind, int64_t where, int64_t* values) {
  if (kind == FaultKind::kRow) {
    const int64_t node = step.nodes[where];
    values[0] = node;
    values[1] = step.indptr[node];
    values[2] = step.indptr[node + 1];
  } else {
    values[0] = kind == FaultKind::kIndex ? step.indices[where] : step.stored_edge_ids[where];
  }
}

// ---- small fanouts: a group of lanes for each node ---------------------------------------------

// Floyd's rule, for all groups of a warp at once. In the order of the draws, each pick is shared
// with the later ones of its node. `distinct` marks the lanes that use the rule.
template <typename Entry, int kPerLane>
__device__ void replace_repeated(const PickStep& step, int lane, int lanes, bool distinct,
                                 const Entry* tops, Entry* picks) {
  const int fanout = static_cast<int>(step.fanout);
  for (int shown = 0; shown < fanout - 1; ++shown) {
    const int part = kPerLane == 1 ? 0 : shown / lanes;
    const int from = kPerLane == 1 ? shown : shown % lanes;
    const Entry pick =
        __shfl_sync(kWholeWarp, part == 0 ? picks[0] : picks[kPerLane - 1], from, lanes);
    for (int k = 0; k < kPerLane; ++k) {
      if (distinct && lane + k * lanes > shown && picks[k] == pick) {
        picks[k] = tops[k];
      }
    }
  }
}

// Used if neighbours are not entered in a hash table.
struct NoTable {};

template <typename Table>
__device__ void take_pick(const Picker& picker, int64_t j, uint64_t entry, const Table& table) {
  if constexpr (std::is_same_v<Table, NoTable>) {
    picker.take(j, entry);
  } else {
    const PickStep& step = picker.step;
    const int64_t id = picker.take_at(j, picker.position_of(entry));
    meet(table, step.meetings, step.first_picks[picker.i] + j,
         key_of_node(id, picker.tree, step.meetings.num_nodes));
  }
}

// Rows must be shorter than an Entry can count.
template <typename Entry, int kPerLane, typename Table>
__global__ void __launch_bounds__(kThreads) grouped_kernel(PickStep step, int lanes, Table table) {
  const int64_t nodes = *step.num_nodes;
  const int groups = kWarp / lanes;  // in a warp
  const int in_warp = static_cast<int>(threadIdx.x) % kWarp;
  const int lane = in_warp % lanes;
  // All lanes of a warp loop together, with or without a node, because all take part in shuffles.
  for (int64_t first = thread_number() / kWarp * groups; first < nodes;
       first += num_threads() / kWarp * groups) {
    const int64_t i = first + in_warp / lanes;
    const bool active = i < nodes;
    Picker picker(step, active ? i : first);
    const int64_t count = active ? picker.count() : 0;
    const bool distinct = active && picker.way == PickWay::kDistinct;
    Entry picks[kPerLane] = {};
    Entry tops[kPerLane] = {};
    for (int k = 0; k < kPerLane; ++k) {
      const int j = lane + k * lanes;
      if (j < count) {
        picks[k] = static_cast<Entry>(picker.draw(static_cast<uint32_t>(j)));
        tops[k] = static_cast<Entry>(distinct ? picker.top(static_cast<uint32_t>(j)) : 0);
      }
    }
    if (__any_sync(kWholeWarp, distinct ? 1 : 0) != 0) {
      replace_repeated<Entry, kPerLane>(step, lane, lanes, distinct, tops, picks);
    }
    for (int k = 0; k < kPerLane; ++k) {
      const int j = lane + k * lanes;
      if (j < count) {
        take_pick(picker, j, picks[k], table);
      }
    }
  }
}

template <int kPerLane>
cudaError_t pick_grouped(const PickStep& step, int lanes, cudaStream_t stream) {
  const auto pick = [&](const auto& table) {
    using Table = std::decay_t<decltype(table)>;
    const Grid grid = grid_for(step.most_nodes, stream, lanes);
    return step.num_edges <= 0xffffffffu
               ? launch(grouped_kernel<uint32_t, kPerLane, Table>, grid, step, lanes, table)
               : launch(grouped_kernel<uint64_t, kPerLane, Table>, grid, step, lanes, table);
  };
  return step.meetings.table.slots == nullptr ? pick(NoTable{})
                                              : with_slots(step.meetings.table, pick);
}

// ---- other fanouts: a thread for each pick -----------------------------------------------------

// The frontier's node of a pick: the last that begins at or before it. A node without picks begins
// where the next one does.
__device__ int64_t node_of_pick(const PickStep& step, int64_t nodes, int64_t pick) {
  int64_t low = 0;
  int64_t high = nodes;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (step.first_picks[middle] <= pick) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void __launch_bounds__(kThreads) each_kernel(PickStep step) {
  const int64_t nodes = *step.num_nodes;
  const int64_t picks = *step.num_picks;
  for (int64_t pick = thread_number(); pick < picks; pick += num_threads()) {
    Picker picker(step, node_of_pick(step, nodes, pick));
    if (picker.way != PickWay::kDistinct) {
      const int64_t j = pick - step.first_picks[picker.i];
      // A whole row may have more entries than draws can count.
      picker.take(j, picker.way == PickWay::kAll ? static_cast<uint64_t>(j)
                                                 : picker.draw(static_cast<uint32_t>(j)));
    }
  }
}

// ---- large fanouts without replacement: a block for each node -----------------------------------

// The first draw of each drawn entry.
struct DrawSet {
  static constexpr unsigned long long kFree = ~0ull;
  unsigned long long* entries;  // [slots]
  unsigned* draws;              // [slots]
  uint64_t mask;                // slots - 1

  __device__ uint64_t home(uint64_t entry) const {
    return (entry * 0x9e3779b97f4a7c15u >> 20) & mask;
  }
  __device__ void add(uint64_t entry, uint32_t draw) const {
    for (uint64_t at = home(entry);; at = (at + 1) & mask) {
      const unsigned long long was = atomicCAS(entries + at, kFree, entry);
      if (was == kFree || was == entry) {
        atomicMin(draws + at, draw);
        return;
      }
    }
  }
  __device__ uint32_t first(uint64_t entry) const {
    uint64_t at = home(entry);
    while (entries[at] != entry) {
      at = (at + 1) & mask;
    }
    return draws[at];
  }
};

// Whether the entry of draw `j` was picked before: by an earlier draw, or as the top of an earlier
// draw.
__device__ bool picked_before(Picker* picker, const DrawSet& set, uint32_t j, uint64_t entry) {
  while (set.first(entry) == j) {
    if (entry < picker->top(0)) {
      return false;
    }
    const auto earlier = static_cast<uint32_t>(entry - picker->top(0));
    if (earlier == j) {
      return false;
    }
    j = earlier;
    entry = picker->draw(j);
  }
  return true;
}

__global__ void __launch_bounds__(kThreads) large_kernel(PickStep step, uint64_t slots) {
  const int64_t nodes = *step.num_nodes;
  auto* const all_entries = static_cast<unsigned long long*>(step.scratch);
  auto* const all_draws = reinterpret_cast<unsigned*>(all_entries + gridDim.x * slots);
  const DrawSet set = {all_entries + blockIdx.x * slots, all_draws + blockIdx.x * slots, slots - 1};
  const auto fanout = static_cast<uint32_t>(step.fanout);
  for (int64_t i = blockIdx.x; i < nodes; i += gridDim.x) {
    Picker picker(step, i);
    if (picker.way != PickWay::kDistinct) {
      continue;
    }
    for (uint64_t at = threadIdx.x; at < slots; at += kThreads) {
      set.entries[at] = DrawSet::kFree;
      set.draws[at] = ~0u;
    }
    __syncthreads();
    for (uint32_t j = threadIdx.x; j < fanout; j += kThreads) {
      set.add(picker.draw(j), j);
    }
    __syncthreads();
    for (uint32_t j = threadIdx.x; j < fanout; j += kThreads) {
      const uint64_t entry = picker.draw(j);
      picker.take(j, picked_before(&picker, set, j, entry) ? picker.top(j) : entry);
    }
    __syncthreads();
  }
}

struct Sets {
  uint64_t slots;
  int64_t count;
};

// No sets if no row is longer than the fanout.
Sets sets_for(int64_t fanout, Replace replace, uint64_t num_edges, int64_t most_nodes) {
  if (fanout <= kMostGrouped || replace != Replace::kNever ||
      num_edges <= static_cast<uint64_t>(fanout)) {
    return {0, 0};
  }
  uint64_t slots = 2 * kMostGrouped;
  while (slots < 2 * static_cast<uint64_t>(fanout)) {
    slots *= 2;
  }
  const uint64_t bytes = slots * (sizeof(unsigned long long) + sizeof(unsigned));
  int64_t count = static_cast<int64_t>(kSetBytes / bytes);
  count = count < 1 ? 1 : count;
  count = count < kMostSets ? count : kMostSets;
  return {slots, count < most_nodes ? count : most_nodes};
}

}  // namespace

uint64_t rows_bytes(int64_t most_nodes, bool leaves_out, bool listed, bool tables) {
  return kScanBytes + sizeof(int64_t) * 2 +
         static_cast<uint64_t>(most_nodes) *
             (sizeof(FoundRow) + sizeof(int64_t) + (leaves_out ? sizeof(RowGaps) : 0) +
              (listed ? sizeof(int64_t) : 0) + (tables ? sizeof(int64_t) : 0));
}

void place_rows(void* memory, PickStep* step) {
  step->sums = memory;
  step->num_nodes = reinterpret_cast<int64_t*>(static_cast<char*>(memory) + kScanBytes);
  step->rows = reinterpret_cast<FoundRow*>(step->num_nodes + 2);
  step->first_picks = reinterpret_cast<int64_t*>(step->rows + step->most_nodes);
  int64_t* end = step->first_picks + step->most_nodes;
  step->listed = has_times(*step) || weighs_anew(step->weights)
                     ? std::exchange(end, end + step->most_nodes)
                     : nullptr;
  step->missing = has_tables(step->weights) ? std::exchange(end, end + step->most_nodes) : nullptr;
  step->gaps = leaves_out(*step) ? reinterpret_cast<RowGaps*>(end) : nullptr;
}

cudaError_t find_rows(const PickStep& step, cudaStream_t stream) {
  return launch(rows_kernel, grid_for(step.most_nodes, stream), step);
}

cudaError_t count_picks(const PickStep& step, cudaStream_t stream) {
  if (!has_times(step) && !weighs_anew(step.weights)) {
    return sum_picks<true>(step, stream);
  }
  cudaError_t result = find_rows(step, stream);
  if (result == cudaSuccess && has_times(step)) {
    result = find_rows_in_time(step, stream);
  }
  if (result == cudaSuccess && weighs_anew(step.weights)) {
    result = count_weighed_rows(step, stream);
  }
  return result == cudaSuccess ? sum_picks<false>(step, stream) : result;
}

uint64_t pick_scratch_bytes(int64_t fanout, Replace replace, uint64_t num_edges, int64_t most_nodes,
                            const device::WeightsOfType& weights) {
  if (by_weight(weights)) {
    const uint64_t by_table =
        has_tables(weights) ? weighted_scratch_bytes(fanout, replace, weights, most_nodes) : 0;
    const uint64_t anew =
        weighs_anew(weights) ? weighed_scratch_bytes(fanout, weights, most_nodes) : 0;
    return by_table > anew ? by_table : anew;
  }
  const Sets sets = sets_for(fanout, replace, num_edges, most_nodes);
  return static_cast<uint64_t>(sets.count) * sets.slots *
         (sizeof(unsigned long long) + sizeof(unsigned));
}

namespace {

cudaError_t draw_picks(const PickStep& step, cudaStream_t stream) {
  if (step.fanout > 0 && step.fanout <= kWarp) {
    int lanes = 1;
    while (lanes < step.fanout) {
      lanes *= 2;
    }
    return pick_grouped<1>(step, lanes, stream);
  }
  if (step.fanout > 0 && step.fanout <= kMostGrouped) {
    return pick_grouped<2>(step, kWarp, stream);
  }
  if (step.most_picks > 0) {
    const cudaError_t result = launch(each_kernel, grid_for(step.most_picks, stream), step);
    if (result != cudaSuccess) {
      return result;
    }
  }
  const Sets sets = sets_for(step.fanout, step.replace, step.num_edges, step.most_nodes);
  return sets.count == 0
             ? cudaSuccess
             : launch(large_kernel, Grid{static_cast<unsigned>(sets.count), kThreads, 0, stream},
                      step, sets.slots);
}

}  // namespace

cudaError_t pick_rows(const PickStep& step, cudaStream_t stream) {
  if (step.by_labor) {
    return pick_labor_rows(step, stream);
  }
  if (by_weight(step.weights)) {
    const cudaError_t result =
        has_tables(step.weights) ? pick_weighted_rows(step, stream) : cudaSuccess;
    return result == cudaSuccess && weighs_anew(step.weights) ? pick_weighed_rows(step, stream)
                                                              : result;
  }
  const cudaError_t result = draw_picks(step, stream);
  return result == cudaSuccess && has_times(step) ? pick_listed_rows(step, stream) : result;
}

bool meets_picks(const PickStep& step) {
  return step.fanout > 0 && step.fanout <= kMostGrouped && !step.by_labor &&
         !by_weight(step.weights) && !has_times(step);
}

cudaError_t read_fault(const PickStep& step, FaultKind kind, int64_t where, int64_t* values,
                       cudaStream_t stream) {
  return launch(fault_kernel, Grid{1, 1, 0, stream}, step, kind, where, values);
}

cudaError_t make_tree_keys(uint64_t key, int64_t count, uint64_t* keys, cudaStream_t stream) {
  return launch(tree_keys_kernel, grid_for(count, stream), key, count, keys);
}

}  // namespace gls::cuda
