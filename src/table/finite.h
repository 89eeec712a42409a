// Tests whether numbers are finite.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace gls::table {

// The index of the first number that is NaN or infinite, or -1.
inline int64_t first_not_finite(std::span<const float> numbers) {
  constexpr uint32_t kExponent = 0x7f800000;
  uint32_t any = 0;  // branchless, so that compilers vectorise it
  for (const float number : numbers) {
    any |= static_cast<uint32_t>((std::bit_cast<uint32_t>(number) & kExponent) == kExponent);
  }
  for (size_t i = 0; any != 0 && i < numbers.size(); ++i) {
    if ((std::bit_cast<uint32_t>(numbers[i]) & kExponent) == kExponent) {
      return static_cast<int64_t>(i);
    }
  }
  return -1;
}

}  // namespace gls::table
