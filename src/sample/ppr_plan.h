// What personalised PageRank is computed by: its options, checked against the dataset.
#pragma once

#include <vector>

#include "graph/dataset.h"
#include "sample/options.h"

namespace gls {

// One edge type to push along.
struct PushStep {
  size_t edge_type;
  const Topology* topology;  // of the dataset
  size_t to;                 // node type at the other end
};

struct PprPlan {
  PprOptions options;
  std::vector<std::vector<PushStep>> steps;  // by the type of the node that is pushed
};

// options.ppr must be set.
Result<PprPlan> plan_ppr(const Dataset& dataset, const SamplerOptions& options);

}  // namespace gls
