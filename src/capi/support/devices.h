// Devices as callers name them.
#pragma once

#include <gls.h>

#include <memory>

#include "device/device.h"
#include "device/peer/peer_link.h"

namespace gls::capi {

// NULL for the host. {0, 0} is `otherwise`.
Result<std::shared_ptr<Device>> open_device(DLDevice device,
                                            const std::shared_ptr<Device>& otherwise = nullptr);
inline DLDevice name_of(const std::shared_ptr<Device>& device) {
  return device != nullptr ? device->dl() : DLDevice{kDLCPU, 0};
}

// As the launcher says; never an error, but what is missing is said.
LocalPlace local_place();

}  // namespace gls::capi
