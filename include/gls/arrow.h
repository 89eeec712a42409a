#ifndef GLS_ARROW_H
#define GLS_ARROW_H

#include <gls/base.h>
#include <gls/builder.h>
#include <gls/dataset.h>
#include <gls/status.h>
#include <gls/tensor.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * The C data and stream interfaces of Apache Arrow
 * (https://arrow.apache.org/docs/format/CDataInterface.html), declared here so that this header needs
 * no other. The guards are Arrow's own, so another header may declare the same structs.
 * --------------------------------------------------------------------------------------------- */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};
#endif /* ARROW_C_STREAM_INTERFACE */

/* ------------------------------------------------------------------------------------------------
 * Arrow in: nodes and edges of a builder
 * --------------------------------------------------------------------------------------------- */

/** What becomes of a field of a stream. */
typedef int32_t gls_arrow_use_t;
enum {
  GLS_ARROW_COLUMN = 0, /**< a column */
  GLS_ARROW_ID_SET = 1, /**< nodes only: the id set of the nodes whose value is true, or 1 */
  GLS_ARROW_SPLIT = 2   /**< nodes only: an id set for each different text, named by it: "train",
                             "valid". At most 64 sets. A null is in no set */
};

/** A field of a stream, and what becomes of it.
 *
 *  A null is an error that names row and field, unless `fill` or `mask` is set. Fields with the same
 *  `name` form one column: their values follow each other in each row. They need one dtype and role.
 *  Frozen. */
typedef struct gls_arrow_column {
  const char *field; /**< its name, or its number from 0 written as "#2" */
  const char *name;  /**< of the column or id set; NULL: as the field. GLS_ARROW_SPLIT: NULL */
  const char *dtype; /**< of the column; NULL: as the field. A number that an integer dtype cannot
                          hold is an error; for a float dtype it is rounded to nearest, unless it is
                          beyond the range */
  const char *fill;  /**< the number that stands for a null, as text: "0", "-1", "nan"; NULL: none */
  const char *mask;  /**< NULL, or the name of one more column: bool [rows], false where the row had a
                          null. Nulls are then `fill`, or 0 */
  gls_role_t role;   /**< GLS_ROLE_* */
  gls_arrow_use_t use; /**< GLS_ARROW_*; id sets have no dtype, mask or role */
} gls_arrow_column_t;

/** Flags of ::gls_arrow_options_t, which also takes those of ::gls_edge_flags_t. */
typedef uint32_t gls_arrow_flags_t;
enum {
  GLS_ARROW_ALL_FIELDS = 1u << 1 /**< each field that neither `columns` nor an id names is a column
                                      of its name, with the role GLS_ROLE_FEATURE. Two fields of one
                                      name are an error. "__index_level_0__" and the like, the index
                                      of pandas, are left out */
};

typedef struct gls_arrow_options {
  size_t struct_size;
  const char *source_field;  /**< edges: NULL: "#0"; nodes: the key. NULL: row i is node i */
  const char *target_field;  /**< edges: NULL: "#1"; nodes: NULL */
  const gls_arrow_column_t *columns;
  size_t num_columns;
  gls_arrow_flags_t flags;   /**< GLS_EDGES_* and GLS_ARROW_* */
  uint32_t reserved;
  const char *label;         /**< what errors call the stream, such as a file's name; NULL: "the Arrow
                                  stream of TYPE" */
} gls_arrow_options_t;
#define GLS_ARROW_OPTIONS_INIT GLS_INIT(gls_arrow_options_t)

/** [one] Adds the nodes of a type given as a stream of Arrow batches: one node a row. Their order
 *  becomes their numbering. The stream is read once, when the dataset is built or written, by the
 *  thread that builds. Worker threads convert slices of about 1 MiB. As many slices as there are worker
 *  threads and three keep their batches, which are the producer's memory.
 *
 *  | Arrow type of a field | as an id | as a column |
 *  | --- | --- | --- |
 *  | integers of 8 to 64 bits | yes, up to 2^63 - 1 | the same dtype |
 *  | utf8, large, view | text | no |
 *  | binary, large, view | text; must be UTF-8 | no |
 *  | fixed-size binary | text: two hexadecimal digits a byte | no |
 *  | float16, 32, 64 | no | the same dtype |
 *  | bool | no | bool |
 *  | timestamp, date, time, duration | no | int64 or int32, see gls_column_info_t::logical_type |
 *  | fixed-size list of these, nested | no | [rows, width, ...] |
 *  | list, large list | no | [rows, width]; all lists need one length, which the first batch shows |
 *  | null | no | with `fill` and `dtype` |
 *  | dictionary | as its values | as its values |
 *
 *  Types without a call of gls_builder_add_node_type() get string ids if a stream names their nodes by
 *  text. For declared types, text that holds integers and integers may stand for each other. Where rows
 *  have no key, text cannot name them.
 *  @param stream   of structs; moved: on success the library releases it, also when reading fails
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options, a field that is missing or does not fit its
 *          use, a key that is missing);
 *          GLS_ERR_UNSUPPORTED (an Arrow type that is not in the table); GLS_ERR_ALREADY_EXISTS;
 *          GLS_ERR_CORRUPT_DATA (a malformed schema); GLS_ERR_IO (the stream gives no schema: with its
 *          words). When built or written: GLS_ERR_CORRUPT_DATA (a null, id or value, with its row and
 *          field; a malformed array); GLS_ERR_IO (the stream fails); GLS_ERR_OUT_OF_MEMORY (also of the
 *          stream); GLS_ERR_INVALID_ARGUMENT (numbers of nodes or id sets that contradict each other);
 *          GLS_ERR_INVALID_STATE (an earlier build began to read the stream and failed) */
