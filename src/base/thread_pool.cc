#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

namespace gls {

ThreadPool::ThreadPool(unsigned num_threads) : state_(std::make_unique<State>()) {
  state_->threads.reserve(num_threads);
  for (unsigned i = 0; i < num_threads; ++i) {
    state_->threads.emplace_back([state = state_.get()] { run(*state); });
  }
}

ThreadPool::~ThreadPool() {
  if (fork_generation() != fork_generation_) {
    // The threads exist in the parent only. There is nothing to join, and destroying a condition
    // that threads wait on would wait for them: forget it all.
    static_cast<void>(state_.release());
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  for (std::thread& thread : state_->threads) {
    thread.join();
  }
}

void ThreadPool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->queue.push_back(std::move(task));
  }
  state_->wake.notify_one();
}

void ThreadPool::run(State& state) {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(state.mutex);
      state.wake.wait(lock, [&state] { return state.stopping || !state.queue.empty(); });
      if (state.queue.empty()) {
        return;
      }
      task = std::move(state.queue.front());
      state.queue.pop_front();
    }
    task();
  }
}

namespace {

// Shared by the caller and its helpers. Helpers that start after the work is gone find nothing to
// do, so the caller never waits for a task that is still queued behind others: no deadlock when
// every pool thread is itself inside parallel_for.
struct Loop {
  size_t count;
  size_t grain;
  const std::function<void(size_t, size_t)>* body;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::condition_variable done;
  size_t finished = 0;

  void work() {
    for (;;) {
      const size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= count) {
        return;
      }
      const size_t end = std::min(begin + grain, count);
      (*body)(begin, end);
      const std::lock_guard lock(mutex);
      finished += end - begin;
      if (finished == count) {
        done.notify_all();
      }
    }
  }
};

}  // namespace

void ThreadPool::parallel_for(size_t count, size_t grain,
                              const std::function<void(size_t, size_t)>& body) {
  if (count == 0) {
    return;
  }
  grain = std::max<size_t>(grain, 1);
  const size_t pieces = (count + grain - 1) / grain;
  if (pieces == 1) {
    body(0, count);
    return;
  }
  auto loop = std::make_shared<Loop>();
  loop->count = count;
  loop->grain = grain;
  loop->body = &body;
  const size_t helpers = std::min<size_t>(size(), pieces - 1);
  for (size_t i = 0; i < helpers; ++i) {
    submit([loop] { loop->work(); });
  }
  loop->work();
  std::unique_lock lock(loop->mutex);
  loop->done.wait(lock, [&] { return loop->finished == loop->count; });
}

}  // namespace gls
