#ifndef GLS_BATCH_H
#define GLS_BATCH_H

#include <gls/base.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Batch: what was sampled and gathered. Immutable except in a gls_transform_fn
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_batch gls_batch_t;

/** Whether a batch has the sizes of its loader. */
typedef int32_t gls_padding_t;
enum {
  GLS_PADDING_NONE = 0,    /**< the loader does not pad */
  GLS_PADDING_FITS = 1,    /**< the arrays have the loader's sizes */
  GLS_PADDING_OVERFLOW = 2 /**< the batch does not fit: the arrays have their own sizes */
};

typedef struct gls_batch_info {
  size_t struct_size;
  uint64_t epoch;
  uint64_t batch;        /**< global number in the epoch */
  uint64_t num_hops;     /**< 1 for walks and PPR */
  uint64_t bytes;        /**< memory the batch holds */
  uint64_t sample_ns;    /**< time its worker spent sampling it */
  uint64_t gather_ns;
  gls_padding_t padding; /**< GLS_PADDING_* */
  uint32_t reserved;     /**< 0 */
} gls_batch_info_t;
/** [any] Position and cost of the batch.
 *  @return GLS_OK */
GLS_API gls_status_t gls_batch_get_info(const gls_batch_t *batch, gls_batch_info_t *out,
                                        gls_error_t **err);

/** The arrays of a batch. B: seeds as given, and labels of anchors; S: distinct seeds; N: nodes; E:
 *  edges, of one type. "id" is int64, or int32 with GLS_SAMPLE_INT32 (edge ids: int32 if those of the
 *  dataset fit). */
typedef int32_t gls_batch_array_t;
enum {
  GLS_BATCH_NODE = 0,                /**< node type; id [N]: dataset ids, seeds first, then by first
                                          visit */
  GLS_BATCH_ROW = 1,                 /**< edge type; id [E]: local id of each edge's source */
  GLS_BATCH_COL = 2,                 /**< edge type; id [E]: local id of each edge's target */
  GLS_BATCH_EDGE = 3,                /**< edge type; id [E]: dataset edge ids; with GLS_SAMPLE_EDGE_IDS */
  GLS_BATCH_TREE = 4,                /**< node type; id [N]: position of the seed whose tree the node
                                          is in; if each seed grows its own */
  GLS_BATCH_NUM_NODES = 5,           /**< node type; int64 [hops + 1]: new nodes, seeds then per hop;
                                          for walks and PPR [2]: seeds, then the others */
  GLS_BATCH_NUM_EDGES = 6,           /**< edge type; int64 [hops]; with GLS_SUBGRAPH_INDUCED or
                                          GLS_SUBGRAPH_BIDIRECTIONAL [1] */
  GLS_BATCH_SEED = 7,                /**< node type; id [B]: local id of each seed as given */
  GLS_BATCH_INPUT = 8,               /**< node type, or edge type where links are seeds; int64
                                          [seeds]: position of each in the loader's seeds of that
                                          type; only in batches of a loader */
  GLS_BATCH_NODE_COLUMN = 9,         /**< node type and column; [N, ...], or [S, ...] for seeds only */
  GLS_BATCH_EDGE_COLUMN = 10,        /**< edge type and column; [E, ...] */
  GLS_BATCH_SEED_TIME = 11,          /**< node type; int64 [B]: time of each seed as given; if the
                                          sampler uses times */
  GLS_BATCH_LINK_SOURCE = 12,        /**< edge type; id [L]: local id of each link's source, then
                                          those of binary negatives */
  GLS_BATCH_LINK_TARGET = 13,        /**< edge type; id [L] */
  GLS_BATCH_LINK_NEGATIVE = 14,      /**< edge type; id [links, amount]: local ids of the targets
                                          drawn in triplets, -1 where one is missing */
  GLS_BATCH_LINK_LABEL = 15,         /**< edge type; [L, ...]: given labels, then 0 for binary
                                          negatives */
  GLS_BATCH_WALK = 16,               /**< node type of the seeds; id [B * walks, length + 1]: local
                                          ids of the nodes of each walk, walks of a seed together,
                                          the seed first; -1 after the end. Each column has the node
                                          type that the path gives it. Batches of walks have no other
                                          edges, unless induced: ROW, COL and EDGE are empty */
  GLS_BATCH_WALK_EDGE = 17,          /**< node type of the seeds; id [B * walks, length]: dataset id
                                          of the edge of each step, of the type that the path gives
                                          it; -1 without a step; with GLS_SAMPLE_EDGE_IDS */
  GLS_BATCH_NEAR_SEED = 18,          /**< node type of the neighbours; id [K]: local id, in the
                                          seeds' type, of the node that the neighbour belongs to.
                                          Only of the kinds GLS_SAMPLER_IMPORTANCE (only the seeds'
                                          type) and GLS_SAMPLER_PPR. Their batches have no other
                                          edges: ROW and COL are empty */
  GLS_BATCH_NEAR_NODE = 19,          /**< node type; id [K]: local id of the neighbour */
  GLS_BATCH_NEAR_SCORE = 20,         /**< node type; float32 [K, 2]. Importance: the neighbour's
                                          share of the node's visits, and their number. PPR: the
                                          score, and 1 / (1 + steps from the seed). With C channels
                                          [K, 2 + 3 * C]: the highest of each of the two, then for
                                          each channel that found the neighbour these two and 1, for
                                          the others 0, 0, 0 */
  GLS_BATCH_ANCHOR_POSITIVE = 21,    /**< node type of the labels and name of the supervision; id
                                          [anchors, m]: local ids of the labels of each anchor, then
                                          -1. m is `max_labels`, else the most labels of an anchor;
                                          given labels keep their shape. Anchors are the first
                                          GLS_BATCH_SEED of their type */
  GLS_BATCH_ANCHOR_NEGATIVE = 22,    /**< negative labels, as GLS_BATCH_ANCHOR_POSITIVE */
  GLS_BATCH_ATTACHED = 23,           /**< no type; a name: an array given to gls_batch_attach() */
  GLS_BATCH_NODE_MASK = 24,          /**< node type; bool [N]: true for nodes of the batch, false for
                                          padding. Batches have masks if the loader pads */
  GLS_BATCH_EDGE_MASK = 25,          /**< edge type; bool [E] */
  GLS_BATCH_SEED_MASK = 26,          /**< node type of seeds; bool [B] */
  GLS_BATCH_LINK_MASK = 27,          /**< edge type; bool [L] */
  GLS_BATCH_LINK_NEGATIVE_MASK = 28, /**< edge type; bool [links, amount]: true for targets that were
                                          found, false for padding links */
  GLS_BATCH_WALK_MASK = 29,          /**< node type of the seeds; bool [B * walks] */
  GLS_BATCH_NEAR_MASK = 30,          /**< node type; bool [K] */
  GLS_BATCH_ANCHOR_MASK = 31,        /**< node type of the anchors; bool [anchors]: for the rows of
                                          labels */
  GLS_BATCH_EDGE_INDEX = 32          /**< edge type; id [2, E], contiguous: GLS_BATCH_ROW and
                                          GLS_BATCH_COL are its two rows, in the same memory.
                                          gls_batch_get_array_info() lists only these two */
};

