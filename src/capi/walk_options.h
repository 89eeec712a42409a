// The part of a sampler's options that walks have, and those that they do not.
#pragma once

#include <gls.h>

#include "base/status.h"
#include "graph/dataset.h"
#include "sample/options.h"

namespace gls::capi {

// Of the kind GLS_SAMPLER_WALK; an error names an option that only neighbourhoods have.
Status read_walks(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out);

}  // namespace gls::capi
