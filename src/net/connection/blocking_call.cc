#include "net/connection/blocking_call.h"

#include <chrono>
#include <utility>

#include "context/stop_scope.h"
#include "net/core/network_thread.h"

namespace gls::net {

Completion BlockingCall::completion(std::shared_ptr<BlockingCall> self) {
  return [self = std::move(self)](Result<Message> outcome) { self->set(std::move(outcome)); };
}

void BlockingCall::set(Result<Message> outcome) {
  const std::lock_guard lock(mutex_);
  outcome_.emplace(std::move(outcome));
  is_set_ = true;
  if (reading_ == nullptr) {
    set_.notify_all();
  } else if (waits_ != std::this_thread::get_id()) {
    reading_->nudge();
  }
}

bool BlockingCall::done() noexcept {
  return is_set_ || (leave_at_ != kForever && now_ns() >= leave_at_);
}

int BlockingCall::patience_ms() noexcept {
  if (leave_at_ == kForever) {
    return -1;
  }
  const uint64_t now = now_ns();
  return leave_at_ <= now ? 0 : static_cast<int>((leave_at_ - now + kMs - 1) / kMs);
}

Result<Message> BlockingCall::wait(const std::shared_ptr<Connection>& connection) {
  std::unique_lock lock(mutex_);
  const auto is_set = [this] { return outcome_.has_value(); };
  for (;;) {
    leave_at_ = ask_at();
    if (connection != nullptr && !is_set_ && !on_network_thread()) {
      reading_ = connection.get();
      waits_ = std::this_thread::get_id();
      lock.unlock();
      connection->read_by_caller(*this);
      lock.lock();
      reading_ = nullptr;
    }
    if (leave_at_ == kForever) {
      set_.wait(lock, is_set);
    } else if (const uint64_t now = now_ns(); now < leave_at_) {
      set_.wait_for(lock, std::chrono::nanoseconds(leave_at_ - now), is_set);
    }
    if (is_set()) {
      return std::move(*outcome_);
    }
    lock.unlock();
    if (is_interrupted()) {
      return given_up();
    }
    lock.lock();
  }
}

}  // namespace gls::net
