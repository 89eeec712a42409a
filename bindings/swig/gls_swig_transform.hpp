/** @file gls_swig_transform.hpp
 *  Part of gls_swig.hpp: the stage of the caller's own in a loader, run by threads of the target
 *  language.
 */
#ifndef GLS_SWIG_TRANSFORM_HPP
#define GLS_SWIG_TRANSFORM_HPP

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gls_swig_sample.hpp"

namespace gls::facade {

#ifndef SWIG
/** Where workers of a loader wait for answers from threads of the target language. Closed when the
 *  loader ends: then waiting workers return, and it waits for workers that a thread serves. */
class TransformLine {
 public:
  /** One worker, as long as it waits. */
  struct Visit {
    gls_batch_t* batch;
    char* message;
    size_t capacity;
    gls_status_t status = GLS_ERR_CANCELED;
    bool done = false;
  };

  static gls_status_t visit(gls_batch_t* batch, void* line, char* message, size_t capacity) {
    return (*static_cast<std::shared_ptr<TransformLine>*>(line))->wait(batch, message, capacity);
  }
  static void release(void* line) {
    const std::unique_ptr<std::shared_ptr<TransformLine>> box(
        static_cast<std::shared_ptr<TransformLine>*>(line));
    (*box)->close();
  }

  /** NULL: there is none in time, or there will be none any more. */
  Visit* next(int64_t timeout_ms) {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !waiting_.empty() || closed_; };
    if (timeout_ms < 0) {
      arrived_.wait(lock, ready);
    } else {
      arrived_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
    }
    if (waiting_.empty()) {
      return nullptr;
    }
    Visit* const first = waiting_.front();
    waiting_.pop_front();
    serving_here() = this;
    return first;
  }
  void answer(Visit* visit, gls_status_t status, const std::string& message) {
    const std::lock_guard lock(mutex_);
    serving_here() = nullptr;
    leave(visit, status, message.c_str());
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (Visit* const visit : waiting_) {
      leave(visit, GLS_ERR_CANCELED, "the loader is being closed");
    }
    waiting_.clear();
    arrived_.notify_all();
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  /** Whether another thread is needed: there must be one more than workers in the line, so that the
   * next worker finds a free thread. If true, the thread counts as started. */
  bool wants_thread() {
    const std::lock_guard lock(mutex_);
    if (closed_ || threads_ > present_) {
      return false;
    }
    ++threads_;
    return true;
  }
  /** One that was wanted could not begin. */
  void lost_thread() {
    const std::lock_guard lock(mutex_);
    --threads_;
  }
  /** Whether this thread is between next() and answer(): then its loader waits for it, and it must
   *  not wait for the loader. */
  bool serves() const { return serving_here() == this; }
  /** Keeps a loader that ended on a thread that serves it; the thread ends it when it has answered.
   */
  void keep(gls::Loader loader) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(loader));
  }
  void end_kept() {
    std::vector<gls::Loader> kept;
    const std::lock_guard lock(mutex_);
    kept.swap(kept_);
  }
  bool in_child() const { return owner_ != getpid(); }

 private:
  static const TransformLine*& serving_here() {
    static thread_local const TransformLine* serving = nullptr;
    return serving;
  }
  gls_status_t wait(gls_batch_t* batch, char* message, size_t capacity) {
    Visit visit{batch, message, capacity};
    std::list<Visit*> place;
    try {
      place.push_back(&visit);
    } catch (const std::bad_alloc&) {
      return GLS_ERR_OUT_OF_MEMORY;
    }
    std::unique_lock lock(mutex_);
    if (closed_) {
      leave(&visit, GLS_ERR_CANCELED, "the loader is being closed");
      return visit.status;
    }
    waiting_.splice(waiting_.end(), place);
    ++present_;
    arrived_.notify_one();
    answered_.wait(lock, [&visit] { return visit.done; });
    --present_;
    return visit.status;
  }
  // The lock is held: the worker goes on when it is not.
  void leave(Visit* visit, gls_status_t status, const char* message) {
    std::snprintf(visit->message, visit->capacity, "%s", message);
    visit->status = status;
    visit->done = true;
    answered_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable answered_;
  std::list<Visit*> waiting_;
  std::vector<gls::Loader> kept_;
  size_t present_ = 0;  // workers in the line, or being served
  size_t threads_ = 0;
  bool closed_ = false;
  const pid_t owner_ = getpid();
};

/** A share of a line. In a forked child it is given up: there, threads that are gone still wait on
 *  it. */
class TransformShare {
 public:
  explicit TransformShare(std::shared_ptr<TransformLine> line) : line_(std::move(line)) {}
  TransformShare(const TransformShare&) = default;
  TransformShare& operator=(const TransformShare&) = delete;
  ~TransformShare() {
    if (line_->in_child()) {
      static_cast<void>(new std::shared_ptr<TransformLine>(std::move(line_)));
    }
  }
  TransformLine* operator->() const { return line_.get(); }
  const std::shared_ptr<TransformLine>& get() const { return line_; }

 private:
  std::shared_ptr<TransformLine> line_;
};
#endif

/** A batch on its way through a transform. The thread that takes it must finish it. */
class TransformTask {
 public:
  ~TransformTask() {
    if (visit_ != nullptr && !line_->in_child()) {
      finish(GLS_ERR_CANCELED, "the transform ended without an answer");
    }
  }
  /** To be used until finish(). */
  Batch* batch() const { return new Batch(lent_); }
  void attach(const char* name, const Tensor* tensor) {
    gls::Tensor taken = tensor->share(tensor->read_only());
    gls::detail::call([&](auto err) {
      return gls_batch_attach(lent_->handle, text_or_empty(name).c_str(), taken.get(), err);
    });
    static_cast<void>(taken.release());
  }
  /** @param status  0, or a GLS_ERR_* with its message */
  void finish(int32_t status, const char* message) {
    lent_->handle = nullptr;
    if (TransformLine::Visit* const visit = std::exchange(visit_, nullptr); visit != nullptr) {
      line_->answer(visit, status, text_or_empty(message));
    }
  }

#ifndef SWIG
  TransformTask(TransformShare line, TransformLine::Visit* visit)
      : line_(std::move(line)),
        visit_(visit),
        lent_(std::make_shared<LentBatch>(LentBatch{visit->batch})) {}
#endif

 private:
  TransformShare line_;
  TransformLine::Visit* visit_;
  std::shared_ptr<LentBatch> lent_;
};

/** Batches of one loader that are to be transformed, on their way to threads of the target
 * language. The library's threads wait for the answers, without any lock of the language. */
class TransformQueue {
 public:
  TransformQueue() : line_(std::make_shared<TransformLine>()) {}
  /** Waits for a batch; NULL when there is none in time, or when there will be none any more.
   *  @param timeout_ms  -1: without limit */
  TransformTask* next(int64_t timeout_ms) {
    line_->end_kept();
    TransformLine::Visit* const visit = line_->next(timeout_ms);
    return visit != nullptr ? new TransformTask(line_, visit) : nullptr;
  }
  /** Whether another thread is to take batches; asked before the first, and by each thread when it
   *  took one. It counts as begun, unless lost_thread() says that it could not. */
  bool wants_thread() { return line_->wants_thread(); }
  void lost_thread() { line_->lost_thread(); }
  bool closed() const { return line_->closed(); }
  /** Batches that were not taken, and all later ones, fail as cancelled. */
  void close() {
    if (!line_->in_child()) {
      line_->close();
    }
  }

#ifndef SWIG
  const TransformShare& line() const { return line_; }
#endif

 private:
  TransformShare line_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_TRANSFORM_HPP
