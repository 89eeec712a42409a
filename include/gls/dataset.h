#ifndef GLS_DATASET_H
#define GLS_DATASET_H

#include <gls/base.h>
#include <gls/context.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Dataset: an immutable graph with its columns
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_dataset gls_dataset_t;

/** Layouts of the edges of a type: one, or several joined by |. */
typedef uint32_t gls_layout_t;
enum {
  GLS_LAYOUT_CSC = 1u << 0, /**< in-neighbours: indptr over targets, indices are sources */
  GLS_LAYOUT_CSR = 1u << 1  /**< out-neighbours: indptr over sources, indices are targets */
};

/** What a column is for. It only chooses defaults: you can request any column by name. */
typedef int32_t gls_role_t;
enum {
  GLS_ROLE_FEATURE = 0, /**< gathered for every node or edge of a batch */
  GLS_ROLE_LABEL = 1,   /**< gathered for the seeds */
  GLS_ROLE_WEIGHT = 2,  /**< sampling weights; not gathered by default */
  GLS_ROLE_TIME = 3,    /**< timestamps; not gathered by default */
  GLS_ROLE_OTHER = 4    /**< not gathered by default */
};

/** Where the arrays of a dataset are. */
typedef int32_t gls_residency_t;
enum {
  GLS_RESIDENCY_MAPPED = 0,   /**< files are mapped: opens at once, memory is shared by processes */
  GLS_RESIDENCY_TOPOLOGY = 1, /**< topology is read into private memory (huge pages where granted):
                                   faster sampling, opening takes as long as reading it */
  GLS_RESIDENCY_ALL = 2       /**< topology and all columns are */
};

typedef struct gls_dataset_options {
  size_t struct_size;
  gls_residency_t residency; /**< GLS_RESIDENCY_* */
  int32_t verify_checksums;  /**< non-zero: read every byte and compare checksums before returning;
                                  for a folder of parts also books, id sets and keys of the whole
                                  graph */
  gls_progress_fn progress;  /**< of reading what the two fields above request, and of finding
                                  servers; may be NULL */
  void *progress_user_data;
} gls_dataset_options_t;
#define GLS_DATASET_OPTIONS_INIT GLS_INIT(gls_dataset_options_t)

/** [any] Opens a graph. `path` names one of these; ids and batches are the same bytes for all three:
 *
 *  - a dataset folder;
 *  - a folder of parts (gls_dataset_partition()), opened as the whole graph that was partitioned;
 *  - "gls://host:port,host:port": a graph whose parts are on servers (gls_server_start()).
 *
 *  By default the time does not depend on the size of the graph: the library reads and checks the
 *  manifest and the array headers, and maps the arrays. Checks that need every index run when the index
 *  is used, and in gls_dataset_verify(). Do not change a folder while it is open; replace it by
 *  renaming. If a file is truncated nevertheless, every call that reads the dataset returns GLS_ERR_IO,
 *  while the setting "memory.file_guard" is true. Links to files outside the folder need the setting
 *  "dataset.outside_links".
 *
 *  For a graph in parts, samplers pick in the parts, or fetch the rows that they read. Loaders gather
 *  from the parts, which also answer queries for edges and degrees. GLS_ERR_UNSUPPORTED there: its
 *  tensors except id sets and keys; gls_dataset_save(), gls_dataset_verify(), gls_dataset_partition().
 *
 *  A few addresses of servers are enough, because each server knows the others. The call waits for
 *  servers that are not reachable yet (setting "cluster.open_timeout_ms"). The settings "net.*"
 *  configure how connections are protected. When a server is lost, the client retries it, or another
 *  server of the same part, until "cluster.request_timeout_ms" has passed.
 *  @param options  may be NULL. For a graph on servers the client sets only `progress`, which reports
 *                  finding the servers. The other options belong to the servers and give
 *                  GLS_ERR_UNSUPPORTED here
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such folder, no manifest; no file of a key); GLS_ERR_IO (also
 *          a link out of the folder); GLS_ERR_CORRUPT_DATA (damaged or foreign files);
 *          GLS_ERR_INVALID_ARGUMENT (nothing protects connections, or an address or key cannot be
 *          used); GLS_ERR_UNSUPPORTED (newer format, or libgls_tcp.so is missing); GLS_ERR_TIMED_OUT
 *          (servers were not reached, or no server has a part: the message says which and why);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_open(gls_context_t *ctx, const char *path,
                                      const gls_dataset_options_t *options, gls_dataset_t **out,
                                      gls_error_t **err);
/** [any] Makes another handle of an open dataset that works on a device. Unless options say otherwise,
 *  its samplers sample there, their loaders deliver there, and gls_dataset_rows() returns rows there.
 *  The call copies and reads nothing. Batches and rows are the same bytes. Everything else that a
 *  dataset returns (gls_dataset_tensor(), degrees, keys) stays on the host. Columns that
 *  gls_dataset_rows() was called for stay on the device, where loaders keep them, until the last such
 *  handle is released.
 *  @param device  {kDLCUDA, n}: GPU n, which needs the plugin libgls_cuda.so; {kDLCPU, 0}: the host;
 *                 {0, 0}: where `dataset` is
 *  @param out     owned by the caller; neither handle needs the other
 *  @return GLS_OK; GLS_ERR_UNSUPPORTED (no plugin libgls_cuda.so, no driver, or no such GPU: the
 *          message says which); GLS_ERR_INVALID_ARGUMENT (a negative number) */
