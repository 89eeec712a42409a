// Loads libcufile at first use, for GPUDirect Storage; it is not a dependency.
#pragma once

#include <cuda_runtime.h>

// Older versions cannot turn off the compatible mode.
#if __has_include(<cufile.h>) && (!defined(CUDART_VERSION) || CUDART_VERSION >= 12090)
#define GLS_HAS_CUFILE 1
#include <cufile.h>

#include <cstddef>

#include "cuda/runtime/failure.h"

namespace gls::cuda {

// The versions that this code and its tests are compiled with must agree in memory layout, too.
static_assert(sizeof(CUfileError_t) == 8 && sizeof(CUfileIOParams_t) == 64 &&
              offsetof(CUfileIOParams_t, u) == 8 && offsetof(CUfileIOParams_t, fh) == 40 &&
              offsetof(CUfileIOParams_t, cookie) == 56);
static_assert(sizeof(CUfileIOEvents_t) == 24 && offsetof(CUfileIOEvents_t, ret) == 16);
static_assert(sizeof(CUfileDescr_t) == 24 && offsetof(CUfileDescr_t, handle) == 8);
static_assert(sizeof(CUfileDrvProps_t) == 56 &&
              offsetof(CUfileDrvProps_t, max_batch_io_size) == 48);
static_assert(CU_FILE_DRIVER_ALREADY_OPEN == 5026 && CU_FILE_IO_NOT_SUPPORTED == 5008 &&
              CU_FILE_NOMEM_ERROR == 5043 && CU_FILE_IO_ERROR == 5044);
static_assert(CU_FILE_INTERNAL_BATCH_GETSTATUS_ERROR == 5041 && CUFILE_COMPLETE == 0x10);
static_assert(CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE == 1 &&
              CUFILE_PARAM_FORCE_COMPAT_MODE == 2);

struct CufileLibrary {
  // The library of this process, open. NULL: `error` gives the reason, and the next call tries
  // again.
  static const CufileLibrary* get(device::GpuError* error);

  decltype(&cuFileDriverOpen) driver_open = nullptr;
  decltype(&cuFileDriverGetProperties) driver_properties = nullptr;
  decltype(&cuFileSetParameterBool) set_parameter = nullptr;
  decltype(&cuFileGetParameterBool) get_parameter = nullptr;
  decltype(&cuFileHandleRegister) handle_register = nullptr;
  decltype(&cuFileHandleDeregister) handle_deregister = nullptr;
  decltype(&cuFileBufRegister) buffer_register = nullptr;
  decltype(&cuFileBufDeregister) buffer_deregister = nullptr;
  decltype(&cuFileRead) read = nullptr;
  decltype(&cuFileBatchIOSetUp) batch_set_up = nullptr;
  decltype(&cuFileBatchIOSubmit) batch_submit = nullptr;
  decltype(&cuFileBatchIOGetStatus) batch_status = nullptr;
  decltype(&cuFileBatchIODestroy) batch_destroy = nullptr;
  unsigned most_in_batch = 0;

 private:
  bool load(device::GpuError* error);
  bool open(device::GpuError* error);
};

// True for success, like good() of cuda/runtime/failure.h.
bool cufile_good(CUfileError_t result, const char* what, device::GpuError* error);
// Converts an error of a cuFile read: a negative number of errno or of cuFile.
bool cufile_failed(ssize_t result, const char* what, device::GpuError* error);  // Returns false.

}  // namespace gls::cuda
#endif
