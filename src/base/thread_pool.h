// A fixed set of threads. Work is submitted as whole tasks (a batch, a chunk of a file), so one
// lock per task is cheap; nothing here is called per row or edge.
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
  // Throws std::system_error when the system does not give so many threads.
  explicit ThreadPool(unsigned num_threads);
  // Finishes the queued tasks, then joins.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(state_->threads.size()); }

  // Tasks must not throw. Throws std::bad_alloc, and then the task is not queued.
  void submit(std::function<void()> task);

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> queue;
    bool stopping = false;
    std::vector<std::thread> threads;
  };
  static void run(State& state);
  void stop();

  const uint32_t fork_generation_ = fork_generation();
  std::unique_ptr<State> state_;
};

}  // namespace gls
