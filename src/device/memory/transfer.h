// Tensors of the host to a device and back.
#pragma once

#include <memory>
#include <span>

#include "device/device.h"

namespace gls {

// Each becomes one on the device, unpadded, in one block of memory; undefined ones and those that
// are there stay as they are. Waits for the end.
Status move_in(const DeviceStream& stream, std::span<Tensor* const> tensors,
               const std::shared_ptr<StreamReaders>& readers);
// Each becomes one of the host's own; those of the host stay as they are. Waits for what `readers`
// have queued by now, who may have written, and for the end.
Status move_out(const std::shared_ptr<Device>& device, std::span<Tensor* const> tensors,
                const StreamReaders* readers);

}  // namespace gls
