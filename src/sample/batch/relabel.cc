#include "sample/batch/relabel.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gls {
namespace {

// Beyond this base, the local ids of one batch might not fit, and the table is cleared.
constexpr uint32_t kWrap = 0xffffffffu - (uint32_t{1} << 31);
constexpr int64_t kAhead = 32;
constexpr uint64_t kFirstCapacity = uint64_t{1} << 14;

}  // namespace

Relabel::Relabel(uint64_t num_nodes, bool disjoint, uint64_t direct_limit, bool huge_pages)
    : huge_pages_(huge_pages), num_nodes_(num_nodes) {
  if (disjoint) {
    kind_ = Kind::kHash64;
  } else if (num_nodes <= direct_limit / 4 && num_nodes <= uint64_t{1} << 32) {
    kind_ = Kind::kDirect;
  } else {
    kind_ = num_nodes <= uint64_t{1} << 32 ? Kind::kHash32 : Kind::kHash64;
  }
}

void Relabel::begin_batch() {
  if (base_ == 0 || base_ > kWrap) {
    // Fresh pages are zero, which is below every base but 0.
    if (block_.data() == nullptr && kind_ == Kind::kDirect) {
      block_ = PageBlock(num_nodes_ * 4, huge_pages_);
    } else if (block_.data() != nullptr) {
      std::memset(block_.data(), 0, block_.size());
    }
    base_ = 1;
  }
}

template <typename Slot, typename KeyOf>
void Relabel::grow(uint64_t used, uint64_t count, KeyOf key_of) {
  const uint64_t needed = 2 * (used + count);
  if (needed <= capacity_) {
    return;
  }
  capacity_ = std::bit_ceil(needed < kFirstCapacity ? kFirstCapacity : needed);
  shift_ = 64 - static_cast<uint32_t>(std::countr_zero(capacity_));
  block_ = PageBlock();
  block_ = PageBlock(capacity_ * sizeof(Slot), huge_pages_);
  for (uint64_t local = 0; local < used; ++local) {
    const uint64_t key = key_of(local);
    Slot* const slot = find<Slot>(key);
    slot->key = static_cast<decltype(slot->key)>(key);
    slot->value = base_ + static_cast<uint32_t>(local);
  }
}

// The slot of `key`, or the free slot for it.
template <typename Slot>
Slot* Relabel::find(uint64_t key) const {
  auto* const slots = reinterpret_cast<Slot*>(block_.data());
  uint64_t at = home(key);
  while (slots[at].value >= base_ && slots[at].key != key) {
    at = (at + 1) & (capacity_ - 1);
  }
  return slots + at;
}

template <typename Out>
uint32_t Relabel::run_hash32(const uint32_t* neighbors, int64_t count, uint32_t next, Out* nodes,
                             Out* out) {
  grow<Slot32>(next, static_cast<uint64_t>(count),
               [&](uint64_t local) { return static_cast<uint64_t>(nodes[local]); });
  const auto* slots = reinterpret_cast<const Slot32*>(block_.data());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t ahead = i + kAhead < count ? i + kAhead : i;
    __builtin_prefetch(slots + home(neighbors[ahead]), 1);
    auto* const slot = find<Slot32>(neighbors[i]);
    if (slot->value < base_) {
      *slot = {neighbors[i], base_ + next};
      nodes[next++] = static_cast<Out>(neighbors[i]);
    }
    out[i] = static_cast<Out>(slot->value - base_);
  }
  return next;
}

