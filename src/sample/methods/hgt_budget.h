// Scores the neighbours of a batch for HGT sampling, which draws further nodes by these scores:
// docs/contract.md section 11.
#pragma once

#include <cstdint>
#include <vector>

#include "base/philox.h"
#include "sample/pick/alias.h"
#include "sample/pick/node_score_table.h"
#include "sample/pick/weighted_parts.h"

namespace gls {

// The scores of nodes of all types; reused across batches.
class HgtBudget {
 public:
  // Empties it.
  void start(size_t num_types);
  // Adds the node to the batch; false if it was in the batch already.
  bool take(size_t type, int64_t node);
  // Adds the share that a node of the batch gives to a neighbour.
  void add(size_t type, int64_t node, double share);
  void prefetch(size_t type, int64_t node) const {
    met_.prefetch(static_cast<uint32_t>(type), node);
  }
  // Draws at most `count` candidates of a type, -1: all. Adds them to the batch and appends them to
  // `out` in the order of picking.
  void draw(size_t type, RowDraws& draws, int64_t count, std::vector<int64_t>* out);
  // Nodes of all types, in the batch or not. draw() allows up to kMostWeighted.
  size_t num_met() const { return met_.entries().size(); }

 private:
  struct Met {
    double score = 0;
    int64_t node = 0;
    uint32_t type = 0;
    bool taken = false;
  };
  NodeScoreTable<Met> met_;
  // Entries of met_, by type, in the order of their first scores.
  std::vector<std::vector<uint32_t>> candidates_;
  WeightedParts weights_;
  std::vector<AliasSlot> slots_;
  AliasPicker picker_;
  std::vector<int64_t> picks_;
};

}  // namespace gls
