// A lock that lets one thread at a time work on an object. A thread that finds it taken leaves its
// work to the holder.
#pragma once

#include <atomic>
#include <cstdint>

namespace gls::net {

class CombiningLock {
 public:
  // True: the caller has the turn. Otherwise end() reports further work to the holder.
  bool ask() noexcept { return (state_.fetch_or(kTaken | kRequested) & kTaken) == 0; }
  // Waits for the turn.
  void begin() noexcept {
    uint32_t before = state_.fetch_or(kTaken);
    while ((before & kTaken) != 0) {
      state_.wait(before);
      before = state_.fetch_or(kTaken);
    }
  }
  // False: another thread asked meanwhile, and the caller keeps the turn.
  bool end() noexcept {
    uint32_t taken = kTaken;
    if (state_.compare_exchange_strong(taken, 0)) {
      state_.notify_one();
      return true;
    }
    state_.fetch_and(~kRequested);
    return false;
  }

 private:
  static constexpr uint32_t kTaken = 1;
  static constexpr uint32_t kRequested = 2;
  std::atomic<uint32_t> state_ = 0;
};

}  // namespace gls::net
