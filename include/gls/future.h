#ifndef GLS_FUTURE_H
#define GLS_FUTURE_H

#include <gls/base.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Future: the result of an asynchronous operation
 * --------------------------------------------------------------------------------------------- */

/** The result of an asynchronous operation: a barrier, an all-gather, or a call of a function. */
typedef struct gls_future gls_future_t;

/** [any] Waits until the operation is over; every call returns the same result.
 *  @param timeout_ms  how long to wait
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed; any error of the operation */
GLS_API gls_status_t gls_future_wait(const gls_future_t *future, int64_t timeout_ms,
                                     gls_error_t **err);
/** [any] Registers a callback for the moment when gls_future_wait() will not wait, as
 *  gls_loader_notify().
 *  @return GLS_OK: it is over, and `ready` will not be called; GLS_IN_PROGRESS: `ready` will be called,
 *          once, also when the future is released before; GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_future_notify(gls_future_t *future, gls_ready_fn ready, void *user_data,
                                       gls_error_t **err);
/** [any] Number of items; 0 until the operation is over, and after an error. */
GLS_API size_t gls_future_count(const gls_future_t *future);
/** [any] An item: uint8 [bytes], read-only. It outlives the future.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_future_bytes(const gls_future_t *future, size_t index, gls_tensor_t **out,
                                      gls_error_t **err);
/** [any] Ends it with ::GLS_ERR_CANCELED, if it is not over. A running function is not stopped, but can
 *  see the cancellation. */
GLS_API void gls_future_cancel(gls_future_t *future);
/** [one] Cancels the operation if it is not over. */
GLS_API void gls_future_release(gls_future_t *future);

#ifdef __cplusplus
}
#endif
#endif /* GLS_FUTURE_H */
