// Code that the kernels of every instruction set share: the phases around the vector code.
// Everything here has internal linkage, so that each instruction set gets its own copy (see
// kernels.h).
#pragma once

#include <cstdint>

#include "base/philox.h"
#include "host_device/labor_rule.h"
#include "host_device/row_rule.h"
#include "sample/kernels/kernels.h"

namespace gls::kernels {
// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers)
namespace {

// Prefetch distances. Values from half to twice are within a few percent.
constexpr int64_t kIndptrAhead = 24;  // frontier nodes
constexpr int64_t kPicksAhead = 128;  // edges
constexpr int64_t kTableAhead = 48;   // edges

// Picks are prefetched to the L2 cache, not to L1. A prefetch to L1 holds one of its few miss slots
// until memory answers; one to L2 does not.
template <typename T>
inline void prefetch_l2(const T* address) {
  __builtin_prefetch(address, 0, 2);
}
template <typename T>
inline void prefetch_l1(const T* address) {
  __builtin_prefetch(address, 0, 3);
}

struct Row {
  int64_t begin;
  uint64_t degree;
  bool valid;
};

inline Row read_row(const PickArgs& args, uint64_t row) {
  const int64_t begin = args.indptr[row];
  const int64_t end = args.indptr[row + 1];
  return {begin, static_cast<uint64_t>(end) - static_cast<uint64_t>(begin),
          is_row(begin, end, args.num_edges)};
}

// Calls read(i) for every pick in order, with its cache line prefetched long before. Prefetching a
// whole chunk while picking was best on Zen 4, but lost on Zen 5. There most of these requests are
// dropped, and loading took four times as long.
template <typename T, typename Read>
inline void read_picks(const T* from, const int64_t* positions, int64_t count, Read read) {
  const int64_t asked = count < kPicksAhead ? count : kPicksAhead;
  for (int64_t i = 0; i < asked; ++i) {
    prefetch_l2(from + positions[i]);
  }
  int64_t i = 0;
  for (; i < count - kPicksAhead; ++i) {
    prefetch_l2(from + positions[i + kPicksAhead]);
    read(i);
  }
  for (; i < count; ++i) {
    read(i);
  }
}

// Compares at full width before narrowing; a negative id is then a huge number.
template <typename In, typename Out>
bool load_below(const void* ids, const int64_t* positions, int64_t count, uint64_t limit,
                void* out) {
  const auto* from = static_cast<const In*>(ids);
  auto* to = static_cast<Out*>(out);
  bool bad = false;
  read_picks(from, positions, count, [&](int64_t i) {
    const auto id = static_cast<uint64_t>(int64_t{from[positions[i]]});
    bad |= id >= limit;
    to[i] = static_cast<Out>(id);
  });
  return !bad;
}

// Writes every id, and advances only past those to keep, so no branch depends on the data.
template <typename In>
int64_t sift_one_by_one(const SiftArgs& args, int64_t first, int64_t count, int64_t* ids,
                        int64_t* positions) {
  const auto* const from = static_cast<const In*>(args.ids) + first;
  bool bad = false;
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t id = from[i];
    bad |= static_cast<uint64_t>(id) >= args.limit;
    const uint32_t bit = (static_cast<uint32_t>(id) + args.offset) & args.mask;
    ids[kept] = id;
    positions[kept] = first + i;
    kept += args.filter[bit / 32] >> bit % 32 & 1;
  }
  return bad ? -1 : kept;
}

// Handles one key at a time, also for the keys that fill no vector.
inline void walk_draws_one_by_one(const uint64_t* keys, int64_t count, uint32_t pair, uint32_t step,
                                  uint64_t* first, uint64_t* second) {
  for (int64_t i = 0; i < count; ++i) {
    const PhiloxWords words = philox(pair, step, 0, 0, keys[i]);
    first[i] = words.w[0] | (uint64_t{words.w[1]} << 32);
    second[i] = words.w[2] | (uint64_t{words.w[3]} << 32);
  }
}

// Handles one node at a time, also for the nodes that fill no vector.
template <typename In>
bool numbers_one_by_one(const NumberArgs& args, const void* ids, int64_t count, uint64_t* out) {
  const auto* from = static_cast<const In*>(ids);
  bool bad = false;
  for (int64_t i = 0; i < count; ++i) {
    const auto id = static_cast<uint64_t>(int64_t{from[i]});
    bad |= id >= args.limit;
    out[i] = number_of_node(args, args.node_type, args.word, id);
  }
  return !bad;
}

// Branchless, because which numbers are kept cannot be predicted.
inline int64_t numbers_below_one_by_one(const uint64_t* numbers, int64_t count, uint64_t bound,
                                        int64_t first, uint64_t* kept, int64_t* places) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; ++i) {
    kept[n] = numbers[i];
    places[n] = first + i;
    n += numbers[i] <= bound ? 1 : 0;
  }
  return n;
}

inline int64_t smallest_one_by_one(const uint64_t* numbers, const int64_t* places, int64_t count,
                                   int64_t k, int64_t* out) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t smaller = 0;
    for (int64_t j = 0; j < count; ++j) {
      smaller += numbers[j] < numbers[i] ? 1 : 0;
    }
    out[n] = places[i];
    n += smaller < k ? 1 : 0;
  }
  return n;
}

// Handles one time at a time, also for the times that fill no word.
template <typename T>
inline uint64_t times_of_word(const T* times, int64_t count, T low, T high) {
  uint64_t word = 0;
  for (int64_t i = 0; i < count; ++i) {
    word |= static_cast<uint64_t>(times[i] >= low && times[i] <= high) << i;
  }
  return word;
}

// Calls full(at) for each word of 64 times.
template <typename T, typename Full>
inline void times_by_word(const T* times, int64_t count, T low, T high, uint64_t* words,
                          const Full& full) {
  int64_t at = 0;
  for (; at + 64 <= count; at += 64) {
    words[at / 64] = full(times + at);
  }
  if (at < count) {
    words[at / 64] = times_of_word(times + at, count - at, low, high);
  }
}

// Relabels one edge at a time, without a branch: whether a neighbour is new is nearly random.
template <typename Out>
uint32_t relabel_one_by_one(const DirectTable& table, const uint32_t* neighbors, int64_t count,
                            uint32_t next, void* nodes, void* out) {
  auto* ids = static_cast<Out*>(nodes);
  auto* to = static_cast<Out*>(out);
  uint32_t* const entries = table.entries;
  const uint32_t base = table.base;
  for (int64_t i = 0; i < count && i < kTableAhead; ++i) {
    prefetch_l1(entries + neighbors[i]);
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t ahead = i + kTableAhead < count ? i + kTableAhead : i;
    prefetch_l1(entries + neighbors[ahead]);
    const uint32_t neighbor = neighbors[i];
    const uint32_t entry = entries[neighbor];
    const bool is_new = entry < base;
    const uint32_t value = is_new ? base + next : entry;
    entries[neighbor] = value;
    ids[next] = static_cast<Out>(neighbor);
    to[i] = static_cast<Out>(value - base);
    next += is_new ? 1 : 0;
  }
  return next;
}

// Table entries for the phase without vector code.
#define GLS_COMMON_LOADS                                              \
  {                                                                   \
    {load_below<int32_t, uint32_t>, load_below<int32_t, uint64_t>}, { \
      load_below<int64_t, uint32_t>, load_below<int64_t, uint64_t>    \
    }                                                                 \
  }

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
}  // namespace gls::kernels
