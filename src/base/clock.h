// A monotonic clock, timeouts and deadlines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>

namespace gls {

inline constexpr uint64_t kMs = 1'000'000;  // nanoseconds
inline constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();

// Monotonic nanoseconds, for durations only.
inline uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// Timeouts in milliseconds have no limit if they are negative, or so long that the clock would
// overflow.
inline bool is_unlimited(int64_t timeout_ms) {
  constexpr int64_t kLongest = int64_t{1} << 40;  // 35 years; below the limit of the clock
  return timeout_ms < 0 || timeout_ms > kLongest;
}

// The end of the timeout, on the clock of now_ns().
inline uint64_t deadline_of(int64_t timeout_ms) {
  return is_unlimited(timeout_ms) ? kForever : now_ns() + static_cast<uint64_t>(timeout_ms) * kMs;
}

// Waits until `done` or the timeout; returns whether `done` holds.
template <typename Done>
bool wait_ms(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
             int64_t timeout_ms, Done done) {
  if (is_unlimited(timeout_ms)) {
    changed.wait(lock, done);
    return true;
  }
  return changed.wait_for(lock, std::chrono::milliseconds(timeout_ms), done);
}

}  // namespace gls
