// Device memory that other devices read, and such memory of other processes.
#pragma once

#include <cstdint>
#include <memory>

#include "device/device.h"
#include "device/peer/peer_link.h"

namespace gls {

// Device memory of this process that other devices can read.
class PeerMemory {
 public:
  static Result<std::shared_ptr<PeerMemory>> allocate(const std::shared_ptr<Device>& device,
                                                      uint64_t bytes);
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  void* data() const { return data_; }
  Result<device::MemoryHandle> handle() const;

 private:
  PeerMemory(std::shared_ptr<Device> device, void* data)
      : device_(std::move(device)), data_(data) {}
  std::shared_ptr<Device> device_;
  void* data_;
};

// Device memory of another process, open for reads.
class ImportedMemory {
 public:
  // Opens memory of the process with this rank in the link. That process is notified after the
  // memory was closed.
  static Result<std::shared_ptr<ImportedMemory>> open(const std::shared_ptr<Device>& device,
                                                      const device::MemoryHandle& handle,
                                                      std::shared_ptr<PeerLink> link,
                                                      uint32_t rank);
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;
  const void* data() const { return data_; }

 private:
  ImportedMemory(std::shared_ptr<Device> device, const void* data, std::shared_ptr<PeerLink> link,
                 uint32_t rank)
      : link_(std::move(link)), rank_(rank), device_(std::move(device)), data_(data) {
    link_->reads(rank_, true);
  }
  std::shared_ptr<PeerLink> link_;
  uint32_t rank_;
  std::shared_ptr<Device> device_;
  const void* data_;
};

}  // namespace gls
