// Picks with LABOR: docs/contract.md section 2, "By layer". A warp handles a row, or a block a long
// row. It finds the largest of the smallest numbers as temporal picks find the earliest time.
// Entries up to that number are picked in stored order.
#include "cuda/kernels/picker.h"
#include "cuda/kernels/row_weights.h"
#include "cuda/primitives/thread_group.h"
#include "cuda/primitives/weight_search.h"
#include "host_device/labor_rule.h"

namespace gls::cuda {
namespace {

// A block reads longer rows, a warp the others.
constexpr int64_t kLongRow = 2048;

__device__ bool is_listed(const PickStep& step, int64_t i) {
  return step.listed != nullptr && step.listed[i] > 0;
}

// Places of a row to read: entries, or all stored entries of a listed row.
__device__ int64_t num_places(const PickStep& step, int64_t i) {
  return is_listed(step, i) ? step.listed[i] : static_cast<int64_t>(step.rows[i].degree);
}

struct LookAtLabor {
  const PickStep& step;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    *is_long = num_places(step, i) > kLongRow;
    return step.rows[i].degree > 0;
  }
};

struct PickLabor {
  const PickStep& step;
  Bins* bins;  // shared [kWarps]

  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int number) const {
    const Picker picker(step, i);
    const int64_t places = num_places(step, i);
    if (picker.way == PickWay::kAll) {
      take(team, picker, places, {0, places, 0});
      return;
    }
    const auto order = [&](int64_t place, uint64_t* out) {
      const int64_t position = position_of(picker, place);
      if (position < 0) {
        return false;
      }
      *out = order_of(picker, position);
      return true;
    };
    take(team, picker, places, find_threshold(team, 0, places, step.fanout, order, bins + number));
  }

  // -1: the entry at the place cannot be picked.
  __device__ int64_t position_of(const Picker& picker, int64_t place) const {
    const int64_t stored = picker.row.begin + place;
    if (is_listed(step, picker.i)) {
      const bool may_pick = weighs_anew(step.weights) ? RowWeights(step, picker.i).may_pick(stored)
                                                      : RowTimes(step, picker.i).may_pick(stored);
      return may_pick ? stored : -1;
    }
    return step.gaps == nullptr ? stored
                                : kept_position(picker.row.begin, place, step.gaps[picker.i].always,
                                                step.gaps[picker.i].now);
  }

  // The smallest numbers come last. Invalid ids get a number, too.
  __device__ uint64_t order_of(const Picker& picker, int64_t position) const {
    const int64_t id = RowEntries(step, picker.row).neighbor(position);
    if (static_cast<uint64_t>(id) >= step.num_neighbors) {
      tell_fault(&step.faults->index, position);
    }
    const uint64_t number = number_of_node(step.numbers, step.neighbor_type, step.number_word,
                                           static_cast<uint64_t>(id));
    return weighs_anew(step.weights)
               ? ~number_by_weight(number, RowWeights(step, picker.i).weight(position))
               : ~number;
  }

  template <typename Team>
  __device__ void take(const Team& team, const Picker& picker, int64_t places,
                       const Threshold& threshold) const {
    const bool all = picker.way == PickWay::kAll;
    int64_t taken = 0;
    int64_t ties = 0;
    for (int64_t first = 0; first < places; first += Team::kSize) {
      const int64_t place = first + team.rank();
      const int64_t position = place < places ? position_of(picker, place) : -1;
      bool take = position >= 0;
      if (!all) {
        const uint64_t order = take ? order_of(picker, position) : 0;
        const bool tie = take && order == threshold.order;
        int new_ties = 0;
        const int64_t tie_number = ties + team.before(tie, &new_ties);
        take = take && (tie ? tie_number < threshold.taken : order > threshold.order);
        ties += new_ties;
      }
      int new_taken = 0;
      const int64_t j = taken + team.before(take, &new_taken);
      if (take) {
        picker.take_at(j, position);
      }
      taken += new_taken;
    }
  }
};

__global__ void __launch_bounds__(kThreads) labor_kernel(PickStep step) {
  __shared__ Bins bins[kWarps];
  share_rows(*step.num_nodes, LookAtLabor{step}, PickLabor{step, bins});
}

}  // namespace

cudaError_t pick_labor_rows(const PickStep& step, cudaStream_t stream) {
  return launch(labor_kernel, sharing_grid(step.most_nodes, stream), step);
}

}  // namespace gls::cuda
