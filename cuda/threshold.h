// Which entries of a row are the last in some order, without listing them. For .cu files.
#pragma once

#include "cuda/team.h"

namespace gls::cuda {

inline constexpr int kBins = 256;

// The order of the first that is among the last. Of those that have the same, so many are among
// them, and so many are not.
struct Threshold {
  uint64_t order;
  int64_t taken;
  int64_t skipped;
};

// Of the places [begin, end), those that order(place, &out) says have one, which are `last` or
// more. The order is found byte by byte, as far as needed, from counts in `bins`, kBins that are
// the team's own and shared.
template <typename Team, typename Order>
__device__ Threshold find_threshold(const Team& team, int64_t begin, int64_t end, int64_t last,
                                    const Order& order, unsigned long long* bins) {
  Threshold out = {0, 0, 0};
  auto left = static_cast<unsigned long long>(last);
  bool found = false;
  for (int shift = 56; shift >= 0 && !found; shift -= 8) {
    for (int bin = team.rank(); bin < kBins; bin += Team::kSize) {
      bins[bin] = 0;
    }
    team.sync();
    for (int64_t at = begin + team.rank(); at < end; at += Team::kSize) {
      uint64_t own = 0;
      if (order(at, &own) && (shift == 56 || own >> (shift + 8) == out.order >> (shift + 8))) {
        atomicAdd(bins + (own >> shift) % kBins, 1ull);
      }
    }
    team.sync();
    int bin = kBins - 1;
    while (bins[bin] < left) {
      left -= bins[bin];
      --bin;
    }
    out.order |= static_cast<uint64_t>(bin) << shift;
    out.taken = static_cast<int64_t>(left);
    out.skipped = static_cast<int64_t>(bins[bin] - left);
    found = out.skipped == 0;  // then all from there on are among them
    team.sync();
  }
  return out;
}

}  // namespace gls::cuda
