// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11): random words addressed by their use, so that
// generated data do not depend on threads or order.
#pragma once

#include <array>
#include <cstdint>

namespace gls::tool {

using PhiloxWords = std::array<uint32_t, 4>;

inline PhiloxWords philox(PhiloxWords counter, uint64_t key) {
  auto k0 = static_cast<uint32_t>(key);
  auto k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53} * counter[0];
    const uint64_t b = uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ k0, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return counter;
}

// Each use of random numbers has its own stream.
enum class Stream : uint32_t { kOrder = 1, kEdges, kLabels, kMeans, kFeatures, kSplit };

// Two 64-bit words for item `index` and draw `draw` of it.
struct RandomPair {
  uint64_t first;
  uint64_t second;
};
inline RandomPair random_pair(uint64_t seed, Stream stream, uint64_t index, uint32_t draw) {
  const PhiloxWords w = philox({draw, static_cast<uint32_t>(stream), static_cast<uint32_t>(index),
                                static_cast<uint32_t>(index >> 32)},
                               seed);
  return {w[0] | uint64_t{w[1]} << 32, w[2] | uint64_t{w[3]} << 32};
}

// (0, 1]
inline double unit_interval(uint64_t word) {
  return static_cast<double>((word >> 11) + 1) * 0x1p-53;
}

// 0 .. bound-1
inline uint64_t below(uint64_t word, uint64_t bound) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * bound) >> 64);
}

}  // namespace gls::tool
