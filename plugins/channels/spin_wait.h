// How a thread that drives lanes waits: awake for a short while, as long as that takes nothing from
// others.
#pragma once

#include <sched.h>

#include <cstdint>

#include "base/clock.h"

namespace gls::net {

class Spin {
 public:
  // ns without anything to do before it is time to sleep.
  uint64_t patience(uint64_t now) const { return now < crowded_until_ ? kShort : kLong; }

  // Something is to be done from now on.
  void begin() { idle_since_ = 0; }
  // After each turn: whether there was nothing to do for so long that it is time to sleep. Before
  // that, one without anything to do gives way.
  bool is_over(bool busy) {
    if (busy) {  // the time is not asked for then
      idle_since_ = 0;
      return false;
    }
    const uint64_t now = now_ns();
    if (idle_since_ == 0) {
      idle_since_ = now;
    } else if (now > idle_since_ + patience(now)) {
      return true;
    }
    give_way();
    return false;
  }

  // Nothing is to be done now: whoever serves what came, or waits for it, may have this processor.
  void give_way() {
    const uint64_t now = now_ns();
    if (now < crowded_until_) {
      return;
    }
    ::sched_yield();
    // But it comes back late from those that compute, again and again, where one that sleeps would
    // be woken at once.
    const uint64_t after = now_ns();
    late_ = after > now + kLongTurn ? late_ + kLate : late_ - (late_ > 0 ? 1 : 0);
    if (late_ >= kTooLate) {
      late_ = kTooLate / 2;
      crowded_until_ = after + kCrowded;
    }
  }

 private:
  // What a server takes to gather and send a thousand rows: who asks again at once meets nobody
  // asleep.
  static constexpr uint64_t kLong = 200000;
  static constexpr uint64_t kShort = 5000;
  // Measured: beside threads that compute all the time there are two short turns for a long one,
  // and in the longest answers, where the long ones are those of our own threads, seven and more.
  static constexpr uint64_t kLongTurn = 2 * kMs;  // of others
  static constexpr unsigned kLate = 4;            // short turns that make good for a long one
  static constexpr unsigned kTooLate = 32;
  static constexpr uint64_t kCrowded = 100 * kMs;  // without giving way

  uint64_t idle_since_ = 0;  // 0: it was not idle yet
  uint64_t crowded_until_ = 0;
  unsigned late_ = 0;
};

}  // namespace gls::net
