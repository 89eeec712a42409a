// An array of the host that a device reads: a copy in device memory, or in place.
#pragma once

#include <cstdint>
#include <memory>

#include "context/log.h"
#include "device/device.h"
#include "device/memory/pinned_pages.h"

namespace gls {

class DeviceArray {
 public:
  // Copies the array if it fits in `room` and in memory; then `room` is reduced. Otherwise the
  // device reads it in place. Where the system does not allow that, it is copied to pinned host
  // memory. PinnedPages limits both. An undefined tensor has no memory.
  static Result<std::shared_ptr<const DeviceArray>> place(const std::shared_ptr<Device>& device,
                                                          const Tensor& tensor, uint64_t* room,
                                                          const MostPinned& most_pinned,
                                                          const Log* log = nullptr);
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  const void* data() const { return data_; }  // the address on the device
  bool copied() const { return memory_ != nullptr; }

 private:
  DeviceArray(std::shared_ptr<Device> device, Tensor tensor)
      : device_(std::move(device)), tensor_(std::move(tensor)) {}
  Status copy_to_device();

  std::shared_ptr<Device> device_;
  Tensor tensor_;  // on the host
  const void* data_ = nullptr;
  PinnedPages pages_;
  std::shared_ptr<DeviceMemory> memory_;
};

}  // namespace gls
