// Steps of random walks, for processors and GPUs alike (docs/contract.md section 6).
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

// Tries of a step of the second order before it is picked exactly, with the first draw of the pair
// behind them.
inline constexpr uint32_t kWalkTries = 64;

// node2vec: what entries of a row weigh that lead back to the node before, and away from its
// neighbours; those that lead to a neighbour of it weigh 1.
struct WalkBias {
  double back = 1;
  double away = 1;

  GLS_HOST_DEVICE constexpr double most() const {
    const double other = away > 1 ? away : 1;
    return back > other ? back : other;
  }
  GLS_HOST_DEVICE constexpr double of(bool leads_back, bool linked) const {
    return leads_back ? back : linked ? 1.0 : away;
  }
  // Whether weights of entries that do not lead back depend on links.
  GLS_HOST_DEVICE constexpr bool asks_links() const { return away != 1; }
};

enum class WalkTry : uint8_t { kTake, kRefuse, kAskLink };
// Whether a try is accepted by its second draw as a number below 1: where its weight is above unit
// times the most. The answer may depend on whether the node before is linked to the entry's.
GLS_HOST_DEVICE constexpr WalkTry judge_walk(const WalkBias& bias, bool leads_back, double unit) {
  const double x = unit * bias.most();
  if (leads_back) {
    return x < bias.back ? WalkTry::kTake : WalkTry::kRefuse;
  }
  if (x < (bias.away < 1 ? bias.away : 1.0)) {
    return WalkTry::kTake;
  }
  return x >= (bias.away > 1 ? bias.away : 1.0) ? WalkTry::kRefuse : WalkTry::kAskLink;
}
GLS_HOST_DEVICE constexpr bool accepts_walk(const WalkBias& bias, bool linked, double unit) {
  return unit * bias.most() < bias.of(false, linked);
}

// What a try picks of a row of so many entries.
GLS_HOST_DEVICE constexpr uint64_t walk_entry(uint64_t draw, uint64_t degree) {
  return mul_high64(draw, degree);
}

}  // namespace gls
