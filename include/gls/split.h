#ifndef GLS_SPLIT_H
#define GLS_SPLIT_H

#include <gls/base.h>
#include <gls/dataset.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Splits: ids and links for training, validation and test
 * --------------------------------------------------------------------------------------------- */

/** [any] Splits ids for training, validation and test. The split of an id depends only on the id and
 *  the seed, so it does not change when other ids are added or removed. Splits have about their
 *  shares.
 *  @param ids         int32 or int64 [n], any numbers
 *  @param seed        other seeds, other splits
 *  @param shares      [num_splits] what each split gets, relative to their sum
 *  @param num_splits  1 to 256
 *  @param out         uint8 [n]: 0 .. num_splits - 1
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shares that are negative, not finite or all 0) */
GLS_API gls_status_t gls_split_ids(const DLTensor *ids, uint64_t seed, const double *shares,
                                   size_t num_splits, gls_tensor_t **out, gls_error_t **err);

/** The three splits. */
typedef int32_t gls_split_t;
enum { GLS_SPLIT_TRAIN = 0, GLS_SPLIT_VALID = 1, GLS_SPLIT_TEST = 2 };

/** Flags of ::gls_link_split_options_t. */
typedef uint32_t gls_link_split_flags_t;
enum {
  GLS_LINK_SPLIT_UNDIRECTED = 1u << 0 /**< opposite edges between two nodes are one link: the edge
                                           from the lower to the higher node; both are in its split.
                                           Both ends have the same node type */
};

/** How to split the edges of a type. A number below 1 is a share, rounded down; a number from 1 on is a
 *  count. */
typedef struct gls_link_split_options {
  size_t struct_size;
  uint64_t seed;
  double valid;                 /**< links for validation */
  double test;                  /**< links for test */
  double supervision;           /**< of the links for training, how many are labels only and not
                                     sampled; 0: all of them are both */
  gls_link_split_flags_t flags; /**< GLS_LINK_SPLIT_* */
  uint32_t reserved;
} gls_link_split_options_t;
#define GLS_LINK_SPLIT_OPTIONS_INIT GLS_INIT(gls_link_split_options_t)

/** [any] One split of a random split of all edges of a type, in exact numbers, as PyG's
 *  RandomLinkSplit makes them. Takes 9 bytes per edge, 32 more where they are undirected.
 *  @param edge_type  NULL: the only one
 *  @param options    the same for all splits
 *  @param split      GLS_SPLIT_*
 *  @param links      out: int64 [n] ids of the edges that are links of this split, ascending: seeds
 *                    for a sampler or loader, which draws the negatives
 *  @param exclude    out: int64 [m] ids of the edges that its sampler must exclude, ascending, with
 *                    opposite edges. Training excludes all links of the other splits and those for
 *                    supervision; validation excludes those for validation and test; test excludes
 *                    those for test. If reverse edges have a type of their own with the same ids,
 *                    GLS_EXCLUDE_REVERSE_TYPES of the sampler excludes them
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an option; no links are left
 *          for training); GLS_ERR_CORRUPT_DATA (indices or edge ids of the dataset) */
GLS_API gls_status_t gls_dataset_split_links(const gls_dataset_t *dataset, const char *edge_type,
                                             const gls_link_split_options_t *options,
                                             gls_split_t split, gls_tensor_t **links,
                                             gls_tensor_t **exclude, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_SPLIT_H */
