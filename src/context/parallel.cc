#include "context/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace gls {
namespace {

// Submits helpers to the pool. The caller continues without them. Helpers refer to its stack, so no
// exception may leave it while helpers run.
template <typename Task>
bool offer(ThreadPool& pool, Task task) noexcept {
  try {
    pool.submit(std::move(task));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

constexpr std::chrono::milliseconds kTickEvery(100);

struct TryLoop {
  size_t count = 0;
  size_t grain = 1;
  const std::function<Status(size_t, size_t)>* body = nullptr;
  std::atomic<size_t> next{0};
  std::atomic<size_t> failed_at{SIZE_MAX};  // begin of the lowest failing range so far
  std::mutex mutex;
  std::condition_variable all_done;
  size_t finished = 0;
  Status failure;

  // Whether a range was left. `body` is only used while the caller still waits for the range taken
  // here, so a helper that starts late does no harm.
  //
  // The caller never waits for a helper that is still queued. Therefore no deadlock occurs when
  // every thread of the pool is itself in such a loop.
  bool work_one() {
    const size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= count) {
      return false;
    }
    const size_t end = std::min(begin + grain, count);
    Status status;
    if (begin < failed_at.load(std::memory_order_relaxed)) {
      status = guarded([&] { return (*body)(begin, end); });
    }
    const std::lock_guard lock(mutex);
    if (!status.ok() && begin < failed_at) {
      failed_at = begin;
      failure = std::move(status);
    }
    finished += end - begin;
    if (finished == count) {
      all_done.notify_all();
    }
    return true;
  }
};

}  // namespace

Status guarded(const std::function<Status()>& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory();
  } catch (const std::exception& e) {
    return or_out_of_memory(
        [&] { return error(GLS_ERR_INTERNAL, "unexpected exception: {}", e.what()); });
  }
}

Status parallel_try(ThreadPool& pool, size_t count, size_t grain,
                    const std::function<Status(size_t, size_t)>& body,
                    const std::function<Status()>& tick) {
  if (count == 0) {
    return {};
  }
  auto loop = std::make_shared<TryLoop>();
  loop->count = count;
  loop->grain = std::max<size_t>(grain, 1);
  loop->body = &body;
  const size_t pieces = (count - 1) / loop->grain + 1;
  const size_t helpers = std::min<size_t>(pool.size(), pieces - 1);
  for (size_t i = 0; i < helpers; ++i) {
    const bool queued = offer(pool, [loop] {
      while (loop->work_one()) {
      }
    });
    if (!queued) {
      break;
    }
  }
  Status canceled;
  const auto check = [&] {
    if (tick && canceled.ok()) {
      canceled = guarded(tick);
      if (!canceled.ok()) {
        const std::lock_guard lock(loop->mutex);
        loop->failed_at = 0;
      }
    }
  };
  while (loop->work_one()) {
    check();
  }
  std::unique_lock lock(loop->mutex);
  while (
      !loop->all_done.wait_for(lock, kTickEvery, [&] { return loop->finished == loop->count; })) {
    lock.unlock();
    check();
    lock.lock();
  }
  lock.unlock();
  if (loop->failure.ok()) {
    check();  // all ranges are done, which `tick` should see, too
  }
  return canceled.ok() ? std::move(loop->failure) : std::move(canceled);
}

// ---- Pipeline ----------------------------------------------------------------------------------

namespace {

// Items are numbered in order; item n uses slot n % window.
struct PipelineState {
  size_t window = 0;
  const Pipeline* pipeline = nullptr;
  std::mutex mutex;
  std::condition_variable worked;
  size_t fed = 0;
  size_t started = 0;
  size_t helpers = 0;
  size_t running = 0;
  bool closed = false;
  std::vector<bool> done;  // by slot
  std::vector<Status> status;

  // Processes the next item that no thread has begun. The lock is held on entry and exit.
  bool work_one(std::unique_lock<std::mutex>& lock) {
    if (closed || started == fed) {
      return false;
    }
    const size_t slot = started++ % window;
    ++running;
    lock.unlock();
    Status result = guarded([&] { return pipeline->work(slot); });
    lock.lock();
    --running;
    done[slot] = true;
    status[slot] = std::move(result);
    worked.notify_all();
    return true;
  }
};

// Waits for current work before the slots are destroyed, also when an exception passes.
class Closer {
 public:
  explicit Closer(PipelineState& state) : state_(state) {}
  ~Closer() {
    std::unique_lock lock(state_.mutex);
    state_.closed = true;
    state_.worked.wait(lock, [&] { return state_.running == 0; });
  }
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;

 private:
  PipelineState& state_;
};

}  // namespace

Status run_pipeline(ThreadPool& pool, size_t window, const Pipeline& pipeline) {
  auto state = std::make_shared<PipelineState>();
  state->window = std::max<size_t>(window, 1);
  state->pipeline = &pipeline;
  state->done.resize(state->window);
  state->status.resize(state->window);
  const Closer closer(*state);
  size_t drained = 0;
  bool more = true;
  Status feed_failure;  // comes after failures of earlier items
  for (;;) {
    while (more && state->fed - drained < state->window) {
      Result<bool> fed = pipeline.feed(state->fed % state->window);
      more = fed.ok() && *fed;
      if (!more) {
        feed_failure = std::move(fed.status());
        break;
      }
      const std::lock_guard lock(state->mutex);
      ++state->fed;
      if (state->helpers < pool.size()) {
        const bool queued = offer(pool, [state] {
          std::unique_lock inner(state->mutex);
          while (state->work_one(inner)) {
          }
          --state->helpers;
        });
        state->helpers += queued ? 1 : 0;
      }
    }
    if (drained == state->fed) {
      return feed_failure;
    }
    const size_t slot = drained % state->window;
    {
      std::unique_lock lock(state->mutex);
      // The pool may be busy with other tasks, so this never waits for an item that no thread has
      // begun.
      while (state->started <= drained) {
        state->work_one(lock);
      }
      state->worked.wait(lock, [&] { return state->done[slot]; });
      state->done[slot] = false;
      GLS_TRY(std::move(state->status[slot]));
    }
    GLS_TRY(pipeline.drain(slot));
    ++drained;
  }
}

}  // namespace gls
