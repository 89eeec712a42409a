// A fixed set of threads that run whole tasks (a batch, a chunk of a file). One lock per task is
// therefore cheap; nothing here is called per row or edge.
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
  // A task that waits for more work on a thread that the pool may need for other tasks.
  class Idler {
   public:
    // The task must end soon, because the pool has another task or ends. Called on any thread,
    // under a lock of the pool. It must be short and must not call the pool.
    virtual void come_back() noexcept = 0;

   protected:
    ~Idler() = default;
  };

  // Throws std::system_error when the system cannot start the threads.
  explicit ThreadPool(unsigned num_threads);
  // Finishes the queued tasks, then joins.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(state_->threads.size()); }

  // Tasks must not throw. Throws std::bad_alloc, and the task is not queued then.
  void submit(std::function<void()> task);

  // Call it within a task: its thread counts as idle until come_back() or end_idling(). False:
  // there is a task to run. Throws std::bad_alloc.
  bool begin_idling(Idler& idler);
  // Afterwards come_back() is not called. False: it was called, or the thread was not idle.
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
