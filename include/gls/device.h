#ifndef GLS_DEVICE_H
#define GLS_DEVICE_H

#include <gls/base.h>
#include <gls/dlpack.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Device: the GPUs of this machine
 * --------------------------------------------------------------------------------------------- */

/** A GPU. */
typedef struct gls_device_info {
  size_t struct_size;
  char name[256];
  uint64_t bytes;      /**< of its memory */
  uint64_t free_bytes; /**< now, for all processes; 0: not known, because this process does not use
                            the GPU yet */
  int32_t major;       /**< compute capability */
  int32_t minor;
} gls_device_info_t;
/** [any] Number of GPUs that datasets, samplers and loaders can work on. The first is {kDLCUDA, 0}. The
 *  number is also 0 when the plugin libgls_cuda.so or its driver is missing; then gls_device_get_info()
 *  of the first GPU reports why. */
GLS_API uint32_t gls_device_count(void);
/** [any] Describes a GPU. The first call that names a GPU creates the state that loaders keep for it.
 *  @param device  {kDLCUDA, n}
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for another kind of device; GLS_ERR_UNSUPPORTED (no plugin
 *          libgls_cuda.so, no driver, or no such GPU: the message says which) */
GLS_API gls_status_t gls_device_get_info(DLDevice device, gls_device_info_t *out,
                                         gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_DEVICE_H */
