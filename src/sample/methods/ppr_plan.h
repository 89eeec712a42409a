// What personalised PageRank is computed by: its options, checked against the dataset.
#pragma once

#include <vector>

#include "graph/dataset/dataset.h"
#include "sample/pick/node_rows.h"
#include "sample/pick/options.h"

namespace gls {

struct PprPlan {
  PprOptions options;
  std::vector<RowSteps> pushes;  // one, or one for each channel
  std::vector<size_t> places;    // of each channel, among the neighbours
  size_t score_columns = 2;
};

// How many of the neighbours each channel may choose, all of them together: by largest remainder,
// ties to the first. The shares must be above 0.
std::vector<size_t> share_places(const std::vector<PprChannel>& channels, size_t neighbors);

// options.ppr must be set.
Result<PprPlan> plan_ppr(const Dataset& dataset, const SamplerOptions& options);

}  // namespace gls
