#include "cuda/runtime/device_guard.h"

#include <unistd.h>

namespace gls::cuda {

using device::GpuError;

namespace {

// Functions that only the driver has. They are looked up by name, so that the plugin loads without
// a driver.
class Driver {
 public:
  static const Driver& get() {
    static const Driver driver;
    return driver;
  }
  cudaError_t found() const { return found_; }

  decltype(&cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&cuDevicePrimaryCtxGetState) state = nullptr;
  decltype(&cuCtxPushCurrent) push = nullptr;
  decltype(&cuCtxPopCurrent) pop = nullptr;

 private:
  // Version of these functions, not newer than the plugin's.
  static constexpr unsigned kVersion = 12000;

  Driver() {
    find("cuDevicePrimaryCtxRetain", &retain);
    find("cuDevicePrimaryCtxGetState", &state);
    find("cuCtxPushCurrent", &push);
    find("cuCtxPopCurrent", &pop);
  }
  template <typename Function>
  void find(const char* name, Function* out) {
    void* at = nullptr;
    cudaDriverEntryPointQueryResult what = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t result =
        cudaGetDriverEntryPointByVersion(name, &at, kVersion, cudaEnableDefault, &what);
    *out = reinterpret_cast<Function>(at);
    if (found_ == cudaSuccess && (result != cudaSuccess || at == nullptr)) {
      found_ = result != cudaSuccess ? result : cudaErrorInsufficientDriver;
    }
  }

  cudaError_t found_ = cudaSuccess;
};

// Errors of the driver have the same numbers as those of the runtime.
cudaError_t as_runtime(CUresult result) { return static_cast<cudaError_t>(result); }

}  // namespace

bool primary_context(int32_t device, CUcontext* out, GpuError* error) {
  const Driver& driver = Driver::get();
  return good(driver.found(), "looking for the driver", error) &&
         good(as_runtime(driver.retain(out, device)), "making a context", error);
}

bool has_primary_context(int32_t device) {
  const Driver& driver = Driver::get();
  unsigned flags = 0;
  int active = 0;
  return driver.found() == cudaSuccess && driver.state(device, &flags, &active) == CUDA_SUCCESS &&
         active != 0;
}

// Without cudaSetDevice(): switching back would make a context on a device that the thread has not
// used yet.
DeviceGuard::DeviceGuard(CUcontext context, pid_t process, GpuError* error) {
  if (context == nullptr) {
    return;
  }
  if (getpid() != process) {
    refuse(GLS_ERR_INVALID_STATE, kForked, error);
    return;
  }
  const Driver& driver = Driver::get();
  if (!good(as_runtime(driver.push(context)), "choosing the device", error)) {
    return;
  }
  if (!good(cudaThreadExchangeStreamCaptureMode(&mode_), "choosing how to meet captures", error)) {
    CUcontext ours = nullptr;
    driver.pop(&ours);
    return;
  }
  there_ = true;
}

DeviceGuard::~DeviceGuard() {
  if (there_) {
    GpuError ignored;
    good(cudaThreadExchangeStreamCaptureMode(&mode_), "a mode", &ignored);
    CUcontext ours = nullptr;
    Driver::get().pop(&ours);
  }
}

}  // namespace gls::cuda
