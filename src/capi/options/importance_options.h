// Reads the options of a sampler for importance and for personalised PageRank.
#pragma once

#include <gls.h>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"

namespace gls::capi {

// For the kinds GLS_SAMPLER_IMPORTANCE and GLS_SAMPLER_PPR; an error names an option that these
// kinds do not have.
Status read_near(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out);

}  // namespace gls::capi
