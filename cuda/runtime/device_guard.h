// Where calls of the CUDA runtime go: to the device that is meant, and afterwards the thread is as
// it was. The threads are the caller's, too, who has chosen a device for his own calls, and who may
// be capturing a CUDA graph; docs/decisions/0085-current-device-and-capture.md.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/types.h>

#include "cuda/runtime/failure.h"

namespace gls::cuda {

// The context that the runtime has on a device: the primary one. It is made when it is first asked
// for, takes hundreds of MiB, and stays until the process ends, as those of the runtime do.
bool primary_context(int32_t device, CUcontext* out, device::GpuError* error);
// Whether there is one, whoever made it.
bool has_primary_context(int32_t device);

// While there is one, the calls of this thread go to the device of a context, and do not disturb
// what others are capturing. May be nested.
class OnDevice {
 public:
  // `process` is the one that the context is of. NULL: there is none, as `error` says already.
  OnDevice(CUcontext context, pid_t process, device::GpuError* error);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  // False: it could not be, and `error` says why.
  explicit operator bool() const { return there_; }

 private:
  bool there_ = false;
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // that of the thread meanwhile
};

}  // namespace gls::cuda
