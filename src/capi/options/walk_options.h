// Reads the walk options of a sampler, and refuses others.
#pragma once

#include <gls.h>

#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"

namespace gls::capi {

// The name of a valid GLS_SAMPLER_* value.
const char* kind_name(int32_t kind);

// An error names an option that only neighbour sampling has.
Status refuse_neighbor_options(const gls_sampler_options_t& given);

// Edge types by name; an error names the entry of `argument`.
Result<std::vector<size_t>> read_edge_types(const Dataset& dataset, const char* const* types,
                                            size_t count, const char* argument);

// For the kind GLS_SAMPLER_WALK; an error names an option that only neighbour sampling has.
Status read_walks(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out);

}  // namespace gls::capi
