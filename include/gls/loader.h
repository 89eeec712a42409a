#ifndef GLS_LOADER_H
#define GLS_LOADER_H

#include <gls/base.h>
#include <gls/batch.h>
#include <gls/context.h>
#include <gls/dataset.h>
#include <gls/dlpack.h>
#include <gls/sampler.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Loader: an epoch of batches, sampled and gathered ahead of the caller
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_loader gls_loader_t;

/** Flags of ::gls_loader_options_t. */
typedef uint32_t gls_loader_flags_t;
enum {
  GLS_LOADER_SHUFFLE = 1u << 0,   /**< a new order each epoch, a function of (seed, epoch) */
  GLS_LOADER_DROP_LAST = 1u << 1, /**< omit a last batch that is not full */
  GLS_LOADER_NO_COLUMNS = 1u << 2 /**< gather nothing but `columns` */
};

/** How to give all trainers equally many batches. */
typedef int32_t gls_even_t;
enum {
  GLS_EVEN_NONE = 0,  /**< trainers may get counts that differ by one */
  GLS_EVEN_DROP = 1,  /**< omit the last batches, so that all counts are equal */
  GLS_EVEN_REPEAT = 2 /**< repeat the epoch's first batches at its end, so that all counts are equal */
};

/** A column to gather. Frozen. */
typedef struct gls_column_request {
  const char *type;  /**< node or edge type; NULL: every type that has the column */
  const char *name;
  gls_gather_t rows; /**< GLS_GATHER_* */
  DLDataType dtype;  /**< {0,0,0}: as stored; float16 and bfloat16 can be widened to float32 */
} gls_column_request_t;

/** Rows of a node or edge type. Frozen. */
typedef struct gls_pad_size {
  const char *type;
  int64_t rows;
} gls_pad_size_t;

/** Batches of one shape, for CUDA graphs, torch.compile and XLA. Arrays of nodes and edges are padded
 *  to a size for each type, and masks mark the real rows. Every node type needs a spare row. A batch
 *  that does not fit keeps its own shapes, has masks, too, and GLS_PADDING_OVERFLOW. docs/contract.md,
 *  "Padding", gives the size and the padding of each array. */
typedef struct gls_pad_options {
  size_t struct_size;
  const gls_pad_size_t *sizes; /**< sizes of types; the library estimates those of all others */
  size_t num_sizes;
  uint32_t batches;            /**< how many batches of epoch 0, evenly spread, are sampled for
                                    estimates; 0: 16 */
  uint32_t multiple;           /**< estimates are rounded up to a multiple of this; 0: 64 */
  double sigma;                /**< an estimate is the mean and this many standard deviations; 0: 3 */
} gls_pad_options_t;
#define GLS_PAD_OPTIONS_INIT GLS_INIT(gls_pad_options_t)

/** Changes a batch after its columns are gathered and before it is delivered. It may write into the
 *  arrays, except those marked read-only, and attach its own arrays with gls_batch_attach(). It is
 *  called once for each batch that is made, by the thread that makes it: a worker, or the caller of
 *  gls_loader_sample(). Calls for several batches run at the same time, in any order, also for batches
 *  that are later dropped. Batches are still delivered in their order. It must not unwind.
 *
 *  Inside it, call any function on `batch` except gls_batch_release(), but no function on the loader
 *  and none that waits for a loader. Use other objects as their marks allow. The library holds no lock.
 *  The handle is borrowed and ends with the call; tensors taken from it may be kept.
 *  @param batch    still without gather_ns, and without what this call attaches
 *  @param message  `capacity` bytes, empty: on an error, its description, in UTF-8 with its NUL
 *  @return GLS_OK, or a GLS_ERR_*: that batch fails with it and is dropped, and the loader continues
 *          with the next. Any other number becomes ::GLS_ERR_INVALID_ARGUMENT */
typedef gls_status_t (*gls_transform_fn)(gls_batch_t *batch, void *user_data, char *message,
                                         size_t capacity);

