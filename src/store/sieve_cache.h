// Keeps values of any length by id, within a budget of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace gls {

// Evicts by SIEVE (Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024): a hand goes from the
// oldest entry to the newest, spares what was found since its last visit, and evicts the first
// other entry. Any number of threads may use it at once.
class SieveCache {
 public:
  explicit SieveCache(uint64_t most_bytes);

  // Calls `take(bytes)` under a lock if the id has a value.
  template <typename Take>
  bool find(int64_t id, const Take& take) {
    Shard& shard = shard_of(id);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.places.find(id);
    if (found == shard.places.end()) {
      return false;
    }
    Entry& entry = shard.entries[found->second];
    entry.visited = true;
    take(std::span<const std::byte>(entry.bytes.get(), entry.size));
    return true;
  }
  // Copies the bytes, unless the id has a value already, or the value takes more than a shard has.
  void insert(int64_t id, std::span<const std::byte> bytes);
  // Memory of all entries.
  uint64_t bytes() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr size_t kShards = 16;
  struct Entry {
    int64_t id = 0;
    std::unique_ptr<std::byte[]> bytes{};
    size_t size = 0;
    uint32_t newer = kNone;
    uint32_t older = kNone;
    bool visited = false;
  };
  struct Shard {
    mutable std::mutex mutex{};
    std::unordered_map<int64_t, uint32_t> places{};
    std::vector<Entry> entries{};
    std::vector<uint32_t> free{};
    uint32_t newest = kNone;
    uint32_t oldest = kNone;
    uint32_t hand = kNone;
    uint64_t bytes = 0;
  };
  // Of an entry besides its value, with its place in the map.
  static constexpr uint64_t kEntryBytes = sizeof(Entry) + 48;

  Shard& shard_of(int64_t id) {
    return shards_[(static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15) >> 60];
  }
  static void evict_one(Shard& shard);

  const uint64_t most_bytes_;  // of a shard
  std::array<Shard, kShards> shards_{};
};

}  // namespace gls
