#ifndef GLS_TENSOR_H
#define GLS_TENSOR_H

#include <gls/base.h>
#include <gls/dlpack.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Tensors: DLPack in and out
 * --------------------------------------------------------------------------------------------- */

/** An owned tensor is DLPack's own managed tensor, so any DLPack consumer accepts it as it is. Strides
 *  are always set, and `lanes` of the dtype is 1. Data is aligned to its dtype. Data that the library
 *  allocates is aligned to 64 bytes, except GLS_BATCH_COL. ::DLPACK_FLAG_BITMASK_READ_ONLY is set on
 *  memory that must not be written (mapped files, borrowed read-only buffers). */
typedef struct DLManagedTensorVersioned gls_tensor_t;

/** [any] Makes an owned tensor of memory that belongs to the caller; only the shape and strides are
 *  copied. `destroy` (may be NULL) runs with `user_data` when the last user is done, or when this call
 *  fails.
 *  @param view       CPU tensor; NULL strides mean row-major
 *  @param read_only  non-zero: consumers must not write it
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for a bad shape or dtype; GLS_ERR_UNSUPPORTED for a device
 *          other than the CPU */
GLS_API gls_status_t gls_tensor_wrap(const DLTensor *view, int32_t read_only, void *user_data,
                                     gls_destroy_fn destroy, gls_tensor_t **out, gls_error_t **err);
/** [any] Maps a NumPy `.npy` file read-only; only its header is read. The format is 1 to 3, C order,
 *  little-endian, with numbers of fixed width.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND; GLS_ERR_IO; GLS_ERR_CORRUPT_DATA (not a `.npy` file, or a wrong
 *          length); GLS_ERR_UNSUPPORTED (Fortran order, big-endian, strings, objects) */
GLS_API gls_status_t gls_tensor_map_npy(const char *path, gls_tensor_t **out, gls_error_t **err);
/** [any] Turns `tensor` (taken) into the struct that DLPack consumers older than 1.0 know.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT for a read-only tensor, which the old struct cannot
 *          express */
GLS_API gls_status_t gls_tensor_to_legacy(gls_tensor_t *tensor, DLManagedTensor **out,
                                          gls_error_t **err);
/** [any] Turns an old DLPack tensor (taken) into an owned tensor.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shape or dtype); GLS_ERR_UNSUPPORTED for a device
 *          other than the CPU */
GLS_API gls_status_t gls_tensor_from_legacy(DLManagedTensor *legacy, int32_t read_only,
                                            gls_tensor_t **out, gls_error_t **err);
/** [one] Calls the tensor's own deleter. NULL-safe. */
GLS_API void gls_tensor_release(gls_tensor_t *tensor);

#ifdef __cplusplus
}
#endif
#endif /* GLS_TENSOR_H */