/** Which seeds make a batch. */
typedef int32_t gls_seed_rule_t;
enum {
  GLS_SEEDS_ORDER = 0,  /**< each once in an epoch, `batch_size` at a time */
  GLS_SEEDS_DRAW = 1,   /**< `batch_size` seeds are drawn anew for each batch, with replacement:
                             uniformly, or by `seed_weight` or `seed_law`. Every batch is full, and
                             there is no order: GLS_LOADER_SHUFFLE and GLS_LOADER_DROP_LAST are
                             refused */
  GLS_SEEDS_CLUSTER = 2 /**< all seeds in `batch_size` clusters of nodes; the epoch's order is an
                             order of clusters */
};

/** The weight that seeds are drawn in proportion to. Source: Zeng et al., GraphSAINT, ICLR 2020. */
typedef int32_t gls_seed_law_t;
enum {
  GLS_LAW_UNIFORM = 0,
  GLS_LAW_DEGREE = 1,        /**< for nodes: the number of edges of all types whose source is the node */
  GLS_LAW_INVERSE_DEGREE = 2 /**< for links, given as edge ids: 1 / (edges of their type from the
                                  source) + 1 / (edges of their type to the target) */
};

/** Which processes make the batches. The batches are equal. */
typedef int32_t gls_made_by_t;
enum {
  GLS_MADE_HERE = 0,      /**< this process, on the context's threads */
  GLS_MADE_BY_SERVERS = 1 /**< the servers of a graph opened as "gls://host:port": they sample and
                               gather; this process pads and transforms. A batch is one request,
                               limited by `cluster.request_timeout_ms`, and goes to another server
                               when its server fails. A server makes the next few batches ahead; it
                               makes a batch once if several clients request it. Needs every server
                               to find the others (`--server`) */
};

/** The seeds of one type, for a loader that takes several types. Frozen. */
typedef struct gls_loader_seeds {
  const char *node_type; /**< the seeds are nodes of this type; NULL: see `edge_type` */
  const char *edge_type; /**< the seeds are links of this type; NULL: they are nodes; if `node_type`
                              is NULL, too, nodes of the only type */
  const char *id_set;    /**< nodes: the seeds are this id set; NULL: see `ids` */
  gls_tensor_t *ids;     /**< as `seeds` of gls_loader_create(); NULL: all of the type; taken */
  gls_tensor_t *times;   /**< as `times` of gls_loader_options_t, for these seeds; may be NULL; taken */
  gls_tensor_t *labels;  /**< links: as `labels` of gls_loader_options_t; may be NULL; taken */
} gls_loader_seeds_t;

