// Draws negatives of links alone, and waits for them.
#pragma once

#include "cuda/drivers/batch_run.h"

namespace gls::cuda {

// See GpuSampler::draw().
bool draw_by_themselves(KeptMemory* kept, const device::NegativesWork& work,
                        const int64_t* link_sources, int64_t num_links, device::Stream stream,
                        int64_t* sources, int64_t* targets, device::GpuError* error);

}  // namespace gls::cuda
