// What a sampler of walks does at each step: its options, checked against the dataset.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/dataset/dataset.h"
#include "rules/walk_rule.h"
#include "sample/pick/options.h"

namespace gls {

// One edge type of the path.
struct WalkStep {
  size_t edge_type;
  const Topology* topology;  // of the dataset
  size_t from;               // node types, in the direction of the walk
  size_t to;
};

struct WalkPlan {
  std::vector<WalkStep> path;  // in turn
  size_t length = 0;
  size_t walks = 1;  // of each seed
  double restart = 0;
  double stop = 0;
  WalkBias bias;
  bool second_order = false;  // its weights are not both 1
  size_t traversal = 0;       // above 0: a walk stops only after so many steps, or a multiple
  bool ascending = false;     // rows ascend; known only where the second order asks for it

  size_t node_type() const { return path.front().from; }
  bool may_stop(size_t step) const {
    return stop > 0 && (traversal == 0 || (step > 0 && step % traversal == 0));
  }
  // Of the nodes in a column of the array of walks.
  size_t type_of_column(size_t column) const {
    return column == 0 ? node_type() : path[(column - 1) % path.size()].to;
  }
};

// Of the other options: the direction and the weights.
Result<WalkPlan> plan_walks(const Dataset& dataset, const SamplerOptions& options,
                            const WalkOptions& given);

}  // namespace gls