// keys(i): {key, node, tree} of edge i; trees may be NULL.
template <typename Out, typename Keys>
uint32_t Relabel::run_hash64(Keys keys, int64_t count, uint32_t next, Out* nodes, Out* trees,
                             Out* out) {
  grow<Slot64>(next, static_cast<uint64_t>(count), [&](uint64_t local) {
    const auto node = static_cast<uint64_t>(nodes[local]);
    return trees == nullptr ? node : static_cast<uint64_t>(trees[local]) * num_nodes_ + node;
  });
  const auto* slots = reinterpret_cast<const Slot64*>(block_.data());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t ahead = i + kAhead < count ? i + kAhead : i;
    __builtin_prefetch(slots + home(keys(ahead).key), 1);
    const auto edge = keys(i);
    auto* const slot = find<Slot64>(edge.key);
    if (slot->value < base_) {
      slot->key = edge.key;
      slot->value = base_ + next;
      nodes[next] = static_cast<Out>(edge.node);
      if (trees != nullptr) {
        trees[next] = static_cast<Out>(edge.tree);
      }
      ++next;
    }
    out[i] = static_cast<Out>(slot->value - base_);
  }
  return next;
}

namespace {

struct EdgeKey {
  uint64_t key;
  uint64_t node;
  uint64_t tree;
};

}  // namespace

uint32_t Relabel::run(kernels::RelabelFn direct, bool wide_out, const void* neighbors,
                      int64_t count, uint32_t next, void* nodes, void* out) {
  switch (kind_) {
    case Kind::kDirect:
      return direct({reinterpret_cast<uint32_t*>(block_.data()), base_},
                    static_cast<const uint32_t*>(neighbors), count, next, nodes, out);
    case Kind::kHash32: {
      const auto* ids = static_cast<const uint32_t*>(neighbors);
      return wide_out ? run_hash32(ids, count, next, static_cast<int64_t*>(nodes),
                                   static_cast<int64_t*>(out))
                      : run_hash32(ids, count, next, static_cast<int32_t*>(nodes),
                                   static_cast<int32_t*>(out));
    }
    default: {
      const auto* ids = static_cast<const uint64_t*>(neighbors);
      const auto keys = [ids](int64_t i) { return EdgeKey{ids[i], ids[i], 0}; };
      return run_hash64(keys, count, next, static_cast<int64_t*>(nodes),
                        static_cast<int64_t*>(nullptr), static_cast<int64_t*>(out));
    }
  }
}

uint32_t Relabel::run_disjoint(bool wide_out, const uint64_t* neighbors, const uint32_t* edge_trees,
                               int64_t count, uint32_t next, void* nodes, void* trees, void* out) {
  const auto keys = [=, this](int64_t i) {
    return EdgeKey{edge_trees[i] * num_nodes_ + neighbors[i], neighbors[i], edge_trees[i]};
  };
  return wide_out ? run_hash64(keys, count, next, static_cast<int64_t*>(nodes),
                               static_cast<int64_t*>(trees), static_cast<int64_t*>(out))
                  : run_hash64(keys, count, next, static_cast<int32_t*>(nodes),
                               static_cast<int32_t*>(trees), static_cast<int32_t*>(out));
}

template <typename Slot>
void Relabel::find_all(std::span<int64_t> keys) const {
  const auto* slots = reinterpret_cast<const Slot*>(block_.data());
  for (auto key = keys.begin(); key != keys.end(); ++key) {
    const auto ahead = key + std::min(kAhead, keys.end() - key - 1);
    __builtin_prefetch(slots + home(static_cast<uint64_t>(*ahead)));
    const Slot* const slot = find<Slot>(static_cast<uint64_t>(*key));
    *key = slot->value < base_ ? -1 : static_cast<int64_t>(slot->value - base_);
  }
}

void Relabel::find(std::span<int64_t> keys) const {
  if (block_.data() == nullptr) {
    std::fill(keys.begin(), keys.end(), -1);
    return;
  }
  if (kind_ == Kind::kHash32) {
    find_all<Slot32>(keys);
    return;
  }
  if (kind_ == Kind::kHash64) {
    find_all<Slot64>(keys);
    return;
  }
  const auto* entries = reinterpret_cast<const uint32_t*>(block_.data());
  for (auto key = keys.begin(); key != keys.end(); ++key) {
    __builtin_prefetch(entries + key[std::min(kAhead, keys.end() - key - 1)]);
    const uint32_t entry = entries[*key];
    *key = entry < base_ ? -1 : static_cast<int64_t>(entry - base_);
  }
}

}  // namespace gls
