// An array of the host as a device reads it: in memory of its own, or in place.
#pragma once

#include <cstdint>
#include <memory>

#include "context/log.h"
#include "device/device.h"
#include "device/memory/pinned_pages.h"

namespace gls {

class DeviceArray {
 public:
  // Copied where it takes at most `room`, and there is so much; then `room` is what is left. Else
  // read in place or, where the system does not allow that, in pinned memory of the host that it is
  // copied to; of both there may be so much, see PinnedPages. What is undefined is
  // nowhere.
  static Result<std::shared_ptr<const DeviceArray>> place(const std::shared_ptr<Device>& device,
                                                          const Tensor& tensor, uint64_t* room,
                                                          const MostPinned& most_pinned,
                                                          const Log* log = nullptr);
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  const void* data() const { return data_; }  // as the device sees it
  bool copied() const { return memory_ != nullptr; }

 private:
  DeviceArray(std::shared_ptr<Device> device, Tensor tensor)
      : device_(std::move(device)), tensor_(std::move(tensor)) {}
  Status copy_to_device();

  std::shared_ptr<Device> device_;
  Tensor tensor_;  // of the host
  const void* data_ = nullptr;
  PinnedPages pages_;
  std::shared_ptr<DeviceMemory> memory_;
};

}  // namespace gls
