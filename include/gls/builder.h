#ifndef GLS_BUILDER_H
#define GLS_BUILDER_H

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
 * Builder: makes datasets, from memory and from files
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_builder gls_builder_t;

/** [one] Makes an empty builder.
 *  @return GLS_OK */
GLS_API gls_status_t gls_builder_create(gls_context_t *ctx, gls_builder_t **out, gls_error_t **err);
/** [one] Accepts NULL. */
GLS_API void gls_builder_release(gls_builder_t *builder);

/** How the input names nodes. */
typedef int32_t gls_ids_t;
enum {
  GLS_IDS_DENSE = 0,   /**< ids in the input are 0 .. num_nodes-1 already */
  GLS_IDS_INTEGER = 1, /**< any integers; numbered in ascending order, originals kept as keys */
  GLS_IDS_STRING = 2   /**< any text; numbered in ascending order of its UTF-8 bytes, originals kept
                            as keys */
};

typedef struct gls_node_type_options {
  size_t struct_size;
  int64_t num_nodes; /**< 0: found from the edges, columns and id sets. If only the largest id
                          determines it, more than 64 nodes per given id are an error, and more than
                          8 a warning (in graphs of more than 2^20 nodes) */
  gls_ids_t ids;     /**< GLS_IDS_*: how text files and Arrow streams name nodes; arrays must be
                          dense */
  int32_t reserved;
} gls_node_type_options_t;
#define GLS_NODE_TYPE_OPTIONS_INIT GLS_INIT(gls_node_type_options_t)

/** [one] Declares a node type. An edge type declares its node types with defaults, so this call must
 *  come before it. Names (of types, columns and sets) are non-empty UTF-8 of at most 255 bytes without
 *  control characters, and without "__" or '_' at either end.
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_node_type(gls_builder_t *builder, const char *type,
                                               const gls_node_type_options_t *options,
                                               gls_error_t **err);

/** Flags of ::gls_edge_type_options_t. */
typedef uint32_t gls_edge_flags_t;
enum {
  GLS_EDGES_ADD_REVERSE = 1u << 0 /**< also store the reverse of each edge. Within one node type
                                       reverses are edges E .. 2E-1 of this type (edge e + E is the
                                       reverse of e). Between two they are the type
                                       "target__rev_relation__source" with equal ids */
};

typedef struct gls_edge_type_options {
  size_t struct_size;
  gls_edge_flags_t flags; /**< GLS_EDGES_* */
  uint32_t reserved;
} gls_edge_type_options_t;
#define GLS_EDGE_TYPE_OPTIONS_INIT GLS_INIT(gls_edge_type_options_t)

/** [one] Adds an edge type given as two arrays: edge i goes from `source[i]` to `target[i]` and has id
 *  i. Neighbours are stored in the order of edge ids.
 *  @param edge_type  "source__relation__target"
 *  @param source   int32 or int64 [edges], contiguous; taken
 *  @param target   the same
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; dtype, shape or lengths of the arrays);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU. Ids are
 *          checked when the dataset is built or written */
GLS_API gls_status_t gls_builder_add_edges(gls_builder_t *builder, const char *edge_type,
                                           gls_tensor_t *source, gls_tensor_t *target,
                                           const gls_edge_type_options_t *options,
                                           gls_error_t **err);
/** [one] Adds an edge type given as a ready topology; the arrays are used as they are, without a copy.
 *  Call it twice to give CSC and CSR; then both need `edge_ids` unless ids are positions.
 *  @param layout    GLS_LAYOUT_CSC or GLS_LAYOUT_CSR
 *  @param indptr    int64 [nodes + 1]; taken
 *  @param indices   int32 or int64 [edges]; taken
 *  @param edge_ids  int32 or int64 [edges], or NULL when the id is the position; taken
 *  @return as for gls_builder_add_edges(); the arrays are checked when the dataset is built or
 *          written */
GLS_API gls_status_t gls_builder_add_topology(gls_builder_t *builder, const char *edge_type,
                                              gls_layout_t layout, gls_tensor_t *indptr,
                                              gls_tensor_t *indices, gls_tensor_t *edge_ids,
                                              gls_error_t **err);

/** Flags of ::gls_text_options_t, which also takes those of ::gls_edge_flags_t. */
typedef uint32_t gls_text_flags_t;
enum {
  GLS_TEXT_RAGGED = 1u << 1 /**< lines may have more or fewer fields than the first; fields that are
                                 not read are ignored */
};

