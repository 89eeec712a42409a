#include "device/peer/peer_memory.h"

namespace gls {

Result<std::shared_ptr<PeerMemory>> PeerMemory::allocate(const std::shared_ptr<Device>& device,
                                                         uint64_t bytes) {
  void* data = nullptr;
  device::GpuError failure;
  if (!device->gpu().allocate_shared(bytes, &data, &failure)) {
    return status_of(failure);
  }
  return std::shared_ptr<PeerMemory>(new PeerMemory(device, data));
}

PeerMemory::~PeerMemory() {
  if (!device_->in_forked_child()) {
    device_->gpu().release_shared(data_);
  }
}

Result<device::MemoryHandle> PeerMemory::handle() const {
  device::MemoryHandle out;
  device::GpuError failure;
  if (!device_->gpu().export_shared(data_, &out, &failure)) {
    return status_of(failure);
  }
  return out;
}

Result<std::shared_ptr<ImportedMemory>> ImportedMemory::open(const std::shared_ptr<Device>& device,
                                                             const device::MemoryHandle& handle,
                                                             std::shared_ptr<PeerLink> link,
                                                             uint32_t rank) {
  const void* data = nullptr;
  device::GpuError failure;
  if (!device->gpu().import_shared(handle, &data, &failure)) {
    return status_of(failure);
  }
  return std::shared_ptr<ImportedMemory>(new ImportedMemory(device, data, std::move(link), rank));
}

ImportedMemory::~ImportedMemory() {
  if (!device_->in_forked_child()) {
    device_->gpu().close_imported(data_);
  }
  link_->reads(rank_, false);
}

}  // namespace gls
