// Finds the last entries of a row in some order, without listing them. For .cu files.
#pragma once

#include "cuda/primitives/block_sum.h"
#include "cuda/primitives/grid_partition.h"
#include "cuda/primitives/thread_group.h"

namespace gls::cuda {

inline constexpr int kBins = 256;

// In the shared memory of a team.
struct Bins {
  BlockSum counts[kBins];
  // Bits that are set in some order, and bits that are clear in some; halves of each.
  unsigned ones[2];
  unsigned zeros[2];
};

// The order of the first entry among the last ones. Of the entries with an equal order, it holds
// how many are included and how many are not.
struct Threshold {
  uint64_t order;
  int64_t taken;
  int64_t skipped;
};

// Counts the lanes of a warp that have a bin. If all bins are equal, as for the first bytes of
// times, one lane adds for all.
__device__ inline void count_bins(BlockSum* counts, bool has, int bin) {
  const unsigned mask = __ballot_sync(0xffffffffu, has ? 1 : 0);
  const int first = mask == 0 ? 0 : __ffs(static_cast<int>(mask)) - 1;
  const int of_first = __shfl_sync(0xffffffffu, bin, first);
  if (!WarpTeam().any(has && bin != of_first)) {
    if (has && WarpTeam().rank() == first) {
      counts[bin].add(static_cast<unsigned>(__popc(mask)));
    }
  } else if (has) {
    counts[bin].add(1);
  }
}

// The bin of the first of the `left` last entries; `left` becomes the number of those in the bin.
// It returns the first bin if all bins have fewer, which may happen when data changed meanwhile.
// Each warp finds it.
__device__ inline int find_bin(const BlockSum* counts, uint64_t* left) {
  constexpr int kEach = kBins / kWarp;
  const int lane = WarpTeam().rank();
  const int last = kBins - 1 - lane * kEach;  // of the lane
  uint64_t own = 0;
  for (int i = 0; i < kEach; ++i) {
    own += counts[last - i];
  }
  int64_t all = 0;
  const auto before =
      static_cast<uint64_t>(sum_before(WarpTeam{}, static_cast<int64_t>(own), &all));
  const unsigned enough = __ballot_sync(0xffffffffu, before + own >= *left ? 1 : 0);
  const int from = enough == 0 ? kWarp - 1 : __ffs(static_cast<int>(enough)) - 1;
  *left -= __shfl_sync(0xffffffffu, before, from);
  int bin = kBins - 1 - from * kEach;
  while (bin > 0 && counts[bin] < *left) {
    *left -= counts[bin];
    --bin;
  }
  return bin;
}

// Handles the places in [begin, end) that order(place, &out) accepts, which are at least `last`.
// The order is found byte by byte as far as needed, without the bytes that all have in common.
template <typename Team, typename Order>
__device__ Threshold find_threshold(const Team& team, int64_t begin, int64_t end, int64_t last,
                                    const Order& order, Bins* bins) {
  constexpr int kFirst = 56;
  constexpr uint64_t kByte = kBins - 1;
  Threshold out = {0, 0, 0};
  auto left = static_cast<uint64_t>(last);
  uint64_t ones = 0;
  uint64_t zeros = 0;
  bool found = false;
  for (int shift = kFirst; shift >= 0 && !found; shift -= 8) {
    if (shift < kFirst && (ones & zeros & kByte << shift) == 0) {
      out.order |= ones & kByte << shift;
      continue;
    }
    for (int bin = team.rank(); bin < kBins; bin += Team::kSize) {
      bins->counts[bin] = 0;
    }
    if (team.rank() < 2) {
      bins->ones[team.rank()] = bins->zeros[team.rank()] = 0;
    }
    team.sync();
    for (int64_t first = begin; first < end; first += Team::kSize) {
      const int64_t at = first + team.rank();
      uint64_t own = 0;
      const bool has = at < end && order(at, &own) &&
                       (shift == kFirst || own >> (shift + 8) == out.order >> (shift + 8));
      count_bins(bins->counts, has, static_cast<int>(own >> shift & kByte));
      if (shift == kFirst && has) {
        ones |= own;
        zeros |= ~own;
      }
    }
    if (shift == kFirst) {
      for (int half = 0; half < 2; ++half) {
        atomicOr(bins->ones + half, static_cast<unsigned>(ones >> 32 * half));
        atomicOr(bins->zeros + half, static_cast<unsigned>(zeros >> 32 * half));
      }
    }
    team.sync();
    if (shift == kFirst) {
      ones = uint64_t{bins->ones[1]} << 32 | bins->ones[0];
      zeros = uint64_t{bins->zeros[1]} << 32 | bins->zeros[0];
    }
    const int bin = find_bin(bins->counts, &left);
    const uint64_t added = bins->counts[bin];
    out.order |= static_cast<uint64_t>(bin) << shift;
    out.taken = static_cast<int64_t>(left < added ? left : added);
    out.skipped = static_cast<int64_t>(added) - out.taken;
    found = out.skipped == 0;  // then all from there on are included
    team.sync();
  }
  return out;
}

}  // namespace gls::cuda
