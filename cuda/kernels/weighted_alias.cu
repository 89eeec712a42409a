// Picks by weight: docs/contract.md section 2, "With weights", from the alias tables of rows. The
// number of picks of a row follows the rule without weights, for entries with positive weight.
#include "cuda/kernels/long_rows.h"
#include "cuda/kernels/weighted_row.h"
#include "cuda/primitives/block_sum.h"

namespace gls::cuda {
namespace {

// A block finds the entries with positive weight in longer rows, a warp in others.
constexpr int64_t kLongRow = 2048;
// Picks that draws do not find in longer rows are left to blocks. For others, the warp that drew
// finds them in shared memory.
constexpr int64_t kMostOfWarp = 256;

struct RowSlots {
  const AliasSlot* slots;
  uint64_t degree;

  __device__ RowSlots(const PickStep& step, int64_t i) {
    const WeightedRow row = step.weights.rows[step.nodes[*step.first_node + i]];
    slots = step.weights.slots + row.begin;
    degree = static_cast<uint64_t>(row.degree);
  }
  __device__ bool positive(int64_t entry) const {
    return slots[entry].positive(static_cast<uint32_t>(entry));
  }
  __device__ uint32_t drawn(RowDraws* draws, uint64_t j) const {
    return alias_drawn(slots, degree, *draws, static_cast<uint32_t>(j));
  }
  __device__ void take(const Picker& picker, int64_t j, uint32_t entry) const {
    picker.take(j, entry);
  }
};

struct LookAtWeighted {
  const PickStep& step;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    if (step.listed != nullptr && step.listed[i] > 0) {
      return false;  // its weights are read
    }
    const uint64_t positive = step.rows[i].degree;
    *is_long = pick_way(positive, step.fanout, step.replace) == PickWay::kAll &&
               RowSlots(step, i).degree > kLongRow;
    return positive > 0;
  }
};

// ---- remaining entries -------------------------------------------------------------------------

__device__ void add_parts(BlockSum* parts, uint32_t number) { parts->add(number); }
__device__ void add_parts(unsigned long long* parts, uint32_t number) {
  atomicAdd(parts, static_cast<unsigned long long>(number));
}

// An entry has its own part of a slot, and what other entries gave to it.
template <typename Team, typename Part>
__device__ void find_parts(const Team& team, const RowSlots& row, Part* parts) {
  const auto degree = static_cast<int64_t>(row.degree);
  for (int64_t at = team.rank(); at < degree; at += Team::kSize) {
    parts[at] = 0;
  }
  team.sync();
  for (int64_t at = team.rank(); at < degree; at += Team::kSize) {
    const AliasSlot slot = row.slots[at];
    if (int64_t{slot.other} == at) {
      add_parts(parts + at, kAllParts);
    } else {
      add_parts(parts + at, slot.share / 4);
      add_parts(parts + slot.other, kAllParts - slot.share / 4);
    }
  }
  team.sync();
  for (int64_t at = team.rank(); at < degree; at += Team::kSize) {
    parts[at] = parts[at] / row.degree;
  }
  team.sync();
}

// ---- picks -------------------------------------------------------------------------------------

struct PickWeighted {
  const PickStep& step;
  const LongRows& long_rows;
  BlockSum* parts;  // shared [kWarps * kMostOfWarp]
  int64_t* found;   // shared [kWarps]

  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int number) const {
    Picker picker(step, i);
    const RowSlots row(step, i);
    if (picker.way == PickWay::kAll) {
      take_positive(team, picker, row);
    } else if (picker.way == PickWay::kRepeated) {
      take_repeated(team, &picker, row);
    } else if constexpr (Team::kSize == kWarp) {
      const int64_t count = take_distinct(team, &picker, row);
      if (count < step.fanout) {
        take_rest(team, &picker, row, count, number);
      }
    }
  }

  __device__ void take_rest(const WarpTeam& team, Picker* picker, const RowSlots& row,
                            int64_t count, int number) const {
    const auto degree = static_cast<int64_t>(row.degree);
    if (degree <= kMostOfWarp) {
      BlockSum* const own = parts + number * kMostOfWarp;
      find_parts(team, row, own);
      take_remaining(team, picker, row, count, own, found + number);
    } else if (team.rank() == 0) {
      step.missing[picker->i] = step.fanout - count;
      long_rows.add(picker->i, degree);
    }
  }

  template <typename Team>
  __device__ void take_positive(const Team& team, const Picker& picker, const RowSlots& row) const {
    const auto degree = static_cast<int64_t>(row.degree);
    int64_t taken = 0;
    for (int64_t first = 0; first < degree; first += Team::kSize) {
      const int64_t entry = first + team.rank();
      const bool take = entry < degree && row.positive(entry);
      int added = 0;
      const int64_t j = taken + team.before(take, &added);
      if (take) {
        picker.take(j, static_cast<uint64_t>(entry));
      }
      taken += added;
    }
  }
};

__global__ void __launch_bounds__(kThreads) weighted_kernel(PickStep step, LongRows long_rows) {
  __shared__ BlockSum parts[kWarps * kMostOfWarp];
  __shared__ int64_t found[kWarps];
  share_rows(*step.num_nodes, LookAtWeighted{step}, PickWeighted{step, long_rows, parts, found});
}

__global__ void __launch_bounds__(kThreads)
    missing_kernel(PickStep step, LongRows long_rows, LongRows::Part part,
                   unsigned long long* memory, int64_t room) {
  __shared__ int64_t found;
  __shared__ int counts[kWarps];
  const BlockTeam team = {counts};
  unsigned long long* const parts = memory + blockIdx.x * room;
  long_rows.share(part, [&](int64_t i) {
    Picker picker(step, i);
    const RowSlots row(step, i);
    find_parts(team, row, parts);
    take_remaining(team, &picker, row, step.fanout - step.missing[i], parts, &found);
  });
}

// No blocks if no row has picks that draws may not find and that are left to blocks.
LongPlan plan_for(int64_t fanout, Replace replace, const device::WeightsOfType& weights,
                  int64_t most_nodes) {
  if (fanout <= 0 || replace != Replace::kNever || weights.longest <= fanout ||
      weights.longest <= kMostOfWarp) {
    return {};
  }
  return {most_nodes, weights.longest, sizeof(unsigned long long)};
}

}  // namespace

uint64_t weighted_scratch_bytes(int64_t fanout, Replace replace,
                                const device::WeightsOfType& weights, int64_t most_nodes) {
  const LongPlan plan = plan_for(fanout, replace, weights, most_nodes);
  Places places;
  plan.place(&places, most_nodes);
  places.next(plan.all_entries() * sizeof(unsigned long long));
  return places.size();
}

cudaError_t pick_weighted_rows(const PickStep& step, cudaStream_t stream) {
  const LongPlan plan = plan_for(step.fanout, step.replace, step.weights, step.most_nodes);
  Places places(static_cast<char*>(step.scratch));
  const LongRows long_rows = plan.place(&places, step.most_nodes);
  auto* const parts = places.next<unsigned long long>(0);
  cudaError_t result = plan.clear(long_rows, stream);
  if (result == cudaSuccess) {
    result = launch(weighted_kernel, sharing_grid(step.most_nodes, stream), step, long_rows);
  }
  return result != cudaSuccess
             ? result
             : plan.go_over(stream, [&](const Grid& grid, LongRows::Part part, int64_t entries) {
                 return launch(missing_kernel, grid, step, long_rows, part, parts, entries);
               });
}

}  // namespace gls::cuda
