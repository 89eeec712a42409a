#include "device/device_array.h"

#include <cstring>

#include "device/staging.h"

namespace gls {

Result<std::shared_ptr<const DeviceArray>> DeviceArray::place(const std::shared_ptr<Device>& device,
                                                              const Tensor& tensor,
                                                              uint64_t* room) {
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
  device::GpuError why;
  if (!device->gpu().pin(tensor.data(), bytes, &out->data_, &why)) {
    // Pages of files, on systems that do not pin such.
    void* copy = nullptr;
    if (!device->gpu().allocate_pinned(bytes, &copy, &why)) {
      return status_of(why);
    }
    out->copy_ = PinnedBuffer(device, copy, bytes);
    std::memcpy(out->copy_.data(), tensor.data(), bytes);
    out->data_ = out->copy_.data();
    return std::shared_ptr<const DeviceArray>(std::move(out));
  }
  out->pinned_ = true;
  return std::shared_ptr<const DeviceArray>(std::move(out));
}

DeviceArray::~DeviceArray() {
  if (pinned_) {
    device_->gpu().unpin(tensor_.data());
  }
}

}  // namespace gls
