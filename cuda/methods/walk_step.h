// One step of a walk along an edge, for kernels. For .cu files.
#pragma once

#include "cuda/kernels/pick.h"
#include "cuda/methods/walk.h"
#include "cuda/primitives/grid.h"
#include "host_device/alias_rule.h"
#include "host_device/walk_rule.h"

namespace gls::cuda {

// The result of a step, or its fault.
struct WalkMove {
  int64_t node = -1;  // -1: no edge to follow
  int64_t edge = -1;
  bool at_fault = false;
  FaultKind kind = FaultKind::kRow;
  int64_t values[3] = {};  // as in read_fault()
  // A CPU takes a step of many walks in rounds. First it reads rows, and moves at once from those
  // that may have excluded edges; then all others try.
  uint32_t round = 0;
};

__device__ inline WalkMove walk_fault(FaultKind kind, uint32_t round, int64_t a, int64_t b,
                                      int64_t c) {
  WalkMove out;
  out.at_fault = true;
  out.kind = kind;
  out.round = round;
  out.values[0] = a;
  out.values[1] = b;
  out.values[2] = c;
  return out;
}

// The row of a node, without excluded edges.
struct WalkRow {
  FoundRow row;
  Gaps always;
  Gaps now;
  bool touched = false;  // edges may be excluded
  int64_t degree = 0;
  const AliasSlot* slots = nullptr;  // of its entries; NULL: equal weights

  __device__ int64_t begin() const { return row.begin; }
  __device__ int64_t end() const { return row.begin + static_cast<int64_t>(row.degree); }
  __device__ bool has_gaps() const { return always.count + now.count > 0; }
  __device__ int64_t position(int64_t entry) const {
    return kept_position(row.begin, entry, always, now);
  }
  // The entry that a draw selects, in a row whose degree is not 0.
  __device__ int64_t selected(uint64_t draw) const {
    const auto count = static_cast<uint64_t>(degree);
    return slots != nullptr ? begin() + alias_pick_wide(slots, count, draw)
                            : position(static_cast<int64_t>(walk_entry(draw, count)));
  }
  // The round of a try; tries in rows that may have gaps come earlier.
  __device__ uint32_t round_of(uint32_t tried) const { return touched ? 0 : 1 + tried; }
};

// False: the node's indptr is not a valid row.
__device__ inline bool find_walk_row(const WalkRows& rows, int64_t node, WalkRow* out) {
  *out = WalkRow();
  if (!find_row(rows, node, &out->row)) {
    return false;
  }
  const auto gaps = [&](const device::ExclusionFilter& excluded) {
    if (!may_touch(excluded, static_cast<uint64_t>(node))) {
      return Gaps{};
    }
    out->touched = true;
    return gaps_within({excluded.positions, excluded.count}, out->begin(), out->end());
  };
  out->always = gaps(rows.excluded_always);
  out->now = gaps(rows.excluded_now);
  out->degree = out->end() - out->begin() - out->always.count - out->now.count;
  return true;
}

// As find_walk_row(), for a row whose entries are tried; it is empty if no entry has a weight.
__device__ inline bool find_tried_row(const WalkRows& rows, int64_t node, WalkRow* out) {
  if (!find_walk_row(rows, node, out)) {
    return false;
  }
  if (rows.weights.rows != nullptr) {
    const WeightedRow known = rows.weights.rows[node];
    out->slots = rows.weights.slots + known.begin;
    out->degree = known.positive == 0 ? 0 : int64_t{known.degree};
  }
  return true;
}

__device__ inline WalkMove bad_walk_row(const WalkRows& rows, int64_t node) {
  return walk_fault(FaultKind::kRow, 0, node, rows.indptr[node], rows.indptr[node + 1]);
}

// Moves along the edge at a position of the row, after this many tries.
__device__ inline WalkMove move_along(const WalkRows& rows, const WalkRow& row, int64_t position,
                                      uint32_t tried, bool edges) {
  WalkMove out;
  const RowEntries entries(rows, row.row);
  out.node = entries.neighbor(position);
  if (static_cast<uint64_t>(out.node) >= rows.num_neighbors) {
    return walk_fault(FaultKind::kIndex, row.round_of(tried), position, out.node, 0);
  }
  if (edges) {
    out.edge = entries.edge(position);
    if (static_cast<uint64_t>(out.edge) >= rows.num_edges) {
      return walk_fault(FaultKind::kEdgeId, row.round_of(tried), position, out.edge, 0);
    }
  }
  return out;
}

// A first-order step, with the first draw of its first try.
__device__ inline WalkMove step_first_order(const WalkRows& rows, int64_t node, uint64_t key,
                                            int64_t step, bool edges) {
  WalkRow row;
  if (!find_tried_row(rows, node, &row)) {
    return bad_walk_row(rows, node);
  }
  if (row.degree == 0) {
    return {};
  }
  const uint64_t draw = walk_draws(key, static_cast<uint32_t>(step), 1).first;
  return move_along(rows, row, row.selected(draw), 0, edges);
}

__device__ inline WalkTurn turn_at(const WalkWork& work, uint64_t key, int64_t step) {
  return work.stop > 0 || work.restart > 0
             ? walk_turn(walk_draws(key, static_cast<uint32_t>(step), 0), work.stop, work.restart)
             : WalkTurn::kGo;
}

// The walks that a CPU takes step by step together, and the rounds of a step. They determine the
// first fault that it would find.
inline constexpr int64_t kWalksTogether = 256;
inline constexpr int64_t kWalkRounds = kWalkTries + 2;

__device__ inline void tell_walk_fault(const WalkWork& work, int64_t number, int64_t step,
                                       const WalkMove& move) {
  const int64_t turn = number / kWalksTogether * work.length + step;
  const int64_t place =
      (turn * kWalkRounds + move.round) * kWalksTogether + number % kWalksTogether;
  atomicMin(work.fault, static_cast<unsigned long long>(place));
}

// Writes the result of read_walk_fault().
__device__ inline void write_walk_fault(const WalkMove& move, int64_t path_at, int64_t* values) {
  values[0] = static_cast<int64_t>(move.kind);
  values[1] = path_at;
  for (int i = 0; i < 3; ++i) {
    values[2 + i] = move.values[i];
  }
}

// One thread for each walk. Blocks are small, so that the walks of a batch are spread over the
// whole GPU.
inline constexpr unsigned kWalkThreads = 64;
inline Grid walk_grid(int64_t count, cudaStream_t stream) {
  const int64_t blocks = (count + kWalkThreads - 1) / kWalkThreads;
  return {static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks), kWalkThreads, 0,
          stream};
}

// Second-order walks, see walk_biased.cu.
cudaError_t walk_biased(const WalkWork& work, cudaStream_t stream);
cudaError_t read_biased_fault(const WalkWork& work, const WalkPlace& place, const IdsIn& ids,
                              int64_t* values, cudaStream_t stream);

}  // namespace gls::cuda
