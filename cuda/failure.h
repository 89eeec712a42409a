// Errors of the CUDA runtime as those of the library.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

#include "device/gpu.h"

namespace gls::cuda {

inline int32_t code_of(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return GLS_ERR_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorNotSupported:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorDevicesUnavailable:
    case cudaErrorPeerAccessUnsupported:
      return GLS_ERR_UNSUPPORTED;
    default:
      return GLS_ERR_INTERNAL;
  }
}

// True for success. Else the error is told, and no later call finds it.
inline bool good(cudaError_t result, const char* what, device::GpuError* error) {
  if (result == cudaSuccess) {
    return true;
  }
  static_cast<void>(cudaGetLastError());
  error->code = code_of(result);
  static_cast<void>(std::snprintf(error->text, sizeof error->text, "CUDA: %s: %s (%s)", what,
                                  cudaGetErrorString(result), cudaGetErrorName(result)));
  return false;
}

inline bool refuse(int32_t code, const char* text, device::GpuError* error) {
  error->code = code;
  static_cast<void>(std::snprintf(error->text, sizeof error->text, "%s", text));
  return false;
}

}  // namespace gls::cuda
