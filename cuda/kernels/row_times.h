// Time limits of rows on the device: docs/contract.md section 2. A row with ascending times becomes
// a range of itself. For others, the entries are counted, and found when they are picked. For .cu
// files.
#pragma once

#include "cuda/kernels/picker.h"
#include "host_device/time_bounds.h"

namespace gls::cuda {

// The entries of rows that one tree may use. Without times and trees, all that are not excluded.
struct RowTimes {
  const PickStep& step;
  RowEntries entries;
  TimeBounds bounds;
  Gaps always;
  Gaps now;

  __device__ RowTimes(const PickStep& step_in, int64_t i)
      : step(step_in),
        entries(step_in, step_in.rows[i]),
        bounds{has_times(step_in) ? step_in.tree_times[step_in.trees[*step_in.first_node + i]] : 0,
               step_in.time_window, step_in.times_strict} {
    if (step.gaps != nullptr) {
      always = step.gaps[i].always;
      now = step.gaps[i].now;
    }
  }
  GLS_HOST_DEVICE int64_t edge_time(int64_t position) const {
    return integer_at(step.times.edge, entries.edge(position));
  }
  GLS_HOST_DEVICE int64_t node_time(int64_t position) const {
    return integer_at(step.times.node, entries.neighbor(position));
  }
  // The order that defines the latest entries.
  GLS_HOST_DEVICE uint64_t order(int64_t position) const {
    return order_of_time(step.times.edge.data != nullptr ? edge_time(position)
                                                         : node_time(position));
  }
  GLS_HOST_DEVICE bool may_pick(int64_t position) const {
    return !is_gap(always, position) && !is_gap(now, position) &&
           (step.times.edge.data == nullptr || bounds.fits(edge_time(position))) &&
           (step.times.node.data == nullptr || bounds.fits(node_time(position)));
  }
};

struct EdgeTimeOf {
  const RowTimes& times;
  GLS_HOST_DEVICE int64_t operator()(int64_t position) const { return times.edge_time(position); }
};
struct NodeTimeOf {
  const RowTimes& times;
  GLS_HOST_DEVICE int64_t operator()(int64_t position) const { return times.node_time(position); }
};

// Both times of an entry, 0 if there is none; false: the id that locates them is invalid.
__device__ inline bool read_times(const RowTimes& times, int64_t position, bool tell, int64_t* edge,
                                  int64_t* node) {
  const PickStep& step = times.step;
  *edge = 0;
  *node = 0;
  if (step.times.edge.data != nullptr &&
      static_cast<uint64_t>(times.entries.edge(position)) >= step.num_edges) {
    if (tell) {
      tell_fault(&step.faults->edge_id, position);
    }
    return false;
  }
  if (step.times.node.data != nullptr &&
      static_cast<uint64_t>(times.entries.neighbor(position)) >= step.num_neighbors) {
    if (tell) {
      tell_fault(&step.faults->index, position);
    }
    return false;
  }
  *edge = step.times.edge.data != nullptr ? times.edge_time(position) : 0;
  *node = step.times.node.data != nullptr ? times.node_time(position) : 0;
  return true;
}

}  // namespace gls::cuda
