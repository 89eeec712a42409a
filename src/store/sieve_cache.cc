#include "store/sieve_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gls {

SieveCache::SieveCache(uint64_t most_bytes) : most_bytes_(most_bytes / kShards) {}

void SieveCache::insert(int64_t id, std::span<const std::byte> bytes) {
  const uint64_t needed = bytes.size() + kEntryBytes;
  if (needed > most_bytes_) {
    return;
  }
  auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  if (shard.places.contains(id)) {
    return;
  }
  while (shard.bytes + needed > most_bytes_) {
    evict_one(shard);
  }
  if (shard.free.empty()) {
    shard.free.reserve(shard.entries.size() + 1);  // so that evictions need no memory
    shard.entries.emplace_back();
    shard.free.push_back(static_cast<uint32_t>(shard.entries.size() - 1));
  }
  const uint32_t at = shard.free.back();
  shard.places.emplace(id, at);
  shard.free.pop_back();
  Entry& entry = shard.entries[at];
  entry = {id, std::move(copy), bytes.size(), kNone, shard.newest, false};
  (shard.newest == kNone ? shard.oldest : shard.entries[shard.newest].newer) = at;
  shard.newest = at;
  shard.bytes += needed;
}

// The shard is not empty.
void SieveCache::evict_one(Shard& shard) {
  uint32_t at = shard.hand == kNone ? shard.oldest : shard.hand;
  while (shard.entries[at].visited) {
    shard.entries[at].visited = false;
    const uint32_t newer = shard.entries[at].newer;
    at = newer == kNone ? shard.oldest : newer;
  }
  Entry& entry = shard.entries[at];
  shard.hand = entry.newer;
  (entry.older == kNone ? shard.oldest : shard.entries[entry.older].newer) = entry.newer;
  (entry.newer == kNone ? shard.newest : shard.entries[entry.newer].older) = entry.older;
  shard.bytes -= entry.size + kEntryBytes;
  shard.places.erase(entry.id);
  entry = {};
  shard.free.push_back(at);
}

uint64_t SieveCache::bytes() const {
  uint64_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    sum += shard.bytes;
  }
  return sum;
}

}  // namespace gls
