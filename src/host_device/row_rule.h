// The contract's rules for uniform picks from one row (docs/contract.md section 2), for CPUs and
// GPUs.
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace gls {

enum class Replace : uint8_t { kNever = 0, kAbove = 1, kAlways = 2 };

// Whether [begin, end) is a valid row in an edge type with this many edges.
GLS_HOST_DEVICE constexpr bool is_row(int64_t begin, int64_t end, uint64_t num_edges) {
  // A negative number counts as a huge one.
  return static_cast<uint64_t>(begin) <= static_cast<uint64_t>(end) &&
         static_cast<uint64_t>(end) <= num_edges;
}

enum class PickWay : uint8_t {
  kAll,       // in stored order
  kRepeated,  // draw j of the whole row, independent of earlier draws
  kDistinct,  // Floyd's algorithm
  kLast,      // by time, in stored order
};

// For a fanout other than 0; -1: all entries.
GLS_HOST_DEVICE constexpr PickWay pick_way(uint64_t degree, int64_t fanout, Replace replace) {
  if (fanout < 0 || degree == 0 ||
      (replace != Replace::kAlways && degree <= static_cast<uint64_t>(fanout))) {
    return PickWay::kAll;
  }
  return replace == Replace::kNever ? PickWay::kDistinct : PickWay::kRepeated;
}

GLS_HOST_DEVICE constexpr uint64_t row_picks(uint64_t degree, int64_t fanout, Replace replace) {
  if (fanout == 0) {
    return 0;
  }
  return pick_way(degree, fanout, replace) == PickWay::kAll ? degree
                                                            : static_cast<uint64_t>(fanout);
}

// Floyd's algorithm (CACM 30:9, 1987), for degree > fanout: pick j is draw j, or the top if that
// was picked before. No earlier pick can be the top.
GLS_HOST_DEVICE constexpr uint64_t floyd_top(uint64_t degree, uint64_t fanout, uint32_t j) {
  return degree - fanout + j;
}
GLS_HOST_DEVICE constexpr uint64_t floyd_draw(RowDraws& draws, uint64_t degree, uint64_t fanout,
                                              uint32_t j) {
  return draws.below(j, floyd_top(degree, fanout, j) + 1, degree);
}

}  // namespace gls
