// Converts errors of the CUDA runtime to errors of the library.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

#include "device/gpu.h"

namespace gls::cuda {

inline constexpr char kForked[] =
    "a GPU cannot be used in a forked child of a process that has used CUDA: start processes anew "
    "(in Python by spawn or forkserver)";

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
    case cudaErrorInitializationError:
      return GLS_ERR_INVALID_STATE;
    default:
      return GLS_ERR_INTERNAL;
  }
}

// True for success. Otherwise it reports the error and clears it, so that no later call finds it.
inline bool good(cudaError_t result, const char* what, device::GpuError* error) {
  if (result == cudaSuccess) {
    return true;
  }
  static_cast<void>(cudaGetLastError());
  error->code = code_of(result);
  // CUDA reports no more than this in forked children.
  const bool forked = result == cudaErrorInitializationError;
  static_cast<void>(std::snprintf(error->text, sizeof error->text, "CUDA: %s: %s (%s)%s%s", what,
                                  cudaGetErrorString(result), cudaGetErrorName(result),
                                  forked ? "; " : "", forked ? kForked : ""));
  return false;
}

inline bool refuse(int32_t code, const char* text, device::GpuError* error) {
  error->code = code;
  static_cast<void>(std::snprintf(error->text, sizeof error->text, "%s", text));
  return false;
}

}  // namespace gls::cuda
