// Cancels the work of a thread, including its waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/clock.h"
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

inline Status given_up() { return error(GLS_ERR_CANCELED, "it was given up"); }

// As wait_ms(), and also false when the work of this thread is cancelled. The lock is released
// during the wait in any case.
template <typename Done>
bool wait_ms_or_stop(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                     int64_t timeout_ms, Done done) {
  const std::stop_token stop = current_stop;
  if (!stop.stop_possible() || done()) {
    return wait_ms(changed, lock, timeout_ms, done);
  }
  lock.unlock();
  {
    const std::stop_callback wake(stop, [&changed, mutex = lock.mutex()] {
      { const std::lock_guard looked(*mutex); }  // a thread that is about to wait sees it
      changed.notify_all();
    });
    lock.lock();
    static_cast<void>(
        wait_ms(changed, lock, timeout_ms, [&] { return stop.stop_requested() || done(); }));
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
