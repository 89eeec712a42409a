// Picks by weight: docs/contract.md section 2, "With weights", from the alias tables of rows. How
// many are picked of a row is decided as without weights, of those entries whose weight is
// positive.
#include "cuda/weighted_row.h"

namespace gls::cuda {
namespace {

// Of longer rows a block finds those of positive weight, of others a warp.
constexpr int64_t kLongRow = 2048;
// Memory for parts of rows, which is divided among blocks, and blocks that it is worth having.
constexpr uint64_t kPartsBytes = uint64_t{64} << 20;
constexpr int64_t kMostBlocksOfParts = 64;

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
    step.missing[i] = 0;
    if (step.listed != nullptr && step.listed[i] > 0) {
      return false;  // it is weighed anew
    }
    const uint64_t positive = step.rows[i].degree;
    *is_long = pick_way(positive, step.fanout, step.replace) == PickWay::kAll &&
               RowSlots(step, i).degree > kLongRow;
    return positive > 0;
  }
};

struct PickWeighted {
  const PickStep& step;

  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int) const {
    Picker picker(step, i);
    const RowSlots row(step, i);
    if (picker.way == PickWay::kAll) {
      take_positive(team, picker, row);
    } else if (picker.way == PickWay::kRepeated) {
      take_repeated(team, &picker, row);
    } else if constexpr (Team::kSize == kWarp) {
      const int64_t count = take_distinct(team, &picker, row);
      if (team.rank() == 0) {
        step.missing[i] = step.fanout - count;
      }
    }
  }

  template <typename Team>
  __device__ void take_positive(const Team& team, const Picker& picker, const RowSlots& row) const {
    const auto degree = static_cast<int64_t>(row.degree);
    int64_t taken = 0;
    for (int64_t first = 0; first < degree; first += Team::kSize) {
      const int64_t entry = first + team.rank();
      const bool take = entry < degree && row.positive(entry);
      int here = 0;
      const int64_t j = taken + team.before(take, &here);
      if (take) {
        picker.take(j, static_cast<uint64_t>(entry));
      }
      taken += here;
    }
  }
};

__global__ void __launch_bounds__(kThreads) weighted_kernel(PickStep step) {
  share_rows(*step.num_nodes, LookAtWeighted{step}, PickWeighted{step});
}

// ---- what remains ------------------------------------------------------------------------------

struct LookAtMissing {
  const PickStep& step;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    *is_long = true;
    return step.missing[i] > 0;
  }
};

struct PickMissing {
  const PickStep& step;
  unsigned long long* parts;  // of the row's entries; 0: it was taken
  int64_t* found;             // shared

  __device__ void operator()(const WarpTeam&, int64_t, int) const {}
  __device__ void operator()(const BlockTeam& team, int64_t i, int) const {
    Picker picker(step, i);
    const RowSlots row(step, i);
    find_parts(team, row);
    take_remaining(team, &picker, row, step.fanout - step.missing[i], parts, found);
  }

  // Of the slots, entries have their own parts and what others left to them.
  __device__ void find_parts(const BlockTeam& team, const RowSlots& row) const {
    const auto degree = static_cast<int64_t>(row.degree);
    for (int64_t at = team.rank(); at < degree; at += kThreads) {
      parts[at] = 0;
    }
    team.sync();
    for (int64_t at = team.rank(); at < degree; at += kThreads) {
      const AliasSlot slot = row.slots[at];
      if (int64_t{slot.other} == at) {
        atomicAdd(parts + at, static_cast<unsigned long long>(kAllParts));
      } else {
        atomicAdd(parts + at, static_cast<unsigned long long>(slot.share / 4));
        atomicAdd(parts + slot.other, static_cast<unsigned long long>(kAllParts) - slot.share / 4);
      }
    }
    team.sync();
    for (int64_t at = team.rank(); at < degree; at += kThreads) {
      parts[at] /= row.degree;
    }
    team.sync();
  }
};

__global__ void __launch_bounds__(kThreads) missing_kernel(PickStep step) {
  __shared__ int64_t found;
  auto* const parts = static_cast<unsigned long long*>(step.scratch) +
                      static_cast<int64_t>(blockIdx.x) * step.weights.longest;
  share_rows(*step.num_nodes, LookAtMissing{step}, PickMissing{step, parts, &found});
}

// None where no row has picks that draws may fail to find.
int64_t blocks_of_parts(int64_t fanout, Replace replace, const device::WeightsOfType& weights,
                        int64_t most_nodes) {
  if (fanout <= 0 || replace != Replace::kNever || weights.longest <= fanout) {
    return 0;
  }
  const uint64_t bytes = static_cast<uint64_t>(weights.longest) * sizeof(unsigned long long);
  auto count = static_cast<int64_t>(kPartsBytes / bytes);
  count = count < 1 ? 1 : count;
  count = count < kMostBlocksOfParts ? count : kMostBlocksOfParts;
  return count < most_nodes ? count : most_nodes;
}

}  // namespace

uint64_t weighted_scratch_bytes(int64_t fanout, Replace replace,
                                const device::WeightsOfType& weights, int64_t most_nodes) {
  return static_cast<uint64_t>(blocks_of_parts(fanout, replace, weights, most_nodes)) *
         static_cast<uint64_t>(weights.longest) * sizeof(unsigned long long);
}

cudaError_t pick_weighted_rows(const PickStep& step, cudaStream_t stream) {
  const cudaError_t result = launch(weighted_kernel, sharing_grid(step.most_nodes, stream), step);
  const int64_t blocks = blocks_of_parts(step.fanout, step.replace, step.weights, step.most_nodes);
  return result != cudaSuccess || blocks == 0
             ? result
             : launch(missing_kernel, Grid{static_cast<unsigned>(blocks), kThreads, 0, stream},
                      step);
}

}  // namespace gls::cuda
