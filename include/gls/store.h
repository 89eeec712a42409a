#ifndef GLS_STORE_H
#define GLS_STORE_H

#include <gls/base.h>
#include <gls/context.h>
#include <gls/dataset.h>
#include <gls/dlpack.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Store: a column, or the neighbours of an edge type, that the caller's code answers
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_store gls_store_t;

/** A question of the library to a store. It must be answered once. */
typedef struct gls_fetch gls_fetch_t;

/** Answers a question, now or later. The store owns `fetch`: it answers with gls_fetch_rows_done(),
 *  gls_fetch_neighbors() or gls_fetch_fail() and releases with gls_fetch_release(), on any thread.
 *  Threads that sample, gather or ask call it, several at once, up to gls_store_options_t::max_fetches.
 *  A function that answers before it returns occupies its thread: no deadline ends it, and a loader that
 *  is released waits for it. It must not call the library with a dataset that has this store, and must
 *  not unwind. */
typedef void (*gls_fetch_fn)(gls_fetch_t *fetch, void *user_data);

/** What a question asks for. All pointers live until gls_fetch_release(). */
typedef struct gls_fetch_info {
  size_t struct_size;
  const int64_t *ids;   /**< node ids, or edge ids for a column of edges, each once, in any order
                             [num_ids] */
  size_t num_ids;
  void *rows;           /**< column: where the row of ids[i] belongs, at i * row_bytes. It holds any
                             bytes before; every row must be written before gls_fetch_rows_done(), or
                             the answer be gls_fetch_fail(). NULL for neighbours */
  size_t row_bytes;     /**< bytes of a row, without padding */
  int64_t remaining_ms; /**< milliseconds until the library gives up; -1: without limit */
  int32_t canceled;     /**< non-zero: no thread waits for the answer any more */
  int32_t reserved;
} gls_fetch_info_t;
/** [any] Describes a question.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_fetch_get_info(const gls_fetch_t *fetch, gls_fetch_info_t *out,
                                        gls_error_t **err);
/** [any] Answers a question of a column: all its rows are written.
 *  @return GLS_OK, also when no thread waits any more; GLS_ERR_INVALID_STATE (it has been answered, or
 *          asks for neighbours) */
GLS_API gls_status_t gls_fetch_rows_done(gls_fetch_t *fetch, gls_error_t **err);
/** [any] Answers a question for neighbours. The arrays are copied. The neighbours of a node are given in
 *  the order that the topology would have; the same order makes the same batches.
 *  @param counts     number of neighbours of each node [num_ids]
 *  @param neighbors  node ids, those of the first node first [sum of counts]
 *  @param edge_ids   edge ids of the same edges; NULL if the store has none
 *  @return GLS_OK, also when no thread waits any more; GLS_ERR_INVALID_ARGUMENT (a count, node or edge
 *          id that is out of range, with its node; edge ids that are missing or not expected). The
 *          question then has that error as its answer; GLS_ERR_INVALID_STATE (it has been answered, or
 *          asks for rows) */
GLS_API gls_status_t gls_fetch_neighbors(gls_fetch_t *fetch, const int64_t *counts,
                                         const int64_t *neighbors, const int64_t *edge_ids,
                                         gls_error_t **err);
/** [any] Answers a question with an error. The batch that asked gets it, with the name of the store
 *  before the message.
 *  @param status   GLS_ERR_*; anything else becomes ::GLS_ERR_INTERNAL
 *  @param message  text of the error; may be NULL
 *  @return GLS_OK, also when no thread waits any more; GLS_ERR_INVALID_STATE (it has been answered) */
GLS_API gls_status_t gls_fetch_fail(gls_fetch_t *fetch, gls_status_t status, const char *message,
                                    gls_error_t **err);
/** [one] If the question has not been answered, the batch that asked gets an error. A question that is
 *  neither answered nor released keeps its turn for ever. */
GLS_API void gls_fetch_release(gls_fetch_t *fetch);

/** How a store is asked. */
typedef struct gls_store_options {
  size_t struct_size;
  gls_fetch_fn fetch;
  void *user_data;
  void (*destroy)(void *user_data); /**< may be NULL. It runs when the store, all datasets that have it
                                         and all questions are gone, also when the call that makes the
                                         store fails. The thread may be the one that released the last
                                         question, so it must not wait for that thread */
  uint32_t max_fetches;  /**< questions in work at once; 0: 16. Others wait for their turn, in order. A
                              loader without `num_workers` makes at least as many batches at once, up
                              to 32 */
  uint32_t max_ids;      /**< ids of one question; longer ones are divided. 0: 2^20 */
  int64_t deadline_ms;   /**< of an answer. Also how long the store may answer no question at all while
                              others wait for a turn. 0: 30 seconds; negative: none. After it the batch
                              fails with ::GLS_ERR_TIMED_OUT */
  uint64_t cache_bytes;  /**< memory for answers that the library keeps; 0: none. Which it keeps is
                              decided by the algorithm SIEVE */
} gls_store_options_t;
#define GLS_STORE_OPTIONS_INIT GLS_INIT(gls_store_options_t)

