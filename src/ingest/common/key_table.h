// The unique keys of one node type, each with a provisional id. Threads add keys concurrently; the
// table is split into shards by hash, so they rarely wait for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/common/workspace.h"
#include "system/memory.h"

namespace gls {

// A provisional id is `index in its shard * kShards + shard`. It depends on the threads, but
// nothing that outlives the import does.
class KeyTable {
 public:
  static constexpr size_t kShards = 64;

  explicit KeyTable(const std::shared_ptr<MemoryBudget>& budget);
  virtual ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  int64_t size() const;
  // Provisional ids are below this.
  int64_t limit() const;

 protected:
  struct alignas(kCacheLine) Shard {
    explicit Shard(const std::shared_ptr<MemoryBudget>& budget) : lease(budget) {}
    std::mutex mutex;
    MemoryLease lease;
    // The low half of a key's hash, then its index + 1; 0: free. A power of two, at most half full.
    std::vector<uint64_t> slots;
    uint32_t count = 0;
  };
  static size_t shard_of(uint64_t hash) { return hash >> 58; }
  static int64_t provisional(uint32_t index, size_t shard) {
    return static_cast<int64_t>(index) * static_cast<int64_t>(kShards) +
           static_cast<int64_t>(shard);
  }
  // Calls is_key(index) for likely indices until it returns true. -1: not found.
  template <typename IsKey>
  static int64_t find_index(const Shard& shard, uint64_t hash, const IsKey& is_key) {
    if (shard.count == 0) {
      return -1;
    }
    const size_t mask = shard.slots.size() - 1;
    for (size_t at = hash & mask; shard.slots[at] != 0; at = (at + 1) & mask) {
      const uint64_t slot = shard.slots[at];
      if ((slot >> 32) == (hash & 0xffffffff) && is_key(static_cast<uint32_t>(slot) - 1)) {
        return static_cast<uint32_t>(slot) - 1;
      }
    }
    return -1;
  }
  // The positions of many keys, grouped by shard, so that each shard is locked once for all its
  // keys.
  struct Grouped {
    std::vector<uint64_t> hashes;
    std::vector<uint32_t> order;
    std::array<uint32_t, kShards + 1> begins;
  };
  static void group_by_shard(Grouped* grouped);
  // Calls body(shard number, position) for all keys, with the shard's lock. Memory that a key needs
  // is requested some keys earlier: `prefetch_key(shard number, index)` for the key that a slot
  // names. The first failure ends it.
  template <typename PrefetchKey, typename Body>
  Status for_each_grouped(const Grouped& grouped, const PrefetchKey& prefetch_key,
                          const Body& body) {
    constexpr uint32_t kAhead = 16;
    // Threads begin at different shards, so they rarely wait.
    const size_t first = starts_.fetch_add(kShards / 4 + 1, std::memory_order_relaxed);
    for (size_t k = 0; k < kShards; ++k) {
      const size_t number = (first + k) % kShards;
      const uint32_t begin = grouped.begins[number];
      const uint32_t end = grouped.begins[number + 1];
      if (begin == end) {
        continue;
      }
      Shard& shard = *shards_[number];
      const std::lock_guard lock(shard.mutex);
      const auto hash_at = [&](uint32_t i) { return grouped.hashes[grouped.order[i]]; };
      for (uint32_t i = begin; i < end; ++i) {
        if (!shard.slots.empty()) {
          const size_t mask = shard.slots.size() - 1;
          if (i + kAhead < end) {
            __builtin_prefetch(&shard.slots[hash_at(i + kAhead) & mask]);
          }
          if (i + kAhead / 2 < end) {
            if (const uint64_t slot = shard.slots[hash_at(i + kAhead / 2) & mask]; slot != 0) {
              prefetch_key(number, static_cast<uint32_t>(slot) - 1);
            }
          }
        }
        GLS_TRY(body(number, grouped.order[i]));
      }
    }
    return {};
  }
  // Makes room for one more key, and counts its eight-byte entry in a vector of keys, too.
  static Status reserve(Shard& shard);
  // Adds a new key; there must be room.
  static uint32_t add(Shard& shard, uint64_t hash);
  static void put(Shard& shard, uint64_t slot);

  std::vector<std::unique_ptr<Shard>> shards_;

 private:
  std::atomic<size_t> starts_{0};
};

// Keys that are integers.
class IntegerKeys : public KeyTable {
 public:
  explicit IntegerKeys(const std::shared_ptr<MemoryBudget>& budget);

  // Adds the key if it is new, which `added` (may be NULL) reports. Any thread.
  Status intern(int64_t key, int64_t* provisional_id, bool* added = nullptr);
  // The same for many keys, much faster. Any thread.
  Status intern_all(std::span<const int64_t> keys, int64_t* provisional_ids);
  // -1: not found. Any thread, after all keys were added.
  int64_t find(int64_t key) const;
  int64_t key(int64_t provisional_id) const {
    return keys_[static_cast<size_t>(provisional_id) % kShards]
                [static_cast<size_t>(provisional_id) / kShards];
  }
  // Calls body(provisional id, key) for all keys.
  template <typename Body>
  void for_each(const Body& body) const {
    for (size_t shard = 0; shard < kShards; ++shard) {
      for (uint32_t i = 0; i < shards_[shard]->count; ++i) {
        body(provisional(i, shard), keys_[shard][i]);
      }
    }
  }

 private:
  Result<uint32_t> intern_locked(size_t shard, uint64_t hash, int64_t key, bool* added);

  std::array<std::vector<int64_t>, kShards> keys_;
};

// Keys that are text.
class StringKeys : public KeyTable {
 public:
  explicit StringKeys(const std::shared_ptr<MemoryBudget>& budget);

  Status intern(std::string_view key, int64_t* provisional_id, bool* added = nullptr);
  Status intern_all(std::span<const std::string_view> keys, int64_t* provisional_ids);
  int64_t find(std::string_view key) const;
  std::string_view key(int64_t provisional_id) const {
    return view(keys_[static_cast<size_t>(provisional_id) % kShards]
                     [static_cast<size_t>(provisional_id) / kShards]);
  }
  template <typename Body>
  void for_each(const Body& body) const {
    for (size_t shard = 0; shard < kShards; ++shard) {
      for (uint32_t i = 0; i < shards_[shard]->count; ++i) {
        body(provisional(i, shard), view(keys_[shard][i]));
      }
    }
  }

 private:
  // A key is stored in a block of its shard: its length in four bytes, then its text.
  static std::string_view view(const char* stored);
  struct Text {
    std::vector<std::unique_ptr<char[]>> blocks;
    size_t used = 0;
    size_t capacity = 0;
  };
  Result<const char*> store(Shard& shard, Text& text, std::string_view key);
  Result<uint32_t> intern_locked(size_t shard, uint64_t hash, std::string_view key, bool* added);

  std::array<std::vector<const char*>, kShards> keys_;
  std::array<Text, kShards> texts_;
};

}  // namespace gls
