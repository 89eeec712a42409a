#include "device/memory/device_array.h"

#include <cstring>

#include "device/memory/device_memory.h"
#include "device/memory/staging.h"
#include "system/read_ahead.h"

namespace gls {

Result<std::shared_ptr<const DeviceArray>> DeviceArray::place(const std::shared_ptr<Device>& device,
                                                              const Tensor& tensor, uint64_t* room,
                                                              const MostPinned& most_pinned,
                                                              const Log* log) {
  std::shared_ptr<DeviceArray> out(new DeviceArray(device, tensor));
  const uint64_t bytes = tensor.span_bytes();
  if (bytes == 0) {
    return std::shared_ptr<const DeviceArray>(std::move(out));
  }
  if (bytes <= *room) {
    Status copied = out->copy_to_device();
    if (copied.ok()) {
      *room -= bytes;
      return std::shared_ptr<const DeviceArray>(std::move(out));
    }
    if (!found_no_room(copied, *device, log, room)) {
      return copied;
    }
  }
  out->pages_ = PinnedPages::pin(device, tensor.data(), bytes, most_pinned.pages, log);
  if (!out->pages_) {
    GLS_ASSIGN(out->pages_, PinnedPages::allocate(device, bytes, most_pinned.copies));
    read_all(tensor.data(), bytes);
    std::memcpy(out->pages_.data(), tensor.data(), bytes);
  }
  out->data_ = out->pages_.seen();
  return std::shared_ptr<const DeviceArray>(std::move(out));
}

Status DeviceArray::copy_to_device() {
  const uint64_t bytes = tensor_.span_bytes();
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  GLS_ASSIGN(std::shared_ptr<DeviceMemory> memory, device_->allocate(bytes, stream));
  ReadAhead ahead(tensor_.data(), bytes);
  GLS_TRY(copy_in_pieces(stream, memory->data(), bytes, 1,
                         [this, &ahead](uint64_t offset, uint64_t size, std::byte* to) {
                           ahead.reach(offset + size);
                           std::memcpy(to, tensor_.data() + offset, size);
                         }));
  data_ = memory->data();
  memory_ = std::move(memory);
  return {};
}

}  // namespace gls
