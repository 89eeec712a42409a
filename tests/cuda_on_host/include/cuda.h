// The driver's API as far as cuda/ needs it: contexts, of which each device has one.
#pragma once

struct ContextOnHost;
using CUcontext = ContextOnHost*;
using CUdevice = int;
enum CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
};
CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext* out);
CUresult cuCtxGetCurrent(CUcontext* out);
