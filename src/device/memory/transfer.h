// Moves tensors between host and device.
#pragma once

#include <memory>
#include <span>

#include "device/device.h"

namespace gls {

// Each tensor moves to the device, unpadded, in one block of memory. Undefined tensors and those on
// the device stay unchanged. Waits for the end.
Status move_in(const DeviceStream& stream, std::span<Tensor* const> tensors,
               const std::shared_ptr<StreamReaders>& readers);
// Each tensor moves to host memory; those on the host stay unchanged. Waits for the work that
// `readers` have queued now, which may have written to it, and for the end.
Status move_out(const std::shared_ptr<Device>& device, std::span<Tensor* const> tensors,
                const StreamReaders* readers);

}  // namespace gls