typedef struct gls_loader_options {
  size_t struct_size;
  const char *node_type;               /**< type of the seeds; NULL: the only one, or the type where
                                            walks begin, or that of the anchors */
  const char *id_set;                  /**< the seeds are this id set; NULL: the seeds given to the
                                            call, else all nodes of the type */
  uint32_t batch_size;                 /**< seeds per batch; 0: 1024 */
  gls_loader_flags_t flags;            /**< GLS_LOADER_* */
  uint32_t rank;                       /**< this trainer, 0 .. world_size-1 */
  uint32_t world_size;                 /**< trainers that share the epoch; 0: 1 */
  gls_even_t even;                     /**< GLS_EVEN_* */
  uint32_t num_workers;                /**< batches in progress at once. With ::GLS_MADE_BY_SERVERS
                                            requests in progress at once, at most 32, each on a
                                            thread that only waits; 0: the context's threads, or more
                                            with stores (gls/store.h), or at most 3 where a GPU
                                            samples, or 8 with ::GLS_MADE_BY_SERVERS */
  uint32_t prefetch;                   /**< finished batches to keep ready, at most; 0: 2 per worker,
                                            or 4 where a GPU samples and `num_workers` is 0 */
  uint32_t reserved0;
  uint64_t prefetch_bytes;             /**< bytes of batches in progress or ready, at most (one batch
                                            may always be made); 0: 1 GiB, or a quarter of the memory
                                            available to the process if that is less */
  const gls_column_request_t *columns; /**< columns to gather; NULL: by role, see GLS_ROLE_* */
  size_t num_columns;
  DLDevice device;                     /**< where batches are delivered. {kDLCPU, 0}: the host.
                                            {kDLCUDA, n}: GPU n, which needs the plugin
                                            libgls_cuda.so. Then all arrays of a batch are in its
                                            memory, also in a transform, except the counts
                                            GLS_BATCH_NUM_NODES and GLS_BATCH_NUM_EDGES and arrays
                                            that a transform attaches. The bytes are equal; settings
                                            "device.*" control what is kept there. A loader on the
                                            device of its sampler samples as decided when the sampler
                                            was made; {0, 0}: where batches of the sampler are */
  gls_tensor_t *times;                 /**< int32 or int64 [n]: time of each seed, if the sampler
                                            uses times; taken; NULL: its row of the column
                                            `node_time`, which links do not have */
  const char *edge_type;               /**< the seeds are links of this type, [n] ids or [2, n]
                                            sources and targets, all edges of the type if none are
                                            given; NULL: the seeds are nodes */
  gls_tensor_t *labels;                /**< [n, ...]: a row of labels for each link; may be NULL; taken */
  const gls_pad_options_t *pad;        /**< pads batches to one shape; NULL: each batch has its own
                                            size */
  gls_transform_fn transform;          /**< a last stage before delivery, by the caller; NULL: none */
  void *transform_data;                /**< passed to `transform` */
  gls_destroy_fn transform_destroy;    /**< runs with `transform_data` when the loader is released
                                            and the last `transform` has ended, or when
                                            gls_loader_create() fails; not in a forked child; may be
                                            NULL */
  gls_tensor_t *const *anchor_labels;  /**< as `labels` of a request, a row for each seed; taken */
  size_t num_anchor_labels;
  gls_seed_rule_t seed_rule;           /**< GLS_SEEDS_* */
  gls_seed_law_t seed_law;             /**< GLS_LAW_*; for GLS_SEEDS_DRAW, as are the next two fields */
  const char *seed_weight;             /**< draws in proportion to a column of non-negative numbers,
                                            of the nodes or, for links given as edge ids, of the
                                            edges; NULL: see `seed_law` */
  uint64_t batches;                    /**< batches per epoch, of all trainers, at most 2^32; 0: as
                                            many as without draws */
  const char *cluster;                 /**< for GLS_SEEDS_CLUSTER: a node column of whole numbers
                                            below the number of nodes; a negative number is not in a
                                            cluster, and so not in a batch */
  gls_tensor_t *clusters;              /**< `cluster` as an array, int32 or int64 [nodes of the
                                            type]; taken */
  gls_made_by_t made_by;               /**< GLS_MADE_* */
  int32_t reserved1;
  const gls_loader_seeds_t *seed_sets; /**< the seeds of several types, all nodes or all links, each
                                            type at most once. They replace the argument `seeds` and
                                            the fields `node_type`, `id_set`, `edge_type`, `times`
                                            and `labels`. One order of the epoch has all of them, and
                                            a batch has `batch_size` in all. Several types are
                                            GLS_ERR_UNSUPPORTED with `pad`, GLS_MADE_BY_SERVERS and
                                            rules other than GLS_SEEDS_ORDER. Walks, importance, PPR
                                            and supervisions begin at one type and refuse them. NULL:
                                            the seeds have one type */
  size_t num_seed_sets;
} gls_loader_options_t;
#define GLS_LOADER_OPTIONS_INIT GLS_INIT(gls_loader_options_t)

