// Edges between many pairs of nodes. The pairs of a row are looked for together, so that a hub with
// many of them is read once and not once for each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/dataset/topology_query.h"

namespace gls {

// A row of a topology, a neighbour to be found in it, and what the caller knows the pair by.
struct NodePair {
  int64_t row = 0;
  int64_t neighbor = 0;
  size_t tag = 0;
};

// Calls `found` for every position that holds a pair's neighbour in its row, with all pairs that
// are this one, at least one, by ascending tag. Rows come in ascending order, and so do the
// positions of a pair. The rows must be in range; an error of `found` ends it. What is looked at,
// in neighbours, is added to `looked_at` if it is not NULL.
using PairFound = std::function<Status(int64_t position, std::span<const NodePair> same)>;
Status find_pairs(const EdgeType& type, const Topology& topology, std::vector<NodePair> pairs,
                  const PairFound& found, int64_t* looked_at = nullptr);

}  // namespace gls
