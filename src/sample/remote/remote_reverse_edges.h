// Excluded edges of a remote graph together with their reverse edges, which its parts do not know.
#pragma once

#include <vector>

#include "graph/dataset/dataset.h"
#include "query/graph_source.h"
#include "query/sampler_options.h"

namespace gls {

// Returns all edges by id. `rows` returns whole rows of the layout that `options` read. An error
// names the first set that is out of range.
Result<std::vector<EdgeSet>> with_reverses(const Dataset& dataset, const SamplerOptions& options,
                                           const HopSource& rows, const std::vector<EdgeSet>& sets);

}  // namespace gls
