#ifndef GLS_EXPORT_H
#define GLS_EXPORT_H

#include <gls/base.h>
#include <gls/context.h>
#include <gls/dataset.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Export: a dataset as files of other systems. Needs the plugin libgls_formats.so
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_export_options {
  size_t struct_size;
  const char *const *choices; /**< "name=value", as the format documents; NULL: none */
  size_t num_choices;
  int32_t overwrite;          /**< non-zero: replace an empty folder, a regular file, or a folder whose
                                   `.gls-export` names the format, and that has only what an export
                                   writes. Nothing in a dataset's folder is replaced */
  int32_t reserved;
  gls_progress_fn progress;   /**< of bytes; may be NULL */
  void *progress_user_data;
} gls_export_options_t;
#define GLS_EXPORT_OPTIONS_INIT GLS_INIT(gls_export_options_t)

/** [any] Writes a dataset as files of another system. gls_recipe_of_format() and
 *  gls_arrow_open_files() read them back. Ids, the order of edge ids, dtypes and bits are kept. Columns
 *  are streamed. The page "Exports" says for each format what has no place in it, and what memory its
 *  edges need. The files appear under their names when all of them are complete.
 *  @param format   "parquet", "pyg", "dgl" or "graphbolt"
 *  @param path     a folder; a file for "pyg", and for "dgl" with the choice "form=graph"
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (format, choices); GLS_ERR_ALREADY_EXISTS; GLS_ERR_NOT_FOUND
 *          (the folder that `path` is in); GLS_ERR_CORRUPT_DATA (an index or key of the dataset);
 *          GLS_ERR_IO (also a full disk); GLS_ERR_UNSUPPORTED (no plugin; a graph in parts, on servers or
 *          with stores; contents that the format cannot have, with their name); GLS_ERR_CANCELED */
GLS_API gls_status_t gls_dataset_export(const gls_dataset_t *dataset, const char *format,
                                        const char *path, const gls_export_options_t *options,
                                        gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_EXPORT_H */
