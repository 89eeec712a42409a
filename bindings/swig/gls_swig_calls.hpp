/** @file gls_swig_calls.hpp
 *  Part of gls_swig.hpp: functions that processes call of each other, and what comes of it.
 */
#ifndef GLS_SWIG_CALLS_HPP
#define GLS_SWIG_CALLS_HPP

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "gls_swig_ready.hpp"
#include "gls_swig_tensor.hpp"

namespace gls::facade {

#ifndef SWIG
/** Bytes of a caller. */
struct Bytes {
  const void* data = nullptr;
  size_t size = 0;
};
/** The memory of a contiguous vector, which may be NULL. */
inline Bytes bytes_of(const Tensor* vector) {
  if (vector == nullptr || vector->size() == 0) {
    return {};
  }
  vector->check_on_host();
  return {vector->data(),
          static_cast<size_t>(vector->size()) * (static_cast<size_t>(vector->dtype_bits()) / 8u)};
}

inline gls_call_options_t call_options(bool idempotent) {
  gls_call_options_t options = GLS_CALL_OPTIONS_INIT;
  if (idempotent) {
    options.flags |= GLS_CALL_IDEMPOTENT;
  }
  return options;
}
#endif

/** The result of an asynchronous operation. For any thread. */
class Future {
 public:
  /** Waits; throws what it ended with. False: the time has passed.
   *  @param timeout_ms  as in gls.h */
  bool is_over(int64_t timeout_ms) const { return future_.wait(timeout_ms); }
  /** Of items; 0 while it is not over. */
  uint32_t count() const { return static_cast<uint32_t>(future_.count()); }
  Tensor* item(uint32_t index) const { return new Tensor(future_.bytes(index)); }
  /** True: it is over. False: `number`, which is not 0, comes out of the queue once it is, or the
   *  future was deleted. */
  bool notify(const ReadyQueue* queue, uint64_t number) {
    auto ticket = std::make_unique<ReadyQueue::Ticket>(*queue, number);
    if (future_.notify(ReadyQueue::Ticket::send, ticket.get()) == GLS_OK) {
      return true;
    }
    static_cast<void>(ticket.release());  // it may be gone already
    return false;
  }
  void cancel() { future_.cancel(); }

#ifndef SWIG
  explicit Future(gls::Future future) : future_(std::move(future)) {}
#endif

 private:
  gls::Future future_;
};

/** A call of a function of this process, which is to be answered once. For any thread. */
class CallTask {
 public:
  const char* function() const { return info().function; }
  const char* caller() const { return info().caller; }
  /** -1: the caller is not in the group. */
  int64_t rank() const { return info().rank; }
  /** -1: not called for a part. */
  int64_t part() const { return info().part; }
  bool canceled() const { return info().canceled != 0; }
  /** @param data  may be NULL: none */
  void reply(const Tensor* data) {
    const Bytes bytes = bytes_of(data);
    call_.reply(bytes.data, bytes.size);
  }
  void fail(int32_t status, const char* message) { call_.fail(status, text_or_empty(message)); }

#ifndef SWIG
  explicit CallTask(gls::Call call) : call_(std::move(call)) {}
  /** What it was given; lives as long as this. */
  Bytes data() const { return {info().data, info().size}; }
#endif

