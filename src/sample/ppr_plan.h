// What personalised PageRank is computed by: its options, checked against the dataset.
#pragma once

#include <vector>

#include "graph/dataset.h"
#include "sample/node_rows.h"
#include "sample/options.h"

namespace gls {

struct PprPlan {
  PprOptions options;
  RowSteps steps;
};

// options.ppr must be set.
Result<PprPlan> plan_ppr(const Dataset& dataset, const SamplerOptions& options);

}  // namespace gls
