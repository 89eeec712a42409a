// Scores of the nodes next to a batch, by which more of them are drawn: docs/contract.md
// section 11.
#pragma once

#include <cstdint>
#include <vector>

#include "base/philox.h"
#include "sample/pick/alias.h"
#include "sample/pick/node_score_table.h"
#include "sample/pick/weighted_parts.h"

namespace gls {

// Of the nodes of all types; kept from batch to batch for its memory.
class Budget {
 public:
  // Empties it.
  void start(size_t num_types);
  // The node is of the batch; false if it was before.
  bool take(size_t type, int64_t node);
  // What a node of the batch gives to a neighbour.
  void add(size_t type, int64_t node, double share);
  void prefetch(size_t type, int64_t node) const {
    met_.prefetch(static_cast<uint32_t>(type), node);
  }
  // Draws at most `count` candidates of a type, -1: all; they are taken, and appended to `out` in
  // the order of picking.
  void draw(size_t type, RowDraws& draws, int64_t count, std::vector<int64_t>* out);
  // Of all types, in and out of the batch. draw() takes up to kMostWeighted.
  size_t num_met() const { return met_.entries().size(); }

 private:
  struct Met {
    double score = 0;
    int64_t node = 0;
    uint32_t type = 0;
    bool taken = false;
  };
  MetTable<Met> met_;
  std::vector<std::vector<uint32_t>> candidates_;  // of met_, by type, in the order of first scores
  WeightedParts weights_;
  std::vector<AliasSlot> slots_;
  AliasPicker picker_;
  std::vector<int64_t> picks_;
};

}  // namespace gls