GLS_API gls_status_t gls_dataset_on_device(const gls_dataset_t *dataset, DLDevice device,
                                           gls_dataset_t **out, gls_error_t **err);
/** [any] The device that a dataset works on: {kDLCPU, 0} unless gls_dataset_on_device() set another.
 *  @return GLS_OK */
GLS_API gls_status_t gls_dataset_device(const gls_dataset_t *dataset, DLDevice *out,
                                        gls_error_t **err);
/** [one] Accepts NULL. */
GLS_API void gls_dataset_release(gls_dataset_t *dataset);

typedef struct gls_node_type_info {
  size_t struct_size;
  const char *name;
  int64_t num_nodes;
  size_t num_columns;
  size_t num_id_sets;
  int32_t has_keys; /**< non-zero: original ids were kept, see gls_dataset_find_node() */
  int32_t reserved;
} gls_node_type_info_t;

typedef struct gls_edge_type_info {
  size_t struct_size;
  const char *name;     /**< "author__writes__paper" */
  const char *source;   /**< node type */
  const char *relation;
  const char *target;   /**< node type */
  int64_t num_edges;
  size_t num_columns;
  gls_layout_t layouts; /**< GLS_LAYOUT_* bits that are stored */
  uint32_t index_bits;  /**< 32 or 64: width of the stored neighbour ids */
} gls_edge_type_info_t;

typedef struct gls_column_info {
  size_t struct_size;
  const char *name;
  gls_role_t role;       /**< GLS_ROLE_* */
  DLDataType dtype;
  int32_t ndim;          /**< dimensions of the whole column: 1 + those of one row */
  const int64_t *shape;  /**< rows first */
  int64_t row_stride;    /**< bytes from one row to the next (rows may be padded), as stored */
  uint32_t bits;         /**< bits of each code of a quantised column: 1, 2, 4 or 8; else 0. The
                              dtype and shape describe such a column as float32 [rows, width], as
                              loaders gather it; codes are stored */
  uint32_t reserved;
  const float *codebook; /**< the number for each code of a quantised column [2^bits]; else NULL */
  const char *logical_type; /**< what the numbers stand for, as the format string of Arrow's C data
                                 interface for a timestamp, date, time or duration, such as "tsu:UTC";
                                 NULL: plain numbers */
} gls_column_info_t;

