// Numbers the visited nodes of all types, and stores an entry for each.
//
// A batch visits some thousands of nodes of a graph of any size. They are numbered in the order of
// first visit. A hash table finds the number of a node. It is not cleared between uses, because
// each slot holds the number of its use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gls {

// An entry has `node` (int64_t), `type` (uint32_t), and the caller's data.
template <typename Entry>
class NodeScoreTable {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  void clear() {
    entries_.clear();
    if (++use_ == 0) {  // after this many uses, old slots would look new
      std::fill(slots_.begin(), slots_.end(), Slot{});
      use_ = 1;
    }
  }
  // kNone: the node was not visited.
  uint32_t find(uint32_t type, int64_t node) const {
    for (size_t at = home(type, node); slots_[at].use == use_;
         at = (at + 1) & (slots_.size() - 1)) {
      const Entry& entry = entries_[slots_[at].index];
      if (entry.node == node && entry.type == type) {
        return slots_[at].index;
      }
    }
    return kNone;
  }
  // The node must be new.
  uint32_t add(uint32_t type, int64_t node) {
    if (2 * (entries_.size() + 1) > slots_.size()) {
      grow();
    }
    const auto index = static_cast<uint32_t>(entries_.size());
    Entry& entry = entries_.emplace_back();
    entry.node = node;
    entry.type = type;
    slots_[free_slot(entry)] = {use_, index};
    return index;
  }
  void prefetch(uint32_t type, int64_t node) const {
    __builtin_prefetch(&slots_[home(type, node)]);
  }
  Entry& operator[](uint32_t index) { return entries_[index]; }
  const Entry& operator[](uint32_t index) const { return entries_[index]; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  struct Slot {
    uint32_t use = 0;
    uint32_t index = 0;
  };
  size_t home(uint32_t type, int64_t node) const {
    return ((static_cast<uint64_t>(node) + (uint64_t{type} << 40)) * 0x9e3779b97f4a7c15u) >> shift_;
  }
  size_t free_slot(const Entry& entry) const {
    size_t at = home(entry.type, entry.node);
    while (slots_[at].use == use_) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }
  void grow() {
    slots_.assign(2 * slots_.size(), Slot{});
    --shift_;
    for (uint32_t index = 0; index < entries_.size(); ++index) {
      slots_[free_slot(entries_[index])] = {use_, index};
    }
  }

  std::vector<Entry> entries_;
  std::vector<Slot> slots_ = std::vector<Slot>(size_t{1} << 10);
  uint32_t shift_ = 54;
  uint32_t use_ = 0;
};

}  // namespace gls
