// Divides an amount of memory among those that use it at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gls {

// Any number of threads may use it at once.
class MemoryShares {
 public:
  // Returns its bytes when it is destroyed, before the shares are.
  class Share {
   public:
    // Frees all idle memory first. Then most of what is left of `total`, so that one user gets
    // nearly all and others some. However many there are, each gets a little.
    Share(MemoryShares& of, uint64_t total) : of_(&of) {
      of.free_idle();
      bytes_ = of.take(total);
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { of_->taken_ -= bytes_; }
    uint64_t bytes() const { return bytes_; }

   private:
    MemoryShares* of_;
    uint64_t bytes_ = 0;
  };

  // Memory that its user needs later, unless another user takes a share before.
  class Idle {
   public:
    // The shares must outlive it.
    explicit Idle(MemoryShares& of) : of_(of) {
      const std::lock_guard lock(of_.mutex_);
      of_.idle_.push_back(this);
    }
    Idle(const Idle&) = delete;
    Idle& operator=(const Idle&) = delete;
    ~Idle() {
      const std::lock_guard lock(of_.mutex_);
      std::erase(of_.idle_, this);
    }
    // Replaces what was kept.
    void keep(std::shared_ptr<void> memory) {
      const std::lock_guard lock(of_.mutex_);
      memory_.swap(memory);
    }
    // NULL: nothing was kept, or it is gone.
    std::shared_ptr<void> take() {
      const std::lock_guard lock(of_.mutex_);
      return std::exchange(memory_, nullptr);
    }

   private:
    friend class MemoryShares;
    MemoryShares& of_;
    std::shared_ptr<void> memory_;
  };

  // What a share gets that is the only one.
  static uint64_t first(uint64_t total) { return total - total / kLeft; }

 private:
  uint64_t take(uint64_t total) {
    uint64_t taken = taken_.load();
    uint64_t bytes = 0;
    do {
      const uint64_t left = total - std::min(total, taken);
      bytes = std::max(first(left), total / kLeast);
    } while (!taken_.compare_exchange_weak(taken, taken + bytes));
    return bytes;
  }
  void free_idle() {
    std::vector<std::shared_ptr<void>> freed;  // without the lock, as it may hold shares
    const std::lock_guard lock(mutex_);
    freed.reserve(idle_.size());
    for (Idle* const idle : idle_) {
      freed.push_back(std::exchange(idle->memory_, nullptr));
    }
  }

  static constexpr uint64_t kLeft = 16;
  static constexpr uint64_t kLeast = 64;
  std::atomic<uint64_t> taken_{0};
  std::mutex mutex_;
  std::vector<Idle*> idle_;
};

}  // namespace gls
