// Picks from one row by weight, for any source of its slots and parts. For .cu files.
//
// A Row has a `degree` and two functions. drawn(&draws, number) returns the entry of a draw.
// take(picker, j, entry) makes an entry pick j.
#pragma once

#include "cuda/kernels/picker.h"
#include "cuda/primitives/grid_partition.h"
#include "cuda/primitives/thread_group.h"
#include "host_device/alias_rule.h"

namespace gls::cuda {

template <typename Team, typename Row>
__device__ void take_repeated(const Team& team, Picker* picker, const Row& row) {
  for (int64_t j = team.rank(); j < picker->step.fanout; j += Team::kSize) {
    row.take(*picker, j, row.drawn(&picker->draws, static_cast<uint64_t>(j)));
  }
}

// Draws in order, one for each lane at a time, without those that repeat earlier picks. Returns the
// number of picks.
template <typename Row>
__device__ int64_t take_distinct(const WarpTeam& team, Picker* picker, const Row& row) {
  const int64_t fanout = picker->step.fanout;
  int64_t* const taken = picker->step.ranks + picker->step.first_picks[picker->i];
  const uint64_t limit = alias_draws(row.degree, static_cast<uint64_t>(fanout));
  int64_t count = 0;
  for (uint64_t first = 0; first < limit && count < fanout; first += kWarp) {
    const uint64_t number = first + static_cast<uint64_t>(team.rank());
    const bool draws = number < limit;
    // Rows are far shorter than the number that means no entry.
    const uint32_t entry = draws ? row.drawn(&picker->draws, number)
                                 : ~uint32_t{0} - static_cast<uint32_t>(team.rank());
    const unsigned same = __match_any_sync(0xffffffffu, entry);
    bool fresh = draws && __ffs(static_cast<int>(same)) - 1 == team.rank();
    for (int64_t t = 0; fresh && t < count; ++t) {
      fresh = taken[t] != int64_t{entry};
    }
    int added = 0;
    const int64_t j = count + team.before(fresh, &added);
    team.sync();  // all threads have read the taken entries
    if (fresh && j < fanout) {
      taken[j] = int64_t{entry};
      row.take(*picker, j, entry);
    }
    team.sync();
    count = count + added < fanout ? count + added : fanout;
  }
  return count;
}

// ---- remaining entries -------------------------------------------------------------------------

// Makes the picks from number `begin` on; earlier picks are taken. Changes the `parts` of the row's
// entries; `found` is in the team's shared memory.
template <typename Team, typename Row, typename Part>
__device__ void take_remaining(const Team& team, Picker* picker, const Row& row, int64_t begin,
                               Part* parts, int64_t* found) {
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
    int64_t added = 0;
    sum_before(team, entry < degree ? static_cast<int64_t>(parts[entry]) : 0, &added);
    left += static_cast<uint64_t>(added);
  }
  const uint64_t limit = alias_draws(row.degree, static_cast<uint64_t>(fanout));
  for (int64_t j = begin; j < fanout; ++j) {
    const uint32_t draw = alias_upper(row.degree, picker->draws,
                                      static_cast<uint32_t>(limit + static_cast<uint64_t>(j)));
    find_part(team, parts, 0, degree, part_of_remaining(draw, left), found);
    const int64_t entry = *found;
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
