// Finds edges between many pairs of nodes. All pairs of one row are searched together, so that a
// hub's row is read once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/dataset/topology_query.h"

namespace gls {

// A row of a topology, a neighbour to find in it, and the caller's tag for the pair.
struct NodePair {
  int64_t row = 0;
  int64_t neighbor = 0;
  size_t tag = 0;
};

// Calls `found` for every position that holds a pair's neighbour in its row, with all equal pairs
// by ascending tag. Rows ascend, and so do the positions of a pair. Rows must be in range; an error
// of `found` ends the search. If `looked_at` is not NULL, it is increased by the neighbours read.
using PairFound = std::function<Status(int64_t position, std::span<const NodePair> same)>;
Status find_pairs(const EdgeType& type, const Topology& topology, std::vector<NodePair> pairs,
                  const PairFound& found, int64_t* looked_at = nullptr);

}  // namespace gls
