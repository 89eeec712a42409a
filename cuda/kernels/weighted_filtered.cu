// Rows whose weights are read, because of excluded edges or time limits: docs/contract.md section
// 2, "With weights". One thread of a team adds the weights in the order of the row. Everything
// after that, up to the selection by a draw, uses integers, and all threads compute it.
#include "cuda/kernels/long_rows.h"
#include "cuda/kernels/row_weights.h"
#include "cuda/kernels/weighted_row.h"

namespace gls::cuda {
namespace {

// A block reads longer rows, a warp the others.
constexpr int64_t kLongRow = 2048;

// ---- counting ----------------------------------------------------------------------------------

// The stored length of a row whose weights are read; 0: it has a table, or nothing to pick.
__device__ int64_t length_to_weigh(const PickStep& step, int64_t i) {
  const auto degree = static_cast<int64_t>(step.rows[i].degree);
  if (degree == 0 || step.listed[i] > 0) {
    return degree == 0 ? 0 : step.listed[i];
  }
  if (!has_gaps(step, i)) {
    return has_tables(step.weights) ? 0 : degree;
  }
  return degree + step.gaps[i].always.count + step.gaps[i].now.count;
}

struct LookAtStored {
  const PickStep& step;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    if (!has_times(step)) {
      step.listed[i] = 0;
    }
    const int64_t length = length_to_weigh(step, i);
    *is_long = length > kLongRow;
    return length > 0;
  }
};

struct CountPositive {
  const PickStep& step;
  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int) const {
    const int64_t begin = step.rows[i].begin;
    const int64_t length = length_to_weigh(step, i);
    const RowWeights weights(step, i);
    int64_t count = 0;
    for (int64_t first = 0; first < length; first += Team::kSize) {
      const int64_t place = first + team.rank();
      int added = 0;
      team.before(place < length && weights.may_pick(begin + place), &added);
      count += added;
    }
    team.sync();  // all threads have read its length
    if (team.rank() == 0) {
      step.rows[i].degree = static_cast<uint64_t>(count);
      step.listed[i] = length;
    }
  }
};

__global__ void __launch_bounds__(kThreads) count_kernel(PickStep step) {
  share_rows(*step.num_nodes, LookAtStored{step}, CountPositive{step});
}

// ---- a row -------------------------------------------------------------------------------------

// Data of a row's entries, by number: memory of a team, reused for the next row.
struct Entries {
  static constexpr uint64_t kBytes = 16;  // of one entry
  static constexpr uint32_t kPositive = 1u << 31;

  double* sums;              // cumulative weights
  uint64_t* lacks;           // later, in the same memory: as in AliasSums
  unsigned long long* left;  // later: its parts, until it is taken
  int32_t* parts;            // running parts
  uint32_t* offsets;         // offset in the row, and whether the weight is positive

  __device__ Entries(void* memory, int64_t team, int64_t room) {
    char* const at = static_cast<char*>(memory) + team * room * static_cast<int64_t>(kBytes);
    sums = reinterpret_cast<double*>(at);
    lacks = reinterpret_cast<uint64_t*>(at);
    left = reinterpret_cast<unsigned long long*>(at);
    parts = reinterpret_cast<int32_t*>(lacks + room);
    offsets = reinterpret_cast<uint32_t*>(parts + room);
  }
};

struct WeighedRow {
  Entries entries;
  int64_t begin;
  uint64_t degree;

  __device__ uint32_t drawn(RowDraws* draws, uint64_t j) const {
    return alias_drawn(AliasSums{entries.parts, entries.lacks, degree}, degree, *draws,
                       static_cast<uint32_t>(j));
  }
  __device__ void take(const Picker& picker, int64_t j, uint32_t entry) const {
    picker.take_at(j, begin + (entries.offsets[entry] & ~Entries::kPositive));
  }
};

// Lists the entries with their cumulative weights; returns their number.
template <typename Team>
__device__ int64_t add_up(const Team& team, const RowWeights& weights, int64_t begin,
                          int64_t length, const Entries& entries, double* tile) {
  int64_t count = 0;
  double sum = 0;  // of the first thread
  for (int64_t first = 0; first < length; first += Team::kSize) {
    const int64_t place = first + team.rank();
    const bool is_entry = place < length && weights.is_entry(begin + place);
    const double weight = is_entry ? weights.weight(begin + place) : 0;
    tile[team.rank()] = weight;
    int added = 0;
    const int64_t entry = count + team.before(is_entry, &added);
    team.sync();
    for (int k = 0; team.rank() == 0 && k < Team::kSize; ++k) {
      sum += tile[k];  // an excluded entry adds nothing
      tile[k] = sum;
    }
    team.sync();
    if (is_entry) {
      entries.sums[entry] = tile[team.rank()];
      entries.offsets[entry] = static_cast<uint32_t>(place) | (weight > 0 ? Entries::kPositive : 0);
    }
    count += added;
  }
  team.sync();
  return count;
}

