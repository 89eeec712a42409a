// Divides an amount of memory among those that use it at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace gls {

class MemoryShares {
 public:
  // Returns its bytes when it is destroyed, before the shares are.
  class Share {
   public:
    // Most of what is left of `total`, so that one user gets nearly all and others some. However
    // many there are, each gets a little.
    Share(MemoryShares& of, uint64_t total) : of_(&of), bytes_(of.take(total)) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { of_->taken_ -= bytes_; }
    uint64_t bytes() const { return bytes_; }

   private:
    MemoryShares* of_;
    uint64_t bytes_;
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

  static constexpr uint64_t kLeft = 16;
  static constexpr uint64_t kLeast = 64;
  std::atomic<uint64_t> taken_{0};
};

}  // namespace gls
