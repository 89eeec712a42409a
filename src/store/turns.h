// Turns of a store: how many questions are in work at once, in the order in which they waited.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace gls {

// Any number of threads may use it at once.
class Turns {
 public:
  explicit Turns(uint32_t most) : most_(most) {}

  // False: there is none, or another thread waits.
  bool try_take();
  // False: no turn ended for so many milliseconds (negative: without limit), or the work of this
  // thread was cancelled.
  bool wait(int64_t limit_ms);
  // Of one that was taken.
  void end();

 private:
  struct Waiter {
    std::condition_variable changed{};
    bool granted = false;
  };
  const uint32_t most_;
  std::mutex mutex_;
  uint32_t taken_ = 0;
  uint64_t ended_at_ = 0;  // the last one
  std::list<Waiter> waiting_;
};

}  // namespace gls
