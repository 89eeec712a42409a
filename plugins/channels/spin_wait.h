// Decides how long the driving thread stays awake without work. It spins for a short time, as long
// as that takes no CPU time from other threads.
#pragma once

#include <sched.h>

#include <cstdint>

#include "base/clock.h"

namespace gls::net {

class Spin {
 public:
  // The ns without work after which it is time to sleep.
  uint64_t patience(uint64_t now) const { return now < crowded_until_ ? kShort : kLong; }

  // Work is expected from now on.
  void begin() { idle_since_ = 0; }
  // After each turn: whether there was no work for so long that it is time to sleep. Before that, a
  // turn without work yields the CPU.
  bool is_over(bool busy) {
    if (busy) {  // the clock is not read then
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

  // Yields the CPU, so that a thread that serves or awaits a message may run.
  void give_way() {
    const uint64_t now = now_ns();
    if (now < crowded_until_) {
      return;
    }
    ::sched_yield();
    // A thread that yields to computing threads often returns late, while a sleeping thread would
    // be woken at once.
    const uint64_t after = now_ns();
    late_ = after > now + kLongTurn ? late_ + kLate : late_ - (late_ > 0 ? 1 : 0);
    if (late_ >= kTooLate) {
      late_ = kTooLate / 2;
      crowded_until_ = after + kCrowded;
    }
  }

 private:
  // The time that a server needs to gather and send a thousand rows. A client that asks again at
  // once then finds the server awake.
  static constexpr uint64_t kLong = 200000;
  static constexpr uint64_t kShort = 5000;
  // Measured: beside threads that always compute, there are two short yields for each long one.
  // With the longest replies, where this process causes the long yields, there are seven or more.
  static constexpr uint64_t kLongTurn = 2 * kMs;  // a yield this long ran other threads
  static constexpr unsigned kLate = 4;            // short yields that outweigh a long one
  static constexpr unsigned kTooLate = 32;
  static constexpr uint64_t kCrowded = 100 * kMs;  // time without yielding

  uint64_t idle_since_ = 0;  // 0: it was not idle yet
  uint64_t crowded_until_ = 0;
  unsigned late_ = 0;
};

}  // namespace gls::net