/** A field of a delimited file that becomes a column. Frozen. */
typedef struct gls_text_column {
  const char *field; /**< its name in the header line, or its number from 0 written as "#2" */
  const char *name;  /**< name of the column; NULL: as the field */
  const char *dtype; /**< "float32", "int64", ... */
  gls_role_t role;   /**< GLS_ROLE_* */
  int32_t reserved;
} gls_text_column_t;

/** Whether a text file begins with a line of names. */
typedef int32_t gls_text_header_t;
enum {
  GLS_HEADER_DETECT = 0, /**< the first line is a header when no field that must be a number (ids
                              other than strings, columns) is one, and always when a field is
                              selected by name; a line with some numbers is data */
  GLS_HEADER_YES = 1,
  GLS_HEADER_NO = 2
};

#define GLS_COMMENT_NONE '\n' /**< as gls_text_options_t::comment: there are no comments */

/** The encoding of a text file. */
typedef int32_t gls_text_encoding_t;
enum {
  GLS_ENCODING_DETECT = 0, /**< UTF-8, or UTF-16 where the file begins with its byte order mark */
  GLS_ENCODING_UTF8 = 1,
  GLS_ENCODING_LATIN1 = 2, /**< ISO 8859-1: each byte is a code point */
  GLS_ENCODING_UTF16 = 3   /**< in the byte order of its mark; without a mark, in the order that
                                makes the first character ASCII */
};

typedef struct gls_text_options {
  size_t struct_size;
  char delimiter;               /**< 0: the first of tab, comma, semicolon, pipe that ends the first
                                     field of the first line, else runs of blanks */
  char comment;                 /**< lines beginning with it are skipped; 0: '#' and '%', with a
                                     warning if there are any after the first line; GLS_COMMENT_NONE */
  int16_t reserved0;
  gls_text_header_t header;     /**< GLS_HEADER_* */
  const char *source_field;     /**< edges: NULL: "#0"; nodes: the key, NULL: "#0" */
  const char *target_field;     /**< edges: NULL: "#1"; nodes: NULL */
  const gls_text_column_t *columns;
  size_t num_columns;
  gls_text_flags_t flags;       /**< GLS_EDGES_* and GLS_TEXT_* */
  gls_text_encoding_t encoding; /**< GLS_ENCODING_* */
} gls_text_options_t;
#define GLS_TEXT_OPTIONS_INIT GLS_INIT(gls_text_options_t)

/** [one] Adds an edge type given as delimited text: one edge a line, plain or compressed with
 *  gzip, zstd or bzip2 (detected by content). Lines end with LF or CRLF. Fields may be quoted with
 *  '"' ("" stands for one quote), within one line. The file is read, and its text converted to UTF-8,
 *  when the dataset is built or written. A damaged line is then an error naming file and line:
 *
 *  - a number of fields that differs from the first line (but see GLS_TEXT_RAGGED);
 *  - a carriage return inside the line, or a quote that does not end;
 *  - an id or value that cannot be read, or a weight that is negative or not finite.
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_edges_text(gls_builder_t *builder, const char *edge_type,
                                                const char *path, const gls_text_options_t *options,
                                                gls_error_t **err);
/** [one] Adds the nodes of a type given as delimited text: one node a line. Their order in the file
 *  becomes their numbering, and edges may then only name these nodes. With GLS_IDS_DENSE the list must
 *  be 0, 1, 2, ... in this order.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, options); GLS_ERR_ALREADY_EXISTS */
GLS_API gls_status_t gls_builder_add_nodes_text(gls_builder_t *builder, const char *type,
                                                const char *path, const gls_text_options_t *options,
                                                gls_error_t **err);

/** [one] Adds a column of a node type, without a copy: row i is node i. Each row must be contiguous;
 *  the stride between rows is free.
 *  @param tensor  [nodes, ...] of any fixed-width number or bool; taken
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name, role; shape or dtype); GLS_ERR_NOT_FOUND (type);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU. The number of
 *          rows, and that weights are finite and not negative, are checked when the dataset is built
 *          or written */
GLS_API gls_status_t gls_builder_add_node_column(gls_builder_t *builder, const char *type,
                                                 const char *name, gls_role_t role,
                                                 gls_tensor_t *tensor, gls_error_t **err);
/** [one] Adds a column of an edge type: row e belongs to edge id e. Otherwise as for nodes.
 *  @param tensor  [edges, ...]; taken
 *  @return as for nodes */
GLS_API gls_status_t gls_builder_add_edge_column(gls_builder_t *builder, const char *edge_type,
                                                 const char *name, gls_role_t role,
                                                 gls_tensor_t *tensor, gls_error_t **err);
/** Numbers of a few bits: how a quantised column is packed, and the number for each code. A row of
 *  `width` codes takes ceil(width * bits / 8) bytes. Codes fill each byte from its highest bits down;
 *  unused bits of the last byte are ignored. */
