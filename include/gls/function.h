#ifndef GLS_FUNCTION_H
#define GLS_FUNCTION_H

#include <gls/base.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Function: what the caller defines, and other processes call
 * --------------------------------------------------------------------------------------------- */

/** A call of a function of this process. It must be answered once. */
typedef struct gls_call gls_call_t;

/** Answers a call of a function, now or later. The function owns `call`: it answers with
 *  gls_call_reply() or gls_call_fail() and releases with gls_call_release(), on any thread. It runs on
 *  threads that the group or server reserves for functions, several at once. It may use the library
 *  without restriction, but a function that waits for its own calls occupies one of these threads.
 *  Queued calls are scheduled round-robin by caller. A call does not start if its caller no longer
 *  waits. Must not unwind. */
typedef void (*gls_function_fn)(gls_call_t *call, void *user_data);

/** Function, caller and argument of a call. All pointers live as long as the call. */
typedef struct gls_call_info {
  size_t struct_size;
  const char *function;
  const char *caller; /**< name and location of the calling process */
  int64_t rank;       /**< rank of the caller in the group; -1: the caller is a client of a server */
  int64_t part;       /**< part that it was called for; -1: called as a process of the group */
  const void *data;   /**< argument: `size` bytes */
  size_t size;
  int32_t canceled;   /**< non-zero: the caller no longer waits for the answer */
  int32_t reserved;
} gls_call_info_t;
/** [any] Describes a call: its function, caller and argument.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_call_get_info(const gls_call_t *call, gls_call_info_t *out,
                                       gls_error_t **err);
/** [any] Answers a call with bytes, which are copied.
 *  @return GLS_OK, also when the caller no longer waits; GLS_ERR_INVALID_ARGUMENT (more than 1 GiB less
 *          64 bytes); GLS_ERR_INVALID_STATE (the call has been answered) */
GLS_API gls_status_t gls_call_reply(gls_call_t *call, const void *data, size_t size,
                                    gls_error_t **err);
/** [any] Answers a call with an error. The caller gets it with the name of this process and of the
 *  function before the message.
 *  @param status   GLS_ERR_*; anything else becomes ::GLS_ERR_INTERNAL
 *  @param message  text of the error; may be NULL
 *  @return GLS_OK, also when the caller no longer waits; GLS_ERR_INVALID_STATE (the call has been
 *          answered) */
GLS_API gls_status_t gls_call_fail(gls_call_t *call, gls_status_t status, const char *message,
                                   gls_error_t **err);
/** [one] If the call has not been answered, its caller gets an error. */
GLS_API void gls_call_release(gls_call_t *call);

/** Flags of ::gls_call_options_t. */
typedef uint32_t gls_call_flags_t;
enum {
  GLS_CALL_IDEMPOTENT = 1u << 0 /**< calling the function twice has the same effect as once. If the
                                     called process is lost before it answers, it is called again, by
                                     the same process or by another server of the part. Without this
                                     flag the call is an error, because the function may have run */
};
typedef struct gls_call_options {
  size_t struct_size;
  gls_call_flags_t flags; /**< GLS_CALL_* */
  uint32_t reserved;
} gls_call_options_t;
#define GLS_CALL_OPTIONS_INIT GLS_INIT(gls_call_options_t)

#ifdef __cplusplus
}
#endif
#endif /* GLS_FUNCTION_H */
