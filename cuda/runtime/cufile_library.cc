#include "cuda/runtime/cufile_library.h"

#ifdef GLS_HAS_CUFILE
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace gls::cuda {
namespace {

constexpr char kLibrary[] = "libcufile.so.0";
constexpr unsigned kMostInBatch = 128;  // cuFile's limit by default

int32_t code_of(CUfileOpError error) {
  switch (error) {
    case CU_FILE_NOMEM_ERROR:
    case CU_FILE_GPU_MEMORY_PINNING_FAILED:
      return GLS_ERR_OUT_OF_MEMORY;
    case CU_FILE_DRIVER_NOT_INITIALIZED:
    case CU_FILE_DRIVER_VERSION_MISMATCH:
    case CU_FILE_DRIVER_VERSION_READ_ERROR:
    case CU_FILE_PLATFORM_NOT_SUPPORTED:
    case CU_FILE_IO_NOT_SUPPORTED:
    case CU_FILE_DEVICE_NOT_SUPPORTED:
    case CU_FILE_INVALID_FILE_TYPE:
    case CU_FILE_INVALID_FILE_OPEN_FLAG:
    case CU_FILE_NVFS_SETUP_ERROR:
    case CU_FILE_IO_DISABLED:
    case CU_FILE_BATCH_NOCOMPAT_ERROR:
      return GLS_ERR_UNSUPPORTED;
    default:
      return GLS_ERR_IO;
  }
}

template <typename Function>
bool find(void* library, const char* name, Function* out, device::GpuError* error) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  if (*out == nullptr) {
    error->code = GLS_ERR_UNSUPPORTED;
    static_cast<void>(std::snprintf(error->text, sizeof error->text,
                                    "%s has no %s; one of CUDA 12.9 or later has", kLibrary, name));
  }
  return *out != nullptr;
}

}  // namespace

bool cufile_good(CUfileError_t result, const char* what, device::GpuError* error) {
  if (result.err == CU_FILE_SUCCESS) {
    return true;
  }
  error->code = code_of(result.err);
  if (result.err == CU_FILE_CUDA_DRIVER_ERROR) {
    static_cast<void>(std::snprintf(error->text, sizeof error->text,
                                    "cuFile: %s: error %d of the driver of CUDA", what,
                                    static_cast<int>(result.cu_err)));
  } else {
    static_cast<void>(std::snprintf(error->text, sizeof error->text, "cuFile: %s: %s (%d)", what,
                                    cufileop_status_error(result.err),
                                    static_cast<int>(result.err)));
  }
  return false;
}

bool cufile_failed(ssize_t result, const char* what, device::GpuError* error) {
  const auto number = static_cast<int>(result < 0 ? -result : result);
  if (number > CUFILEOP_BASE_ERR) {
    return cufile_good({static_cast<CUfileOpError>(number), {}}, what, error);
  }
  error->code = GLS_ERR_IO;
  char words[128] = {};
  static_cast<void>(std::snprintf(error->text, sizeof error->text, "cuFile: %s: %s", what,
                                  strerror_r(number, words, sizeof words)));
  return false;
}

const CufileLibrary* CufileLibrary::get(device::GpuError* error) {
  static std::mutex mutex;
  static CufileLibrary library;
  static bool loaded = false;
  static bool opened = false;
  const std::lock_guard lock(mutex);
  loaded = loaded || library.load(error);
  opened = opened || (loaded && library.open(error));
  return opened ? &library : nullptr;
}

bool CufileLibrary::load(device::GpuError* error) {
  // Stays loaded for the life of the process, because it has threads.
  void* const found = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (found == nullptr) {
    error->code = GLS_ERR_UNSUPPORTED;
    static_cast<void>(
        std::snprintf(error->text, sizeof error->text, "cuFile is not there: %s", dlerror()));
    return false;
  }
  return find(found, "cuFileDriverOpen", &driver_open, error) &&
         find(found, "cuFileDriverGetProperties", &driver_properties, error) &&
         find(found, "cuFileSetParameterBool", &set_parameter, error) &&
         find(found, "cuFileGetParameterBool", &get_parameter, error) &&
         find(found, "cuFileHandleRegister", &handle_register, error) &&
         find(found, "cuFileHandleDeregister", &handle_deregister, error) &&
         find(found, "cuFileBufRegister", &buffer_register, error) &&
         find(found, "cuFileBufDeregister", &buffer_deregister, error) &&
         find(found, "cuFileRead", &read, error) &&
         find(found, "cuFileBatchIOSetUp", &batch_set_up, error) &&
         find(found, "cuFileBatchIOSubmit", &batch_submit, error) &&
         find(found, "cuFileBatchIOGetStatus", &batch_status, error) &&
         find(found, "cuFileBatchIODestroy", &batch_destroy, error);
}

// It is not closed, because other code in the process may use it, too. In its compatible modes,
// cuFile would read with the CPU without reporting it.
bool CufileLibrary::open(device::GpuError* error) {
  constexpr CUFileBoolConfigParameter_t kModes[] = {CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE,
                                                    CUFILE_PARAM_FORCE_COMPAT_MODE};
  for (const CUFileBoolConfigParameter_t mode : kModes) {
    const CUfileError_t refused = set_parameter(mode, false);
    if (refused.err != CU_FILE_DRIVER_ALREADY_OPEN &&
        !cufile_good(refused, "turning its compatible mode off", error)) {
      return false;
    }
  }
  const CUfileError_t opened = driver_open();
  if (opened.err != CU_FILE_DRIVER_ALREADY_OPEN && !cufile_good(opened, "opening", error)) {
    return false;
  }
  for (const CUFileBoolConfigParameter_t mode : kModes) {
    bool compatible = true;
    if (!cufile_good(get_parameter(mode, &compatible), "asking for its mode", error)) {
      return false;
    }
    if (compatible) {
      return refuse(GLS_ERR_UNSUPPORTED,
                    "cuFile is open in this process already, in its compatible mode, in which the "
                    "processor reads; set properties.allow_compat_mode and "
                    "properties.force_compat_mode to false in cufile.json",
                    error);
    }
  }
  CUfileDrvProps_t properties = {};
  if (!cufile_good(driver_properties(&properties), "asking for its properties", error)) {
    return false;
  }
  most_in_batch = std::min(kMostInBatch, std::max(properties.max_batch_io_size, 1u));
  return true;
}

}  // namespace gls::cuda
#endif
