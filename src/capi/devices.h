// Devices as callers name them.
#pragma once

#include <gls.h>

#include <memory>

#include "device/device.h"
#include "device/peer_link.h"

namespace gls::capi {

// NULL for the host.
Result<std::shared_ptr<Device>> open_device(DLDevice device);

// As the launcher says; never an error, but what is missing is said.
LocalPlace local_place();

}  // namespace gls::capi
