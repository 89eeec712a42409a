// Finds devices from the caller's DLDevice.
#pragma once

#include <gls.h>

#include <memory>

#include "device/device.h"
#include "device/peer/peer_link.h"

namespace gls::capi {

// NULL for the host. {0, 0} selects `otherwise`.
Result<std::shared_ptr<Device>> open_device(DLDevice device,
                                            const std::shared_ptr<Device>& otherwise = nullptr);
inline DLDevice name_of(const std::shared_ptr<Device>& device) {
  return device != nullptr ? device->dl() : DLDevice{kDLCPU, 0};
}

// From the launcher. Not an error: the result states what is missing.
LocalPlace local_place();

}  // namespace gls::capi
