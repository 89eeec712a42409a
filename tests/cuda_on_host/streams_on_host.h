// Streams that are busy, for tests: all that is queued is done at once, but on a stream that is
// held it counts as not done until it is let go.
#pragma once

#include "cuda_runtime.h"

namespace gls::cuda_on_host {

void hold(cudaStream_t stream);
void let_go(cudaStream_t stream);

}  // namespace gls::cuda_on_host
