// Lets a worker thread that has answered a request read the next one from the connection itself. No
// other thread must then be woken for it.
#pragma once

#include <atomic>
#include <functional>

#include "context/thread_pool.h"
#include "net/connection/connection.h"

namespace gls::net {

class NextRequest final : public StreamWaiter, public ThreadPool::Idler {
 public:
  using Task = std::function<void()>;

  // Called within a task of the pool. Empty: the pool needs this thread, or there is nothing to
  // wait for.
  static Task next(ThreadPool& pool, Connection& connection);
  // Keeps a request that arrives while this thread waits in next(). False: this thread does not
  // wait, or already has one.
  static bool keep(Task* task);

  // StreamWaiter
  bool done() noexcept override { return done_; }
  // ThreadPool::Idler
  void come_back() noexcept override;

 private:
  NextRequest(ThreadPool& pool, Connection& connection) : pool_(pool), connection_(connection) {}
  static NextRequest*& of_thread();

  ThreadPool& pool_;
  Connection& connection_;
  std::atomic<bool> done_ = false;
  Task task_;  // used by this thread only
};

}  // namespace gls::net
