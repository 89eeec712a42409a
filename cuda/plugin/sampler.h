// Neighbour sampling on a GPU: docs/contract.md sections 1 to 3.
#pragma once

#include "cuda/plugin/cuda_gpu.h"

namespace gls::cuda {

// Has memory of the GPU, and a copy of the plan, but not of the graph, which must stay. A batch
// takes no more than `most_bytes` for what it could become, but counts first; 0: a quarter of what
// is free. NULL: `error` says why.
device::GpuSampler* make_sampler(CudaGpu& gpu, const device::SamplerPlan& plan,
                                 device::GpuError* error, uint64_t most_bytes = 0) noexcept;

}  // namespace gls::cuda
