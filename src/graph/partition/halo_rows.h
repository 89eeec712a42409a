// Rows of nodes that others own, and that a part has whole: its halo
// (docs/decisions/0033-parts.md).
#pragma once

#include <cstdint>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/topology/global_ids.h"
#include "graph/topology/rank_bitset.h"

namespace gls {

class HaloRows {
 public:
  // Whether a part has any that are known as such. Where a type has both layouts, rows that are not
  // whole have edges, too, and none are.
  static bool any(const EdgeType& type, Layout layout, const WholeIds& nodes);

  // Of a part that has some; reads the ids of what it does not own, and how long their rows are.
  HaloRows(const Topology& topology, const WholeIds& nodes);

  // The row in the part of an id of the whole; -1: it is owned, or not here. A node without edges
  // is not here, as nothing tells whether it has some elsewhere. To look costs one line of memory.
  int64_t row_of(int64_t whole) const {
    const int64_t rank = ranks_.rank(whole);
    return rank >= 0 ? rows_[static_cast<size_t>(rank)] : -1;
  }
  bool has(int64_t whole) const { return ranks_.has(whole); }

 private:
  IdRanks ranks_;
  std::vector<int64_t> rows_;  // by rank
};

}  // namespace gls
