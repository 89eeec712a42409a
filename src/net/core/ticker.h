// A thread that runs a function at requested times, for deadlines, heartbeats and the detection of
// silent peers.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.h"

namespace gls::net {

class Ticker {
 public:
  // `look(now, late_by)` returns the time of its next call.
  explicit Ticker(std::function<uint64_t(uint64_t, uint64_t)> look)
      : look_(std::move(look)), thread_([this] { run(); }) {}
  ~Ticker() { stop(); }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  // Requests a call at this time or earlier.
  void look_at(uint64_t time_ns) {
    if (time_ns >= due_.load(std::memory_order_acquire)) {
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      if (time_ns >= due_.load(std::memory_order_relaxed)) {
        return;
      }
      due_.store(time_ns, std::memory_order_release);
    }
    changed_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      const uint64_t due = due_.load(std::memory_order_relaxed);
      const uint64_t now = now_ns();
      if (due == kForever) {
        changed_.wait(lock);
        continue;
      }
      if (now < due) {
        changed_.wait_for(lock, std::chrono::nanoseconds(due - now));
        continue;
      }
      due_.store(kForever, std::memory_order_release);  // requests made during the call still count
      lock.unlock();
      const uint64_t next = look_(now, now - due);
      lock.lock();
      if (next < due_.load(std::memory_order_relaxed)) {
        due_.store(next, std::memory_order_release);
      }
    }
  }

  const std::function<uint64_t(uint64_t, uint64_t)> look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint64_t> due_ = kForever;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace gls::net
