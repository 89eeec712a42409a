// Cancels the work of a thread, including its waits.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/status.h"

namespace gls {

// The token of this thread's current work; without a scope the work is never cancelled.
inline thread_local std::stop_token current_stop;

class StopScope {
 public:
  explicit StopScope(std::stop_token stop) : outer_(std::exchange(current_stop, std::move(stop))) {}
  ~StopScope() { current_stop = std::move(outer_); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  std::stop_token outer_;
};

// Whether it is: by its scope, or as its caller interrupted it.
inline bool is_given_up() { return current_stop.stop_requested() || current_interrupt.asked; }

inline Status interrupted() {
  return error(GLS_ERR_CANCELED, "the interrupt function of the calling thread ended the call");
}
inline Status given_up() {
  return current_interrupt.asked ? interrupted() : error(GLS_ERR_CANCELED, "it was given up");
}

// As wait_ms(), and false, too, when the caller of this thread interrupts it; see is_interrupted().
// The lock is let go meanwhile.
template <typename Done>
bool wait_ms_or_interrupt(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                          int64_t timeout_ms, Done done) {
  if (!can_be_interrupted()) {
    return wait_ms(changed, lock, timeout_ms, done);
  }
  const uint64_t end = deadline_of(timeout_ms);
  for (;;) {
    const uint64_t until = std::min(end, ask_at());
    const uint64_t now = now_ns();
    const std::chrono::nanoseconds left(until > now ? until - now : 0);
    if (changed.wait_for(lock, left, done)) {
      return true;
    }
    if (until == end || now_ns() >= end) {
      return false;
    }
    lock.unlock();
    const bool interrupted = is_interrupted();
    lock.lock();
    if (interrupted) {
      return done();
    }
  }
}

// As wait_ms(), and also false when the work of this thread is cancelled. The lock is released
// during the wait in any case.
template <typename Done>
bool wait_ms_or_stop(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                     int64_t timeout_ms, Done done) {
  const std::stop_token stop = current_stop;
  if (!stop.stop_possible() || done()) {
    return wait_ms_or_interrupt(changed, lock, timeout_ms, done);
  }
  lock.unlock();
  {
    const std::stop_callback wake(stop, [&changed, mutex = lock.mutex()] {
      { const std::lock_guard looked(*mutex); }  // a thread that is about to wait sees it
      changed.notify_all();
    });
    lock.lock();
    static_cast<void>(wait_ms_or_interrupt(changed, lock, timeout_ms,
                                           [&] { return stop.stop_requested() || done(); }));
    lock.unlock();  // the callback may need the lock, and its end is waited for
  }
  lock.lock();
  return done();
}

// Sleeps for this long, or until the work of this thread is cancelled.
inline void pause_or_stop(int64_t ms) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  static_cast<void>(wait_ms_or_stop(never, lock, ms, [] { return false; }));
}

}  // namespace gls
