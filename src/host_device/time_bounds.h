// The time limits of a seed, for CPUs and GPUs (docs/contract.md section 2).
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "host_device/row_plan.h"

namespace gls {

GLS_HOST_DEVICE int64_t integer_at(const device::Integers& column, int64_t row) {
  const void* const at = static_cast<const char*>(column.data) + row * column.stride;
  switch (column.bytes) {
    case 8:
      return *static_cast<const int64_t*>(at);
    case 4:
      return column.is_signed ? int64_t{*static_cast<const int32_t*>(at)}
                              : int64_t{*static_cast<const uint32_t*>(at)};
    case 2:
      return column.is_signed ? int64_t{*static_cast<const int16_t*>(at)}
                              : int64_t{*static_cast<const uint16_t*>(at)};
    default:
      return column.is_signed ? int64_t{*static_cast<const int8_t*>(at)}
                              : int64_t{*static_cast<const uint8_t*>(at)};
  }
}

// Whether a row's times ascend; determined at its first visit.
enum RowState : uint8_t { kUnknown = 0, kAscending = 1, kMixed = 2 };

// Of a seed.
struct TimeBounds {
  int64_t seed_time;
  int64_t window;  // 0: no window
  bool strict;

  GLS_HOST_DEVICE bool too_late(int64_t time) const {
    return strict ? time >= seed_time : time > seed_time;
  }
  GLS_HOST_DEVICE bool too_early(int64_t time) const {
    // For very early times, the difference may overflow 64 bits.
    return window != 0 && seed_time >= INT64_MIN + window && time < seed_time - window;
  }
  GLS_HOST_DEVICE bool fits(int64_t time) const { return !too_late(time) && !too_early(time); }
};

// The positions in [*begin, *end) within the limits, where time_of(position) ascends.
template <typename TimeOf>
GLS_HOST_DEVICE void narrow(const TimeBounds& bounds, const TimeOf& time_of, int64_t* begin,
                            int64_t* end) {
  int64_t count = *end - *begin;
  while (count > 0) {
    const int64_t half = count / 2;
    const bool right = bounds.too_early(time_of(*begin + half));
    *begin = right ? *begin + half + 1 : *begin;
    count = right ? count - half - 1 : half;
  }
  int64_t last = *begin;
  count = *end - last;
  while (count > 0) {
    const int64_t half = count / 2;
    const bool right = !bounds.too_late(time_of(last + half));
    last = right ? last + half + 1 : last;
    count = right ? count - half - 1 : half;
  }
  *end = last;
}

// An unsigned number with the same order as times.
GLS_HOST_DEVICE constexpr uint64_t order_of_time(int64_t time) {
  return static_cast<uint64_t>(time) ^ (uint64_t{1} << 63);
}

}  // namespace gls
