#ifndef GLS_TABLE_H
#define GLS_TABLE_H

#include <gls/base.h>
#include <gls/dataset.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Table: rows that training changes, such as embeddings of nodes, with their optimiser
 * --------------------------------------------------------------------------------------------- */

/** A named table with a row for each node or edge of a type. Its rows are in memory of this process.
 *  For a graph on servers they are in memory of the servers: each server has the rows that its parts
 *  own. */
typedef struct gls_table gls_table_t;

/** How a step changes the rows that it has gradients for. g is the gradient of a number w; sums are
 *  float32. */
typedef int32_t gls_optimizer_t;
enum {
  GLS_OPTIMIZER_NONE = 0,    /**< steps are not possible: only gls_table_write() changes rows */
  GLS_OPTIMIZER_SGD = 1,     /**< w -= rate * g */
  GLS_OPTIMIZER_ADAGRAD = 2, /**< s += g * g; w -= rate * g / (sqrt(s) + epsilon) */
  GLS_OPTIMIZER_ADAM = 3     /**< m += (1 - beta1) * (g - m); v += (1 - beta2) * (g * g - v); w -=
                                  rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon).
                                  Only rows of the step change, and t counts all steps: as
                                  torch.optim.SparseAdam. With ::GLS_TABLE_ROW_STEPS w -= rate * (m /
                                  (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon), where t
                                  counts the steps of each row: as DGL's SparseAdam */
};
/** Flags of ::gls_table_options_t. */
typedef uint32_t gls_table_flags_t;
enum {
  GLS_TABLE_MEAN = 1u << 0,     /**< use the mean of the gradients that a step has for a row, not
                                     their sum */
  GLS_TABLE_ROW_STEPS = 1u << 1 /**< see ::GLS_OPTIMIZER_ADAM */
};

typedef struct gls_table_options {
  size_t struct_size;
  int64_t width;             /**< numbers of a row, 1 to 2^20 */
  DLDataType dtype;          /**< of the numbers; optimisers need float32; {0, 0, 0}: float32 */
  gls_table_flags_t flags;   /**< GLS_TABLE_* */
  double low;                /**< first value of each number: random in [low, high), or `low` if both
                                  are equal */
  double high;               /**< see `low`; only float32 tables take other values than 0 */
  uint64_t seed;             /**< of the random first values, together with `name`, id and position
                                  in the row; independent of the process that holds the row */
  gls_optimizer_t optimizer; /**< GLS_OPTIMIZER_* */
  int32_t reserved;
  double epsilon;            /**< of Adagrad and Adam; negative: none; 0: 1e-10 for Adagrad, 1e-8 for
                                  Adam */
  double beta1;              /**< of Adam, below 1; negative: none; 0: 0.9 */
  double beta2;              /**< of Adam, below 1; negative: none; 0: 0.999 */
  uint32_t rank;             /**< this trainer among those that take steps together, 0 .. world_size-1 */
  uint32_t world_size;       /**< number of these trainers, at most 16384; 0: this one alone */
} gls_table_options_t;
#define GLS_TABLE_OPTIONS_INIT GLS_INIT(gls_table_options_t)

/** [any] Makes a table, or attaches to the table of this type and name, whose options must then be
 *  equal. A table of a local dataset lives as long as the dataset, also after gls_table_release(). A
 *  table on servers lives until it is dropped (gls_table_drop()) or a server ends. If a server ends,
 *  its rows are lost and every call on the table is an error: open the table again and load it
 *  (gls_table_load()). If several servers have the same part, only one of them may hold tables
 *  ("table_bytes" of gls_server_options_t), because tables are not replicated.
 *  @param type     node or edge type; NULL: the only node type
 *  @param name     as that of a column: 1 to 255 bytes of UTF-8 without control characters and "__"
 *  @param options  NULL: the table exists, and this process takes no steps
 *  @param out      release with gls_table_release()
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an option; `world_size` for a dataset that is not served);
 *          GLS_ERR_NOT_FOUND (type; without options: no such table); GLS_ERR_ALREADY_EXISTS (it exists
 *          with another width, dtype, first values or optimiser, which the message names);
 *          GLS_ERR_OUT_OF_MEMORY (of this process, or of a server's memory for tables);
 *          GLS_ERR_UNSUPPORTED (no server of a part holds tables, or two of them do; the dataset is a
 *          part that is open by itself. Also edges without columns of a graph in parts, and an
 *          optimiser for another dtype than float32); GLS_ERR_IO, GLS_ERR_TIMED_OUT (a server cannot be
 *          reached) */
GLS_API gls_status_t gls_table_open(const gls_dataset_t *dataset, const char *type,
                                    const char *name, const gls_table_options_t *options,
                                    gls_table_t **out, gls_error_t **err);
/** [one] Releases the handle; the table itself stays. @param table may be NULL */
GLS_API void gls_table_release(gls_table_t *table);

typedef struct gls_table_info {
  size_t struct_size;
  const char *name; /**< the table owns all strings */
  const char *type; /**< an edge type is joined by underscores */
  int64_t rows;     /**< as many as the type has nodes or edges */
  int64_t width;
  DLDataType dtype;
  gls_table_flags_t flags;
  gls_optimizer_t optimizer;
  uint32_t rank;
  uint32_t world_size;
  int64_t step;     /**< number of steps taken, as far as this handle knows */
  uint64_t bytes;   /**< of all its rows, with the state of the optimiser */
} gls_table_info_t;
/** [any] Describes the table.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (struct_size) */
GLS_API gls_status_t gls_table_get_info(const gls_table_t *table, gls_table_info_t *out,
                                        gls_error_t **err);

