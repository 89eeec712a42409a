// Sampling on a GPU: docs/contract.md sections 1 to 3.
#pragma once

#include "cuda/plugin/cuda_gpu.h"

namespace gls::cuda {

// Uses GPU memory, and copies the plan, but not the graph, which must stay. A batch whose largest
// possible size exceeds `most_bytes` waits for true sizes; 0: a quarter of the free memory. NULL:
// `error` gives the reason.
device::GpuSampler* make_sampler(CudaGpu& gpu, const device::SamplerPlan& plan,
                                 device::GpuError* error, uint64_t most_bytes = 0) noexcept;

}  // namespace gls::cuda
