// Picks from one row by weight, wherever its slots and parts come from. For .cu files.
//
// A Row says with drawn(&draws, number) what a draw selects, has a `degree`, and makes an entry
// pick j with take(picker, j, entry).
#pragma once

#include "cuda/picker.h"
#include "cuda/scan.h"
#include "cuda/team.h"
#include "sample/alias_rule.h"

namespace gls::cuda {

static_assert(kScanThreads == kThreads);

template <typename Slots>
__device__ uint32_t drawn_slot(const Slots& slots, uint64_t degree, RowDraws* draws, uint64_t j) {
  const auto number = static_cast<uint32_t>(j);
  return degree <= kSmallDegree
             ? alias_pick(slots, static_cast<uint32_t>(degree), draws->u32(number))
             : alias_pick_wide(slots, degree, draws->u64(number));
}

template <typename Team, typename Row>
__device__ void take_repeated(const Team& team, Picker* picker, const Row& row) {
  for (int64_t j = team.rank(); j < picker->step.fanout; j += Team::kSize) {
    row.take(*picker, j, row.drawn(&picker->draws, static_cast<uint64_t>(j)));
  }
}

// Draws in turn, one for each lane at a time, less those that repeat earlier ones. How many there
// are then.
template <typename Row>
__device__ int64_t take_distinct(const WarpTeam& team, Picker* picker, const Row& row) {
  const int64_t fanout = picker->step.fanout;
  int64_t* const taken = picker->step.ranks + picker->step.first_picks[picker->i];
  const uint64_t limit = alias_draws(row.degree, static_cast<uint64_t>(fanout));
  int64_t count = 0;
  for (uint64_t first = 0; first < limit && count < fanout; first += kWarp) {
    const uint64_t number = first + static_cast<uint64_t>(team.rank());
    const bool draws = number < limit;
    // Rows are far shorter than what stands for no entry.
    const uint32_t entry = draws ? row.drawn(&picker->draws, number)
                                 : ~uint32_t{0} - static_cast<uint32_t>(team.rank());
    const unsigned same = __match_any_sync(0xffffffffu, entry);
    bool fresh = draws && __ffs(static_cast<int>(same)) - 1 == team.rank();
    for (int64_t t = 0; fresh && t < count; ++t) {
      fresh = taken[t] != int64_t{entry};
    }
    int here = 0;
    const int64_t j = count + team.before(fresh, &here);
    team.sync();  // all have read what was taken
    if (fresh && j < fanout) {
      taken[j] = int64_t{entry};
      row.take(*picker, j, entry);
    }
    team.sync();
    count = count + here < fanout ? count + here : fanout;
  }
  return count;
}

// ---- what remains ------------------------------------------------------------------------------

// The sum of the numbers of the threads before this one, and that of all in `total`.
__device__ inline int64_t sum_before(const WarpTeam& team, int64_t number, int64_t* total) {
  int64_t sum = number;
  for (int step = 1; step < kWarp; step *= 2) {
    const int64_t before = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(step));
    sum += team.rank() >= step ? before : 0;
  }
  *total = __shfl_sync(0xffffffffu, sum, kWarp - 1);
  return sum - number;
}
__device__ inline int64_t sum_before(const BlockTeam&, int64_t number, int64_t* total) {
  return scan::block_sum(number, total);
}

// The first entry such that it and those before it have more parts than `target`.
template <typename Team>
__device__ int64_t entry_of_part(const Team& team, const unsigned long long* parts, int64_t degree,
                                 int64_t target, int64_t* found) {
  int64_t before = 0;
  for (int64_t first = 0; first < degree; first += Team::kSize) {
    const int64_t entry = first + team.rank();
    const int64_t own = entry < degree ? static_cast<int64_t>(parts[entry]) : 0;
    int64_t here = 0;
    const int64_t until = before + sum_before(team, own, &here);
    if (target >= until && target < until + own) {
      *found = entry;
    }
    before += here;
    if (target < before) {
      break;
    }
  }
  team.sync();
  return *found;
}

// The picks from number `begin` on, those before being taken. `parts` of the row's entries are
// changed; `found` is shared and the team's own.
template <typename Team, typename Row>
__device__ void take_remaining(const Team& team, Picker* picker, const Row& row, int64_t begin,
                               unsigned long long* parts, int64_t* found) {
  const int64_t fanout = picker->step.fanout;
  const int64_t* const taken = picker->step.ranks + picker->step.first_picks[picker->i];
  const auto degree = static_cast<int64_t>(row.degree);
  for (int64_t t = team.rank(); t < begin; t += Team::kSize) {
    parts[taken[t]] = 0;
  }
  team.sync();
  uint64_t left = 0;
  for (int64_t first = 0; first < degree; first += Team::kSize) {
    const int64_t entry = first + team.rank();
    int64_t here = 0;
    sum_before(team, entry < degree ? static_cast<int64_t>(parts[entry]) : 0, &here);
    left += static_cast<uint64_t>(here);
  }
  const uint64_t limit = alias_draws(row.degree, static_cast<uint64_t>(fanout));
  for (int64_t j = begin; j < fanout; ++j) {
    const auto number = static_cast<uint32_t>(limit + static_cast<uint64_t>(j));
    const uint64_t draw =
        row.degree <= kSmallDegree ? picker->draws.u32(number) : hi32(picker->draws.u64(number));
    const int64_t entry =
        entry_of_part(team, parts, degree, static_cast<int64_t>((draw * left) >> 32), found);
    left -= parts[entry];
    team.sync();
    if (team.rank() == 0) {
      row.take(*picker, j, static_cast<uint32_t>(entry));
      parts[entry] = 0;
    }
    team.sync();
  }
}

}  // namespace gls::cuda
