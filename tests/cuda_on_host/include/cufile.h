// What of cuFile (GPUDirect Storage) is used, for a library that stands in for it on a processor:
// cufile_on_host.cc. cuda/runtime/cufile_library.h checks that this and NVIDIA's header agree in
// memory.
#pragma once

#include <cuda.h>
#include <sys/types.h>

#include <cstddef>
#include <ctime>

#define CUFILEOP_BASE_ERR 5000

enum CUfileOpError {
  CU_FILE_SUCCESS = 0,
  CU_FILE_DRIVER_NOT_INITIALIZED = 5001,
  CU_FILE_DRIVER_VERSION_MISMATCH = 5004,
  CU_FILE_DRIVER_VERSION_READ_ERROR = 5005,
  CU_FILE_PLATFORM_NOT_SUPPORTED = 5007,
  CU_FILE_IO_NOT_SUPPORTED = 5008,
  CU_FILE_DEVICE_NOT_SUPPORTED = 5009,
  CU_FILE_CUDA_DRIVER_ERROR = 5011,
  CU_FILE_INVALID_FILE_TYPE = 5018,
  CU_FILE_INVALID_FILE_OPEN_FLAG = 5019,
  CU_FILE_INVALID_VALUE = 5022,
  CU_FILE_DRIVER_ALREADY_OPEN = 5026,
  CU_FILE_NVFS_SETUP_ERROR = 5033,
  CU_FILE_IO_DISABLED = 5034,
  CU_FILE_BATCH_SUBMIT_FAILED = 5035,
  CU_FILE_GPU_MEMORY_PINNING_FAILED = 5036,
  CU_FILE_INTERNAL_BATCH_GETSTATUS_ERROR = 5041,
  CU_FILE_NOMEM_ERROR = 5043,
  CU_FILE_IO_ERROR = 5044,
  CU_FILE_BATCH_NOCOMPAT_ERROR = 5049,
};

inline const char* cufileop_status_error(CUfileOpError) { return "an error of cuFile on host"; }

struct CUfileError_t {
  CUfileOpError err;
  CUresult cu_err;
};

struct CUfileDrvProps_t {
  struct {
    unsigned major_version;
    unsigned minor_version;
    size_t poll_thresh_size;
    size_t max_direct_io_size;
    unsigned dstatusflags;
    unsigned dcontrolflags;
  } nvfs;
  unsigned fflags;
  unsigned max_device_cache_size;
  unsigned per_buffer_cache_size;
  unsigned max_device_pinned_mem_size;
  unsigned max_batch_io_size;
  unsigned max_batch_io_timeout_msecs;
};

enum CUfileFileHandleType { CU_FILE_HANDLE_TYPE_OPAQUE_FD = 1 };

struct CUfileDescr_t {
  CUfileFileHandleType type;
  union {
    int fd;
    void* handle;
  } handle;
  const void* fs_ops;
};

using CUfileHandle_t = void*;
using CUfileBatchHandle_t = void*;

enum CUfileOpcode_t { CUFILE_READ = 0 };
enum CUfileBatchMode_t { CUFILE_BATCH = 1 };
enum CUfileStatus_t {
  CUFILE_PENDING = 0x2,
  CUFILE_INVALID = 0x4,
  CUFILE_COMPLETE = 0x10,
  CUFILE_FAILED = 0x40,
};

struct CUfileIOParams_t {
  CUfileBatchMode_t mode;
  union {
    struct {
      void* devPtr_base;
      off_t file_offset;
      off_t devPtr_offset;
      size_t size;
    } batch;
  } u;
  CUfileHandle_t fh;
  CUfileOpcode_t opcode;
  void* cookie;
};

struct CUfileIOEvents_t {
  void* cookie;
  CUfileStatus_t status;
  size_t ret;  // bytes, or a negative error
};

enum CUFileBoolConfigParameter_t {
  CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE = 1,
  CUFILE_PARAM_FORCE_COMPAT_MODE = 2,
};

#pragma GCC visibility push(default)
extern "C" {
CUfileError_t cuFileDriverOpen();
CUfileError_t cuFileDriverGetProperties(CUfileDrvProps_t* props);
CUfileError_t cuFileSetParameterBool(CUFileBoolConfigParameter_t param, bool value);
CUfileError_t cuFileGetParameterBool(CUFileBoolConfigParameter_t param, bool* value);
CUfileError_t cuFileHandleRegister(CUfileHandle_t* fh, CUfileDescr_t* descr);
void cuFileHandleDeregister(CUfileHandle_t fh);
CUfileError_t cuFileBufRegister(const void* base, size_t length, int flags);
CUfileError_t cuFileBufDeregister(const void* base);
ssize_t cuFileRead(CUfileHandle_t fh, void* base, size_t size, off_t file_offset, off_t offset);
CUfileError_t cuFileBatchIOSetUp(CUfileBatchHandle_t* batch, unsigned nr);
CUfileError_t cuFileBatchIOSubmit(CUfileBatchHandle_t batch, unsigned nr, CUfileIOParams_t* reads,
                                  unsigned flags);
CUfileError_t cuFileBatchIOGetStatus(CUfileBatchHandle_t batch, unsigned min_nr, unsigned* nr,
                                     CUfileIOEvents_t* events, timespec* timeout);
void cuFileBatchIODestroy(CUfileBatchHandle_t batch);
}
#pragma GCC visibility pop
