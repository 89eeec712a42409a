// Host memory that is pinned in place, for all devices of the process, because the driver refuses
// to pin it twice.
#pragma once

#include <cstdint>

#include "device/gpu.h"

namespace gls::cuda {

// `flags` of cudaHostRegister*. Memory that other code has pinned as a whole is used as it is, and
// must stay pinned.
bool pin_range(void* start, uint64_t bytes, unsigned flags, device::GpuError* error);
void unpin_range(void* start);

// For memory that the device reads.
bool lies_on_host(const void* memory);

}  // namespace gls::cuda
