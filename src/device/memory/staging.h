// Copies bytes between host and device in pieces, through pinned memory, since other memory blocks
// the copy. One piece is filled or emptied while another is in flight. A call uses at most two
// pieces, and the process at most 32 of 8 MiB. A call without a piece waits for one; a call with
// one piece continues with it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "device/device.h"

namespace gls {

// Writes the bytes [offset, offset + size) to `out`.
using FillPiece = std::function<void(uint64_t offset, uint64_t size, std::byte* out)>;

// Copies `bytes` to `to`, device memory that work queued on `after` now may still use. Pieces are
// multiples of `unit` bytes. Waits for the end.
Status copy_in_pieces(const DeviceStream& after, void* to, uint64_t bytes, uint64_t unit,
                      const FillPiece& fill);

// Bytes on a device, at least one, and their destination on the host.
struct CopiedOut {
  const std::byte* from;
  std::byte* to;
  uint64_t bytes;
};
// Copies after the work that is queued on `after` now. Waits for the end.
Status copy_out_pieces(const DeviceStream& after, std::span<const CopiedOut> parts);

}  // namespace gls
