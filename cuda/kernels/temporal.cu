// Temporal picks: the entries of rows within the time limits, and the picks from listed rows.
#include "cuda/kernels/picker.h"
#include "cuda/kernels/row_times.h"
#include "cuda/primitives/thread_group.h"
#include "cuda/primitives/weight_search.h"

namespace gls::cuda {
namespace {

// A block reads longer rows, a warp the others.
constexpr int64_t kLongRow = 2048;

// ---- rows --------------------------------------------------------------------------------------

// For rows with ascending times.
__device__ void narrow_row(const PickStep& step, int64_t i) {
  FoundRow row = step.rows[i];
  const RowTimes times(step, i);
  int64_t begin = row.begin;
  int64_t end = begin + static_cast<int64_t>(row.degree);
  if (step.times.edge.data != nullptr) {
    narrow(times.bounds, EdgeTimeOf{times}, &begin, &end);
  }
  if (step.times.node.data != nullptr) {
    narrow(times.bounds, NodeTimeOf{times}, &begin, &end);
  }
  row.begin = begin;
  row.degree = static_cast<uint64_t>(end - begin);
  set_row(step, i, step.nodes[*step.first_node + i], row);
}

// Whether the times of a row ascend, which is stored for all users. `*sound` becomes false: an id
// in it is invalid.
template <typename Team>
__device__ bool find_state(const Team& team, const RowTimes& times, int64_t node,
                           const FoundRow& row, bool* sound) {
  const int64_t end = row.begin + static_cast<int64_t>(row.degree);
  bool good = true;
  bool ascends = true;
  for (int64_t at = row.begin + team.rank(); at < end; at += Team::kSize) {
    int64_t edge = 0;
    int64_t neighbor = 0;
    good = read_times(times, at, true, &edge, &neighbor) && good;
    int64_t edge_before = 0;
    int64_t neighbor_before = 0;
    if (at > row.begin && read_times(times, at - 1, false, &edge_before, &neighbor_before)) {
      ascends = ascends && edge >= edge_before && neighbor >= neighbor_before;
    }
  }
  *sound = !team.any(!good);
  ascends = !team.any(!ascends);
  if (*sound && team.rank() == 0) {
    times.step.times.states[node] = ascends ? kAscending : kMixed;
  }
  return ascends;
}

struct LookAtRow {
  const PickStep& step;
  // Single threads handle rows that are known to ascend.
  __device__ bool operator()(int64_t i, bool* is_long) const {
    step.listed[i] = 0;
    const FoundRow row = step.rows[i];
    if (row.degree == 0) {
      return false;
    }
    if (step.times.states[step.nodes[*step.first_node + i]] == kAscending) {
      narrow_row(step, i);
      return false;
    }
    *is_long = row.degree > kLongRow;
    return true;
  }
};

struct CountRow {
  const PickStep& step;
  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int) const {
    const FoundRow row = step.rows[i];
    const int64_t node = step.nodes[*step.first_node + i];
    const RowTimes times(step, i);
    // Other threads may write it meanwhile.
    const int state = team.rank() == 0 ? step.times.states[node] : int{kUnknown};
    bool ascends = team.any(state == kAscending);
    if (!ascends && !team.any(state == kMixed)) {
      bool sound = true;
      ascends = find_state(team, times, node, row, &sound);
      if (!sound) {
        team.sync();
        if (team.rank() == 0) {
          step.rows[i].degree = 0;
        }
        return;
      }
    }
    if (ascends) {
      if (team.rank() == 0) {
        narrow_row(step, i);
      }
      return;
    }
    const auto length = static_cast<int64_t>(row.degree);
    int64_t count = 0;
    for (int64_t first = 0; first < length; first += Team::kSize) {
      const int64_t at = first + team.rank();
      int all = 0;
      team.before(at < length && times.may_pick(row.begin + at), &all);
      count += all;
    }
    if (team.rank() == 0) {
      step.rows[i].degree = static_cast<uint64_t>(count);
      step.listed[i] = length;
    }
  }
};

__global__ void __launch_bounds__(kThreads) times_kernel(PickStep step) {
  share_rows(*step.num_nodes, LookAtRow{step}, CountRow{step});
}

// ---- picks from listed rows --------------------------------------------------------------------

struct LookAtListed {
  const PickStep& step;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    *is_long = step.listed[i] > kLongRow;
    return step.listed[i] > 0 && step.rows[i].degree > 0;
  }
};

