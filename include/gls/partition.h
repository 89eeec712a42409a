#ifndef GLS_PARTITION_H
#define GLS_PARTITION_H

#include <gls/base.h>
#include <gls/context.h>
#include <gls/dataset.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Parts: a graph divided for several machines. A partition is a folder with a `partition.json`, the
 * book (the owner of each node) and `part-0`, `part-1`, ...: ordinary datasets, each with its own ids.
 * --------------------------------------------------------------------------------------------- */

/** How owners of nodes are chosen. An edge belongs to the owner of its target where in-neighbours are
 *  stored (GLS_LAYOUT_CSC), else to the owner of its source. */
typedef int32_t gls_partition_method_t;
enum {
  GLS_PARTITION_STREAM = 0, /**< fewer edges between parts than at random, by passes over the graph,
                                 mapped */
  GLS_PARTITION_METIS = 1,  /**< few edges between parts; needs the plugin libgls_metis.so, and
                                 memory for several copies of the edges */
  GLS_PARTITION_RANDOM = 2, /**< exactly even */
  GLS_PARTITION_HASH = 3,   /**< by hash of the id and the seed alone */
  GLS_PARTITION_GIVEN = 4   /**< given by `owners` or `owners_file` */
};

typedef struct gls_partition_options {
  size_t struct_size;
  gls_partition_method_t method;   /**< GLS_PARTITION_* */
  uint32_t parts;                  /**< 1 to 65535 */
  uint64_t seed;
  const char *const *balance_sets; /**< names of id sets to distribute evenly, too */
  size_t num_balance_sets;
  double imbalance;                /**< how much more than the mean a part may have, for each
                                        balanced quantity; 0: 0.05 */
  int32_t balance_edges;           /**< non-zero: in-degrees are distributed evenly, too */
  uint32_t halo_hops;              /**< a part also has complete rows of nodes up to this many hops
                                        from those that it owns. With hops - 1 it can sample for its
                                        own nodes alone. A process that opens the part beside servers
                                        of the other parts asks these servers for rows without edges.
                                        If datasets have one layout, it asks for nothing else within
                                        those hops */
  int64_t hot_rows;                /**< how many nodes of each type that a part does not own have
                                        rows in its features and labels: those at the ends of most of
                                        its edges (but see `hot_id_set` and `hot_fanouts`) */
  double hot_fraction;             /**< `hot_rows` as a fraction of the nodes that the part owns; one
                                        of the two is 0 */
  const DLTensor *const *owners;   /**< GLS_PARTITION_GIVEN: for each node type, in their order,
                                        integers [nodes] from 0 to parts - 1; borrowed for the call */
  size_t num_owners;
  const char *owners_file;         /**< GLS_PARTITION_GIVEN: owners of all nodes, type after type: a
                                        .npy file of integers, or text with one number per line (as
                                        METIS writes it) */
  int32_t overwrite;               /**< non-zero: replace a partition at `path`; anything else at
                                        `path` is GLS_ERR_ALREADY_EXISTS */
  int32_t compact_rows;            /**< non-zero: rows of columns follow each other without padding
                                        to cache lines */
  gls_progress_fn progress;        /**< may be NULL */
  void *progress_user_data;
  const char *hot_id_set;          /**< measures which nodes are hot: some batches of a part's own
                                        nodes in this id set are sampled, and the nodes that they
                                        request most are hot. Small sets are sampled several times.
                                        Batches follow in-edges of every type where all types have a
                                        CSC, else out-edges; NULL: samples all own nodes if
                                        `hot_fanouts` is given, else nothing is measured, and nodes
                                        at the ends of most edges are hot */
  const int64_t *hot_fanouts;      /**< fanout of each hop of these batches, for all edge types: 1 or
                                        more, or -1 for all neighbours. Use the fanouts of the
                                        training. Borrowed for the call; NULL: 15 and 10 */
  size_t num_hot_fanouts;          /**< hops */
  int64_t hot_max_seeds;           /**< how many of a part's own nodes of each type are sampled at
                                        most, chosen by `seed`; 0: all those in `hot_id_set`, or
                                        1048576 of all */
} gls_partition_options_t;
#define GLS_PARTITION_OPTIONS_INIT GLS_INIT(gls_partition_options_t)

/** [any] Verifies the dataset, as gls_dataset_verify(), and writes its parts to a new folder, which
 *  appears at `path` complete or not at all. Besides mapped input it needs memory:
 *
 *  - what the method needs to find owners;
 *  - a byte or two per node, and about a byte per node and edge;
 *  - 8 to 24 bytes per node with a key of the largest part;
 *  - if hot nodes are measured, 4 bytes per node, 8 to 16 per seed, and a batch of 64 seeds on each
 *    thread.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; an owner that is not a part; content of
 *          `owners_file`); GLS_ERR_NOT_FOUND (an id set; `owners_file`); GLS_ERR_UNSUPPORTED (the
 *          dataset is a part; METIS is not installed, or the graph is too large for it);
 *          GLS_ERR_CORRUPT_DATA (the dataset; a damaged .npy); GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO;
 *          GLS_ERR_OUT_OF_MEMORY; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_partition(const gls_dataset_t *dataset, const char *path,
                                           const gls_partition_options_t *options,
                                           gls_error_t **err);

typedef struct gls_part_info {
  size_t struct_size;
  uint32_t number;   /**< from 0 */
  uint32_t parts;    /**< number of parts; 0: the dataset is not a part */
  const char *graph; /**< names the partition, 16 hexadecimal digits; owned by the dataset; NULL: not
                          a part */
} gls_part_info_t;
/** [any] Which part of a graph this dataset is, if it was opened from the folder of a part.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_dataset_get_part_info(const gls_dataset_t *dataset, gls_part_info_t *out,
                                               gls_error_t **err);
/** [any] How many parts the graph of a dataset has, and which of them are local: this process reads
 *  their rows without a request to a server.
 *
 *  - A folder of parts that is open as a whole: all parts are local.
 *  - A graph on servers: local are parts of servers in this process, and those mapped from the files of
 *    servers on this host; there may be none.
 *  - A dataset that is not in parts: it is part 0 of one.
 *  - A part that is open by itself: the number of parts of its graph, and its own number.
 *
 *  The call sends no request; the result is fixed when the dataset is opened.
 *  @param count  out: how many parts the graph has, at least 1; may be NULL
 *  @param local  out: int64 [local parts], their numbers, ascending; may be NULL
 *  @return GLS_OK */
