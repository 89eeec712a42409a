#include "store/turns.h"

#include <algorithm>

#include "base/clock.h"
#include "context/stop_scope.h"

namespace gls {

bool Turns::try_take() {
  const std::lock_guard lock(mutex_);
  if (taken_ >= most_ || !waiting_.empty()) {
    return false;
  }
  ++taken_;
  return true;
}

bool Turns::wait(int64_t limit_ms) {
  std::unique_lock lock(mutex_);
  if (taken_ < most_ && waiting_.empty()) {
    ++taken_;
    return true;
  }
  const auto own = waiting_.emplace(waiting_.end());
  uint64_t since = now_ns();
  int64_t left_ms = limit_ms;
  while (!wait_ms_or_stop(own->changed, lock, left_ms, [&] { return own->granted; })) {
    since = std::max(since, ended_at_);
    const auto idle_ms = static_cast<int64_t>((now_ns() - since) / kMs);
    if (is_given_up() || (!is_unlimited(limit_ms) && idle_ms >= limit_ms)) {
      break;
    }
    left_ms = is_unlimited(limit_ms) ? limit_ms : limit_ms - idle_ms;
  }
  const bool granted = own->granted;  // perhaps since the wait ended
  waiting_.erase(own);
  return granted;
}

void Turns::end() {
  const std::lock_guard lock(mutex_);
  ended_at_ = now_ns();
  for (Waiter& waiter : waiting_) {
    if (!waiter.granted) {
      waiter.granted = true;  // the turn is its own now
      waiter.changed.notify_one();
      return;
    }
  }
  --taken_;
}

}  // namespace gls
