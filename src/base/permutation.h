// A keyed permutation of 0 .. n-1 that is computed and never stored: any position takes constant
// time.
//
// Source: Mitchell, Stokes, Frank, Holmes, "Bandwidth-optimal random shuffling for GPUs", ACM TOPC
// 9:1, 2022 (VariablePhilox), with cycle walking. docs/contract.md section 4 describes it in words.
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace gls {

class KeyedPermutation {
 public:
  static constexpr uint32_t kRounds = 24;
  static constexpr uint64_t kMaxSize = uint64_t{1} << 62;

  GLS_HOST_DEVICE constexpr KeyedPermutation(uint64_t size, uint64_t key) : size_(size) {
    uint32_t bits = 8;  // with fewer bits, the orders of a handful of items are measurably uneven
    while (bits < 62 && (uint64_t{1} << bits) < size) {
      ++bits;
    }
    left_bits_ = bits / 2;
    right_bits_ = bits - left_bits_;
    for (uint32_t r = 0; r < kRounds; r += 4) {
      const PhiloxWords words = philox(r / 4, 0, 0, 0, key);
      for (uint32_t i = 0; i < 4; ++i) {
        round_keys_[r + i] = words.w[i];
      }
    }
  }

  // i < size
  GLS_HOST_DEVICE constexpr uint64_t operator()(uint64_t i) const {
    do {
      i = apply(i);
    } while (i >= size_);
    return i;
  }

 private:
  GLS_HOST_DEVICE constexpr uint64_t apply(uint64_t x) const {
    const uint32_t left_mask = (uint32_t{1} << left_bits_) - 1;
    const uint32_t right_mask = (uint32_t{1} << right_bits_) - 1;
    auto left = static_cast<uint32_t>(x >> right_bits_);
    auto right = static_cast<uint32_t>(x) & right_mask;
    for (const uint32_t round_key : round_keys_) {
      const uint64_t product = 0xd2b74407b1ce6e93u * left;
      const uint32_t next_left = (hi32(product) ^ round_key ^ right) & left_mask;
      right = ((lo32(product) << (right_bits_ - left_bits_)) | (right >> left_bits_)) & right_mask;
      left = next_left;
    }
    return (uint64_t{left} << right_bits_) | right;
  }

  uint64_t size_;
  uint32_t left_bits_ = 0;
  uint32_t right_bits_ = 0;
  uint32_t round_keys_[kRounds] = {};
};

}  // namespace gls
