// The steps of random walks, for CPUs and GPUs (docs/contract.md section 6).
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace gls {

// The draws of a step come in pairs. Pair 0 decides whether to stop or restart; pair 1 + k is try
// k, with its pick and its acceptance.
struct WalkDraws {
  uint64_t first;
  uint64_t second;
};
GLS_HOST_DEVICE constexpr WalkDraws walk_draws(uint64_t key, uint32_t step, uint32_t pair) {
  const PhiloxWords words = philox(pair, step, 0, 0, key);
  return {words.w[0] | (uint64_t{words.w[1]} << 32), words.w[2] | (uint64_t{words.w[3]} << 32)};
}

enum class WalkTurn : uint8_t { kEnd, kRestart, kGo };
// Uses pair 0. A probability of 0 never occurs.
GLS_HOST_DEVICE constexpr WalkTurn walk_turn(const WalkDraws& draws, double stop, double restart) {
  if (RowDraws::unit_of(draws.first) < stop) {
    return WalkTurn::kEnd;
  }
  return RowDraws::unit_of(draws.second) < restart ? WalkTurn::kRestart : WalkTurn::kGo;
}

// Tries of a second-order step before it is picked exactly, with the first draw of the next pair.
inline constexpr uint32_t kWalkTries = 64;

// node2vec: weights of entries that lead back to the previous node, and of those that lead away
// from its neighbours. Entries that lead to a neighbour of it have weight 1.
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
// Whether a try is accepted: its second draw, as a number below 1, times the largest weight must be
// below its weight. The result may depend on a link from the previous node to the entry's node.
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

// The entry that a try picks from a row of this length.
GLS_HOST_DEVICE constexpr uint64_t walk_entry(uint64_t draw, uint64_t degree) {
  return mul_high64(draw, degree);
}

}  // namespace gls
