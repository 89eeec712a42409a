// Memory of devices: a part of the address space for each, which the host cannot read or write
// between waiting for the device and its next work, nor another device that does not reach it,
// where CUDA_ON_HOST_PROTECT is 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gls::cuda_on_host {

class Region;

// While there is one, memory can be read and written of the device that the thread has chosen, and
// of those that it reaches.
class DeviceWork {
 public:
  DeviceWork();
  ~DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

 private:
  std::vector<std::shared_ptr<Region>> regions_;
};

// Whether a kernel may read so many bytes there: memory of a device, or of the host that is pinned.
bool is_reached(const void* memory, size_t bytes);

// How often the host has waited for a device, or asked whether it is done.
uint64_t host_waits();

}  // namespace gls::cuda_on_host
