// A cache of rows that evicts by SIEVE (Zhang et al., NSDI 2024): a hand goes over the rows from
// the oldest on, spares each row that was used since its last visit, and evicts the first other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "system/memory.h"

namespace gls::bench {

class SieveCache {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  SieveCache(uint64_t row_bytes, uint64_t memory)
      : row_bytes_(row_bytes), capacity_(slots_within(row_bytes, memory)) {
    rows_ = PageBlock(std::max<uint64_t>(1, capacity_ * row_bytes), true);
    entries_.reserve(capacity_);
    buckets_.resize(std::bit_ceil(2 * std::max<uint64_t>(1, capacity_)), kNone);
  }

  uint64_t capacity() const { return capacity_; }
  uint64_t evictions() const { return evictions_; }
  std::byte* row(uint32_t slot) const { return rows_.data() + slot * row_bytes_; }

  // The slot of a row, which then counts as used; kNone: the row is absent.
  uint32_t use(int64_t id) {
    for (size_t at = home(id);; at = next_bucket(at)) {
      const uint32_t slot = buckets_[at];
      if (slot == kNone || entries_[slot].id == id) {
        if (slot != kNone) {
          entries_[slot].used = true;
        }
        return slot;
      }
    }
  }

  // Memory for a row that is absent; NULL if the cache has no slots.
  std::byte* insert(int64_t id) {
    if (capacity_ == 0) {
      return nullptr;
    }
    uint32_t slot = 0;
    if (entries_.size() < capacity_) {
      slot = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      slot = evict();
    }
    Entry& entry = entries_[slot];
    entry = {id, newest_, kNone, false};
    (newest_ == kNone ? oldest_ : entries_[newest_].newer) = slot;
    newest_ = slot;
    size_t at = home(id);
    while (buckets_[at] != kNone) {
      at = next_bucket(at);
    }
    buckets_[at] = slot;
    return rows_.data() + slot * row_bytes_;
  }

 private:
  struct Entry {
    int64_t id = 0;
    uint32_t older = kNone;
    uint32_t newer = kNone;
    bool used = false;
  };

  // The hash table has between two and four buckets for each slot.
  static uint64_t slots_within(uint64_t row_bytes, uint64_t memory) {
    const uint64_t slots = memory / (row_bytes + sizeof(Entry) + 4 * sizeof(uint32_t));
    return std::min<uint64_t>(slots, kNone - 1);
  }
  size_t home(int64_t id) const {
    return static_cast<size_t>((static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15U) >> 20) &
           (buckets_.size() - 1);
  }
  size_t next_bucket(size_t at) const { return (at + 1) & (buckets_.size() - 1); }

  uint32_t evict() {
    uint32_t slot = hand_ == kNone ? oldest_ : hand_;
    while (entries_[slot].used) {
      entries_[slot].used = false;
      slot = entries_[slot].newer == kNone ? oldest_ : entries_[slot].newer;
    }
    const Entry& entry = entries_[slot];
    hand_ = entry.newer;
    (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
    (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
    forget(entry.id);
    ++evictions_;
    return slot;
  }

  // Empties the bucket of a row, and moves later ones so that no search ends too early.
  void forget(int64_t id) {
    size_t hole = home(id);
    while (entries_[buckets_[hole]].id != id) {
      hole = next_bucket(hole);
    }
    for (size_t at = next_bucket(hole); buckets_[at] != kNone; at = next_bucket(at)) {
      const size_t from_home = (at - home(entries_[buckets_[at]].id)) & (buckets_.size() - 1);
      if (from_home >= ((at - hole) & (buckets_.size() - 1))) {
        buckets_[hole] = buckets_[at];
        hole = at;
      }
    }
    buckets_[hole] = kNone;
  }

  uint64_t row_bytes_;
  uint64_t capacity_;
  uint64_t evictions_ = 0;
  PageBlock rows_;
  std::vector<Entry> entries_;     // by slot
  std::vector<uint32_t> buckets_;  // slots
  uint32_t oldest_ = kNone;
  uint32_t newest_ = kNone;
  uint32_t hand_ = kNone;
};

}  // namespace gls::bench
