#include "ingest/common/key_table.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/checksum.h"

namespace gls {
namespace {

constexpr const char* kWhat = "the table of original node ids";

uint64_t hash_integer(int64_t key) {
  auto x = static_cast<uint64_t>(key) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t hash_text(std::string_view key) { return hash64(std::as_bytes(std::span(key))); }

}  // namespace

KeyTable::KeyTable(const std::shared_ptr<MemoryBudget>& budget) {
  for (size_t i = 0; i < kShards; ++i) {
    shards_.push_back(std::make_unique<Shard>(budget));
  }
}

KeyTable::~KeyTable() = default;

int64_t KeyTable::size() const {
  int64_t size = 0;
  for (const auto& shard : shards_) {
    size += shard->count;
  }
  return size;
}

int64_t KeyTable::limit() const {
  uint32_t most = 0;
  for (const auto& shard : shards_) {
    most = std::max(most, shard->count);
  }
  return provisional(most, 0);
}

Status KeyTable::reserve(Shard& shard) {
  if (2 * (size_t{shard.count} + 1) <= shard.slots.size()) {
    return {};
  }
  if (shard.count >= std::numeric_limits<uint32_t>::max() / 2) {
    return error(GLS_ERR_UNSUPPORTED, "more than {} distinct node ids", shard.count * kShards);
  }
  const size_t size = std::max<size_t>(16, shard.slots.size() * 2);
  GLS_TRY(shard.lease.add((size - shard.slots.size()) * (8 + 8 / 2), kWhat));
  std::vector<uint64_t> old(size);
  old.swap(shard.slots);
  for (const uint64_t slot : old) {
    if (slot != 0) {
      put(shard, slot);
    }
  }
  return {};
}

void KeyTable::put(Shard& shard, uint64_t slot) {
  const size_t mask = shard.slots.size() - 1;
  size_t at = (slot >> 32) & mask;
  while (shard.slots[at] != 0) {
    at = (at + 1) & mask;
  }
  shard.slots[at] = slot;
}

void KeyTable::group_by_shard(Grouped* grouped) {
  grouped->begins.fill(0);
  for (const uint64_t hash : grouped->hashes) {
    ++grouped->begins[shard_of(hash) + 1];
  }
  std::partial_sum(grouped->begins.begin(), grouped->begins.end(), grouped->begins.begin());
  std::array<uint32_t, kShards> next;
  std::copy_n(grouped->begins.begin(), kShards, next.begin());
  grouped->order.resize(grouped->hashes.size());
  for (uint32_t i = 0; i < grouped->hashes.size(); ++i) {
    grouped->order[next[shard_of(grouped->hashes[i])]++] = i;
  }
}

uint32_t KeyTable::add(Shard& shard, uint64_t hash) {
  const uint32_t index = shard.count++;
  put(shard, (hash << 32) | (index + 1));
  return index;
}

// ---- IntegerKeys -------------------------------------------------------------------------------

IntegerKeys::IntegerKeys(const std::shared_ptr<MemoryBudget>& budget) : KeyTable(budget) {}

Status IntegerKeys::intern(int64_t key, int64_t* provisional_id, bool* added) {
  const uint64_t hash = hash_integer(key);
  const size_t number = shard_of(hash);
  const std::lock_guard lock(shards_[number]->mutex);
  GLS_ASSIGN(const uint32_t index, intern_locked(number, hash, key, added));
  *provisional_id = provisional(index, number);
  return {};
}

Result<uint32_t> IntegerKeys::intern_locked(size_t number, uint64_t hash, int64_t key,
                                            bool* added) {
  Shard& shard = *shards_[number];
  std::vector<int64_t>& keys = keys_[number];
  const int64_t known = find_index(shard, hash, [&](uint32_t i) { return keys[i] == key; });
  if (added != nullptr) {
    *added = known < 0;
  }
  if (known >= 0) {
    return static_cast<uint32_t>(known);
  }
  GLS_TRY(reserve(shard));
  keys.push_back(key);
  return add(shard, hash);
}

Status IntegerKeys::intern_all(std::span<const int64_t> keys, int64_t* provisional_ids) {
  Grouped grouped;
  grouped.hashes.resize(keys.size());
  std::transform(keys.begin(), keys.end(), grouped.hashes.begin(), hash_integer);
  group_by_shard(&grouped);
  return for_each_grouped(
      grouped, [&](size_t number, uint32_t index) { __builtin_prefetch(&keys_[number][index]); },
      [&](size_t number, uint32_t i) -> Status {
        GLS_ASSIGN(const uint32_t index,
                   intern_locked(number, grouped.hashes[i], keys[i], nullptr));
        provisional_ids[i] = provisional(index, number);
        return {};
      });
}

int64_t IntegerKeys::find(int64_t key) const {
  const uint64_t hash = hash_integer(key);
  const size_t number = shard_of(hash);
  const std::vector<int64_t>& keys = keys_[number];
  const int64_t index =
      find_index(*shards_[number], hash, [&](uint32_t i) { return keys[i] == key; });
  return index < 0 ? -1 : provisional(static_cast<uint32_t>(index), number);
}

// ---- StringKeys --------------------------------------------------------------------------------

StringKeys::StringKeys(const std::shared_ptr<MemoryBudget>& budget) : KeyTable(budget) {}

std::string_view StringKeys::view(const char* stored) {
  uint32_t length = 0;
  std::memcpy(&length, stored, sizeof length);
  return {stored + sizeof length, length};
}

Result<const char*> StringKeys::store(Shard& shard, Text& text, std::string_view key) {
  constexpr size_t kBlock = size_t{16} << 10;
  const auto length = static_cast<uint32_t>(key.size());
  const size_t needed = sizeof length + key.size();
  if (text.used + needed > text.capacity) {
    const size_t size = std::max(kBlock, needed);
    GLS_TRY(shard.lease.add(size, kWhat));
    text.blocks.push_back(std::make_unique<char[]>(size));
    text.used = 0;
    text.capacity = size;
  }
  char* const at = text.blocks.back().get() + text.used;
  text.used += needed;
  std::memcpy(at, &length, sizeof length);
  std::memcpy(at + sizeof length, key.data(), key.size());
  return static_cast<const char*>(at);
}

Status StringKeys::intern(std::string_view key, int64_t* provisional_id, bool* added) {
  const uint64_t hash = hash_text(key);
  const size_t number = shard_of(hash);
  const std::lock_guard lock(shards_[number]->mutex);
  GLS_ASSIGN(const uint32_t index, intern_locked(number, hash, key, added));
  *provisional_id = provisional(index, number);
  return {};
}

Result<uint32_t> StringKeys::intern_locked(size_t number, uint64_t hash, std::string_view key,
                                           bool* added) {
  Shard& shard = *shards_[number];
  std::vector<const char*>& keys = keys_[number];
  const int64_t known = find_index(shard, hash, [&](uint32_t i) { return view(keys[i]) == key; });
  if (added != nullptr) {
    *added = known < 0;
  }
  if (known >= 0) {
    return static_cast<uint32_t>(known);
  }
  GLS_TRY(reserve(shard));
  GLS_ASSIGN(const char* const stored, store(shard, texts_[number], key));
  keys.push_back(stored);
  return add(shard, hash);
}

Status StringKeys::intern_all(std::span<const std::string_view> keys, int64_t* provisional_ids) {
  Grouped grouped;
  grouped.hashes.resize(keys.size());
  std::transform(keys.begin(), keys.end(), grouped.hashes.begin(), hash_text);
  group_by_shard(&grouped);
  return for_each_grouped(
      grouped,
      [&](size_t number, uint32_t index) {
        // The pointer is near the others of its shard; the text may be anywhere.
        __builtin_prefetch(keys_[number][index]);
      },
      [&](size_t number, uint32_t i) -> Status {
        GLS_ASSIGN(const uint32_t index,
                   intern_locked(number, grouped.hashes[i], keys[i], nullptr));
        provisional_ids[i] = provisional(index, number);
        return {};
      });
}

int64_t StringKeys::find(std::string_view key) const {
  const uint64_t hash = hash_text(key);
  const size_t number = shard_of(hash);
  const std::vector<const char*>& keys = keys_[number];
  const int64_t index =
      find_index(*shards_[number], hash, [&](uint32_t i) { return view(keys[i]) == key; });
  return index < 0 ? -1 : provisional(static_cast<uint32_t>(index), number);
}

}  // namespace gls
