// Places nodes in parts one by one, and tracks how full the parts are.
#pragma once

#include <cstdint>
#include <vector>

#include "ingest/assign/balance.h"

namespace gls {

// A node to place.
struct PlacedNode {
  size_t node_class = 0;
  int64_t edges = 0;  // its in-edges
};

class Placement {
 public:
  explicit Placement(const Balance& balance);

  void clear();
  void put(PlacedNode node, uint32_t part);
  void take(PlacedNode node, uint32_t part);
  bool too_full(PlacedNode node, uint32_t part) const {
    return load_[at(node, part)] > balance_.most(node.node_class, part);
  }

  // Counts a neighbour of the current node, until forget().
  void meet(uint32_t part) {
    if (near_[part]++ == 0) {
      met_.push_back(part);
    }
  }
  uint32_t near(uint32_t part) const { return near_[part]; }
  // Chooses the part with most neighbours, weighed by its remaining room: linear deterministic
  // greedy. Among equal parts, the emptier one. Without room or neighbours, the next part with room
  // from `start` on.
  uint32_t choose(PlacedNode node, uint32_t start);
  void forget();

 private:
  size_t at(PlacedNode node, uint32_t part) const {
    return node.node_class * balance_.parts() + part;
  }
  // From 0 (full) to 1.
  double room(PlacedNode node, uint32_t part) const;
  uint32_t next_with_room(PlacedNode node, uint32_t start) const;

  const Balance& balance_;
  std::vector<int64_t> load_;   // [class][part]
  std::vector<double> edges_;   // [part]; empty: not balanced
  std::vector<uint32_t> near_;  // [part]
  std::vector<uint32_t> met_;   // parts whose near_ is not 0
};

}  // namespace gls
