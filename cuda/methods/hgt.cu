// Scores of the nodes next to a batch: sums in the CPU's order of additions.
#include "cuda/kernels/picker.h"
#include "cuda/methods/hgt.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/merge.h"
#include "host_device/hgt_rule.h"

namespace gls::cuda {
namespace {

__global__ void set_kernel(int64_t* to, int64_t first, int64_t second) {
  to[0] = first;
  to[1] = second;
}

__global__ void __launch_bounds__(kThreads)
    keys_kernel(IdsIn ids, int64_t count, int64_t first_key, int64_t* keys) {
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    keys[i] = first_key + ids[i];
  }
}

__global__ void __launch_bounds__(kThreads)
    mark_kernel(IdsIn numbers, int64_t count, uint8_t* taken) {
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    taken[numbers[i]] = 1;
  }
}

__global__ void __launch_bounds__(kThreads) begin_kernel(PickStep step, bool first, int64_t* next) {
  const int64_t nodes = *step.num_nodes;
  for (int64_t i = thread_number(); i < nodes; i += num_threads()) {
    next[i] = (first ? 0 : next[i]) + step.first_picks[i];
  }
}

__device__ int64_t picks_of(const PickStep& step, int64_t i) {
  return static_cast<int64_t>(row_picks(step.rows[i].degree, step.fanout, step.replace));
}

__global__ void __launch_bounds__(kThreads) order_kernel(ShareStep step, Shares shares) {
  const PickStep& pick = step.pick;
  const IdsIn anchors = {pick.anchors.data, pick.anchors.wide};
  const auto* const positions = static_cast<const int64_t*>(pick.edge_ids.data);
  const int64_t first = *pick.first_node;
  const int64_t picks = *pick.num_picks;
  for (int64_t k = thread_number(); k < picks; k += num_threads()) {
    const int64_t i = anchors[k] - first;
    const int64_t place = shares.next[i] + k - pick.first_picks[i];
    const int64_t position = positions[k];
    int64_t id = RowEntries(pick, pick.rows[i]).neighbor(position);
    if (static_cast<uint64_t>(id) >= pick.num_neighbors) {
      tell_fault(&pick.faults->index, place);
      id = 0;
    }
    shares.keys[place] = step.first_key + id;
    shares.values[place] = hgt_share(picks_of(pick, i));
    shares.positions[place] = position;
  }
}

__global__ void __launch_bounds__(kThreads) move_kernel(PickStep step, int64_t* next) {
  const int64_t nodes = *step.num_nodes;
  for (int64_t i = thread_number(); i < nodes; i += num_threads()) {
    next[i] += picks_of(step, i);
  }
}

// Shares of one node are adjacent; the thread at the first of them adds them all.
__global__ void __launch_bounds__(kThreads)
    add_kernel(Keyed<double> shares, int64_t count, MetNodes met) {
  for (int64_t i = thread_number(); i < count; i += num_threads()) {
    const uint64_t node = shares.keys[i];
    if ((i > 0 && shares.keys[i - 1] == node) || met.taken[node] != 0) {
      continue;
    }
    double score = met.scores[node];
    for (int64_t at = i; at < count && shares.keys[at] == node; ++at) {
      score += shares.values[at];
    }
    met.scores[node] = score;
  }
}

}  // namespace

cudaError_t set_numbers(int64_t* to, int64_t first, int64_t second, cudaStream_t stream) {
  return launch(set_kernel, Grid{1, 1, 0, stream}, to, first, second);
}

cudaError_t make_keys(const IdsIn& ids, int64_t count, int64_t first_key, int64_t* keys,
                      cudaStream_t stream) {
  return launch(keys_kernel, grid_for(count, stream), ids, count, first_key, keys);
}

cudaError_t mark_taken(const IdsIn& numbers, int64_t count, uint8_t* taken, cudaStream_t stream) {
  return launch(mark_kernel, grid_for(count, stream), numbers, count, taken);
}

uint64_t positions_bytes(const PickStep& step) {
  return 2 * static_cast<uint64_t>(step.most_picks) * sizeof(int64_t) +
         pick_scratch_bytes(step.fanout, step.replace, step.num_edges, step.most_nodes, {});
}

// Without stored edge ids, positions are edge ids.
PickStep picking_positions(const PickStep& step, void* memory) {
  PickStep out = step;
  auto* const anchors = static_cast<int64_t*>(memory);
  out.neighbors = {};
  out.anchors = {anchors, true};
  out.stored_edge_ids = {};
  out.hot_edge_ids = {};
  out.edge_ids = {anchors + step.most_picks, true};
  out.scratch = anchors + 2 * step.most_picks;
  return out;
}

cudaError_t begin_shares(const PickStep& step, bool first, const Shares& shares,
                         cudaStream_t stream) {
  return launch(begin_kernel, grid_for(step.most_nodes, stream), step, first, shares.next);
}

cudaError_t order_shares(const ShareStep& step, const Shares& shares, cudaStream_t stream) {
  const cudaError_t result =
      launch(order_kernel, grid_for(step.pick.most_picks, stream), step, shares);
  return result != cudaSuccess
             ? result
             : launch(move_kernel, grid_for(step.pick.most_nodes, stream), step.pick, shares.next);
}

cudaError_t add_shares(const ShareSums& shares, const MetNodes& met, cudaStream_t stream) {
  const Keyed<double> lists[2] = {{shares.numbers, shares.values},
                                  {shares.more_numbers, shares.more_values}};
  Keyed<double> sorted = {};
  const cudaError_t result = sort_stably(lists, shares.count, &sorted, stream);
  return result != cudaSuccess
             ? result
             : launch(add_kernel, grid_for(shares.count, stream), sorted, shares.count, met);
}

}  // namespace gls::cuda
