// Memory of the host that is pinned where it lies, for all devices of the process: the driver
// refuses it a second time.
#pragma once

#include <cstdint>

#include "device/gpu.h"

namespace gls::cuda {

// Of the flags cudaHostRegister*. What somebody else has pinned as a whole is used as it is, and is
// to stay so.
bool pin_range(void* start, uint64_t bytes, unsigned flags, device::GpuError* error);
void unpin_range(void* start);

// Of memory that the device reads.
bool lies_on_host(const void* memory);

}  // namespace gls::cuda
