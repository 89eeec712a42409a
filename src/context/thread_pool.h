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

#include "system/fork.h"

namespace gls {

class ThreadPool {
 public:
  // Who waits within a task for more to do, on a thread that the pool may need for other tasks.
  class Idler {
   public:
    // The task is to end soon: the pool has another one, or ends. Any thread, under a lock of the
    // pool: it is short and calls nothing of the pool.
    virtual void come_back() noexcept = 0;

   protected:
    ~Idler() = default;
  };

  // Throws std::system_error when the system does not give so many threads.
  explicit ThreadPool(unsigned num_threads);
  // Finishes the queued tasks, then joins.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(state_->threads.size()); }

  // Tasks must not throw. Throws std::bad_alloc, and then the task is not queued.
  void submit(std::function<void()> task);

  // Within a task: its thread counts as one that has nothing to do, until come_back() or
  // end_idling(). False: there is something to do. Throws std::bad_alloc.
  bool begin_idling(Idler& idler);
  // After it nobody calls come_back(). False: somebody did, or it was not idling.
  bool end_idling(Idler& idler) noexcept;

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> queue;
    size_t waiting = 0;  // threads
    std::vector<Idler*> idlers;
    bool stopping = false;
    std::vector<std::thread> threads;
  };
  static void run(State& state);
  void stop();

  const uint32_t fork_generation_ = fork_generation();
  std::unique_ptr<State> state_;
};

}  // namespace gls