template <typename Team>
__device__ void divide_row(const Team& team, const WeighedRow& row, int64_t positive) {
  const Entries& entries = row.entries;
  const auto degree = static_cast<int64_t>(row.degree);
  const double total = entries.sums[degree - 1];
  int64_t met = 0;
  for (int64_t first = 0; first < degree; first += Team::kSize) {
    const int64_t entry = first + team.rank();
    const bool counts = entry < degree && (entries.offsets[entry] & Entries::kPositive) != 0;
    int added = 0;
    const int64_t before = met + team.before(counts, &added);
    if (entry < degree) {
      entries.parts[entry] = running_parts(static_cast<int32_t>(before + (counts ? 1 : 0)),
                                           entries.sums[entry], total, positive);
    }
    met += added;
  }
  team.sync();
  int64_t lacking = 0;
  for (int64_t first = 0; first < degree; first += Team::kSize) {
    const int64_t entry = first + team.rank();
    const int64_t own = entry < degree
                            ? static_cast<int64_t>(AliasSums::lack_of(AliasSums::size_of(
                                  entries.parts, row.degree, static_cast<uint64_t>(entry))))
                            : 0;
    int64_t added = 0;
    const int64_t before = lacking + sum_before(team, own, &added);
    if (entry < degree) {
      entries.lacks[entry] = static_cast<uint64_t>(before + own);
    }
    lacking += added;
  }
  team.sync();
}

// ---- picks -------------------------------------------------------------------------------------

__device__ bool takes_all(const PickStep& step, int64_t i) {
  return Picker::way_of(step, step.rows[i].degree) == PickWay::kAll;
}

// Long rows with draws are left to blocks with memory for them.
struct LookAtWeighed {
  const PickStep& step;
  const LongRows& long_rows;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    const int64_t length = step.listed[i];
    const bool works = length > 0 && step.rows[i].degree > 0;
    *is_long = length > kLongRow;
    if (works && *is_long && !takes_all(step, i)) {
      long_rows.add(i, length);
      return false;
    }
    return works;
  }
};

struct PickWeighed {
  const PickStep& step;
  void* memory;
  int64_t first_team;  // of the block
  int64_t room;
  double* tile;    // shared [kThreads]
  int64_t* found;  // shared [kWarps]

  template <typename Team>
  __device__ void operator()(const Team& team, int64_t i, int number) const {
    Picker picker(step, i);
    const RowWeights weights(step, i);
    const int64_t begin = picker.row.begin;
    if (picker.way == PickWay::kAll) {
      take_positive(team, picker, weights, begin);
      return;
    }
    WeighedRow row = {Entries(memory, first_team + number, room), begin, 0};
    row.degree = static_cast<uint64_t>(
        add_up(team, weights, begin, step.listed[i], row.entries, tile + number * kWarp));
    divide_row(team, row, static_cast<int64_t>(picker.row.degree));
    if (picker.way == PickWay::kRepeated) {
      take_repeated(team, &picker, row);
    } else {
      const int64_t count = draw_distinct(team, &picker, row, found + number);
      if (count < step.fanout) {
        take_rest(team, &picker, row, count, found + number);
      }
    }
    team.sync();  // other threads may still read memory that the next row overwrites
  }

  template <typename Team>
  __device__ void take_positive(const Team& team, const Picker& picker, const RowWeights& weights,
                                int64_t begin) const {
    int64_t taken = 0;
    const int64_t length = step.listed[picker.i];
    for (int64_t first = 0; first < length; first += Team::kSize) {
      const int64_t place = first + team.rank();
      const bool take = place < length && weights.may_pick(begin + place);
      int added = 0;
      const int64_t j = taken + team.before(take, &added);
      if (take) {
        picker.take_at(j, begin + place);
      }
      taken += added;
    }
  }

