// The next request of a connection, for a thread that has answered one and has nothing else to do:
// it reads it itself, and nobody else is woken for it.
#pragma once

#include <atomic>
#include <functional>

#include "context/thread_pool.h"
#include "net/connection/connection.h"

namespace gls::net {

class AwaitedRequest final : public StreamWaiter, public ThreadPool::Idler {
 public:
  using Task = std::function<void()>;

  // Within a task of the pool. Empty: the pool needs this thread, or there is nothing to wait for.
  static Task next(ThreadPool& pool, Connection& connection);
  // What comes while this thread waits in next() is its own. False: it does not, or it has
  // something already.
  static bool keep(Task* task);

  // StreamWaiter
  bool done() noexcept override { return done_; }
  // ThreadPool::Idler
  void come_back() noexcept override;

 private:
  AwaitedRequest(ThreadPool& pool, Connection& connection) : pool_(pool), connection_(connection) {}
  static AwaitedRequest*& here();

  ThreadPool& pool_;
  Connection& connection_;
  std::atomic<bool> done_ = false;
  Task task_;  // of this thread alone
};

}  // namespace gls::net
