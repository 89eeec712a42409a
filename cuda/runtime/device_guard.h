// Directs calls of the CUDA runtime to a device, and restores the thread's state afterwards. The
// threads belong to the caller, which may have chosen another device, and may be capturing a CUDA
// graph; docs/decisions/0085-current-device-and-capture.md.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/types.h>

#include "cuda/runtime/failure.h"

namespace gls::cuda {

// The runtime's context on a device: the primary context. It is made at first use, takes hundreds
// of MiB, and stays until the process ends, as the runtime's contexts do.
bool primary_context(int32_t device, CUcontext* out, device::GpuError* error);
// Whether it exists, in any library.
bool has_primary_context(int32_t device);

// While one exists, calls of this thread use the device of a context, and do not disturb captures
// of other code. May be nested.
class DeviceGuard {
 public:
  // `process` is the process of the context. NULL: there is no context, and `error` already gives
  // the reason.
  DeviceGuard(CUcontext context, pid_t process, device::GpuError* error);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  // False: it failed, and `error` gives the reason.
  explicit operator bool() const { return there_; }

 private:
  bool there_ = false;
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // the thread's mode before
};

}  // namespace gls::cuda