/** Which rows of a column to gather. */
typedef int32_t gls_gather_t;
enum {
  GLS_GATHER_AUTO = 0, /**< labels: seeds; everything else: all */
  GLS_GATHER_ALL = 1,  /**< for every sampled node, or every sampled edge */
  GLS_GATHER_SEEDS = 2 /**< node columns only: for the seeds */
};

/** One array of a batch. */
typedef struct gls_array_info {
  size_t struct_size;
  gls_batch_array_t array; /**< GLS_BATCH_* */
  gls_gather_t rows;       /**< node columns: GLS_GATHER_ALL or GLS_GATHER_SEEDS */
  const char *type;        /**< node or edge type; "" for attached arrays */
  const char *name;        /**< column, supervision or attached array; NULL for other arrays */
} gls_array_info_t;
/** [any] Number of arrays the batch has. */
GLS_API size_t gls_batch_num_arrays(const gls_batch_t *batch);
/** [any] Describes array `index`. Its names live as long as the batch.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_batch_get_array_info(const gls_batch_t *batch, size_t index,
                                              gls_array_info_t *out, gls_error_t **err);
/** [any] One array, without a copy. The tensor keeps the batch's memory alive, and may be written: only
 *  gls_batch_block_tensor() reads it again. Two calls for one array return the same memory.
 *  @param type  node or edge type; NULL: the only one; for attached arrays "" or NULL
 *  @param name  column, supervision or attached array; NULL for other arrays
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, column, attached array, or the option was not set);
 *          GLS_ERR_INVALID_ARGUMENT (a missing name, a name for an array without one, or a type for an
 *          attached array) */
GLS_API gls_status_t gls_batch_tensor(const gls_batch_t *batch, gls_batch_array_t array,
                                      const char *type, const char *name, gls_tensor_t **out,
                                      gls_error_t **err);

/** The arrays of a block. A model has L layers, as many as the batch has hops. Layer l = 0 .. L-1
 *  computes its destinations: the nodes of the seeds and the first L-1-l hops. Its sources are the
 *  destinations, then the nodes of one more hop. So a block is the first part of the batch's arrays.
 *  Messages go toward the seeds. If sampling followed edges (::GLS_DIRECTION_OUT), messages go against
 *  them, and the sources of a block have the type of the edges' targets. Each node's edges were picked
 *  once, at its first visit, and belong to all layers that compute the node. Padding is omitted.
 *
 *  S, D: sources and destinations of a node type; E: edges of an edge type. "id" as above. */