typedef struct gls_id_set_info {
  size_t struct_size;
  const char *name; /**< "train", "valid", "test", or any other */
  int64_t num_ids;
} gls_id_set_info_t;

/** [any] Number of node types. */
GLS_API size_t gls_dataset_num_node_types(const gls_dataset_t *dataset);
/** [any] Number of edge types. */
GLS_API size_t gls_dataset_num_edge_types(const gls_dataset_t *dataset);
/** [any] Describes node type `index`. Types are numbered in the manifest's order, which is part of the
 *  sampling contract. Pointers in the descriptions live as long as the dataset.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_dataset_get_node_type_info(const gls_dataset_t *dataset, size_t index,
                                                    gls_node_type_info_t *out, gls_error_t **err);
/** [any] Describes edge type `index`.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND when `index` is too large */
GLS_API gls_status_t gls_dataset_get_edge_type_info(const gls_dataset_t *dataset, size_t index,
                                                    gls_edge_type_info_t *out, gls_error_t **err);
/** [any] @return the number of nodes of `type`; -1 when there is no such type */
GLS_API int64_t gls_dataset_num_nodes(const gls_dataset_t *dataset, const char *type);
/** [any] @return the number of edges of `type`; -1 when there is no such type */
GLS_API int64_t gls_dataset_num_edges(const gls_dataset_t *dataset, const char *type);
/** [any] Describes column `index` of a node type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, `index` too large); GLS_ERR_INVALID_ARGUMENT
 *          when `type` is NULL and there are several */
GLS_API gls_status_t gls_dataset_get_node_column_info(const gls_dataset_t *dataset,
                                                      const char *type, size_t index,
                                                      gls_column_info_t *out, gls_error_t **err);
/** [any] Describes column `index` of an edge type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, `index` too large); GLS_ERR_INVALID_ARGUMENT
 *          when `type` is NULL and there are several */
GLS_API gls_status_t gls_dataset_get_edge_column_info(const gls_dataset_t *dataset,
                                                      const char *type, size_t index,
                                                      gls_column_info_t *out, gls_error_t **err);
/** [any] Describes id set `index` of a node type.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, `index` too large); GLS_ERR_INVALID_ARGUMENT
 *          when `type` is NULL and there are several */
GLS_API gls_status_t gls_dataset_get_id_set_info(const gls_dataset_t *dataset, const char *type,
                                                 size_t index, gls_id_set_info_t *out,
                                                 gls_error_t **err);

/** Which array gls_dataset_tensor() returns. */
typedef int32_t gls_dataset_array_t;
enum {
  GLS_ARRAY_NODE_COLUMN = 0,  /**< `type` a node type, `name` a column: [nodes, ...] */
  GLS_ARRAY_EDGE_COLUMN = 1,  /**< `type` an edge type, `name` a column: [edges, ...] */
  GLS_ARRAY_ID_SET = 2,       /**< `type` a node type, `name` a set: int64 or int32 [ids] */
  GLS_ARRAY_CSC_INDPTR = 3,   /**< `type` an edge type, `name` NULL: int64 [targets + 1] */
  GLS_ARRAY_CSC_INDICES = 4,  /**< int32 or int64 [edges]: sources */
  GLS_ARRAY_CSC_EDGE_IDS = 5, /**< int32 or int64 [edges]; GLS_ERR_NOT_FOUND when ids are positions */
  GLS_ARRAY_CSR_INDPTR = 6,
  GLS_ARRAY_CSR_INDICES = 7,
  GLS_ARRAY_CSR_EDGE_IDS = 8
};
/** [any] A read-only view of one whole array, without a copy; it keeps the dataset alive. For a
 *  quantised column these are its codes, uint8 [rows, ceil(width * bits / 8)]. A column or topology of
 *  a graph in parts or on servers does not exist as a whole. Read such a graph by gls_dataset_rows(),
 *  gls_dataset_degrees(), gls_dataset_find_edges() and gls_dataset_has_edges(). For all neighbours
 *  call gls_sampler_sample() with one hop of fanout -1. The folder of a part can be opened by itself.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such type, column, set, or array stored);
 *          GLS_ERR_INVALID_ARGUMENT (`array`; `type` is NULL and there are several);
 *          GLS_ERR_UNSUPPORTED (a column or topology of a graph in parts or on servers) */