GLS_API gls_status_t gls_dataset_parts(const gls_dataset_t *dataset, uint32_t *count,
                                       gls_tensor_t **local, gls_error_t **err);
/** [any] The global ids of the ids of a part. Columns with role feature or label have rows for the
 *  first ids only, at least for the owned ids. A request for other rows is an error.
 *  @param type   node or edge type; NULL: the only node type
 *  @param out    int64 [ids of the part]: global ids of the owned, ascending, then of the others.
 *                Read-only; keeps the dataset alive
 *  @param owned  out: how many are owned; may be NULL
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_UNSUPPORTED (the dataset is not a part) */
GLS_API gls_status_t gls_dataset_global_ids(const gls_dataset_t *dataset, const char *type,
                                            gls_tensor_t **out, int64_t *owned, gls_error_t **err);

/** A folder of parts. */
typedef struct gls_partition gls_partition_t;

/** [any] Opens a folder of parts: reads its description and maps the book. It does not open the parts;
 *  open a part with gls_dataset_open() of `path`/part-N.
 *  @param out  release with gls_partition_release()
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (not a folder of parts); GLS_ERR_CORRUPT_DATA; GLS_ERR_UNSUPPORTED
 *          (a newer version); GLS_ERR_IO */
GLS_API gls_status_t gls_partition_open(gls_context_t *ctx, const char *path, gls_partition_t **out,
                                        gls_error_t **err);
/** [one] @param partition  may be NULL */
GLS_API void gls_partition_release(gls_partition_t *partition);

typedef struct gls_partition_info {
  size_t struct_size;
  uint32_t parts;
  uint32_t reserved;
  const char *graph;   /**< names the partition, 16 hexadecimal digits. The partition owns all strings */
  const char *method;  /**< how owners were chosen, as text for people */
  const char *options; /**< options of the method, as text for people */
  size_t num_node_types;
  size_t num_edge_types;
} gls_partition_info_t;
/** [any] Describes a partition.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_partition_get_info(const gls_partition_t *partition,
                                            gls_partition_info_t *out, gls_error_t **err);

typedef struct gls_partition_type_info {
  size_t struct_size;
  const char *name;   /**< name of a node type, or relation of an edge type. The partition owns all
                           strings */
  const char *source; /**< source type of an edge type; else NULL */
  const char *target; /**< target type of an edge type; else NULL */
  int64_t count;      /**< nodes or edges in the whole graph */
} gls_partition_type_info_t;
/** [any] Describes a type of the whole graph.
 *  @param edges  non-zero: edge type number `index`; else the node type
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (index); GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_partition_get_type_info(const gls_partition_t *partition, int32_t edges,
                                                 size_t index, gls_partition_type_info_t *out,
                                                 gls_error_t **err);
/** [any] The part that owns each of some nodes.
 *  @param node_type  NULL: the only one
 *  @param ids        int32 or int64 [n], global ids; borrowed
 *  @param out        int32 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (dtype, shape, an id out of
 *          range, with its value); GLS_ERR_CORRUPT_DATA (the book) */
GLS_API gls_status_t gls_partition_owners(const gls_partition_t *partition, const char *node_type,
                                          const DLTensor *ids, gls_tensor_t **out,
                                          gls_error_t **err);
/** [any] Writes the whole graph again: the folder that gls_dataset_save() would have written, byte for
 *  byte. Compares each array with its stored checksum.
 *  @param options  `overwrite` and progress; the rest must be 0. May be NULL
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA (the parts do not make up the whole graph, naming file, type
 *          and id); GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED (an option); GLS_ERR_IO;
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_partition_merge(const gls_partition_t *partition, const char *path,
                                         const gls_write_options_t *options, gls_error_t **err);
/** [any] Reads and checks everything, and stops at the first fault. It checks each part as
 *  gls_dataset_verify() does. Every node and edge must be owned once, and by the part that the book
 *  names. The owned nodes and edges must make up the whole graph. Halos, hot rows, id sets and keys
 *  must equal those of their owners or of the whole graph.
 *  @return GLS_OK; GLS_ERR_CORRUPT_DATA naming file, type and id; GLS_ERR_CANCELED */
GLS_API gls_status_t gls_partition_verify(const gls_partition_t *partition,
                                          const gls_verify_options_t *options, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_PARTITION_H */
