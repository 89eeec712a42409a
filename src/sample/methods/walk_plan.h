// The steps of random walks: their options, checked against the dataset.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/dataset/dataset.h"
#include "host_device/walk_rule.h"
#include "query/sampler_options.h"

namespace gls {

// One edge type of the path.
struct WalkStep {
  size_t edge_type;
  const Topology* topology;  // of the dataset
  size_t from;               // node types, in the direction of the walk
  size_t to;
};

struct WalkPlan {
  std::vector<WalkStep> path;  // edge types in order
  size_t length = 0;
  size_t walks = 1;  // for each seed
  double restart = 0;
  double stop = 0;
  WalkBias bias;
  bool second_order = false;  // p and q are not both 1
  size_t traversal = 0;       // above 0: a walk may stop only after a multiple of this many steps
  bool ascending = false;     // rows ascend; known only for second-order walks

  size_t node_type() const { return path.front().from; }
  bool may_stop(size_t step) const {
    return stop > 0 && (traversal == 0 || (step > 0 && step % traversal == 0));
  }
  // The type of the nodes in a column of the array of walks.
  size_t type_of_column(size_t column) const {
    return column == 0 ? node_type() : path[(column - 1) % path.size()].to;
  }
};

// Of the other options, uses the direction and the weights.
Result<WalkPlan> plan_walks(const Dataset& dataset, const SamplerOptions& options,
                            const WalkOptions& given);

}  // namespace gls
