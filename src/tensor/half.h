// Converts float16 and bfloat16 to float32, exactly, in host and device code.
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace gls {

GLS_HOST_DEVICE float float_of_bits(uint32_t bits) { return __builtin_bit_cast(float, bits); }

GLS_HOST_DEVICE float bfloat_to_float(uint16_t bits) { return float_of_bits(uint32_t{bits} << 16); }

GLS_HOST_DEVICE float half_to_float(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1fu;
  uint32_t fraction = half & 0x3ffu;
  if (exponent == 31) {
    // Infinity, or a quiet NaN, as the CPU's own conversion gives.
    return float_of_bits(sign | 0x7f800000u | (fraction << 13) | (fraction != 0 ? 0x400000u : 0));
  }
  if (exponent == 0) {
    if (fraction == 0) {
      return float_of_bits(sign);
    }
    exponent = 1;
    while ((fraction & 0x400u) == 0) {  // a subnormal half is a normal float
      fraction <<= 1;
      --exponent;
    }
    fraction &= 0x3ffu;
  }
  return float_of_bits(sign | ((exponent + 112) << 23) | (fraction << 13));
}

}  // namespace gls
