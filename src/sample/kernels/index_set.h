// The indices of a row that were picked already. Ordinary rows use one bit each, and very long rows
// a hash set. The memory then follows the number of picks instead of the degree of a hub.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace gls {

class IndexSet {
 public:
  // Empties the set for a row of `degree` indices, of which about `expected` will be inserted.
  void start(uint64_t degree, uint64_t expected) {
    hashed_ = degree > kMaxBits;
    if (!hashed_) {
      bits_.assign((degree + 63) / 64, 0);
      return;
    }
    slots_.assign(std::bit_ceil(2 * expected + 16), kFree);
    mask_ = slots_.size() - 1;
    used_ = 0;
  }

  bool contains(int64_t index) const {
    if (!hashed_) {
      return (bits_[static_cast<size_t>(index) / 64] >> (index % 64) & 1) != 0;
    }
    return slots_[find(index)] == index;
  }

  // False if the index was in the set.
  bool insert(int64_t index) {
    if (!hashed_) {
      uint64_t& word = bits_[static_cast<size_t>(index) / 64];
      const uint64_t bit = uint64_t{1} << (index % 64);
      const bool is_new = (word & bit) == 0;
      word |= bit;
      return is_new;
    }
    if (2 * (used_ + 1) > slots_.size()) {
      grow();
    }
    int64_t& slot = slots_[find(index)];
    const bool is_new = slot != index;
    slot = index;
    used_ += is_new ? 1 : 0;
    return is_new;
  }

 private:
  static constexpr uint64_t kMaxBits = uint64_t{1} << 16;  // 8 KiB to clear per row
  static constexpr int64_t kFree = -1;

  size_t find(int64_t index) const {
    size_t at = (static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15u >> 20) & mask_;
    while (slots_[at] != kFree && slots_[at] != index) {
      at = (at + 1) & mask_;
    }
    return at;
  }
  void grow() {
    std::vector<int64_t> old(2 * slots_.size(), kFree);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const int64_t index : old) {
      if (index != kFree) {
        slots_[find(index)] = index;
      }
    }
  }

  bool hashed_ = false;
  std::vector<uint64_t> bits_;
  std::vector<int64_t> slots_;
  size_t mask_ = 0;
  size_t used_ = 0;
};

}  // namespace gls
