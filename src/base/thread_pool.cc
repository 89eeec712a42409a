#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

namespace gls {

ThreadPool::ThreadPool(unsigned num_threads) {
  threads_.reserve(num_threads);
  for (unsigned i = 0; i < num_threads; ++i) {
    threads_.emplace_back([this] { run(); });
  }
}

ThreadPool::~ThreadPool() {
  if (fork_generation() != fork_generation_) {
    // The threads exist in the parent only: there is nothing to join, so forget them.
    static_cast<void>(new std::vector<std::thread>(std::move(threads_)));
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ThreadPool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void ThreadPool::run() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) {
        return;
      }
      task = std::move(queue_.front());
      queue_.pop_front();
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
