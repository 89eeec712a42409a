// Lets the thread that made a call wait for its outcome.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "net/connection/connection.h"

namespace gls::net {

class BlockingCall final : public StreamWaiter {
 public:
  // The completion to pass to the call. It keeps this object alive until it sets the outcome.
  static Completion completion(std::shared_ptr<BlockingCall> self);

  void set(Result<Message> outcome);  // at most once
  // Call it once, from one thread. If no other thread reads from `connection`, this thread reads
  // while it waits. It only waits if `connection` is null or not the connection of the call. Calls
  // have deadlines, so the wait ends. Returns given_up() when the caller of this thread interrupts
  // the wait (context/stop_scope.h); then cancel the call.
  Result<Message> wait(const std::shared_ptr<Connection>& connection);

  // StreamWaiter
  bool done() noexcept override;
  int patience_ms() noexcept override;

 private:
  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;
  std::condition_variable set_;
  std::optional<Result<Message>> outcome_;
  Connection* reading_ = nullptr;  // set while the waiting thread may read from it
  std::thread::id waits_;
  uint64_t leave_at_ = 0;  // of the thread that waits: to ask whether it is interrupted
};

}  // namespace gls::net
