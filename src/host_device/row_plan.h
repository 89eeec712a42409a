// Data that kernels need about rows in addition to the topology, as plain values.
#pragma once

#include <cstdint>

#include "host_device/alias_rule.h"

namespace gls::device {

// Excluded edges of one type: see host_device/exclusion_filter.h.
struct ExclusionFilter {
  const int64_t* positions = nullptr;  // ascending, without repeats
  int64_t count = 0;
  const uint64_t* filter = nullptr;  // of the rows that contain them
  uint32_t shift = 63;
};

// A column of integers of any width, one for each row.
struct Integers {
  const void* data = nullptr;
  int64_t stride = 0;
  uint8_t bytes = 8;
  bool is_signed = true;
};

// A column of numbers of any dtype, one for each row.
struct Numbers {
  const void* data = nullptr;
  int64_t stride = 0;
  uint8_t code = 0;  // of a DLDataType
  uint8_t bits = 0;
};

// Times of one type's edges, by edge id and by neighbour; each may have no data.
struct TimesOfType {
  Integers edge;
  Integers node;
  uint8_t* states = nullptr;  // by row: RowState of host_device/time_bounds.h
};

// Alias tables of one edge type's rows (see host_device/alias_rule.h), or its weights, all of which
// are valid, or both. Without both, entries are picked uniformly.
struct WeightsOfType {
  const WeightedRow* rows = nullptr;  // by row; `positive` is known for all
  const AliasSlot* slots = nullptr;   // by position
  int64_t longest = 0;                // longest row
  // By edge id. Used by second-order walks, and where a row's weights must be read because of
  // excluded edges, times or LABOR.
  Numbers exact;
};

// Draws nodes of a type, uniformly or in proportion to weights: see host_device/negative_rule.h.
struct NodeChances {
  int64_t count = 0;             // not 0
  int64_t last = 0;              // last node with a positive weight
  const double* sums = nullptr;  // [count]: cumulative weights; NULL: no weights
};

// Draws of negatives for one edge type and batch: see host_device/negative_rule.h.
struct NegativeDraws {
  uint64_t key = 0;  // key of the batch
  uint32_t row_word = 0;
  // For each negative that must not be an edge; for others, the first try counts.
  uint32_t tries = 1;
  uint64_t each = 0;    // triplets: for each link; 0: pairs
  NodeChances sources;  // for pairs
  NodeChances targets;
};

// A row that has a copy in other memory: its start and end in indptr, and the start of the copy.
struct HotRow {
  int64_t begin;
  int64_t end;
  int64_t place;
};

// The most devices that may share the rows of a cache. A slot holds the number of a device above
// the bits of the row there.
inline constexpr uint32_t kMostMembers = 16;

// A change of a row's copy in a cache.
struct SlotChange {
  int64_t row;
  int64_t slot;  // from now on; -1: no copy
};

// The keys for LABOR numbers; see host_device/labor_rule.h.
struct NumberKeys {
  uint64_t key = 0;  // layer_key() of this period
  // The key of the next period, for nodes whose phase draw is at least `late_from`.
  uint64_t late_key = 0;
  uint64_t late_from = 0;  // 0: no node is late, and phases are not drawn
  uint64_t phase_key = 0;
};

}  // namespace gls::device