/** A column that a store has. */
typedef struct gls_store_column {
  size_t struct_size;
  const char *type;         /**< node type, or edge type "source__relation__target"; NULL: the only
                                 node type */
  const char *name;
  const int64_t *row_shape; /**< of one row [row_ndim] */
  int32_t row_ndim;         /**< 0: rows are single numbers */
  gls_role_t role;          /**< GLS_ROLE_* */
  DLDataType dtype;         /**< any fixed-width number or bool */
  int32_t reserved;
} gls_store_column_t;
#define GLS_STORE_COLUMN_INIT GLS_INIT(gls_store_column_t)

/** Flags of ::gls_store_neighbors_t. */
typedef uint32_t gls_store_flags_t;
enum {
  GLS_STORE_EDGE_IDS = 1u << 0 /**< answers have edge ids. Samplers that report edge ids, loaders and
                                    methods that use columns of edges, and excluded edges given by id
                                    need them */
};
/** The neighbours of an edge type that a store has. */
typedef struct gls_store_neighbors {
  size_t struct_size;
  const char *edge_type;   /**< "source__relation__target"; the dataset has the node types */
  int64_t num_edges;       /**< edge ids are below it; without edge ids an estimate above 0 */
  gls_layout_t layout;     /**< GLS_LAYOUT_CSC: the in-neighbours of targets. GLS_LAYOUT_CSR: the
                                out-neighbours of sources */
  gls_store_flags_t flags; /**< GLS_STORE_* */
} gls_store_neighbors_t;
#define GLS_STORE_NEIGHBORS_INIT GLS_INIT(gls_store_neighbors_t)

/** [any] Makes a store of a column. Columns of labels, weights and times may be in stores, too. A
 *  sampler asks for weights and times of the rows that it reads. Where it needs a whole column (weights
 *  of negatives or seeds, times for negatives), it asks for all rows once.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, shape, dtype, role, options) */
GLS_API gls_status_t gls_store_create_column(gls_context_t *ctx, const gls_store_column_t *column,
                                             const gls_store_options_t *options, gls_store_t **out,
                                             gls_error_t **err);
/** [any] Makes a store of neighbours. Each question asks for all neighbours of some nodes, fewer than
 *  2^31 each; the library picks from them. Two stores may have both layouts of one edge type. Negatives
 *  by degree ask for the neighbours of all nodes.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, number, layout, flags, options) */
GLS_API gls_status_t gls_store_create_neighbors(gls_context_t *ctx,
                                                const gls_store_neighbors_t *neighbors,
                                                const gls_store_options_t *options,
                                                gls_store_t **out, gls_error_t **err);
/** [one] Accepts NULL. Datasets that have the store keep it alive. */
GLS_API void gls_store_release(gls_store_t *store);

/** What a store was asked. */
typedef struct gls_store_stats {
  size_t struct_size;
  uint64_t fetches;      /**< questions that the store got */
  uint64_t ids;          /**< ids in them */
  uint64_t cached_ids;   /**< ids that the cache answered */
  uint64_t failures;     /**< questions that ended with an error, without those canceled */
  uint64_t fetch_ns;     /**< time from question to answer, summed */
  uint64_t wait_ns;      /**< time that questions waited for their turn, summed */
  uint64_t cache_bytes;  /**< memory that cached answers take */
} gls_store_stats_t;
/** [any] Counts since the store was made.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_store_get_stats(const gls_store_t *store, gls_store_stats_t *out,
                                         gls_error_t **err);

/** [any] Makes another handle of a graph, with the columns and edge types of stores. The numbers of
 *  types and columns of `dataset` stay; those of stores follow, in the order of `stores`. A sampler or
 *  loader makes the same batches as with arrays of the same contents. Nothing is asked before a batch
 *  needs it. The handle works on the host.
 *
 *  A dataset without edges may be the base, such as one of a builder that has node types only. Loaders
 *  deliver batches to a GPU through the host, which samples. Batches that servers make have no columns of
 *  stores. GLS_ERR_UNSUPPORTED for such a dataset: its tensors of stores; gls_dataset_save(),
 *  gls_dataset_verify(), gls_dataset_partition(), gls_dataset_export(), Arrow streams. For neighbours in
 *  stores also: seeds and links given by edge id, gls_dataset_find_edges(), gls_dataset_split_links().
 *  @param dataset  a graph in parts or on servers can have stores of columns
 *  @param out      owned by the caller; neither handle needs the other
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (a type); GLS_ERR_ALREADY_EXISTS (a column; neighbours that arrays
 *          or another store have); GLS_ERR_INVALID_ARGUMENT (two stores of an edge type whose numbers of
 *          edges differ); GLS_ERR_UNSUPPORTED (neighbours in stores for a graph in parts, on servers or
 *          with stores; a part opened by itself) */
GLS_API gls_status_t gls_dataset_with_stores(const gls_dataset_t *dataset,
                                             gls_store_t *const *stores, size_t num_stores,
                                             gls_dataset_t **out, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_STORE_H */
