// What rows go by beside their topology, as kernels read it: plain values, and nothing else is
// included.
#pragma once

#include <cstdint>

namespace gls::device {

// Edges of one type that are left out: see sample/left_out.h.
struct LeftOut {
  const int64_t* positions = nullptr;  // ascending, without repeats
  int64_t count = 0;
  const uint64_t* filter = nullptr;  // of the rows that they are in
  uint32_t shift = 63;
};

}  // namespace gls::device
