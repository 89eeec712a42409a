// Reads the HGT options of a sampler.
#pragma once

#include <gls.h>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"

namespace gls::capi {

// For the kind GLS_SAMPLER_HGT; an error names an option that this kind does not have.
Status read_hgt(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out);

}  // namespace gls::capi
