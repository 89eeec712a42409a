#ifndef GLS_FEED_H
#define GLS_FEED_H

#include <gls/base.h>
#include <gls/context.h>
#include <gls/dlpack.h>
#include <gls/loader.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Feed: the batches of a loader for trainers in other processes of this machine, in shared memory
 * --------------------------------------------------------------------------------------------- */

/** Serves the batches of a loader on a Unix-domain socket, on its own threads and those of the context.
 *  Each trainer has its own shared memory, a bounded number of bytes. The feed writes the trainer's
 *  batches there once, and the trainer reads them in place. A slow trainer does not block the others.
 *  The memory has no name: the kernel frees it when the last process that has it ends. */
typedef struct gls_feed gls_feed_t;

typedef struct gls_feed_options {
  size_t struct_size;
  const char *path;   /**< path of the socket, at most 107 bytes. A socket that a killed process left
                           is replaced. Every process that may open it may attach */
  uint32_t consumers; /**< trainers at one time, and their `world_size` if they set none; 0: 1 */
  uint32_t mode;      /**< permissions of the socket, as of chmod(2); 0: 0600, the owner alone */
  uint64_t bytes;     /**< shared memory of each trainer, for all batches that are ready for it or
                           that it holds; allocated as needed; 0: 256 MiB */
  uint32_t prefetch;  /**< batches ready for each trainer, at most; 0: as set in the loader */
  uint32_t reserved;
} gls_feed_options_t;
#define GLS_FEED_OPTIONS_INIT GLS_INIT(gls_feed_options_t)

/** [any] Begins to serve. The loader's position does not matter and does not change: each trainer
 *  chooses where it begins. `num_workers` and `prefetch_bytes` of the loader apply to each trainer.
 *  @param loader  of this process, with `world_size` 1: trainers set theirs when they attach
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; the loader's `world_size`);
 *          GLS_ERR_ALREADY_EXISTS (another feed serves at this path, or the file is not a socket);
 *          GLS_ERR_UNSUPPORTED (an attached loader, or a system without sealed memory. Also a loader
 *          that delivers on a device, by its own option or that of its sampler or dataset);
 *          GLS_ERR_NOT_FOUND (the folder); GLS_ERR_IO */
GLS_API gls_status_t gls_feed_create(gls_loader_t *loader, const gls_feed_options_t *options,
                                     gls_feed_t **out, gls_error_t **err);
/** [one] Ends the feed: attached trainers get ::GLS_ERR_IO for batches that they have not received.
 *  Waits for batches in progress, as gls_loader_release() does. */
GLS_API void gls_feed_release(gls_feed_t *feed);
/** [any] Waits until a trainer has attached and all trainers have detached.
 *  @param timeout_ms  how long to wait
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed */
GLS_API gls_status_t gls_feed_wait(gls_feed_t *feed, int64_t timeout_ms, gls_error_t **err);

typedef struct gls_feed_info {
  size_t struct_size;
  uint64_t consumers;    /**< trainers attached now */
  uint64_t attached;     /**< trainers attached since it was made */
  uint64_t lost;         /**< of these, gone without releasing their loader, as when killed */
  uint64_t batches;      /**< sent */
  uint64_t batch_bytes;  /**< of these */
  uint64_t used_bytes;   /**< shared memory that batches use now */
  uint64_t wait_ns;      /**< summed over trainers: a batch was sampled, but there was no room for it */
  uint64_t copied_bytes; /**< of `batch_bytes`: arrays that were copied into shared memory. Columns
                              are gathered directly into it, unless servers make the batches or the
                              loader has a transform */
} gls_feed_info_t;
/** [any] Totals of the feed, slightly delayed: a batch that has just arrived may not be counted yet.
 *  @return GLS_OK */
GLS_API gls_status_t gls_feed_get_info(const gls_feed_t *feed, gls_feed_info_t *out,
                                       gls_error_t **err);

typedef struct gls_attach_options {
  size_t struct_size;
  const char *const *paths; /**< feeds of loaders with equal options, which share the work; the
                                 batches and their order are those of one loader */
  size_t num_paths;
  uint32_t rank;            /**< this trainer, 0 .. world_size-1 */
  uint32_t world_size;      /**< trainers that share the epoch; 0: the feed's `consumers` */
  uint32_t stall_ms;        /**< how long gls_loader_next() waits, whatever its timeout, when this
                                 trainer's memory is full of batches that it holds itself; 0: 10 s */
  uint32_t reserved;
  DLDevice pin;             /**< {kDLCUDA, n}: GPU n pins the shared memory, so that copies of
                                 batches to GPUs are asynchronous; needs the plugin libgls_cuda.so.
                                 All of the memory is allocated at once then; {0, 0}: it is not
                                 pinned */
} gls_attach_options_t;
#define GLS_ATTACH_OPTIONS_INIT GLS_INIT(gls_attach_options_t)

/** [any] A loader whose batches other processes make: those that the loader behind the feed would give
 *  this trainer. Their arrays are in shared memory that this process cannot write, and are marked
 *  read-only. They do not change until the last tensor and batch is released, also when the feed ends.
 *  In a forked child they may change. Everything that a feed sends is checked before use, except the
 *  numbers in arrays.
 *
 *  Pinned memory counts as the host. A queued copy reads the memory until the copy is done: name its
 *  stream by gls_batch_record_stream(), or release tensors and batch after the copy. Otherwise the feed
 *  overwrites the batch during the copy.
 *
 *  All calls on a loader are allowed except gls_loader_sample(), gls_loader_saint_norms() and
 *  gls_loader_plan(). States are those of the loader behind the feed. gls_loader_next() can also
 *  return:
 *
 *  - ::GLS_ERR_IO when a feed ended, was killed or released (every time: attach again, and restore the
 *    state);
 *  - ::GLS_ERR_CORRUPT_DATA when the feed sends invalid data;
 *  - ::GLS_ERR_OUT_OF_MEMORY, see `stall_ms`, or when a batch is larger than `bytes` of the feed.
 *  @param timeout_ms  how long to wait until the feeds exist and answer; default: 10 s. With less than
 *                     1 s, feeds that exist still have up to 1 s to answer, all together
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; feeds of different loaders); GLS_ERR_TIMED_OUT
 *          (no feed existed in time); GLS_ERR_ALREADY_EXISTS (a trainer of this rank is attached);
 *          GLS_ERR_INVALID_STATE (as many trainers as the feed accepts are attached);
 *          GLS_ERR_UNSUPPORTED (a feed of another version; `pin`: no plugin libgls_cuda.so, no driver,
 *          no such GPU, or a GPU that does not pin read-only memory: the message says which);
 *          GLS_ERR_CORRUPT_DATA; GLS_ERR_IO */
GLS_API gls_status_t gls_feed_attach(gls_context_t *ctx, const gls_attach_options_t *options,
                                     int64_t timeout_ms, gls_loader_t **out, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_FEED_H */
