// A function of the caller's, which a blocked call asks whether to end
// (gls_thread_set_interrupt()).
#pragma once

#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace gls {

inline constexpr uint64_t kAskNs = 50 * kMs;  // how often a call asks, at most

struct Interrupt {
  int32_t (*check)(void* user_data) = nullptr;
  void* user_data = nullptr;
  uint64_t ask_at = 0;  // as now_ns(); 0: nothing has blocked since it was set
  bool asked = false;   // the call that is under way is to end
};

// Of this thread. What library threads do on behalf of a caller is given up by that caller.
inline thread_local constinit Interrupt current_interrupt;

// Begins with each call of the library, and puts back what was known of an outer call: the function
// of an outer call may call the library.
class InterruptScope {
 public:
  InterruptScope() : outer_(std::exchange(current_interrupt.asked, false)) {}
  ~InterruptScope() { current_interrupt.asked = outer_; }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  const bool outer_;
};

// While one exists, calls of its thread are not interrupted: what puts things in order after an
// interruption may wait, for a bounded time.
class UninterruptedScope {
 public:
  UninterruptedScope() : outer_(std::exchange(current_interrupt, {})) {}
  ~UninterruptedScope() { current_interrupt = outer_; }
  UninterruptedScope(const UninterruptedScope&) = delete;
  UninterruptedScope& operator=(const UninterruptedScope&) = delete;

 private:
  const Interrupt outer_;
};

inline bool can_be_interrupted() { return current_interrupt.check != nullptr; }

// Until when the thread may block before it calls is_interrupted(), as now_ns().
inline uint64_t ask_at() {
  Interrupt& current = current_interrupt;
  if (current.check == nullptr) {
    return kForever;
  }
  if (current.asked) {
    return 0;
  }
  if (current.ask_at == 0) {
    current.ask_at = now_ns() + kAskNs;
  }
  return current.ask_at;
}

// Asks, if it is time to. Once true, it stays true until the call of the library ends. Under no
// lock: the function may call the library, or wait for a lock of an interpreter.
inline bool is_interrupted() {
  const uint64_t at = ask_at();
  if (at == kForever || at == 0) {
    return at == 0;
  }
  const uint64_t now = now_ns();
  if (now < at) {
    return false;
  }
  current_interrupt.ask_at = now + kAskNs;
  const Interrupt asking = current_interrupt;
  const bool asked = asking.check(asking.user_data) != 0;
  current_interrupt.asked = asked;
  return asked;
}

}  // namespace gls
