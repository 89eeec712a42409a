// The options of HGT sampling, checked against the dataset.
#pragma once

#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"
#include "sample/pick/node_rows.h"

namespace gls {

struct HgtPlan {
  HgtOptions options;
  RowSteps steps;
};

// options.hgt must be set.
Result<HgtPlan> plan_hgt(const Dataset& dataset, const SamplerOptions& options);

}  // namespace gls