GLS_API gls_status_t gls_dataset_tensor(const gls_dataset_t *dataset, gls_dataset_array_t array,
                                        const char *type, const char *name, gls_tensor_t **out,
                                        gls_error_t **err);

/** [any] The node whose original id was `key` (text, or an integer written in decimal) when the data
 *  was imported. Takes O(log nodes).
 *  @return GLS_OK; GLS_ERR_NOT_FOUND; GLS_ERR_UNSUPPORTED when the type kept no original ids */
GLS_API gls_status_t gls_dataset_find_node(const gls_dataset_t *dataset, const char *type,
                                           const char *key, int64_t *out, gls_error_t **err);
/** [any] Writes the original id of a node, as text with its NUL, into `buffer`.
 *  @param length  out, may be NULL: length without the NUL, also set when `capacity` is too small
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (id out of range, `capacity` too small);
 *          GLS_ERR_UNSUPPORTED when the type kept no original ids */
GLS_API gls_status_t gls_dataset_node_key(const gls_dataset_t *dataset, const char *type,
                                          int64_t node, char *buffer, size_t capacity,
                                          size_t *length, gls_error_t **err);

/** Which way edges are followed. */
typedef int32_t gls_direction_t;
enum {
  GLS_DIRECTION_IN = 0, /**< follow edges from target to source (needs CSC) */
  GLS_DIRECTION_OUT = 1 /**< follow edges from source to target (needs CSR) */
};

typedef struct gls_verify_options {
  size_t struct_size;
  gls_progress_fn progress; /**< may be NULL */
  void *progress_user_data;
} gls_verify_options_t;
#define GLS_VERIFY_OPTIONS_INIT GLS_INIT(gls_verify_options_t)
/** [any] Reads and checks everything, and stops at the first fault. It checks checksums, that indptr is
 *  monotone, and that every index and edge id is in range. Every edge id must be used once, and CSC and
 *  CSR must describe the same edges. Id sets must be in range, weights finite and not negative, and
 *  keys sorted and UTF-8.
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA naming file, position and value; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_verify(const gls_dataset_t *dataset,
                                        const gls_verify_options_t *options, gls_error_t **err);

typedef struct gls_write_options {
  size_t struct_size;
  uint64_t memory;          /**< bytes the call may use besides mapped input; 0: a quarter of RAM */
  gls_layout_t layouts;     /**< GLS_LAYOUT_* to store; 0: GLS_LAYOUT_CSC (save: those that the
                                 dataset has) */
  int32_t overwrite;        /**< non-zero: replace an existing dataset at `path`, atomically where
                                 the file system can exchange two names; anything else at `path` is
                                 GLS_ERR_ALREADY_EXISTS */
  int32_t compact_rows;     /**< non-zero: rows of columns follow each other without padding to cache
                                 lines */
  int32_t reserved;
  gls_progress_fn progress; /**< may be NULL */
  void *progress_user_data;
} gls_write_options_t;
#define GLS_WRITE_OPTIONS_INIT GLS_INIT(gls_write_options_t)
/** [any] Writes the dataset to a new folder. The folder appears at `path` complete or not at all.
 *  @return GLS_OK; GLS_ERR_UNSUPPORTED (an edge type lacks a requested layout; the message names both);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO (with the file's name; also a full disk);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_save(const gls_dataset_t *dataset, const char *path,
                                      const gls_write_options_t *options, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_DATASET_H */