/** [any] Rows by id. Servers are asked in parallel, for each row once however often its id occurs. A
 *  row is read before or after a step or a write, never in the middle of it. One call may read some
 *  rows before a step and other rows after it.
 *  @param ids  int32 or int64 [n], in any order, repeated ids allowed; borrowed
 *  @param out  [n, width] in the order of the ids, new memory that may be written
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (an id out of range, with its position and value);
 *          GLS_ERR_INVALID_STATE (a server lost the table, or it was dropped); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT */
GLS_API gls_status_t gls_table_rows(const gls_table_t *table, const DLTensor *ids,
                                    gls_tensor_t **out, gls_error_t **err);
/** [any] Writes rows. If an id occurs several times, its last row counts. Among writers at the same
 *  time, the last one counts, for each row as a whole. When the call fails, some rows may be written.
 *  @param ids   int32 or int64 [n]; borrowed
 *  @param rows  [n, width] of the table's dtype, on the host; borrowed
 *  @return as for gls_table_rows(); GLS_ERR_INVALID_ARGUMENT (shape or dtype of `rows`) */
GLS_API gls_status_t gls_table_write(const gls_table_t *table, const DLTensor *ids,
                                     const DLTensor *rows, gls_error_t **err);
/** [one] Takes a step of the optimiser together with all trainers: waits until each trainer has sent
 *  its gradients, and returns when the rows are changed. A trainer without gradients calls it without
 *  ids. Each trainer sums a row's gradients in the order of `ids`. These sums are then added in the
 *  order of the ranks, and the row is changed once. So the result depends neither on the order of
 *  arrival nor on the parts. Tables are independent: several may have steps at the same time.
 *
 *  After an error the step was not taken, with two exceptions: the connection to a server was lost, or
 *  parts are at different steps because another trainer ended. Then some parts may have taken the step,
 *  and the next call must have the same arguments. A step is never taken twice.
 *  @param ids            int32 or int64 [n], in any order, repeated ids allowed; borrowed
 *  @param gradients      float32 [n, width], on the host; borrowed
 *  @param learning_rate  equal in all trainers
 *  @param timeout_ms     how long to wait for the others; default: setting "cluster.request_timeout_ms"
 *  @return as for gls_table_rows(); GLS_ERR_INVALID_ARGUMENT (shape or dtype of `gradients`, or more
 *          than 1 GiB of them for a part. Also a gradient, or the sum for an id, that is NaN or
 *          infinite: the message names the row, nothing changes, and the other trainers continue to
 *          wait. Also a learning rate that is not finite, a learning rate or `world_size` that differs
 *          from the others', or a rank that is taken); GLS_ERR_UNSUPPORTED (gradients in memory of a
 *          device); GLS_ERR_OUT_OF_MEMORY (also of a server's memory for tables, which includes
 *          gradients that wait for others); GLS_ERR_TIMED_OUT (the message says which ranks are
 *          missing); GLS_ERR_INVALID_STATE (the table has no optimiser, or was opened without options;
 *          it is being loaded. If parts are at different steps because a trainer ended in the middle of
 *          one, or this handle is behind, load the table. Also other arguments than those of a step
 *          that some parts may have taken) */
GLS_API gls_status_t gls_table_step(gls_table_t *table, const DLTensor *ids,
                                    const DLTensor *gradients, double learning_rate,
                                    int64_t timeout_ms, gls_error_t **err);

/** [one] Saves this trainer's share of the rows, an even run of ids, with the state of the optimiser.
 *  Every trainer calls it after the same step. All shares are of that step, because the next step waits
 *  for all trainers; only avoid gls_table_write() during the call. A step that is taken while rows are
 *  read makes the call fail. The files do not depend on the parts: you can load them with other parts,
 *  or by another number of trainers.
 *  @param path  a folder, which is created if it does not exist. All trainers save into one folder, or
 *               each into its own; then put the files together before loading. A share is never
 *               overwritten; remains of an interrupted save are replaced
 *  @return as for gls_table_rows(); GLS_ERR_ALREADY_EXISTS (the folder has this share already, or files
 *          of another table, step or number of trainers); GLS_ERR_INVALID_STATE (a step was taken
 *          during the call, or parts are at different steps); GLS_ERR_IO */
GLS_API gls_status_t gls_table_save(const gls_table_t *table, const char *path, gls_error_t **err);
/** [one] Loads a saved table: this trainer loads its share, and the call returns when all trainers have
 *  loaded theirs. Steps continue from the saved step. Every trainer calls it. The call checks all files
 *  that this trainer needs before it writes the first row. From then on no step is taken until a load
 *  has succeeded.
 *  @param path        a folder with all that was saved at one step, by any number of trainers
 *  @param timeout_ms  as of gls_table_step()
 *  @return as for gls_table_step(); GLS_ERR_NOT_FOUND (no such folder; a trainer's share is missing,
 *          which the message names); GLS_ERR_CORRUPT_DATA; GLS_ERR_INVALID_ARGUMENT (type, count of
 *          rows, width, dtype or optimiser differ from the table's; or the files are not all of one
 *          table and step) */
GLS_API gls_status_t gls_table_load(gls_table_t *table, const char *path, int64_t timeout_ms,
                                    gls_error_t **err);
/** [any] Drops the table for all processes: the memory of its rows is freed, calls on it fail, and its
 *  name may be used again.
 *  @return GLS_OK, also when it was dropped before; GLS_ERR_IO, GLS_ERR_TIMED_OUT */
GLS_API gls_status_t gls_table_drop(const gls_table_t *table, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_TABLE_H */
