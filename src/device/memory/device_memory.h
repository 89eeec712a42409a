// What may still be taken of a device's memory is counted from when somebody asked how much is
// free. Others, of this process or not, take memory since.
#pragma once

#include <cstdint>

#include "context/log.h"
#include "device/device.h"

namespace gls {

// Whether something was not placed only because there is no memory for it. Then that is in the log,
// which may be NULL, and `room` is less: no more than half of what is free now, so that what is
// placed next leaves some to batches.
bool found_no_room(const Status& status, const Device& device, const Log* log, uint64_t* room);

}  // namespace gls
