#include "device/device_array.h"

#include <cstring>

#include "device/staging.h"

namespace gls {

Result<std::shared_ptr<const DeviceArray>> DeviceArray::place(const std::shared_ptr<Device>& device,
                                                              const Tensor& tensor, uint64_t* room,
                                                              uint64_t most_pinned) {
  std::shared_ptr<DeviceArray> out(new DeviceArray(device, tensor));
  const uint64_t bytes = tensor.span_bytes();
  if (bytes == 0) {
    return std::shared_ptr<const DeviceArray>(std::move(out));
  }
  if (bytes <= *room) {
    GLS_ASSIGN(const DeviceStream stream, device->stream());
    GLS_ASSIGN(out->memory_, device->allocate(bytes, stream));
    GLS_TRY(copy_in_pieces(stream, out->memory_->data(), bytes, 1,
                           [&](uint64_t offset, uint64_t size, std::byte* to) {
                             std::memcpy(to, tensor.data() + offset, size);
                           }));
    out->data_ = out->memory_->data();
    *room -= bytes;
    return std::shared_ptr<const DeviceArray>(std::move(out));
  }
  out->pages_ = PinnedPages::pin(device, tensor.data(), bytes, most_pinned);
  if (!out->pages_) {
    GLS_ASSIGN(out->pages_, PinnedPages::allocate(device, bytes, most_pinned));
    std::memcpy(out->pages_.data(), tensor.data(), bytes);
  }
  out->data_ = out->pages_.seen();
  return std::shared_ptr<const DeviceArray>(std::move(out));
}

}  // namespace gls