GLS_API gls_status_t gls_builder_add_nodes_arrow(gls_builder_t *builder, const char *type,
                                                 struct ArrowArrayStream *stream,
                                                 const gls_arrow_options_t *options,
                                                 gls_error_t **err);
/** [one] Adds an edge type given as a stream of Arrow batches: one edge a row. Row i has edge id i.
 *  Otherwise as gls_builder_add_nodes_arrow().
 *  @param edge_type  "source__relation__target"
 *  @return as for nodes */
GLS_API gls_status_t gls_builder_add_edges_arrow(gls_builder_t *builder, const char *edge_type,
                                                 struct ArrowArrayStream *stream,
                                                 const gls_arrow_options_t *options,
                                                 gls_error_t **err);

typedef struct gls_arrow_files_options {
  size_t struct_size;
  const char *const *fields; /**< names of the fields to read, in this order; NULL: all */
  size_t num_fields;
  uint32_t num_threads;      /**< that decode; 0: as many as the context has */
  uint32_t reserved;
} gls_arrow_files_options_t;
#define GLS_ARROW_FILES_OPTIONS_INIT GLS_INIT(gls_arrow_files_options_t)

/** [any] Parquet files and Arrow IPC files (Feather of version 2) as one stream of Arrow batches. Needs
 *  the plugin libgls_formats.so. The files need the same names and types of fields, in any order. They
 *  are read in the order of `paths`; within a folder or pattern in the order of their names. Threads of
 *  the plugin decode row groups ahead of the reader, two batches of 65,536 rows each.
 *
 *  Folders named "key=value" below a folder or pattern add the field "key": int64 if all values are
 *  integers, else utf8. Names that begin with '_' or '.' are skipped in folders.
 *  @param paths    files, folders (read with the folders in them), or patterns with `*`, `?`, `[...]`
 *  @param options  may be NULL
 *  @param out      an empty struct; the caller calls its `release`, or hands it to a builder
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (no such file, or no file in a folder or of a pattern);
 *          GLS_ERR_IO; GLS_ERR_CORRUPT_DATA (a damaged file, with its name); GLS_ERR_UNSUPPORTED (no
 *          plugin, or a file of another kind); GLS_ERR_INVALID_ARGUMENT (a field that is missing, or
 *          files that do not fit together). Errors of the data come from the stream */
GLS_API gls_status_t gls_arrow_open_files(gls_context_t *ctx, const char *const *paths,
                                          size_t num_paths,
                                          const gls_arrow_files_options_t *options,
                                          struct ArrowArrayStream *out, gls_error_t **err);

/* ------------------------------------------------------------------------------------------------
 * Arrow out
 * --------------------------------------------------------------------------------------------- */

/** [any] A tensor as an Arrow array without nulls, on the same memory: numbers for one dimension,
 *  fixed-size lists for more. Bool, and rows that are padded, are copied.
 *  @param tensor  on the host; taken
 *  @param schema  out; the caller calls its `release`
 *  @param array   out; the caller calls its `release`, which frees the tensor
 *  @return GLS_OK; GLS_ERR_UNSUPPORTED (bfloat16, which Arrow has not; a device other than the CPU; an
 *          extent of a row beyond 2^31 - 1); GLS_ERR_INVALID_ARGUMENT (complex numbers) */
GLS_API gls_status_t gls_tensor_to_arrow(gls_tensor_t *tensor, struct ArrowSchema *schema,
                                         struct ArrowArray *array, gls_error_t **err);

/** [any] The nodes of a type as a stream of Arrow batches, one node a row, ascending. Fields:
 *
 *  - `_key`: the original id, int64 or large utf8; or `_id`, int64, for types without original ids;
 *  - one for each column, with its logical type. Quantised columns are decoded to float32.
 *
 *  Id sets are not in it; gls_dataset_tensor() returns them. The stream keeps the dataset alive. One
 *  thread at a time may read it. Columns whose rows are not padded are views of the dataset. Ids, bool
 *  and quantised columns are copied, up to 65,536 rows at a time.
 *  @param out  an empty struct; the caller calls its `release`
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT when `type` is NULL and there are
 *          several; GLS_ERR_UNSUPPORTED (a graph in parts or on servers; a bfloat16 column) */
GLS_API gls_status_t gls_dataset_nodes_to_arrow(const gls_dataset_t *dataset, const char *type,
                                                struct ArrowArrayStream *out, gls_error_t **err);
/** [any] The edges of a type as a stream of Arrow batches, one edge a row, in ascending order of edge
 *  ids. Fields: `_source` and `_target`, the original ids of the ends, or node ids for types without;
 *  then one for each column. Otherwise as gls_dataset_nodes_to_arrow(). Where edge ids are not
 *  positions it keeps 8 bytes per edge, as gls_dataset_find_edges() does.
 *  @return as for nodes */
GLS_API gls_status_t gls_dataset_edges_to_arrow(const gls_dataset_t *dataset, const char *edge_type,
                                                struct ArrowArrayStream *out, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_ARROW_H */
