/** @file gls_swig_calls.hpp
 *  Part of gls_swig.hpp: functions that processes call of each other, and what comes of it.
 */
#ifndef GLS_SWIG_CALLS_HPP
#define GLS_SWIG_CALLS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "gls_swig_mailbox.hpp"
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

inline gls_call_options_t call_options(int64_t timeout_ms, bool idempotent) {
  gls_call_options_t options = GLS_CALL_OPTIONS_INIT;
  options.timeout_ms = timeout_ms;
  if (idempotent) {
    options.flags |= GLS_CALL_IDEMPOTENT;
  }
  return options;
}
#endif

/** What is to come of something that was begun. For any thread. */
class Answer {
 public:
  /** Waits; throws what it ended with. False: the time has passed.
   *  @param timeout_ms  -1: without limit */
  bool is_over(int64_t timeout_ms) const { return answer_.wait(timeout_ms); }
  /** Of items; 0 while it is not over. */
  uint32_t count() const { return static_cast<uint32_t>(answer_.count()); }
  Tensor* item(uint32_t index) const { return new Tensor(answer_.bytes(index)); }
  /** True: it is over. False: `number`, which is not 0, comes out of the queue once it is, or the
   *  answer was deleted. */
  bool notify(const ReadyQueue* queue, uint64_t number) {
    auto ticket = std::make_unique<ReadyQueue::Ticket>(*queue, number);
    if (answer_.notify(ReadyQueue::Ticket::send, ticket.get()) == GLS_OK) {
      return true;
    }
    static_cast<void>(ticket.release());  // it may be gone already
    return false;
  }
  void cancel() { answer_.cancel(); }

#ifndef SWIG
  explicit Answer(gls::Answer answer) : answer_(std::move(answer)) {}
#endif

 private:
  gls::Answer answer_;
};

/** A call of a function of this process, which is to be answered once. For any thread. */
class CallTask {
 public:
  const char* function() const { return info().function; }
  const char* caller() const { return info().caller; }
  /** -1: who calls is not of the group. */
  int64_t rank() const { return info().rank; }
  /** -1: it was called for no part. */
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
  /** Calls that nobody took, and all later ones, end with an error. */
  void close() {
    line_->calls.close();
    while (line_->calls.next(0).has_value()) {
    }
  }

#ifndef SWIG
  /** `add(function, user_data, destroy)` makes the library send calls here. */
  template <typename Add>
  void attach(Add&& add) const {
    auto share = std::make_unique<std::shared_ptr<Line>>(line_);
    ++line_->functions;
    try {
      add(&CallQueue::send, share.get(), &CallQueue::forget);
    } catch (...) {
      --line_->functions;
      throw;
    }
    static_cast<void>(share.release());
  }
#endif

 private:
  struct Line {
    Mailbox<gls::Call> calls{SIZE_MAX};
    std::atomic<size_t> functions = 0;
  };

  static void send(gls_call_t* taken, void* share) {
    gls::Call call(taken);
    Line& line = **static_cast<std::shared_ptr<Line>*>(share);
    try {
      if (line.calls.closed()) {
        call.fail(GLS_ERR_INVALID_STATE, "the process calls its functions no more");
        return;
      }
      std::list<gls::Call> letter;
      letter.push_back(std::move(call));
      line.calls.send(std::move(letter));
    } catch (const std::exception&) {  // the caller is told that there was no answer
    }
  }
  static void forget(void* share) {
    const std::unique_ptr<std::shared_ptr<Line>> line(static_cast<std::shared_ptr<Line>*>(share));
    if (--(*line)->functions == 0) {
      (*line)->calls.close();
    }
  }

  std::shared_ptr<Line> line_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_CALLS_HPP
