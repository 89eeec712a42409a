// What rows go by beside their topology, as kernels read it: plain values.
#pragma once

#include <cstdint>

#include "rules/alias_rule.h"

namespace gls::device {

// Edges of one type that are left out: see rules/exclusion_filter.h.
struct LeftOut {
  const int64_t* positions = nullptr;  // ascending, without repeats
  int64_t count = 0;
  const uint64_t* filter = nullptr;  // of the rows that they are in
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

// Times of the edges of one type, by edge id and by neighbour; each may have no data.
struct TimesOfType {
  Integers edge;
  Integers node;
  uint8_t* states = nullptr;  // by row: RowState of rules/time_bounds.h
};

// Alias tables of the rows of one edge type, see rules/alias_rule.h, or the weights
// themselves, all of which fit, or both. Without either its entries are picked uniformly.
struct WeightsOfType {
  const WeightedRow* rows = nullptr;  // by row; what is positive is known of all
  const AliasSlot* slots = nullptr;   // by position
  int64_t longest = 0;                // of the rows
  // By edge id: of walks of the second order, and where rows are weighed anew, as edges are left
  // out, are in time or are picked by layer.
  Numbers exact;
};

// Nodes of a type, uniformly or in proportion to weights: see rules/negative_rule.h.
struct NodeChances {
  int64_t count = 0;             // not 0
  int64_t last = 0;              // of positive weight
  const double* sums = nullptr;  // [count]: running ones of the weights; NULL: there are no weights
};

// Of one edge type and batch, likewise.
struct NegativeDraws {
  uint64_t key = 0;  // of the batch
  uint32_t row_word = 0;
  uint32_t tries = 1;   // of each that may be no edge; of others the first counts
  uint64_t each = 0;    // of triplets, for each link; 0: they are pairs
  NodeChances sources;  // of pairs
  NodeChances targets;
};

// A row that lies elsewhere as well: what indptr says of it, and where its entries begin there.
struct HotRow {
  int64_t begin;
  int64_t end;
  int64_t place;
};

// Devices among which the rows of a cache may be divided. A slot is the number of one of them,
// above bits that are the row there.
inline constexpr uint32_t kMostMembers = 16;

// A row of a column that lies elsewhere as well.
struct SlotChange {
  int64_t row;
  int64_t slot;  // from now on; -1: none
};

// What numbers of nodes are made with that are picked by layer, see rules/labor_rule.h.
struct NumberKeys {
  uint64_t key = 0;        // layer_key() of this period
  uint64_t late_key = 0;   // and of the next, for nodes whose phase draw is at least `late_from`
  uint64_t late_from = 0;  // 0: no node is late, and there are no phases to draw
  uint64_t phase_key = 0;
};

}  // namespace gls::device
