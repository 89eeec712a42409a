// Rows that are weighed anew, as edges are left out of them or are in time: docs/contract.md
// section 2, "With weights". Sums are added up in the order of the row by one thread of the team
// that has it; all that follows from them, up to what a draw selects, are whole numbers and is
// found by all.
#include "cuda/row_weights.h"
#include "cuda/weighted_row.h"

namespace gls::cuda {
namespace {

// Longer rows are read by a block, others by a warp.
constexpr int64_t kLongRow = 2048;
// Memory for entries, which is divided among teams, and blocks with long rows that it is worth
// having.
constexpr uint64_t kEntriesBytes = uint64_t{64} << 20;
constexpr int64_t kMostLong = 64;

// ---- how many there are ------------------------------------------------------------------------

// What is stored of a row that is to be weighed; 0: it has a table, or nothing to pick.
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
      int here = 0;
      team.before(place < length && weights.may_pick(begin + place), &here);
      count += here;
    }
    team.sync();  // all have read how long it is
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

// Of the entries of a row, by number: memory of a team, which it has again for the next row.
struct Entries {
  static constexpr uint64_t kBytes = 16;  // of one
  static constexpr uint32_t kPositive = 1u << 31;

  double* sums;              // of the weights up to it
  uint64_t* lacks;           // then, in their place, as of AliasSums
  unsigned long long* left;  // then its parts, while it is not taken
  int32_t* parts;            // running
  uint32_t* offsets;         // from where the row begins, and whether its weight is positive

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

// Lists the entries with their running sums; how many there are.
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
    int here = 0;
    const int64_t entry = count + team.before(is_entry, &here);
    team.sync();
    for (int k = 0; team.rank() == 0 && k < Team::kSize; ++k) {
      sum += tile[k];  // what is no entry changes nothing
      tile[k] = sum;
    }
    team.sync();
    if (is_entry) {
      entries.sums[entry] = tile[team.rank()];
      entries.offsets[entry] = static_cast<uint32_t>(place) | (weight > 0 ? Entries::kPositive : 0);
    }
    count += here;
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
    int here = 0;
    const int64_t before = met + team.before(counts, &here);
    if (entry < degree) {
      entries.parts[entry] = running_parts(static_cast<int32_t>(before + (counts ? 1 : 0)),
                                           entries.sums[entry], total, positive);
    }
    met += here;
  }
  team.sync();
  int64_t lacking = 0;
  for (int64_t first = 0; first < degree; first += Team::kSize) {
    const int64_t entry = first + team.rank();
    const int64_t own = entry < degree
                            ? static_cast<int64_t>(AliasSums::lack_of(AliasSums::size_of(
                                  entries.parts, row.degree, static_cast<uint64_t>(entry))))
                            : 0;
    int64_t here = 0;
    const int64_t before = lacking + sum_before(team, own, &here);
    if (entry < degree) {
      entries.lacks[entry] = static_cast<uint64_t>(before + own);
    }
    lacking += here;
  }
  team.sync();
}

// ---- picks -------------------------------------------------------------------------------------

__device__ bool takes_all(const PickStep& step, int64_t i) {
  return Picker::way_of(step, step.rows[i].degree) == PickWay::kAll;
}

// Rows that need no memory for long ones.
struct LookAtMost {
  const PickStep& step;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    *is_long = step.listed[i] > kLongRow;
    return step.listed[i] > 0 && step.rows[i].degree > 0 && (!*is_long || takes_all(step, i));
  }
};
struct LookAtLong {
  const PickStep& step;
  __device__ bool operator()(int64_t i, bool* is_long) const {
    *is_long = true;
    return step.listed[i] > kLongRow && step.rows[i].degree > 0 && !takes_all(step, i);
  }
};

struct PickWeighed {
  const PickStep& step;
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
    WeighedRow row = {Entries(step.scratch, first_team + number, room), begin, 0};
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
    team.sync();  // others may still read what the next row's are written over
  }

  template <typename Team>
  __device__ void take_positive(const Team& team, const Picker& picker, const RowWeights& weights,
                                int64_t begin) const {
    int64_t taken = 0;
    const int64_t length = step.listed[picker.i];
    for (int64_t first = 0; first < length; first += Team::kSize) {
      const int64_t place = first + team.rank();
      const bool take = place < length && weights.may_pick(begin + place);
      int here = 0;
      const int64_t j = taken + team.before(take, &here);
      if (take) {
        picker.take_at(j, begin + place);
      }
      taken += here;
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

template <typename Look>
__global__ void __launch_bounds__(kThreads) weigh_kernel(PickStep step, int teams, int64_t room) {
  __shared__ double tile[kThreads];
  __shared__ int64_t found[kWarps];
  share_rows(*step.num_nodes, Look{step},
             PickWeighed{step, static_cast<int64_t>(blockIdx.x) * teams, room, tile, found});
}

// Blocks of a launch, each of so many teams with room for so many entries.
struct Teams {
  int64_t blocks;
  int teams;
  int64_t room;

  uint64_t bytes() const { return static_cast<uint64_t>(blocks * teams * room) * Entries::kBytes; }
};

Teams teams_with_room(int64_t most_blocks, int teams, int64_t room) {
  Teams out = {1, teams, room};
  const auto count = static_cast<int64_t>(kEntriesBytes / out.bytes());
  out.blocks = count < 1 ? 1 : count < most_blocks ? count : most_blocks;
  return out;
}

Teams warps_for(int64_t fanout, const device::WeightsOfType& weights, int64_t most_nodes) {
  const auto blocks = static_cast<int64_t>(sharing_grid(most_nodes, nullptr).blocks);
  if (fanout < 0 || weights.longest == 0) {
    return {blocks, kWarps, 0};
  }
  return teams_with_room(blocks, kWarps, weights.longest < kLongRow ? weights.longest : kLongRow);
}

// None where there are no such rows.
Teams blocks_for(int64_t fanout, const device::WeightsOfType& weights, int64_t most_nodes) {
  if (fanout < 0 || weights.longest <= kLongRow) {
    return {0, 1, 0};
  }
  return teams_with_room(most_nodes < kMostLong ? most_nodes : kMostLong, 1, weights.longest);
}

template <typename Look>
cudaError_t pick_by(const PickStep& step, const Teams& teams, cudaStream_t stream) {
  return launch(weigh_kernel<Look>, Grid{static_cast<unsigned>(teams.blocks), kThreads, 0, stream},
                step, teams.teams, teams.room);
}

}  // namespace

cudaError_t count_weighed_rows(const PickStep& step, cudaStream_t stream) {
  return launch(count_kernel, sharing_grid(step.most_nodes, stream), step);
}

uint64_t weighed_scratch_bytes(int64_t fanout, const device::WeightsOfType& weights,
                               int64_t most_nodes) {
  const uint64_t warps = warps_for(fanout, weights, most_nodes).bytes();
  const uint64_t blocks = blocks_for(fanout, weights, most_nodes).bytes();
  return warps > blocks ? warps : blocks;
}

cudaError_t pick_weighed_rows(const PickStep& step, cudaStream_t stream) {
  const cudaError_t result =
      pick_by<LookAtMost>(step, warps_for(step.fanout, step.weights, step.most_nodes), stream);
  const Teams blocks = blocks_for(step.fanout, step.weights, step.most_nodes);
  return result != cudaSuccess || blocks.blocks == 0 ? result
                                                     : pick_by<LookAtLong>(step, blocks, stream);
}

}  // namespace gls::cuda
