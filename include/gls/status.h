#ifndef GLS_STATUS_H
#define GLS_STATUS_H

#include <gls/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Status and errors
 * --------------------------------------------------------------------------------------------- */

/** An integer and not an enum: a newer library may return values that this header does not name.
 *  Treat an unknown negative value as ::GLS_ERR_INTERNAL and an unknown positive one as a state. */
typedef int32_t gls_status_t;
enum {
  GLS_OK = 0,
  GLS_IN_PROGRESS = 1,           /**< the time limit passed and nothing is ready yet; ask again */
  GLS_END = 2,                   /**< the epoch is over */
  GLS_ERR_INVALID_ARGUMENT = -1, /**< the call is wrong: correct the call */
  GLS_ERR_OUT_OF_MEMORY = -2,    /**< memory, or a stated memory bound, does not suffice */
  GLS_ERR_NOT_FOUND = -3,        /**< a file, type, column, set or key does not exist */
  GLS_ERR_UNSUPPORTED = -4,      /**< valid, but not by this build, machine or dataset */
  GLS_ERR_INVALID_STATE = -5,    /**< right call, wrong moment (after fork, after a failure) */
  GLS_ERR_TIMED_OUT = -6,        /**< a deadline passed */
  GLS_ERR_CANCELED = -7,         /**< cancel was called, or a function of the caller's asked to stop */
  GLS_ERR_IO = -8,               /**< the operating system refused: file, disk, permission */
  GLS_ERR_CORRUPT_DATA = -9,     /**< a file or array is damaged or inconsistent */
  GLS_ERR_ALREADY_EXISTS = -10,  /**< the thing to be created already exists */
  GLS_ERR_INTERNAL = -11         /**< a fault of the library: please report it */
};

typedef struct gls_error gls_error_t; /**< immutable; every call on it is [any] */

/** [any] "GLS_ERR_IO" for ::GLS_ERR_IO; "GLS_UNKNOWN" for a value this library does not know. */
GLS_API const char *gls_status_name(gls_status_t status);
/** [any] The status the failing function returned. */
GLS_API gls_status_t gls_error_status(const gls_error_t *err);
/** [any] One sentence naming the argument or file, its value and what was expected. Never NULL. */
GLS_API const char *gls_error_message(const gls_error_t *err);
/** [any] A detail of an error for programs; the message contains it, too. Keys are "argument", "file",
 *  "type", "column", "setting", "offset" (of a byte or an element), "line" (of a text file) and "field"
 *  (of a manifest). A failed transform sets "epoch" and "batch" of its batch. Errors of a cluster set
 *  "peer" (an address), "rank", "part", "operation" (of a group) and "function".
 *  @return NULL when this error has no such detail. */
GLS_API const char *gls_error_detail(const gls_error_t *err, const char *key);
/** [any] The keys of the details this error has, in no particular order: 0, 1, ...
 *  @return NULL when `index` is too large. */
GLS_API const char *gls_error_detail_key(const gls_error_t *err, size_t index);
/** [one] Accepts NULL. */
GLS_API void gls_error_release(gls_error_t *err);

/** [any] ::GLS_VERSION of the loaded library. */
GLS_API uint32_t gls_version(void);
/** [any] Version of the loaded library as text, for example "0.1.0". Static. */
GLS_API const char *gls_version_string(void);

#ifdef __cplusplus
}
#endif
#endif /* GLS_STATUS_H */
