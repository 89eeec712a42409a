// The halo of a part: whole rows of nodes that other parts own (docs/decisions/0033-parts.md).
#pragma once

#include <cstdint>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/topology/global_ids.h"
#include "graph/topology/rank_bitset.h"

namespace gls {

class HaloRows {
 public:
  // Whether a part has rows that are known to be whole. Where a type has both layouts, rows that
  // are not whole have edges, too, so none are known.
  static bool any(const EdgeType& type, Layout layout, const GlobalIds& nodes);

  // Requires any(). Reads the ids that the part does not own, and the lengths of their rows.
  HaloRows(const Topology& topology, const GlobalIds& nodes);

  // The part's row of a global id; -1: the part owns it, or does not store it. A node without edges
  // counts as not stored, since its edges may be in other parts. A lookup reads one cache line.
  int64_t row_of(int64_t whole) const {
    const int64_t rank = ranks_.rank(whole);
    return rank >= 0 ? rows_[static_cast<size_t>(rank)] : -1;
  }
  bool has(int64_t whole) const { return ranks_.has(whole); }

 private:
  RankBitset ranks_;
  std::vector<int64_t> rows_;  // by rank
};

}  // namespace gls