 private:
  gls_call_info_t info() const { return call_.info(); }
  gls::Call call_;
};

#ifndef SWIG
/** Calls that wait for a thread of the target language, scheduled round-robin by caller, as the
 * library schedules functions on its own threads. A call that its caller no longer waits for is not
 * taken. */
class CallLine {
 public:
  /** False: it is closed, and the call still the caller's. */
  bool send(gls::Call* call) {
    std::list<gls::Call> one;
    const std::string caller = call->info().caller;
    std::list<std::string> turn{caller};
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return false;
    }
    one.push_back(std::move(*call));
    std::list<gls::Call>& own = callers_[caller];  // the last that may throw
    if (own.empty()) {
      turns_.splice(turns_.end(), turn);
    }
    own.splice(own.end(), one);
    arrived_.notify_one();
    return true;
  }
  /** Waits; empty when there is none in time, or when there will be none any more.
   *  @param timeout_ms  -1: without limit */
  std::optional<gls::Call> next(int64_t timeout_ms) {
    std::list<gls::Call> dropped;  // answered after the lock
    std::unique_lock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::milliseconds(timeout_ms < 0 ? 0 : timeout_ms);
    for (;;) {
      std::optional<gls::Call> call = take(&dropped);
      if (call.has_value() || closed_) {
        lock.unlock();
        return call;
      }
      if (!dropped.empty()) {
        lock.unlock();
        dropped.clear();
        lock.lock();
      } else if (timeout_ms < 0) {
        arrived_.wait(lock);
      } else if (arrived_.wait_until(lock, until) == std::cv_status::timeout) {
        call = take(&dropped);
        lock.unlock();
        return call;
      }
    }
  }
  /** Those that wait, which are the caller's, and no others any more. */
  std::list<gls::Call> close() {
    std::list<gls::Call> out;
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (auto& [caller, own] : callers_) {
      out.splice(out.end(), own);
    }
    callers_.clear();
    turns_.clear();
    arrived_.notify_all();
    return out;
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  std::optional<gls::Call> take(std::list<gls::Call>* dropped) {
    std::optional<gls::Call> out;
    while (!out.has_value() && !turns_.empty()) {
      const auto found = callers_.find(turns_.front());
      std::list<gls::Call>& own = found->second;
      while (!own.empty() && own.front().info().canceled != 0) {
        dropped->splice(dropped->end(), own, own.begin());
      }
      if (!own.empty()) {
        out.emplace(std::move(own.front()));
        own.pop_front();
      }
      if (own.empty()) {
        callers_.erase(found);
        turns_.pop_front();
      } else {
        turns_.splice(turns_.end(), turns_, turns_.begin());
      }
    }
    return out;
  }

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::string, std::list<gls::Call>> callers_;
  std::list<std::string> turns_;  // each of callers_ once
  bool closed_ = false;
};
#endif

/** Calls of functions, on their way to threads of the target language. The library's threads only
 *  append, so they never wait for a virtual machine. It closes itself when the library has let go
 * of the last function whose calls come here. */
class CallQueue {
 public:
  CallQueue() : line_(std::make_shared<Line>()) {}
  /** Waits for a call; NULL when there is none in time, or when there will be none any more.
   *  @param timeout_ms  -1: without limit */
  CallTask* next(int64_t timeout_ms) {
    std::optional<gls::Call> call = line_->calls.next(timeout_ms);
    return call.has_value() ? new CallTask(std::move(*call)) : nullptr;
  }
  bool closed() const { return line_->calls.closed(); }
  /** Calls that no thread has taken, and all later ones, end with an error that says so. */
  void close() {
    for (gls::Call& call : line_->calls.close()) {
      refuse(call);
    }
  }

#ifndef SWIG
  /** `add(function, user_data, destroy)` makes the library send calls here. It throws nothing
   * before the library has `user_data`. */
  template <typename Add>
  void attach(Add&& add) const {
    auto share = std::make_unique<std::shared_ptr<Line>>(line_);
    line_->functions += 2;  // one of them keeps the queue open if the call fails
    try {
      add(&CallQueue::send, share.release(), &CallQueue::forget);
    } catch (...) {
      --line_->functions;
      throw;
    }
    if (--line_->functions == 0) {
      close(*line_);
    }
  }
#endif

 private:
  struct Line {
    CallLine calls;
    std::atomic<size_t> functions = 0;
  };

  static void send(gls_call_t* taken, void* share) {
    gls::Call call(taken);
    Line& line = **static_cast<std::shared_ptr<Line>*>(share);
    try {
      if (!line.calls.send(&call)) {
        refuse(call);
      }
    } catch (const std::exception&) {  // the caller gets an error: there was no answer
    }
  }
  static void refuse(gls::Call& call) {
    try {
      call.fail(GLS_ERR_IO, "the process calls its functions no more");
    } catch (const std::exception&) {  // answered, or there is no memory
    }
  }
  static void forget(void* share) {
    const std::unique_ptr<std::shared_ptr<Line>> line(static_cast<std::shared_ptr<Line>*>(share));
    if (--(*line)->functions == 0) {
      close(**line);
    }
  }
  static void close(Line& line) {
    for (gls::Call& call : line.calls.close()) {
      refuse(call);
    }
  }

  std::shared_ptr<Line> line_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_CALLS_HPP
