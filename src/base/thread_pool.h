// A fixed set of threads. Work is submitted as whole tasks (a batch, a chunk of a file), so one lock
// per task is cheap; nothing here is called per row or edge.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/fork.h"

namespace gls {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned num_threads);
  // Finishes the queued tasks, then joins.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(state_->threads.size()); }

  // Tasks must not throw.
  void submit(std::function<void()> task);

  // Calls body(begin, end) for consecutive ranges of about `grain` that cover [0, count), on the
  // pool and the calling thread, and returns when all are done. May be called from a pool thread.
  void parallel_for(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body);

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> queue;
    bool stopping = false;
    std::vector<std::thread> threads;
  };
  static void run(State& state);

  const uint32_t fork_generation_ = fork_generation();
  std::unique_ptr<State> state_;
};

}  // namespace gls
