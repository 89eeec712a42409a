// Reads from storage to GPU memory with cuFile, in batches. Many small reads are submitted at once.
// Two batches alternate, so that storage is busy while the other one is checked.
#pragma once

#include "cuda/plugin/cuda_gpu.h"

namespace gls::cuda {

// For the thread's current device. NULL: `error` gives the reason.
device::GpuFile* make_file(int fd, device::GpuError* error);
device::GpuFileReader* make_file_reader(CudaGpu& gpu, uint64_t bytes, device::GpuError* error);

}  // namespace gls::cuda
