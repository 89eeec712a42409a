// Arrays of padded batches: real rows where they belong, and what is added around them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/pad_work.h"

namespace gls::cuda {

// As of Gpu::pad(): a launch for many arrays, as most are small.
cudaError_t pad(const device::PadWork* works, size_t count, cudaStream_t stream);

}  // namespace gls::cuda
