// The contract's rules for negatives (docs/contract.md section 5), for CPUs and GPUs: the pair of
// each try, and how many tries are tested together.
#pragma once

#include <cstdint>

#include "base/philox.h"
#include "host_device/row_plan.h"

namespace gls {

// A hop that sampling does not use, so draws of negatives share no random word with draws of rows.
inline constexpr uint32_t kNegativeHop = kMaxHops;

// The node that a draw selects.
GLS_HOST_DEVICE constexpr int64_t node_of_draw(const device::NodeChances& of, uint64_t draw) {
  if (of.sums == nullptr) {
    return static_cast<int64_t>(mul_high64(draw, static_cast<uint64_t>(of.count)));
  }
  const double x = RowDraws::unit_of(draw) * of.sums[of.count - 1];
  int64_t low = 0;
  int64_t high = of.count;
  while (low < high) {  // finds the first sum above it
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

// The link of a triplet's negative.
GLS_HOST_DEVICE constexpr uint64_t link_of_negative(const device::NegativeDraws& of,
                                                    uint64_t number) {
  return number / of.each;
}

// One try of a negative; for triplets, `source` is that of its link.
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

// Tries are tested in rounds. Each round has as many tries as all earlier rounds together. There
// are few rounds then, and at most twice the necessary tries.
GLS_HOST_DEVICE constexpr uint32_t tries_of_round(uint32_t done, uint32_t tries) {
  const uint32_t more = done > 1 ? done : 1;
  return more < tries - done ? more : tries - done;
}

}  // namespace gls
