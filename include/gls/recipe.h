#ifndef GLS_RECIPE_H
#define GLS_RECIPE_H

#include <gls/base.h>
#include <gls/builder.h>
#include <gls/context.h>
#include <gls/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Recipe: which files make a dataset. All calls need the plugin libgls_formats.so
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_recipe gls_recipe_t; /**< immutable */

/** [any] Reads a recipe, a text in YAML or JSON that names the files of each node and edge type. The
 *  page "Datasets of other systems" has the keys. No data file is opened.
 *  @param text    at most 16 MiB
 *  @param folder  names of files are relative to it; NULL: to the working folder
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (not YAML, an unknown key, a value of a wrong type, with
 *          line and column); GLS_ERR_UNSUPPORTED (no plugin) */
GLS_API gls_status_t gls_recipe_create(gls_context_t *ctx, const char *text, const char *folder,
                                       gls_recipe_t **out, gls_error_t **err);

typedef struct gls_recipe_options {
  size_t struct_size;
  const char *const *choices; /**< "name=value", as the format documents; NULL: none */
  size_t num_choices;
} gls_recipe_options_t;
#define GLS_RECIPE_OPTIONS_INIT GLS_INIT(gls_recipe_options_t)

/** [any] Makes the recipe for a dataset that another system wrote. Reads its descriptions and the heads
 *  of its files. Neither code nor pickled objects in the files are run. Files outside the dataset's
 *  folder are refused.
 *  @param format   "dgl", "graphbolt", ...: the page "Datasets of other systems" lists them
 *  @param path     a file or folder, as the format documents
 *  @param options  may be NULL
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (format, choices); GLS_ERR_NOT_FOUND (a file);
 *          GLS_ERR_CORRUPT_DATA (a damaged file, with its name); GLS_ERR_UNSUPPORTED (no plugin, or
 *          contents that a graph in GLS cannot have); GLS_ERR_IO */
GLS_API gls_status_t gls_recipe_of_format(gls_context_t *ctx, const char *format, const char *path,
                                          const gls_recipe_options_t *options, gls_recipe_t **out,
                                          gls_error_t **err);

/** [any] The recipe in YAML. What the files have and the dataset will not have stands in comments at its
 *  begin. */
GLS_API const char *gls_recipe_text(const gls_recipe_t *recipe);
/** [one] Accepts NULL. */
GLS_API void gls_recipe_release(gls_recipe_t *recipe);

/** [any] Makes a builder that has everything a recipe names. Arrays are mapped. Text and tables are
 *  opened, and read when the dataset is built or written.
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (a file); GLS_ERR_CORRUPT_DATA (a damaged file, with its name);
 *          GLS_ERR_UNSUPPORTED (a kind of file); GLS_ERR_IO; also the errors of the calls
 *          gls_builder_add_*. Errors of rows come when the dataset is built or written, as those of
 *          gls_builder_add_nodes_arrow() */
GLS_API gls_status_t gls_recipe_to_builder(const gls_recipe_t *recipe, gls_builder_t **out,
                                           gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_RECIPE_H */
