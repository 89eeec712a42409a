// Bytes of the host to a device, or back, through pinned memory, which is all that a copy need not
// wait for, in pieces: one is filled or emptied while another is on its way, and no more than two
// are there for a call, nor 32 of 8 MiB in the process. Who finds none waits; who has one goes on
// with that.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "device/device.h"

namespace gls {

// Writes the bytes [offset, offset + size) to `out`.
using FillPiece = std::function<void(uint64_t offset, uint64_t size, std::byte* out)>;

// `bytes` to `to`, memory of the device which what is queued on `after` by now may use before.
// Pieces are multiples of `unit` bytes. Waits for the end.
Status copy_in_pieces(const DeviceStream& after, void* to, uint64_t bytes, uint64_t unit,
                      const FillPiece& fill);

// Bytes of a device, at least one, and where they go on the host.
struct CopiedOut {
  const std::byte* from;
  std::byte* to;
  uint64_t bytes;
};
// After what is queued on `after` by now. Waits for the end.
Status copy_out_pieces(const DeviceStream& after, std::span<const CopiedOut> parts);

}  // namespace gls
