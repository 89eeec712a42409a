// The hash table of the nodes of a batch: see relabel.h. For .cu files.
#pragma once

#include "cuda/relabel.h"

namespace gls::cuda {

// Values of slots: a local id; kMet + the first place where a node without one is met; or this.
inline constexpr unsigned kMet = 1u << 31;
inline constexpr unsigned kNothing = ~0u;
inline constexpr unsigned long long kFreeKey = ~0ull;

struct Slots {
  unsigned long long* keys;
  unsigned* values;
  uint64_t mask;

  // The first place to look.
  __device__ uint64_t home(unsigned long long key) const {
    return (key * 0x9e3779b97f4a7c15u >> 20) & mask;
  }
  // The local id of a node; -1: it has none. Nothing is entered meanwhile.
  __device__ int64_t find(unsigned long long key) const {
    uint64_t at = home(key);
    while (keys[at] != key) {
      if (keys[at] == kFreeKey) {
        return -1;
      }
      at = (at + 1) & mask;
    }
    return values[at];
  }
  // Where the key is, which is entered if it is not there.
  __device__ uint32_t enter(unsigned long long key) const {
    bool is_new = false;
    return enter(key, &is_new);
  }
  __device__ uint32_t enter(unsigned long long key, bool* is_new) const {
    for (uint64_t at = home(key);; at = (at + 1) & mask) {
      // Most keys are there already, and looking is cheaper than trying.
      unsigned long long was = *static_cast<volatile unsigned long long*>(keys + at);
      if (was == kFreeKey) {
        was = atomicCAS(keys + at, kFreeKey, key);
      }
      if (was == kFreeKey || was == key) {
        *is_new = was == kFreeKey;
        return static_cast<uint32_t>(at);
      }
    }
  }
};

GLS_HOST_DEVICE Slots slots_of(const RelabelTable& table) {
  auto* const keys = static_cast<unsigned long long*>(table.slots);
  return {keys, reinterpret_cast<unsigned*>(keys + table.size), table.size - 1};
}

__device__ inline unsigned long long key_of_node(int64_t id, int64_t tree, uint64_t num_nodes) {
  return static_cast<uint64_t>(tree) * num_nodes + static_cast<uint64_t>(id);
}

}  // namespace gls::cuda
