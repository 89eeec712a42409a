// Numbers that nobody else has, for naming things; none of them has a part in what is sampled.
#pragma once

#include <cstdint>
#include <random>

namespace gls {

// Never 0. May throw what std::random_device does.
inline uint64_t random_number() {
  std::random_device device;
  return ((uint64_t{device()} << 32) | device()) | 1;
}

}  // namespace gls
