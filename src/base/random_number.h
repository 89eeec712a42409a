// Unique random numbers for names; sampling does not use them.
#pragma once

#include <cstdint>
#include <random>

namespace gls {

// Never 0. May throw the exceptions of std::random_device.
inline uint64_t random_number() {
  std::random_device device;
  return ((uint64_t{device()} << 32) | device()) | 1;
}

}  // namespace gls
