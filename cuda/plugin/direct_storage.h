// Reads from storage to memory of the GPU by cuFile, in batches: many small reads are submitted at
// once, and two batches take turns, so that storage is busy while one is looked at.
#pragma once

#include "cuda/plugin/cuda_gpu.h"

namespace gls::cuda {

// Of the device that the thread has chosen. NULL: `error` says why.
device::GpuFile* make_file(int fd, device::GpuError* error);
device::GpuFileReader* make_file_reader(CudaGpu& gpu, uint64_t bytes, device::GpuError* error);

}  // namespace gls::cuda
