// Pads arrays of batches: real rows in their places, and padding around them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/pad_work.h"

namespace gls::cuda {

// As Gpu::pad(): one launch for many arrays, because most are small.
cudaError_t pad(const device::PadWork* works, size_t count, cudaStream_t stream);

}  // namespace gls::cuda
