/** @file gls_swig_mailbox.hpp
 *  Part of gls_swig.hpp: what threads of the library have for a thread of the target language. SWIG
 *  does not read it.
 */
#ifndef GLS_SWIG_MAILBOX_HPP
#define GLS_SWIG_MAILBOX_HPP

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace gls::facade {

/** A queue from any threads to any threads. Senders never wait for a receiver. */
template <typename T>
class Mailbox {
 public:
  explicit Mailbox(size_t capacity) : capacity_(capacity) {}

  /** Sends a list of one; it cannot fail but for want of room, in which case it is counted. */
  void send(std::list<T> letter) noexcept {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= capacity_) {
      ++dropped_;
      return;
    }
    waiting_.splice(waiting_.end(), letter);
    arrived_.notify_one();
  }
  /** Waits; empty when there is none in time, or when there will be none any more.
   *  @param timeout_ms  -1: without limit */
  std::optional<T> next(int64_t timeout_ms) {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !waiting_.empty() || closed_; };
    if (timeout_ms < 0) {
      arrived_.wait(lock, ready);
    } else {
      arrived_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
    }
    if (waiting_.empty()) {
      return std::nullopt;
    }
    std::optional<T> letter(std::move(waiting_.front()));
    waiting_.pop_front();
    return letter;
  }
  /** As send(), but false, and the list is still the caller's, when there will be none any more. */
  bool offer(std::list<T>* letter) noexcept {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return false;
    }
    waiting_.splice(waiting_.end(), *letter);
    arrived_.notify_one();
    return true;
  }
  /** Closes it. What no thread has received is the caller's. */
  std::list<T> close_and_take() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    arrived_.notify_all();
    return std::move(waiting_);
  }
  /** What was sent before is still received. */
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    arrived_.notify_all();
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  /** Letters that found no room. */
  uint64_t dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::list<T> waiting_;
  size_t capacity_;
  uint64_t dropped_ = 0;
  bool closed_ = false;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_MAILBOX_HPP