  __device__ static int64_t draw_distinct(const WarpTeam& team, Picker* picker,
                                          const WeighedRow& row, int64_t*) {
    return take_distinct(team, picker, row);
  }
  // One warp of the block draws.
  __device__ static int64_t draw_distinct(const BlockTeam& team, Picker* picker,
                                          const WeighedRow& row, int64_t* count) {
    if (team.rank() < kWarp) {
      const int64_t drawn = take_distinct(WarpTeam{}, picker, row);
      if (team.rank() == 0) {
        *count = drawn;
      }
    }
    team.sync();
    const int64_t out = *count;
    team.sync();
    return out;
  }

  template <typename Team>
  __device__ void take_rest(const Team& team, Picker* picker, const WeighedRow& row, int64_t begin,
                            int64_t* at) const {
    const Entries& entries = row.entries;
    const auto degree = static_cast<int64_t>(row.degree);
    for (int64_t entry = team.rank(); entry < degree; entry += Team::kSize) {
      const int32_t before = entry == 0 ? 0 : entries.parts[entry - 1];
      entries.left[entry] = static_cast<unsigned long long>(entries.parts[entry] - before);
    }
    team.sync();
    take_remaining(team, picker, row, begin, entries.left, at);
  }
};

__global__ void __launch_bounds__(kThreads)
    weigh_kernel(PickStep step, LongRows long_rows, void* memory, int64_t room) {
  __shared__ double tile[kThreads];
  __shared__ int64_t found[kWarps];
  share_rows(*step.num_nodes, LookAtWeighed{step, long_rows},
             PickWeighed{step, memory, int64_t{blockIdx.x} * kWarps, room, tile, found});
}

__global__ void __launch_bounds__(kThreads)
    weigh_long_kernel(PickStep step, LongRows long_rows, LongRows::Part part, void* memory,
                      int64_t room) {
  __shared__ double tile[kThreads];
  __shared__ int64_t found;
  __shared__ int counts[kWarps];
  const PickWeighed pick = {step, memory, blockIdx.x, room, tile, &found};
  long_rows.share(part, [&](int64_t i) { pick(BlockTeam{counts}, i, 0); });
}

// No memory if nothing is drawn.
Rooms warps_for(int64_t fanout, const device::WeightsOfType& weights, int64_t most_nodes) {
  const int64_t blocks = sharing_grid(most_nodes, nullptr).blocks;
  if (fanout < 0 || weights.longest == 0) {
    return {blocks, kWarps, 0};
  }
  return rooms_for(blocks, kWarps, weights.longest < kLongRow ? weights.longest : kLongRow,
                   Entries::kBytes);
}

LongPlan blocks_for(int64_t fanout, const device::WeightsOfType& weights, int64_t most_nodes) {
  return fanout < 0 || weights.longest <= kLongRow
             ? LongPlan()
             : LongPlan(most_nodes, weights.longest, Entries::kBytes);
}

}  // namespace

cudaError_t count_weighed_rows(const PickStep& step, cudaStream_t stream) {
  return launch(count_kernel, sharing_grid(step.most_nodes, stream), step);
}

uint64_t weighed_scratch_bytes(int64_t fanout, const device::WeightsOfType& weights,
                               int64_t most_nodes) {
  const uint64_t of_warps = warps_for(fanout, weights, most_nodes).all_entries();
  const LongPlan plan = blocks_for(fanout, weights, most_nodes);
  const uint64_t of_blocks = plan.all_entries();
  Places places;
  plan.place(&places, most_nodes);
  places.next((of_warps > of_blocks ? of_warps : of_blocks) * Entries::kBytes);
  return places.size();
}

cudaError_t pick_weighed_rows(const PickStep& step, cudaStream_t stream) {
  const Rooms warps = warps_for(step.fanout, step.weights, step.most_nodes);
  const LongPlan plan = blocks_for(step.fanout, step.weights, step.most_nodes);
  Places places(static_cast<char*>(step.scratch));
  const LongRows long_rows = plan.place(&places, step.most_nodes);
  void* const memory = places.next(0);
  cudaError_t result = plan.clear(long_rows, stream);
  if (result == cudaSuccess) {
    result = launch(weigh_kernel, Grid{static_cast<unsigned>(warps.blocks), kThreads, 0, stream},
                    step, long_rows, memory, warps.entries);
  }
  return result != cudaSuccess
             ? result
             : plan.go_over(stream, [&](const Grid& grid, LongRows::Part part, int64_t entries) {
                 return launch(weigh_long_kernel, grid, step, long_rows, part, memory, entries);
               });
}

}  // namespace gls::cuda
