// libgls_cuda.so: GPUs with CUDA. It does not link libgls.so; device/gpu.h is the interface between
// both.
#include <cuda_runtime.h>
#include <unistd.h>

#include "cuda/plugin/cuda_gpu.h"
#include "cuda/runtime/failure.h"

namespace gls::cuda {
namespace {

int32_t count(device::GpuError* error) noexcept {
  // CUDA still counts devices in a forked child, which cannot use any of them.
  static const pid_t first = getpid();
  if (getpid() != first) {
    refuse(GLS_ERR_INVALID_STATE, kForked, error);
    return -1;
  }
  int found = 0;
  const cudaError_t result = cudaGetDeviceCount(&found);
  if (result == cudaErrorInsufficientDriver || result == cudaErrorNoDevice) {
    static_cast<void>(cudaGetLastError());
    refuse(GLS_ERR_UNSUPPORTED,
           result == cudaErrorNoDevice
               ? "device: this machine has no GPU that CUDA can use"
               : "device: the driver of NVIDIA is missing, or older than CUDA 13 needs (580)",
           error);
    return -1;
  }
  return good(result, "looking for devices", error) ? found : -1;
}

device::Gpu* open(int32_t number, device::GpuError* error) noexcept {
  return CudaGpu::open(number, error);
}

}  // namespace
}  // namespace gls::cuda

#define GLS_TEXT_OF(x) #x
#define GLS_TEXT(x) GLS_TEXT_OF(x)

extern "C" __attribute__((visibility("default"))) const gls::device::GpuPlugin gls_plugin;
const gls::device::GpuPlugin gls_plugin = {
    {gls::device::kGpuPluginVersion,
     GLS_TEXT(GLS_VERSION_MAJOR) "." GLS_TEXT(GLS_VERSION_MINOR) "." GLS_TEXT(GLS_VERSION_PATCH)},
    gls::cuda::count,
    gls::cuda::open};
