// Whose turn it is to work on something that one thread at a time may work on.
#pragma once

#include <atomic>
#include <cstdint>

namespace gls::net {

class Turn {
 public:
  // True: it is the caller's turn. Else whoever has it is told by end() that there is more to do.
  bool ask() noexcept { return (state_.fetch_or(kTaken | kAsked) & kTaken) == 0; }
  // Waits.
  void begin() noexcept {
    uint32_t before = state_.fetch_or(kTaken);
    while ((before & kTaken) != 0) {
      state_.wait(before);
      before = state_.fetch_or(kTaken);
    }
  }
  // False: somebody asked meanwhile, and it is still the caller's turn.
  bool end() noexcept {
    uint32_t taken = kTaken;
    if (state_.compare_exchange_strong(taken, 0)) {
      state_.notify_one();
      return true;
    }
    state_.fetch_and(~kAsked);
    return false;
  }

 private:
  static constexpr uint32_t kTaken = 1;
  static constexpr uint32_t kAsked = 2;
  std::atomic<uint32_t> state_ = 0;
};

}  // namespace gls::net