/** [any] Makes a loader at epoch 0, batch 0. Work starts with the first gls_loader_next() or
 *  gls_loader_notify(). Batch b of an epoch has seeds [b * batch_size, (b + 1) * batch_size) of the
 *  epoch's order; trainer `rank` gets the batches rank, rank + world_size, ...
 *  @param seeds    int32 or int64 [n] node ids, or links, see `edge_type`; NULL: see `id_set`; taken
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; a seed out of range, with its position and
 *          value; nothing can be drawn); GLS_ERR_NOT_FOUND (type, id set, column); GLS_ERR_CORRUPT_DATA
 *          (the id set; weights, edge ids or indices that links or draws need); GLS_ERR_UNSUPPORTED
 *          (`device`: no plugin libgls_cuda.so, no driver, no such GPU. `made_by`: the dataset has no
 *          servers, or the options are too large for them, such as more than 16 MiB of excluded edges);
 *          GLS_ERR_IO and GLS_ERR_TIMED_OUT (no server answered) */
GLS_API gls_status_t gls_loader_create(gls_sampler_t *sampler, gls_tensor_t *seeds,
                                       const gls_loader_options_t *options, gls_loader_t **out,
                                       gls_error_t **err);
/** [one] Stops the work in progress and waits for it to end, also for a running gls_transform_fn. So a
 *  transform must not call it. Requests to servers are cancelled; it does not wait for servers. */
GLS_API void gls_loader_release(gls_loader_t *loader);

/** [one] The next batch of the epoch, in order. After an error of a batch, the next call continues with
 *  the batch after it.
 *  @param timeout_ms  how long to wait
 *  @return GLS_OK; GLS_IN_PROGRESS when the time passed; GLS_END when the epoch is over (every time,
 *          until gls_loader_seek()); GLS_ERR_CANCELED after gls_loader_cancel(); any error of sampling,
 *          gathering or the transform, for the batch that failed */
GLS_API gls_status_t gls_loader_next(gls_loader_t *loader, int64_t timeout_ms, gls_batch_t **out,
                                     gls_error_t **err);
/** [one] Registers a callback for the moment when gls_loader_next() will not wait. Event loops and
 *  futures need it, because they have no thread to wait with. Starts the work, as gls_loader_next()
 *  does. If this call returns ::GLS_IN_PROGRESS, `ready` is called with `user_data` exactly once,
 *  otherwise never.
 *
 *  The call comes when there is a result, or when the loader is cancelled, moved (seek, restore),
 *  given another callback, or released. So it can come without a result: call gls_loader_next() with a
 *  timeout of 0, which polls. After gls_loader_release() returns, the call has ended. In a forked
 *  child there is no call.
 *  @return GLS_OK: there is a batch, an error, or the end of the epoch now. If memory was short,
 *          gls_loader_next() may still find no batch; then call it again; GLS_IN_PROGRESS: `ready`
 *          will be called; GLS_ERR_CANCELED after gls_loader_cancel(); GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_loader_notify(gls_loader_t *loader, gls_ready_fn ready, void *user_data,
                                       gls_error_t **err);
/** [one] Goes to the start of an epoch and drops batches made ahead. Ends a cancelled state.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_seek(gls_loader_t *loader, uint64_t epoch, gls_error_t **err);
/** [any] Makes any batch of any epoch on the calling thread, with the same bytes that gls_loader_next()
 *  returns for it. The loader's position, bounds and totals do not change. Earlier batches are not
 *  made, because the epoch's order is computed, not stored.
 *  @param batch  its global number, below `num_global_batches` of gls_loader_get_info(), so of any
 *                trainer
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (there is no such batch); any error of sampling, gathering
 *          or the transform */
GLS_API gls_status_t gls_loader_sample(const gls_loader_t *loader, uint64_t epoch, uint64_t batch,
                                       gls_batch_t **out, gls_error_t **err);