struct PickListed {
  const PickStep& step;
  int64_t* found;  // shared [kThreads]
  Bins* bins;      // shared [kWarps]

  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int number) const {
    const Picker picker(step, i);
    const RowTimes times(step, i);
    const int64_t begin = picker.row.begin;
    const int64_t end = begin + step.listed[i];
    if (picker.way == PickWay::kAll) {
      take_after(team, picker, times, {0, 0, 0}, begin, end);
    } else if (picker.way == PickWay::kLast) {
      const auto order = [&times](int64_t at, uint64_t* out) {
        if (!times.may_pick(at)) {
          return false;
        }
        *out = times.order(at);
        return true;
      };
      const Threshold threshold =
          find_threshold(team, begin, end, step.fanout, order, bins + number);
      take_after(team, picker, times, threshold, begin, end);
    } else {
      take_ranks(team, picker, times, begin, end, found + number * kWarp);
    }
  }

  // All entries that are not before the threshold.
  template <typename Team>
  __device__ void take_after(const Team& team, const Picker& picker, const RowTimes& times,
                             const Threshold& threshold, int64_t begin, int64_t end) const {
    const bool all = picker.way == PickWay::kAll;
    int64_t taken = 0;
    int64_t ties = 0;
    for (int64_t first = begin; first < end; first += Team::kSize) {
      const int64_t at = first + team.rank();
      bool take = at < end && times.may_pick(at);
      if (!all) {
        const uint64_t order = take ? times.order(at) : 0;
        const bool tie = take && order == threshold.order;
        int new_ties = 0;
        const int64_t tie_number = ties + team.before(tie, &new_ties);
        take = take && (tie ? tie_number >= threshold.skipped : order > threshold.order);
        ties += new_ties;
      }
      int new_taken = 0;
      const int64_t j = taken + team.before(take, &new_taken);
      if (take) {
        picker.take_at(j, at);
      }
      taken += new_taken;
    }
  }

  // Entries whose numbers were drawn: some picks for each pass over the row.
  template <typename Team>
  __device__ void take_ranks(const Team& team, const Picker& picker, const RowTimes& times,
                             int64_t begin, int64_t end, int64_t* positions) const {
    const int64_t picks = picker.count();
    const int64_t* const ranks = step.ranks + step.first_picks[picker.i];
    for (int64_t first_pick = 0; first_pick < picks; first_pick += Team::kSize) {
      const int64_t j = first_pick + team.rank();
      const int64_t rank = j < picks ? ranks[j] : -1;
      int64_t passed = 0;
      for (int64_t first = begin; first < end; first += Team::kSize) {
        const int64_t at = first + team.rank();
        const bool is_entry = at < end && times.may_pick(at);
        int entries = 0;
        const int place = team.before(is_entry, &entries);
        if (is_entry) {
          positions[place] = at;
        }
        team.sync();
        if (rank >= passed && rank < passed + entries) {
          picker.take_at(j, positions[rank - passed]);
        }
        team.sync();
        passed += entries;
      }
    }
  }
};

__global__ void __launch_bounds__(kThreads) listed_kernel(PickStep step) {
  __shared__ int64_t found[kThreads];
  __shared__ Bins bins[kWarps];
  share_rows(*step.num_nodes, LookAtListed{step}, PickListed{step, found, bins});
}

}  // namespace

cudaError_t find_rows_in_time(const PickStep& step, cudaStream_t stream) {
  return launch(times_kernel, sharing_grid(step.most_nodes, stream), step);
}

cudaError_t pick_listed_rows(const PickStep& step, cudaStream_t stream) {
  return launch(listed_kernel, sharing_grid(step.most_nodes, stream), step);
}

}  // namespace gls::cuda
