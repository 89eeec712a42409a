// Rows without their excluded edges, for CPUs and GPUs (docs/contract.md section 2).
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "host_device/row_plan.h"

namespace gls {

// The bit of a row in a filter with 2^(64 - shift) bits.
GLS_HOST_DEVICE constexpr uint64_t filter_bit(uint64_t row, uint32_t shift) {
  return (row * 0x9e3779b97f4a7c15u) >> shift;
}
GLS_HOST_DEVICE constexpr uint64_t filter_words(uint32_t shift) {
  return (uint64_t{1} << (64 - shift)) / 64;
}
// Whether an edge of the row may be excluded. True is mostly right; false is always right.
GLS_HOST_DEVICE bool may_touch(const device::ExclusionFilter& edges, uint64_t row) {
  if (edges.count == 0) {
    return false;
  }
  const uint64_t bit = filter_bit(row, edges.shift);
  return (edges.filter[bit / 64] >> (bit % 64) & 1) != 0;
}

// Excluded positions of a row, ascending.
struct Gaps {
  const int64_t* positions = nullptr;
  int64_t count = 0;
};

// How many are below a position.
GLS_HOST_DEVICE int64_t gaps_below(const Gaps& gaps, int64_t position) {
  int64_t low = 0;
  int64_t high = gaps.count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (gaps.positions[middle] < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The gaps inside [begin, end).
GLS_HOST_DEVICE Gaps gaps_within(const Gaps& gaps, int64_t begin, int64_t end) {
  const int64_t first = gaps_below(gaps, begin);
  const Gaps after = {gaps.positions + first, gaps.count - first};
  return {after.positions, gaps_below(after, end)};
}

GLS_HOST_DEVICE bool is_gap(const Gaps& gaps, int64_t position) {
  const int64_t at = gaps_below(gaps, position);
  return at < gaps.count && gaps.positions[at] == position;
}

// In a row that begins at `begin`, the position of the entry with `index` others before it, where
// gaps do not count as entries.
GLS_HOST_DEVICE int64_t kept_position(int64_t begin, int64_t index, const Gaps& gaps) {
  int64_t low = 0;  // gaps before it
  int64_t high = gaps.count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (gaps.positions[middle] - middle <= begin + index) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return begin + index + low;
}
// As above, with gaps from two disjoint lists.
GLS_HOST_DEVICE int64_t kept_position(int64_t begin, int64_t index, const Gaps& one,
                                      const Gaps& other) {
  if (one.count == 0 || other.count == 0) {
    return kept_position(begin, index, one.count == 0 ? other : one);
  }
  int64_t low = begin + index;
  int64_t high = low + one.count + other.count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const int64_t gaps = gaps_below(one, middle + 1) + gaps_below(other, middle + 1);
    if (middle - begin - gaps < index) {  // too few entries are before it, if it is one
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace gls
