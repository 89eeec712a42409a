#ifndef GLS_CONTEXT_H
#define GLS_CONTEXT_H

#include <gls/base.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Context: threads, memory pool, log, settings
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_context gls_context_t;

/** How severe a line of the log is. */
typedef int32_t gls_log_level_t;
enum {
  GLS_LOG_ERROR = 1, /**< cannot go on */
  GLS_LOG_WARN = 2,  /**< odd, but goes on */
  GLS_LOG_INFO = 3,  /**< a few lines per run */
  GLS_LOG_DEBUG = 4, /**< grows with the number of objects */
  GLS_LOG_TRACE = 5  /**< grows with the number of events */
};

/** Receives log lines, from any library thread, several at once. Must not call the library, block
 *  or unwind. `component` and `text` live for the call. */
typedef void (*gls_log_fn)(void *user_data, gls_log_level_t level, const char *component,
                           const char *text);

typedef struct gls_context_options {
  size_t struct_size;
  uint32_t num_threads;       /**< worker threads; 0: one per core this process may use (affinity and
                                   quotas of its cgroups) */
  gls_log_level_t log_level;  /**< most verbose level to report; 0: setting "log.level" */
  gls_log_fn log;             /**< NULL: standard error, where lines are dropped that its reader does
                                   not accept */
  void *log_user_data;
  gls_destroy_fn log_destroy; /**< runs with log_user_data; may be NULL */
} gls_context_options_t;
#define GLS_CONTEXT_OPTIONS_INIT GLS_INIT(gls_context_options_t)

/** [any] Starts the worker threads. `options` may be NULL. Several contexts may live at once.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option, or a setting in the environment);
 *          GLS_ERR_OUT_OF_MEMORY (also when the system refuses to start that many threads) */
GLS_API gls_status_t gls_context_create(const gls_context_options_t *options, gls_context_t **out,
                                        gls_error_t **err);
/** [one] Accepts NULL. */
GLS_API void gls_context_release(gls_context_t *ctx);

/** [any] Changes a setting for objects created from now on. The value is text, checked against the
 *  setting's type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND for an unknown key; GLS_ERR_INVALID_ARGUMENT for its value;
 *          GLS_ERR_INVALID_STATE for "threads", which are made with the context */
GLS_API gls_status_t gls_context_set(gls_context_t *ctx, const char *key, const char *value,
                                     gls_error_t **err);
/** [any] Writes the value in force, as text, with its NUL, into `buffer`.
 *  @param length  out, may be NULL: length without the NUL, also set when `capacity` is too small
 *  @return GLS_OK; GLS_ERR_NOT_FOUND; GLS_ERR_INVALID_ARGUMENT when `capacity` is too small */
GLS_API gls_status_t gls_context_get(const gls_context_t *ctx, const char *key, char *buffer,
                                     size_t capacity, size_t *length, gls_error_t **err);

/** One tunable. All pointers are static. */
typedef struct gls_setting_info {
  size_t struct_size;
  const char *key;  /**< "memory.huge_pages" */
  const char *type; /**< "int", "size" (accepts 64K, 2M, 1G), "bool", "text", or "a|b|c" */
  const char *default_value;
  const char *env;  /**< environment variable read at context creation: GLS_... */
  const char *help; /**< one sentence */
} gls_setting_info_t;
/** [any] Number of settings this library has. */
GLS_API size_t gls_setting_count(void);
/** [any] Describes setting `index`, in alphabetical order of the keys.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_setting_get_info(size_t index, gls_setting_info_t *out, gls_error_t **err);

/** Reports progress of a long call, from the thread that made it.
 *  @param stage  what is being done, for people: "reading edges"
 *  @param done   how far, in `unit`
 *  @param total  how far it will go; 0 while unknown
 *  @return 0 to go on; anything else ends the call with ::GLS_ERR_CANCELED and leaves nothing
 *          behind */
typedef int32_t (*gls_progress_fn)(void *user_data, const char *stage, uint64_t done,
                                   uint64_t total, const char *unit);

/** Decides whether a blocked call ends. The thread that made the call runs it, at most every 50 ms. It
 *  may cancel the blocked call, and call the library with other objects. It must not unwind.
 *  @return 0 to go on; anything else ends the call with ::GLS_ERR_CANCELED */
typedef int32_t (*gls_interrupt_fn)(void *user_data);
/** [any] Sets the function that decides whether blocked calls of this thread end. It runs while a call
 *  waits for servers, feeds, other processes or batches, and where a long call reports progress. A
 *  call that does not block never runs it, and costs the same with and without it. Use it for signals:
 *  the handler sets a flag, which the function reads.
 *
 *  An interrupted call gives up its request. Its object stays usable: the next gls_loader_next()
 *  returns the same batch, and gls_future_wait() may wait again. gls_server_stop() and
 *  gls_group_leave() are cut short and succeed. Releasing an object never runs the function.
 *  @param check               NULL: calls of this thread are not interrupted, which is the initial
 *                             state
 *  @param previous            out, may be NULL: the function that was set before
 *  @param previous_user_data  out, may be NULL: its data */
GLS_API void gls_thread_set_interrupt(gls_interrupt_fn check, void *user_data,
                                      gls_interrupt_fn *previous, void **previous_user_data);

#ifdef __cplusplus
}
#endif
#endif /* GLS_CONTEXT_H */
