// Tracks device memory that is still available. Free memory was measured at an earlier time, and
// other code, in this process or not, may have allocated since.
#pragma once

#include <cstdint>

#include "context/log.h"
#include "device/device.h"

namespace gls {

// Whether an allocation failed only for lack of memory. Then it is logged; `log` may be NULL.
// `room` is reduced to at most half of what is free now, so that later placements leave memory for
// batches.
bool found_no_room(const Status& status, const Device& device, const Log* log, uint64_t* room);

}  // namespace gls