typedef struct gls_norm_options {
  size_t struct_size;
  const char *node_type;    /**< for `node_norm` or `coverage`; NULL: the only one */
  const char *edge_type;    /**< for `edge_norm`; NULL: the only one */
  uint64_t epoch;           /**< batches are of epoch 2^63 + this (modulo 2^64), then of the next */
  uint64_t batches;         /**< how many batches are counted, below 2^32; with `coverage`: at most */
  double coverage;          /**< above 0: counts until this many times the nodes of `node_type` were
                                 in batches. Without it and without `batches`: one epoch */
  gls_progress_fn progress; /**< may be NULL; the unit is nodes with `coverage`, else batches */
  void *progress_user_data;
} gls_norm_options_t;
#define GLS_NORM_OPTIONS_INIT GLS_INIT(gls_norm_options_t)
/** [any] GraphSAINT's normalisation: an estimate made from batches on the context's threads, by
 *  counting how often each node and edge is in them. These batches are far from those of the training,
 *  so that the estimates do not depend on what they correct. The loader does not change.
 *  @param node_norm  out, may be NULL: float32 [nodes], batches / times counted / nodes; a node that
 *                    never occurred counts as 0.1 times
 *  @param edge_norm  out, may be NULL: float32 [edges], by edge id: times counted of its target / of
 *                    the edge, at most 10000, and 0.1 if neither occurred; needs GLS_SAMPLE_EDGE_IDS
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; an epoch without batches, or without nodes of
 *          the type); GLS_ERR_NOT_FOUND (a type); GLS_ERR_CANCELED; any error of sampling */
GLS_API gls_status_t gls_loader_saint_norms(const gls_loader_t *loader,
                                            const gls_norm_options_t *options,
                                            gls_tensor_t **node_norm, gls_tensor_t **edge_norm,
                                            gls_error_t **err);
typedef struct gls_plan_options {
  size_t struct_size;
  uint64_t epoch;           /**< the epoch to plan */
  uint64_t batches;         /**< how many of this trainer's batches to plan, from the first one on; 0: all */
  const uint64_t *memory;   /**< sizes of memory to compare, in bytes, for all that a loader uses, as the
                                 setting "storage.memory"; NULL: 10, 25, 50 and 75 % of topology and
                                 columns, and the setting if the loader plans its reads */
  size_t num_memory;
  gls_progress_fn progress; /**< may be NULL; the unit is batches */
  void *progress_user_data;
} gls_plan_options_t;
#define GLS_PLAN_OPTIONS_INIT GLS_INIT(gls_plan_options_t)
/** [any] Plans an epoch before it runs: samples its batches on the context's threads, without reading
 *  rows. The result has exact numbers of nodes, edges and rows, and for each size of memory what is read
 *  from disk and a predicted time. The loader does not change. Takes as long as sampling, and some
 *  seconds for the sizes of memory.
 *  @param options  may be NULL
 *  @param json     out: uint8 [n], JSON text in UTF-8 without a NUL; docs/reference/plan.md gives its
 *                  fields. Release it with gls_tensor_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; an epoch without batches); GLS_ERR_UNSUPPORTED
 *          (other processes make the batches); GLS_ERR_IO (the disk, the folder "storage.folder");
 *          GLS_ERR_CANCELED; any error of sampling */
GLS_API gls_status_t gls_loader_plan(const gls_loader_t *loader, const gls_plan_options_t *options,
                                     gls_tensor_t **json, gls_error_t **err);
/** [any] Makes the waiting and all later gls_loader_next() return ::GLS_ERR_CANCELED, until
 *  gls_loader_seek(). It does not wait: batches in progress are finished and dropped, and a
 *  gls_transform_fn may still be running. */
GLS_API void gls_loader_cancel(gls_loader_t *loader);

typedef struct gls_loader_info {
  size_t struct_size;
  uint64_t epoch;              /**< current one */
  uint64_t next_batch;         /**< global number of the next batch that this loader delivers; at the
                                    end of the epoch, a number beyond its last */
  uint64_t num_batches;        /**< batches of this trainer per epoch */
  uint64_t num_global_batches; /**< batches of all trainers per epoch, without repeats */
  uint64_t num_seeds;          /**< seeds in its list */
  uint64_t batch_size;
} gls_loader_info_t;
/** [any] Position and size of the loader.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_get_info(const gls_loader_t *loader, gls_loader_info_t *out,
                                         gls_error_t **err);

/** [any] The size to which arrays of a node or edge type are padded.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, or batches are not padded) */
GLS_API gls_status_t gls_loader_pad_size(const gls_loader_t *loader, const char *type,
                                         int64_t *rows, gls_error_t **err);

