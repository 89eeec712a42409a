// Counts and finds set bits in words, on any CPU.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gls {

inline size_t mask_words(int64_t bits) { return static_cast<size_t>((bits + 63) / 64); }

// As std::popcount, which is a function call where the compiler may not use the instruction.
inline int64_t set_bits(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int64_t>(word * 0x0101010101010101u >> 56);
}

// The index of the set bit that has `rank` set bits below it. The word has more than `rank`.
inline int64_t nth_set_bit(uint64_t word, int64_t rank) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  // Sums within each byte; then byte i of `sums` counts the bits of bytes 0 .. i.
  uint64_t bytes = word - (word >> 1 & 0x5555555555555555u);
  bytes = (bytes & 0x3333333333333333u) + (bytes >> 2 & 0x3333333333333333u);
  bytes = (bytes + (bytes >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  const uint64_t sums = bytes * kOnes;
  // A byte of `sums` that is at most the rank keeps its high bit in this difference.
  const auto wanted = static_cast<uint64_t>(rank);
  const uint64_t passed = ((wanted * kOnes | 0x8080808080808080u) - sums) & 0x8080808080808080u;
  const auto shift = static_cast<int64_t>((passed >> 7) * kOnes >> 56) * 8;
  uint64_t left = wanted - (shift == 0 ? 0 : sums >> (shift - 8) & 0xff);
  uint64_t byte = word >> shift & 0xff;
  for (; left > 0; --left) {
    byte &= byte - 1;
  }
  return shift + std::countr_zero(byte);
}

}  // namespace gls
