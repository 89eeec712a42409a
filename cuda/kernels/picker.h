// One pick from one row on the device, by any method. For .cu files.
#pragma once

#include "cuda/kernels/pick.h"

namespace gls::cuda {

__device__ inline void tell_fault(unsigned long long* fault, int64_t where) {
  atomicMin(fault, static_cast<unsigned long long>(where));
}

// Sets the row of number `i` of the frontier, which is `node`; edges may be excluded.
__device__ inline void set_row(const PickStep& step, int64_t i, int64_t node, FoundRow row) {
  const int64_t begin = row.begin;
  const int64_t end = begin + static_cast<int64_t>(row.degree);
  if (step.gaps != nullptr) {
    const auto find = [&](const device::ExclusionFilter& edges) {
      return may_touch(edges, static_cast<uint64_t>(node))
                 ? gaps_within({edges.positions, edges.count}, begin, end)
                 : Gaps{};
    };
    const RowGaps gaps = {find(step.excluded_always), find(step.excluded_now)};
    step.gaps[i] = gaps;
    row.degree -= static_cast<uint64_t>(gaps.always.count + gaps.now.count);
  }
  step.rows[i] = row;
}

// Whether its row, which was found, has excluded edges.
__device__ inline bool has_gaps(const PickStep& step, int64_t i) {
  return step.gaps != nullptr && step.gaps[i].always.count + step.gaps[i].now.count > 0;
}

// Number `i` of the frontier, with its row and its draws.
struct Picker {
  const PickStep& step;
  int64_t i;
  FoundRow row;
  PickWay way;
  int64_t local;
  int64_t tree;
  RowDraws draws;

  __device__ Picker(const PickStep& step_in, int64_t number)
      : step(step_in),
        i(number),
        row(step_in.rows[number]),
        way(way_of(step_in, row.degree)),
        local(*step_in.first_node + number),
        tree(step_in.trees.data != nullptr ? step_in.trees[local] : 0),
        draws(step_in.trees.data != nullptr ? step_in.tree_keys[tree] : step_in.key,
              step_in.row_word, static_cast<uint64_t>(step_in.nodes[local])) {}

  static __device__ PickWay way_of(const PickStep& step, uint64_t degree) {
    const PickWay way = pick_way(degree, step.fanout, step.replace);
    return way == PickWay::kDistinct && step.times_last && has_times(step) ? PickWay::kLast : way;
  }
  __device__ int64_t count() const {
    return static_cast<int64_t>(row_picks(row.degree, step.fanout, step.replace));
  }
  // Pick `j` of the row; with Floyd's rule, it may repeat an earlier one.
  __device__ uint64_t draw(uint32_t j) {
    switch (way) {
      case PickWay::kRepeated:
        return draws.below(j, row.degree, row.degree);
      case PickWay::kDistinct:
        return floyd_draw(draws, row.degree, static_cast<uint64_t>(step.fanout), j);
      case PickWay::kLast:
        return top(j);
      default:
        return j;
    }
  }
  __device__ uint64_t top(uint32_t j) const {
    return floyd_top(row.degree, static_cast<uint64_t>(step.fanout), j);
  }

  // Pick `j` is entry `entry` of the row, or is found when the whole row is read.
  __device__ void take(int64_t j, uint64_t entry) const {
    if (step.listed != nullptr && step.listed[i] > 0) {
      step.ranks[step.first_picks[i] + j] = static_cast<int64_t>(entry);
    } else {
      take_at(j, position_of(entry));
    }
  }
  __device__ int64_t position_of(uint64_t entry) const {
    const auto index = static_cast<int64_t>(entry);
    return step.gaps == nullptr
               ? row.begin + index
               : kept_position(row.begin, index, step.gaps[i].always, step.gaps[i].now);
  }
  // Pick `j` is the entry at `position`; returns the neighbour there, if it is requested.
  __device__ int64_t take_at(int64_t j, int64_t position) const {
    const int64_t pick = step.first_picks[i] + j;
    const int64_t edge = *step.edges_before + pick;
    const RowEntries entries(step, row);
    int64_t neighbor = 0;
    if (step.neighbors.data != nullptr) {
      neighbor =
          checked(entries.neighbor(position), position, step.num_neighbors, &step.faults->index);
      step.neighbors.set(pick, neighbor);
    }
    step.anchors.set(edge, local);
    if (step.edge_ids.data != nullptr) {
      step.edge_ids.set(
          edge, checked(entries.edge(position), position, step.num_edges, &step.faults->edge_id));
    }
    if (step.edge_trees.data != nullptr) {
      step.edge_trees.set(pick, tree);
    }
    return neighbor;
  }
  // The id at `position`, or 0 if it is invalid.
  static __device__ int64_t checked(int64_t id, int64_t position, uint64_t limit,
                                    unsigned long long* fault) {
    if (static_cast<uint64_t>(id) < limit) {
      return id;
    }
    tell_fault(fault, position);
    return 0;
  }
};

}  // namespace gls::cuda
