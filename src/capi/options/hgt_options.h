// The part of a sampler's options that samples by budgets have.
#pragma once

#include <gls.h>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "sample/pick/options.h"

namespace gls::capi {

// Of the kind GLS_SAMPLER_HGT; an error names an option that it does not have.
Status read_hgt(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out);

}  // namespace gls::capi