typedef struct gls_quantization_options {
  size_t struct_size;
  uint32_t bits;         /**< of a code: 1, 2, 4 or 8 */
  uint32_t reserved;
  int64_t width;         /**< numbers in a row, 1 to 2^31; 0 for gls_quantize() */
  const float *codebook; /**< the number for each code, `num_codebook` finite numbers; NULL: code c
                              is low + c / (2^bits - 1) * (high - low), in float64 in this order,
                              rounded to float32 */
  size_t num_codebook;   /**< 2^bits, or 0 without a codebook */
  double low;            /**< without a codebook; below `high` */
  double high;
} gls_quantization_options_t;
#define GLS_QUANTIZATION_OPTIONS_INIT GLS_INIT(gls_quantization_options_t)

/** [one] Adds a quantised column of a node type: rows of codes, stored as they are and decoded when
 *  gathered. All other calls treat the column as float32 [nodes, width].
 *  @param codes  uint8 [nodes, ceil(width * bits / 8)], row i for node i; the stride between rows is
 *                free; taken
 *  @return as for gls_builder_add_node_column(); GLS_ERR_INVALID_ARGUMENT also for a mismatch with
 *          `quantization` */
GLS_API gls_status_t gls_builder_add_node_codes(gls_builder_t *builder, const char *type,
                                                const char *name, gls_role_t role,
                                                gls_tensor_t *codes,
                                                const gls_quantization_options_t *quantization,
                                                gls_error_t **err);
/** [one] Adds a quantised column of an edge type: row e belongs to edge id e. Otherwise as for nodes.
 *  @param codes  uint8 [edges, ceil(width * bits / 8)]; taken
 *  @return as for nodes */
GLS_API gls_status_t gls_builder_add_edge_codes(gls_builder_t *builder, const char *edge_type,
                                                const char *name, gls_role_t role,
                                                gls_tensor_t *codes,
                                                const gls_quantization_options_t *quantization,
                                                gls_error_t **err);
/** [any] Packs numbers as codes, evenly from `low` to `high`. First x is clamped to low .. high. Then x
 *  becomes (x - low) / (high - low) * (2^bits - 1), in float64 in this order. The result is rounded to
 *  the nearest whole number, ties to even. Runs on the calling thread.
 *  @param numbers       [rows, width] of any fixed-width number
 *  @param quantization  without a codebook
 *  @param out           uint8 [rows, ceil(width * bits / 8)]
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shape or dtype; a NaN, with its row and position) */
GLS_API gls_status_t gls_quantize(const DLTensor *numbers,
                                  const gls_quantization_options_t *quantization,
                                  gls_tensor_t **out, gls_error_t **err);

/** [one] Adds a named set of node ids, in the order given.
 *  @param ids  int32 or int64 [n]; taken
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (name; dtype or shape); GLS_ERR_NOT_FOUND (type);
 *          GLS_ERR_ALREADY_EXISTS; GLS_ERR_UNSUPPORTED for a device other than the CPU */
GLS_API gls_status_t gls_builder_add_id_set(gls_builder_t *builder, const char *type,
                                            const char *name, gls_tensor_t *ids, gls_error_t **err);

/** [one] Makes a dataset in memory. Ready topologies, columns and id sets are used in place; edge
 *  lists are sorted into the requested layouts. Every index is checked. After success the builder is
 *  empty and can be used again.
 *  @param options  may be NULL; `overwrite` and `compact_rows` have no meaning here
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an id, index or number of rows that does not fit, or a
 *          weight that is negative or not finite, with its position); GLS_ERR_CORRUPT_DATA (a file or
 *          line of text, with its number; a node that is missing in its list); GLS_ERR_UNSUPPORTED (a
 *          file that is not text, or is compressed in another way); GLS_ERR_NOT_FOUND (a file);
 *          GLS_ERR_IO; GLS_ERR_OUT_OF_MEMORY (also when `memory` does not suffice);
 *          GLS_ERR_CANCELED */
GLS_API gls_status_t gls_builder_build(gls_builder_t *builder, const gls_write_options_t *options,
                                       gls_dataset_t **out, gls_error_t **err);
/** [one] Makes a dataset folder, streaming, in bounded memory; see gls_dataset_save() for atomicity.
 *  After success the builder is empty.
 *  @return as for gls_builder_build(); GLS_ERR_ALREADY_EXISTS; GLS_ERR_IO also for a full disk */
GLS_API gls_status_t gls_builder_write(gls_builder_t *builder, const char *path,
                                       const gls_write_options_t *options, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_BUILDER_H */
