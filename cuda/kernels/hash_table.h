// The hash table of the nodes of a batch: see relabel.h. For .cu files.
//
// Values of nodes are local ids. A node without a local id has kMet + the first place where it
// occurs. If keys fit, a slot is one word with the key above the value, so that a node costs one
// memory access. Otherwise keys and values are in separate arrays.
#pragma once

#include "cuda/kernels/relabel.h"

namespace gls::cuda {

inline constexpr unsigned kMet = 1u << 31;
inline constexpr unsigned kNothing = ~0u;
inline constexpr unsigned long long kFreeKey = ~0ull;

// The first slot from that of the key on where the search stops.
template <typename Stop>
__device__ uint64_t probe(unsigned long long key, uint64_t mask, const Stop& stop) {
  uint64_t at = (key * 0x9e3779b97f4a7c15u >> 20) & mask;
  while (!stop(at)) {
    at = (at + 1) & mask;
  }
  return at;
}

// A value that other threads may change meanwhile.
template <typename T>
__device__ T look_at(const T* at) {
  return *static_cast<const volatile T*>(at);
}

// Only keys.
struct KeySlots {
  unsigned long long* keys;
  uint64_t mask;

  // The slot of the key, which is inserted if it is new. Most keys exist, and looking is cheaper
  // than trying to insert.
  __device__ uint32_t enter(unsigned long long key, bool* is_new) const {
    unsigned long long was = 0;
    const uint64_t place = probe(key, mask, [&](uint64_t at) {
      was = look_at(keys + at);
      if (was == kFreeKey) {
        was = atomicCAS(keys + at, kFreeKey, key);
      }
      return was == kFreeKey || was == key;
    });
    *is_new = was == kFreeKey;
    return static_cast<uint32_t>(place);
  }
  __device__ uint32_t enter(unsigned long long key) const {
    bool is_new = false;
    return enter(key, &is_new);
  }
  // Whether the key exists. Nothing is inserted meanwhile.
  __device__ bool find(unsigned long long key, uint64_t* place) const {
    *place = probe(key, mask, [&](uint64_t at) { return keys[at] == key || keys[at] == kFreeKey; });
    return keys[*place] == key;
  }
};

struct WideSlots {
  KeySlots keys;
  unsigned* values;

  // Lowers the value of a key to this value, and returns the old value. kNothing: the key was new.
  __device__ unsigned meet(unsigned long long key, unsigned value, uint32_t* place) const {
    *place = keys.enter(key);
    const unsigned was = look_at(values + *place);
    return was < value ? was : atomicMin(values + *place, value);
  }
  __device__ void set(uint32_t place, unsigned long long, unsigned value) const {
    values[place] = value;
  }
  __device__ unsigned value(uint32_t place) const { return values[place]; }
  // The value of a key; -1: it does not exist. Nothing is inserted meanwhile.
  __device__ int64_t find(unsigned long long key) const {
    uint64_t place = 0;
    return keys.find(key, &place) ? int64_t{values[place]} : -1;
  }
};

struct PackedSlots {
  unsigned long long* words;
  uint64_t mask;

  static __device__ unsigned long long word(unsigned long long key, unsigned value) {
    return key << 32 | value;
  }
  // As above. Words of one key are ordered by its values, and a free word is above all.
  __device__ unsigned meet(unsigned long long key, unsigned value, uint32_t* place) const {
    const unsigned long long mine = word(key, value);
    unsigned long long was = 0;
    const uint64_t found = probe(key, mask, [&](uint64_t at) {
      was = look_at(words + at);
      if (was == kFreeKey) {
        was = atomicCAS(words + at, kFreeKey, mine);
      }
      return was == kFreeKey || was >> 32 == key;
    });
    *place = static_cast<uint32_t>(found);
    if (was != kFreeKey && mine < was) {
      was = atomicMin(words + found, mine);
    }
    static_assert(static_cast<unsigned>(kFreeKey) == kNothing);
    return static_cast<unsigned>(was);
  }
  __device__ void set(uint32_t place, unsigned long long key, unsigned value) const {
    words[place] = word(key, value);
  }
  __device__ unsigned value(uint32_t place) const { return static_cast<unsigned>(words[place]); }
  __device__ int64_t find(unsigned long long key) const {
    unsigned long long was = 0;
    probe(key, mask, [&](uint64_t at) {
      was = words[at];
      return was == kFreeKey || was >> 32 == key;
    });
    return was == kFreeKey ? -1 : int64_t{static_cast<unsigned>(was)};
  }
};

GLS_HOST_DEVICE PackedSlots packed_slots(const RelabelTable& table) {
  return {static_cast<unsigned long long*>(table.slots), table.size - 1};
}
GLS_HOST_DEVICE WideSlots wide_slots(const RelabelTable& table) {
  auto* const keys = static_cast<unsigned long long*>(table.slots);
  return {{keys, table.size - 1}, reinterpret_cast<unsigned*>(keys + table.size)};
}

// For kernels that are compiled for both forms of tables: returns use(slots).
template <typename Use>
auto with_slots(const RelabelTable& table, const Use& use) {
  return table.packed ? use(packed_slots(table)) : use(wide_slots(table));
}

// For kernels that only look up keys.
struct Slots {
  RelabelTable table;
  __device__ int64_t find(unsigned long long key) const {
    return table.packed ? packed_slots(table).find(key) : wide_slots(table).find(key);
  }
};
GLS_HOST_DEVICE Slots slots_of(const RelabelTable& table) { return {table}; }

// Records that id `i` is the node of the key. A thread that lowers the first place of a node
// updates the old place, too. The old place does not update itself, because the other thread may
// have done so already.
template <typename Table>
__device__ void meet(const Table& slots, const Meetings& meetings, int64_t i,
                     unsigned long long key) {
  const unsigned mine = kMet + static_cast<unsigned>(i);
  const unsigned was = slots.meet(key, mine, meetings.places + i);
  if (was < kMet) {
    meetings.local.set(*meetings.local_from + i, was);
    meetings.met[i] = Met::kNumbered;
  } else if (was < mine) {
    meetings.met[i] = Met::kAgain;
  } else if (was != kNothing) {
    meetings.met[was - kMet] = Met::kAgain;
  }
}

__device__ inline unsigned long long key_of_node(int64_t id, int64_t tree, uint64_t num_nodes) {
  return static_cast<uint64_t>(tree) * num_nodes + static_cast<uint64_t>(id);
}

}  // namespace gls::cuda
