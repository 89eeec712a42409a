#include "cuda/kernels/hash_table.h"
#include "cuda/kernels/induce.h"
#include "cuda/kernels/picker.h"
#include "cuda/kernels/row_times.h"
#include "cuda/primitives/scan.h"
#include "cuda/primitives/thread_group.h"

namespace gls::cuda {
namespace {

// A block reads longer rows, a warp the others.
constexpr int64_t kLongRow = 2048;

// Entries of the row with number `i`, including excluded ones.
__device__ int64_t stored_length(const PickStep& step, int64_t i) {
  int64_t length = static_cast<int64_t>(step.rows[i].degree);
  if (step.gaps != nullptr && !has_times(step)) {
    length += step.gaps[i].always.count + step.gaps[i].now.count;
  }
  return length;
}

struct LookInside {
  const InduceStep& step;
  bool counts;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    if (counts) {
      step.kept[i] = 0;
    }
    *is_long = stored_length(step.pick, i) > kLongRow;
    return step.pick.rows[i].degree > 0 && (counts || step.kept[i] > 0);
  }
};

struct ReadInside {
  const InduceStep& step;
  const Slots& slots;
  bool counts;

  // The local id of the neighbour at a position, or -1.
  __device__ int64_t inside(int64_t i, int64_t tree, int64_t position) const {
    const PickStep& pick = step.pick;
    if (pick.gaps != nullptr &&
        (is_gap(pick.gaps[i].always, position) || is_gap(pick.gaps[i].now, position))) {
      return -1;
    }
    if (has_times(pick)) {
      const RowTimes times(pick, i);
      int64_t edge = 0;
      int64_t node = 0;
      if (!read_times(times, position, true, &edge, &node) || !times.may_pick(position)) {
        return -1;
      }
    }
    const int64_t id = RowEntries(pick, pick.rows[i]).neighbor(position);
    if (static_cast<uint64_t>(id) >= pick.num_neighbors) {
      tell_fault(&pick.faults->index, position);
      return -1;
    }
    return slots.find(key_of_node(id, tree, step.num_nodes));
  }

  __device__ void write(int64_t i, int64_t number, int64_t position, int64_t neighbor) const {
    const PickStep& pick = step.pick;
    const int64_t edge = pick.first_picks[i] + number;
    pick.anchors.set(edge, i);
    step.neighbors.set(edge, neighbor);
    if (pick.edge_ids.data != nullptr) {
      pick.edge_ids.set(edge, Picker::checked(RowEntries(pick, pick.rows[i]).edge(position),
                                              position, pick.num_edges, &pick.faults->edge_id));
    }
  }

  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int) const {
    const PickStep& pick = step.pick;
    const int64_t tree = pick.trees.data == nullptr ? 0 : pick.trees[i];
    const int64_t begin = pick.rows[i].begin;
    const int64_t end = begin + stored_length(pick, i);
    int64_t before = 0;
    for (int64_t first = begin; first < end; first += Team::kSize) {
      const int64_t at = first + team.rank();
      const int64_t neighbor = at < end ? inside(i, tree, at) : -1;
      int added = 0;
      const int64_t number = before + team.before(neighbor >= 0, &added);
      if (!counts && neighbor >= 0) {
        write(i, number, at, neighbor);
      }
      before += added;
    }
    if (counts && team.rank() == 0) {
      step.kept[i] = before;
    }
  }
};

__global__ void __launch_bounds__(kThreads) inside_kernel(InduceStep step, bool counts) {
  const Slots slots = slots_of(step.table);
  share_rows(*step.pick.num_nodes, LookInside{step, counts}, ReadInside{step, slots, counts});
}

cudaError_t read_inside(const InduceStep& step, bool counts, cudaStream_t stream) {
  return launch(inside_kernel, sharing_grid(step.pick.most_nodes, stream), step, counts);
}

}  // namespace

cudaError_t count_inside(const InduceStep& step, cudaStream_t stream) {
  cudaError_t result = find_rows(step.pick, stream);
  if (result == cudaSuccess) {
    result = read_inside(step, true, stream);
  }
  return result != cudaSuccess ? result
                               : running_sums(NumberOf{step.kept}, TellTotal{step.pick.num_picks},
                                              TellBegin{step.pick.first_picks}, step.pick.num_nodes,
                                              step.pick.most_nodes, step.pick.sums, stream);
}

cudaError_t take_inside(const InduceStep& step, cudaStream_t stream) {
  return read_inside(step, false, stream);
}

}  // namespace gls::cuda