typedef int32_t gls_block_array_t;
enum {
  GLS_BLOCK_SRC_NODE = 0, /**< node type; id [S]: dataset ids; the beginning of GLS_BATCH_NODE */
  GLS_BLOCK_DST_NODE = 1, /**< node type; id [D]: dataset ids; the beginning of GLS_BATCH_NODE */
  GLS_BLOCK_SRC = 2,      /**< edge type; id [E]: local id of the end each message comes from */
  GLS_BLOCK_DST = 3,      /**< edge type; id [E]: local id of the end it goes to; ascending */
  GLS_BLOCK_INDPTR = 4,   /**< edge type; id [D + 1]: where the edges to each destination begin, and
                               where the last end. With GLS_BLOCK_SRC it is the block in CSC. Equals
                               the beginning of the array of layer 0 */
  GLS_BLOCK_EDGE = 5      /**< edge type; id [E]: dataset edge ids; with GLS_SAMPLE_EDGE_IDS */
};
/** [any] One array of the block of one layer. Arrays share the memory of gls_batch_tensor(). Only
 *  GLS_BLOCK_INDPTR has its own memory: each call counts it from the current edges. Batches of the kind
 *  ::GLS_SAMPLER_NEIGHBOR have blocks, unless their subgraph is induced or bidirectional: then every
 *  layer uses all edges.
 *  @param layer  below the batch's `num_hops`; 0 has the most nodes, and is computed first
 *  @param array  GLS_BLOCK_*
 *  @param type   node or edge type; NULL: the only one
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (`layer`, `array`); GLS_ERR_NOT_FOUND (no such type, or no
 *          edge ids); GLS_ERR_UNSUPPORTED (a batch without blocks); GLS_ERR_INVALID_STATE when counts
 *          or ends of edges were overwritten with impossible values */
GLS_API gls_status_t gls_batch_block_tensor(const gls_batch_t *batch, uint64_t layer,
                                            gls_block_array_t array, const char *type,
                                            gls_tensor_t **out, gls_error_t **err);
/** [one] Adds an array to a batch, in a gls_transform_fn. The array is listed after all others, in the
 *  order of attachment, counts in the bytes of the batch, and is delivered with it. Other calls on the
 *  batch may run at the same time, except those that list arrays.
 *  @param name    as names of columns; attached arrays have a namespace of their own
 *  @param tensor  CPU, of any fixed-width number or bool; taken. Its deleter may be called by any
 *                 thread, without a lock of the library
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; shape or dtype); GLS_ERR_ALREADY_EXISTS;
 *          GLS_ERR_UNSUPPORTED for a device other than the CPU; GLS_ERR_INVALID_STATE outside of a
 *          gls_transform_fn */
GLS_API gls_status_t gls_batch_attach(gls_batch_t *batch, const char *name, gls_tensor_t *tensor,
                                      gls_error_t **err);
/** [any] Names a stream of a GPU, a cudaStream_t, that uses the arrays of a batch. Arrays on a GPU are
 *  complete when the batch is delivered, so no stream needs to wait for them. Later batches reuse the
 *  memory once the batch and its tensors are released. The reuse waits for the work queued by then on
 *  the named streams. If you name no stream, wait for your work before you release them. The same holds
 *  for a batch in pinned memory of a feed (gls_attach_options_t.pin), from which streams copy.
 *  @param stream  NULL: the default stream. It must exist until the memory is released
 *  @return GLS_OK, also for a batch on the host */
GLS_API gls_status_t gls_batch_record_stream(const gls_batch_t *batch, void *stream,
                                             gls_error_t **err);
/** [any] Names a stream for one array, as gls_batch_record_stream() does for a batch; the batch may be
 *  released already. Use it when you pass a tensor to a DLPack consumer that names a stream. It has no
 *  effect for arrays on the host: in pinned memory of a feed, name streams for the batch.
 *  @param tensor  of gls_batch_tensor(), gls_batch_block_tensor() or gls_dataset_rows()
 *  @return GLS_OK, also for a tensor on the host; GLS_ERR_INVALID_ARGUMENT (another tensor) */
GLS_API gls_status_t gls_tensor_record_stream(const gls_tensor_t *tensor, void *stream,
                                              gls_error_t **err);
/** [any] The same batch with its arrays in memory of the host. Arrays on a GPU are copied, after the
 *  work that is queued now on the named streams.
 *  @return GLS_OK; GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_batch_to_host(const gls_batch_t *batch, gls_batch_t **out,
                                       gls_error_t **err);
/** [one] Has no effect on the handle that is passed to a gls_transform_fn. */
GLS_API void gls_batch_release(gls_batch_t *batch);

#ifdef __cplusplus
}
#endif
#endif /* GLS_BATCH_H */
