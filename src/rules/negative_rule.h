// What the contract says of draws of negatives (docs/contract.md section 5), for processors and
// GPUs alike: what each try is, and how many of them are looked at together.
#pragma once

#include <cstdint>

#include "base/philox.h"
#include "rules/row_plan.h"

namespace gls {

// The hop no sampling uses: draws of negatives share no word with those of rows.
inline constexpr uint32_t kNegativeHop = kMaxHops;

// The node that a draw selects.
GLS_HOST_DEVICE constexpr int64_t node_of_draw(const device::NodeChances& of, uint64_t draw) {
  if (of.sums == nullptr) {
    return static_cast<int64_t>(mul_high64(draw, static_cast<uint64_t>(of.count)));
  }
  const double x = RowDraws::unit_of(draw) * of.sums[of.count - 1];
  int64_t low = 0;
  int64_t high = of.count;
  while (low < high) {  // for the first sum above it
    const int64_t middle = low + (high - low) / 2;
    if (of.sums[middle] > x) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low == of.count ? of.last : low;
}

struct NegativePair {
  int64_t source = -1;
  int64_t target = -1;
};

// The link whose negative this is, of triplets.
GLS_HOST_DEVICE constexpr uint64_t link_of_negative(const device::NegativeDraws& of,
                                                    uint64_t number) {
  return number / of.each;
}

// A try of a negative; of triplets, `source` is that of its link.
GLS_HOST_DEVICE constexpr NegativePair negative_of_try(const device::NegativeDraws& of,
                                                       uint64_t number, uint32_t tried,
                                                       int64_t source) {
  if (of.each == 0) {
    RowDraws draws(of.key, of.row_word, number);
    const int64_t drawn = node_of_draw(of.sources, draws.u64(2 * tried));
    return {drawn, node_of_draw(of.targets, draws.u64(2 * tried + 1))};
  }
  RowDraws draws(of.key, of.row_word, link_of_negative(of, number));
  const auto first = static_cast<uint32_t>(number % of.each) * of.tries;
  return {source, node_of_draw(of.targets, draws.u64(first + tried))};
}

// Tries are looked at in rounds, each of which has as many as all before it together: so there are
// few rounds, and no more than twice the tries that are needed.
GLS_HOST_DEVICE constexpr uint32_t tries_of_round(uint32_t done, uint32_t tries) {
  const uint32_t more = done > 1 ? done : 1;
  return more < tries - done ? more : tries - done;
}

}  // namespace gls
