// Memory of the device: a part of the address space, which the host cannot read or write between
// waiting for the device and its next work, where CUDA_ON_HOST_PROTECT is 1.
#pragma once

namespace gls::cuda_on_host {

// While there is one, the device's memory can be read and written.
class DeviceWork {
 public:
  DeviceWork();
  ~DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;
};

}  // namespace gls::cuda_on_host
