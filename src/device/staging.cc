#include "device/staging.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gls {
namespace {

constexpr uint64_t kPiece = uint64_t{8} << 20;

struct Lane {
  PinnedBuffer buffer;  // given back after the stream, which has waited by then
  std::optional<DeviceStream> stream;
};

}  // namespace

Status copy_in_pieces(const DeviceStream& after, void* to, uint64_t bytes, uint64_t unit,
                      const FillPiece& fill) {
  const uint64_t piece = std::min(bytes, std::max(kPiece / unit, uint64_t{1}) * unit);
  Device& device = after.device();
  device::Gpu& gpu = device.gpu();
  device::GpuError failure;
  std::array<Lane, 2> lanes;
  size_t turn = 0;
  for (uint64_t offset = 0; offset < bytes; offset += piece, turn ^= 1) {
    Lane& lane = lanes[turn];
    if (!lane.stream.has_value()) {
      GLS_ASSIGN(lane.buffer, device.pinned(piece));
      GLS_ASSIGN(DeviceStream stream, device.stream());
      if (!gpu.follow(stream.get(), after.get(), &failure)) {
        return status_of(failure);
      }
      lane.stream.emplace(std::move(stream));
    } else {
      GLS_TRY(lane.stream->finish());
    }
    const uint64_t size = std::min(piece, bytes - offset);
    fill(offset, size, lane.buffer.data());
    if (!gpu.copy_in(static_cast<std::byte*>(to) + offset, lane.buffer.data(), size,
                     lane.stream->get(), &failure)) {
      return status_of(failure);
    }
  }
  for (const Lane& lane : lanes) {
    if (lane.stream.has_value()) {
      GLS_TRY(lane.stream->finish());
    }
  }
  return {};
}

}  // namespace gls
