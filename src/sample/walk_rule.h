// Steps of random walks of the first order, for processors and GPUs alike (docs/contract.md section
// 6).
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace gls {

// The draws of a step come in pairs: number 0 says whether to stop and to restart; number 1 + k is
// try k, its pick and its acceptance.
struct WalkDraws {
  uint64_t first;
  uint64_t second;
};
GLS_HOST_DEVICE constexpr WalkDraws walk_draws(uint64_t key, uint32_t step, uint32_t pair) {
  const PhiloxWords words = philox(pair, step, 0, 0, key);
  return {words.w[0] | (uint64_t{words.w[1]} << 32), words.w[2] | (uint64_t{words.w[3]} << 32)};
}

enum class WalkTurn : uint8_t { kEnd, kRestart, kGo };
// Of pair 0. A probability of 0 is never met.
GLS_HOST_DEVICE constexpr WalkTurn walk_turn(const WalkDraws& draws, double stop, double restart) {
  if (RowDraws::unit_of(draws.first) < stop) {
    return WalkTurn::kEnd;
  }
  return RowDraws::unit_of(draws.second) < restart ? WalkTurn::kRestart : WalkTurn::kGo;
}

// What a try picks of a row of so many entries.
GLS_HOST_DEVICE constexpr uint64_t walk_entry(uint64_t draw, uint64_t degree) {
  return mul_high64(draw, degree);
}

}  // namespace gls
