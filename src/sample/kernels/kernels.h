// The inner loops of neighbour sampling, with one set per instruction set, chosen at run time.
//
// A hop is processed in chunks that stay in the L2 cache, in three phases. Each phase keeps many
// independent memory accesses in flight, which makes sampling fast:
//   1. pick:    draw positions in the rows of the frontier,
//   2. load:    read the neighbours at those positions,
//   3. relabel: turn neighbours into local ids, numbering the new ones.
//
// This header and the kernel files use plain structs and pointers only. They are compiled for wider
// instruction sets, and the linker could use an inline library function from there everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host_device/alias_rule.h"
#include "host_device/row_plan.h"

namespace gls::kernels {

// Rows processed at a time, and room for their picks.
inline constexpr int64_t kChunkNodes = 512;
inline constexpr int64_t kChunkPicks = 8192;
// Kernels may write this many elements beyond the reported end.
inline constexpr int64_t kSlack = 64;
// Fanouts up to this are drawn in vector registers.
inline constexpr uint32_t kMaxVectorFanout = 32;

struct PickArgs {
  const int64_t* indptr;
  uint64_t num_edges;
  const void* rows;   // of indptr, for the nodes of the frontier's type, by local id
  const void* nodes;  // the ids that their draws depend on; equal to `rows` in a whole dataset
  const void* trees;  // disjoint: tree of each of those nodes; else NULL
  const uint64_t* tree_keys;  // disjoint: key of each tree
  uint64_t key;               // not disjoint: key of the batch
  uint32_t row_word;          // see philox.h
  uint32_t fanout;            // 1 .. kMaxVectorFanout
  int64_t frontier_end;       // local id after the last of the frontier
};

struct PickResult {
  int64_t next_node;  // local id of the first unprocessed node
  int64_t picks;      // positions written
  bool bad_row;       // next_node has an invalid row in indptr
};

// Picks uniformly without replacement for the frontier nodes [begin, end). These are at most
// kChunkNodes nodes, and at most kChunkPicks / fanout. Writes positions (into indices) and the
// local id of each position's node. Ends early at a row of more than 65536 entries, which needs
// wider draws.
using PickFn = PickResult (*)(const PickArgs& args, int64_t begin, int64_t end, int64_t* positions,
                              void* anchors);

// out[i] = ids[positions[i]], for neighbours and for edge ids. Returns false when one is not in 0
// .. limit - 1; then `out` must not be used.
using LoadFn = bool (*)(const void* ids, const int64_t* positions, int64_t count, uint64_t limit,
                        void* out);

// A table with one entry per node: base + local id if the node is in this batch, or less than base.
// It need not be cleared between batches.
struct DirectTable {
  uint32_t* entries;
  uint32_t base;
};

// Converts neighbors (uint32) to local ids. New ones are numbered from `next` and appended to
// `nodes`. Returns the next free local id.
using RelabelFn = uint32_t (*)(const DirectTable& table, const uint32_t* neighbors, int64_t count,
                               uint32_t next, void* nodes, void* out);

// Selects the stored ids in [first, first + count) whose bit in a filter is set, and their
// positions. The bit of an id is the low half of id + offset. Returns their number, or -1 when an
// id is not below the limit; then the outputs must not be used. The outputs have room for kSlack
// more.
struct SiftArgs {
  const void* ids;
  uint64_t limit;
  const uint32_t* filter;
  uint32_t mask;  // bits of the filter - 1
  uint32_t offset;
};
using SiftFn = int64_t (*)(const SiftArgs& args, int64_t first, int64_t count, int64_t* ids,
                           int64_t* positions);

// Rows with an alias table; see weight_table.h.
struct WeightedArgs {
  const WeightedRow* table;  // by row
  const AliasSlot* slots;
  const void* rows;  // from here on as in PickArgs
  const void* nodes;
  const void* trees;
  const uint64_t* tree_keys;
  uint64_t key;
  uint32_t row_word;
  uint32_t fanout;  // 1 .. kMaxVectorFanout
  int64_t frontier_end;
  bool distinct;    // no repeats
  bool whole_rows;  // rows with at most `fanout` positive weights have all of them picked
};
struct WeightedResult {
  int64_t next_node;  // before `end`: a row that the kernel cannot handle
  int64_t picks;
};

// Picks by weight for the frontier nodes [begin, end), at most kChunkNodes nodes and at most
// kChunkPicks / fanout. Writes as PickFn does. Ends early at a row that must be read, needs wider
// draws, or whose draws hit too few entries.
using WeightedFn = WeightedResult (*)(const WeightedArgs& args, int64_t begin, int64_t end,
                                      int64_t* positions, void* anchors);

// Kernels of numbers may write this many elements beyond the reported end.
inline constexpr int64_t kDrawLanes = 8;

// For each key, the two halves of philox(pair, step, 0, 0; key) as 64-bit numbers. These are the
// draws of walks that take a step together.
using WalkDrawsFn = void (*)(const uint64_t* keys, int64_t count, uint32_t pair, uint32_t step,
                             uint64_t* first, uint64_t* second);

// The LABOR numbers of nodes, docs/contract.md section 2.
struct NumberArgs : device::NumberKeys {
  uint64_t limit;  // ids are below this
  uint32_t word;   // node type and hop
  uint32_t node_type;
};
// For stored ids; `out` has room for kDrawLanes more. Returns false when an id is not below the
// limit; then `out` must not be used.
using NumbersFn = bool (*)(const NumberArgs& args, const void* ids, int64_t count, uint64_t* out);
// Keeps the numbers up to `bound` and their positions, counted from `first`. Returns how many. The
// outputs have room for kDrawLanes more.
using NumbersBelowFn = int64_t (*)(const uint64_t* numbers, int64_t count, uint64_t bound,
                                   int64_t first, uint64_t* kept, int64_t* places);
// Of at most kMaxRanked numbers, writes the positions of those with fewer than `k` smaller numbers,
// in order. Returns how many, which exceeds `k` if equal numbers compete. `out` and `numbers` have
// room for kDrawLanes more.
inline constexpr int64_t kMaxRanked = 64;
using SmallestFn = int64_t (*)(const uint64_t* numbers, const int64_t* places, int64_t count,
                               int64_t k, int64_t* out);

// Writes one bit for each time, lowest first in words of 64: whether it is in low .. high, which
// fit the width. Bits behind the last time are clear.
using TimesWithinFn = void (*)(const void* times, int64_t count, int64_t low, int64_t high,
                               uint64_t* words);

// Indexed by whether output ids, stored ids, and times are 64 bits wide.
struct Table {
  const char* name;
  PickFn pick[2];          // [wide out]
  LoadFn load[2][2];       // [wide in][wide out]
  RelabelFn relabel[2];    // [wide out]
  SiftFn sift[2];          // [wide in]
  WeightedFn weighted[2];  // [wide out]
  WalkDrawsFn walk_draws;
  NumbersFn numbers[2];  // [wide in]
  NumbersBelowFn numbers_below;
  SmallestFn smallest;
  TimesWithinFn times_within[2];  // [wide times]
};

// 0 plain, 1 AVX2, 2 AVX-512; the caller knows what the CPU supports.
const Table& table_for(int level);

const Table& plain_table();
#if defined(__x86_64__)
const Table& avx2_table();
const Table& avx512_table();
#endif

}  // namespace gls::kernels
