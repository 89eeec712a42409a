#include "net/connection/blocking_call.h"

#include <utility>

#include "net/core/network_thread.h"

namespace gls::net {

Completion Awaited::completion(std::shared_ptr<Awaited> self) {
  return [self = std::move(self)](Result<Message> outcome) { self->set(std::move(outcome)); };
}

void Awaited::set(Result<Message> outcome) {
  const std::lock_guard lock(mutex_);
  outcome_.emplace(std::move(outcome));
  is_set_ = true;
  if (reading_ == nullptr) {
    set_.notify_all();
  } else if (waits_ != std::this_thread::get_id()) {
    reading_->nudge();
  }
}

Result<Message> Awaited::wait(const std::shared_ptr<Connection>& connection) {
  std::unique_lock lock(mutex_);
  if (connection != nullptr && !is_set_ && !on_network_thread()) {
    reading_ = connection.get();
    waits_ = std::this_thread::get_id();
    lock.unlock();
    connection->read_here(*this);
    lock.lock();
    reading_ = nullptr;
  }
  set_.wait(lock, [this] { return outcome_.has_value(); });
  return std::move(*outcome_);
}

}  // namespace gls::net
