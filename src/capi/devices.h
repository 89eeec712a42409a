// Devices as callers name them.
#pragma once

#include <gls.h>

#include <memory>

#include "device/device.h"

namespace gls::capi {

// NULL for the host.
Result<std::shared_ptr<Device>> open_device(DLDevice device);

}  // namespace gls::capi
