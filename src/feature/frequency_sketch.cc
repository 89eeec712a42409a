#include "feature/frequency_sketch.h"

#include <algorithm>
#include <bit>

namespace gls {

FrequencySketch::FrequencySketch(uint64_t ids)
    : mask_(std::bit_ceil(std::clamp<uint64_t>(8 * ids, 1024, uint64_t{1} << 32)) - 1),
      most_additions_(std::max<uint64_t>(10 * ids, 1024)),
      counters_(std::make_unique<std::atomic<uint8_t>[]>(mask_ + 1)) {}

std::atomic<uint8_t>& FrequencySketch::counter(int64_t id, size_t hash) const {
  // Fibonacci hashing of splitmix64 of the id, with four odd numbers.
  static constexpr uint64_t kOdd[kHashes] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu,
                                             0x165667b19e3779f9u, 0xd6e8feb86659fd93u};
  auto mixed = static_cast<uint64_t>(id);
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed ^= mixed >> 27;
  return counters_[(mixed * kOdd[hash] >> 29) & mask_];
}

uint32_t FrequencySketch::add(int64_t id) {
  uint32_t least = 255;
  for (size_t hash = 0; hash < kHashes; ++hash) {
    std::atomic<uint8_t>& at = counter(id, hash);
    uint32_t count = at.load(std::memory_order_relaxed);
    if (count < 255) {
      at.store(static_cast<uint8_t>(++count), std::memory_order_relaxed);
    }
    least = std::min(least, count);
  }
  if (additions_.fetch_add(1, std::memory_order_relaxed) + 1 == most_additions_) {
    age();
  }
  return least;
}

uint32_t FrequencySketch::estimate(int64_t id) const {
  uint32_t least = 255;
  for (size_t hash = 0; hash < kHashes; ++hash) {
    least = std::min<uint32_t>(least, counter(id, hash).load(std::memory_order_relaxed));
  }
  return least;
}

void FrequencySketch::age() {
  for (uint64_t i = 0; i <= mask_; ++i) {
    const uint8_t count = counters_[i].load(std::memory_order_relaxed);
    counters_[i].store(count / 2, std::memory_order_relaxed);
  }
  additions_.fetch_sub(most_additions_ / 2, std::memory_order_relaxed);
}

}  // namespace gls
