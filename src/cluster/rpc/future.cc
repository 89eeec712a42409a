#include "cluster/rpc/future.h"

#include <utility>

#include "context/stop_scope.h"

namespace gls::group {

bool Future::finish(Result<Items> outcome, const std::function<void()>& before) {
  std::vector<std::pair<gls_ready_fn, void*>> waiting;
  std::function<void()> cancel;  // destroyed after the lock is released
  {
    const std::lock_guard lock(mutex_);
    if (outcome_) {
      return false;
    }
    if (before) {
      before();
    }
    outcome_.emplace(std::move(outcome));
    waiting.swap(waiting_);
    cancel.swap(cancel_);
    over_.notify_all();
  }
  for (const auto& [ready, user_data] : waiting) {
    ready(user_data);
  }
  return true;
}

Status Future::wait_for_status() const { return wait(-1) ? status() : given_up(); }

bool Future::is_over() const {
  const std::lock_guard lock(mutex_);
  return outcome_.has_value();
}

bool Future::wait(int64_t timeout_ms) const {
  std::unique_lock lock(mutex_);
  return wait_ms_or_interrupt(over_, lock, timeout_ms, [this] { return outcome_.has_value(); });
}

Status Future::status() const {
  const std::lock_guard lock(mutex_);
  // The outcome no longer changes; status() of a Result is not const.
  return outcome_ ? const_cast<Result<Items>&>(*outcome_).status().copy() : Status();
}

size_t Future::count() const {
  const std::lock_guard lock(mutex_);
  return outcome_ && outcome_->ok() ? (*outcome_)->size() : 0;
}

Tensor Future::item(size_t index) const {
  const std::lock_guard lock(mutex_);
  return (**outcome_)[index];
}

bool Future::notify(gls_ready_fn ready, void* user_data) {
  const std::lock_guard lock(mutex_);
  if (outcome_) {
    return false;
  }
  waiting_.emplace_back(ready, user_data);
  return true;
}

void Future::on_cancel(std::function<void()> cancel) {
  {
    const std::lock_guard lock(mutex_);
    if (!canceled_) {
      if (!outcome_) {
        cancel_ = std::move(cancel);
      }
      return;
    }
  }
  cancel();
}

void Future::cancel() {
  std::function<void()> cancel;
  {
    const std::lock_guard lock(mutex_);
    if (outcome_ || canceled_) {
      return;
    }
    canceled_ = true;
    cancel.swap(cancel_);
  }
  static_cast<void>(finish(error(GLS_ERR_CANCELED, "it was canceled")));
  if (cancel) {
    cancel();
  }
}

}  // namespace gls::group