/** Totals since the loader was made. Times of workers are summed over workers. */
typedef struct gls_loader_stats {
  size_t struct_size;
  uint64_t batches;        /**< delivered */
  uint64_t seeds;
  uint64_t nodes;          /**< sampled, over all types */
  uint64_t edges;
  uint64_t gathered_rows;
  uint64_t gathered_bytes;
  uint64_t sample_ns;      /**< workers: in sampling */
  uint64_t gather_ns;      /**< workers: in gathering */
  uint64_t worker_wait_ns; /**< workers: waiting because the bounds were reached */
  uint64_t caller_wait_ns; /**< caller: inside gls_loader_next() */
  uint64_t wall_ns;        /**< from the first gls_loader_next() or gls_loader_notify() of each epoch
                                to its last gls_loader_next() */
  uint64_t ready_batches;  /**< now */
  uint64_t ready_bytes;    /**< now */
  uint64_t peak_bytes;     /**< most bytes in progress or ready at once */
  uint64_t device_rows;    /**< gathered rows that were read in memory of a GPU; see settings
                                "device.*". Padding rows are in none of the five */
  uint64_t pinned_rows;    /**< read by a GPU in memory of the host */
  uint64_t host_rows;      /**< read by the CPU, or from files directly into memory of a GPU; see
                                setting "device.direct_storage" */
  uint64_t remote_rows;    /**< requested from servers, other parts or other processes, including
                                rows that these have locally */
  uint64_t peer_rows;      /**< read by a GPU in memory of other GPUs of its group; see setting
                                "device.group" */
  uint64_t disk_rows;         /**< of the host's rows, those that were not in memory when a batch needed
                                   them. This and the next three are of loaders that plan their reads;
                                   see settings "storage.*" */
  uint64_t disk_row_bytes;    /**< of these rows */
  uint64_t disk_read_bytes;   /**< read from files of columns, with bytes between needed rows */
  uint64_t disk_packed_bytes; /**< written to temporary files, and read once */
} gls_loader_stats_t;
/** [any] The current totals.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_get_stats(const gls_loader_t *loader, gls_loader_stats_t *out,
                                          gls_error_t **err);

#define GLS_LOADER_STATE_MAX 1024 /**< a buffer of this size always holds a loader's state */
/** [any] Writes the position (epoch, next batch to deliver) and what it depends on, as JSON text with
 *  its NUL.
 *  @param length  out, may be NULL: length without the NUL, also when `capacity` is too small
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT when `capacity` is too small */
GLS_API gls_status_t gls_loader_save(const gls_loader_t *loader, char *buffer, size_t capacity,
                                     size_t *length, gls_error_t **err);
/** [one] Continues from a saved position; ends a cancelled state. Threads, prefetch and world size may
 *  differ. After `n` steps of `w` trainers the first n*w batches of the epoch are done. The new
 *  trainers share the rest: rank r of v gets n*w + r, n*w + r + v, ...
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT when the state does not fit this loader, naming what
 *          differs: the dataset (its types, counts and columns are compared), node type, seed set,
 *          seed, batch size, order or contract; GLS_ERR_UNSUPPORTED for the state of a newer library */
GLS_API gls_status_t gls_loader_restore(gls_loader_t *loader, const char *state, gls_error_t **err);

/** [any] The dataset of a loader's batches, on the host. For an attached loader it has the types and
 *  the names of columns, without nodes or edges.
 *  @return GLS_OK */
GLS_API gls_status_t gls_loader_dataset(const gls_loader_t *loader, gls_dataset_t **out,
                                        gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_LOADER_H */
