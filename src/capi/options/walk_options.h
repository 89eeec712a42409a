// The part of a sampler's options that walks have, and those that they do not.
#pragma once

#include <gls.h>

#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "sample/pick/options.h"

namespace gls::capi {

// Of GLS_SAMPLER_*, which is one of those that there are.
const char* kind_name(int32_t kind);

// An error names an option that only neighbourhoods have.
Status refuse_neighbor_options(const gls_sampler_options_t& given);

// Edge types by name; an error names the entry of `argument`.
Result<std::vector<size_t>> read_edge_types(const Dataset& dataset, const char* const* types,
                                            size_t count, const char* argument);

// Of the kind GLS_SAMPLER_WALK; an error names an option that only neighbourhoods have.
Status read_walks(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out);

}  // namespace gls::capi
