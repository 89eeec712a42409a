// The options of personalised PageRank, checked against the dataset.
#pragma once

#include <vector>

#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"
#include "sample/pick/node_rows.h"

namespace gls {

struct PprPlan {
  PprOptions options;
  std::vector<RowSteps> pushes;  // one, or one for each channel
  std::vector<size_t> places;    // quota of each channel among the neighbours
  size_t score_columns = 2;
};

// Divides the neighbours among the channels by their shares, with the method of largest remainders;
// ties go to the first channel. The shares must be above 0.
std::vector<size_t> share_places(const std::vector<PprChannel>& channels, size_t neighbors);

// options.ppr must be set.
Result<PprPlan> plan_ppr(const Dataset& dataset, const SamplerOptions& options);

}  // namespace gls
