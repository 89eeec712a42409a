// The outcome of a call for the thread that waits for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "net/connection.h"

namespace gls::net {

class Awaited final : public StreamWaiter {
 public:
  // For the call; keeps what it sets.
  static Completion completion(std::shared_ptr<Awaited> self);

  void set(Result<Message> outcome);  // once
  // Once, by one thread. Where nobody else reads what comes over `connection`, this thread does
  // meanwhile; null, or another one than that of the call: it only waits. Calls end by themselves.
  // An error of given_up() where the caller of this thread interrupts it (base/interrupt.h): the
  // call is then to be cancelled.
  Result<Message> wait(const std::shared_ptr<Connection>& connection);

  // StreamWaiter
  bool done() noexcept override;
  int patience_ms() noexcept override;

 private:
  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;
  std::condition_variable set_;
  std::optional<Result<Message>> outcome_;
  Connection* reading_ = nullptr;  // while the thread that waits may read from it
  std::thread::id waits_;
  uint64_t leave_at_ = 0;  // of the thread that waits: to ask whether it is interrupted
};

}  // namespace gls::net
