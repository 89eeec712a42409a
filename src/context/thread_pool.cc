#include "context/thread_pool.h"

#include <memory>
#include <utility>

#include "system/file_guard.h"

namespace gls {

ThreadPool::ThreadPool(unsigned num_threads) : state_(std::make_unique<State>()) {
  state_->threads.reserve(num_threads);
  try {
    for (unsigned i = 0; i < num_threads; ++i) {
      state_->threads.emplace_back([state = state_.get()] { run(*state); });
    }
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  if (fork_generation() != fork_generation_) {
    // The threads exist in the parent only, so there is nothing to join. Destroying a condition
    // variable would wait for its waiters, so the state is leaked.
    static_cast<void>(state_.release());
    return;
  }
  stop();
}

void ThreadPool::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    for (Idler* const idler : state_->idlers) {
      idler->come_back();
    }
    state_->idlers.clear();
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
    if (state_->queue.size() > state_->waiting && !state_->idlers.empty()) {
      state_->idlers.back()->come_back();
      state_->idlers.pop_back();
    }
  }
  state_->wake.notify_one();
}

bool ThreadPool::begin_idling(Idler& idler) {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopping || !state_->queue.empty()) {
    return false;
  }
  state_->idlers.push_back(&idler);
  return true;
}

bool ThreadPool::end_idling(Idler& idler) noexcept {
  const std::lock_guard lock(state_->mutex);
  return std::erase(state_->idlers, &idler) > 0;
}

void ThreadPool::run(State& state) {
  const FileReadScope reads;
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(state.mutex);
      ++state.waiting;
      state.wake.wait(lock, [&state] { return state.stopping || !state.queue.empty(); });
      --state.waiting;
      if (state.queue.empty()) {
        return;
      }
      task = std::move(state.queue.front());
      state.queue.pop_front();
    }
    task();
  }
}

}  // namespace gls
