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
 * Splits: ids and links for training, validation and test. Every call is [any]
 * --------------------------------------------------------------------------------------------- */

/** Splits ids for training, validation and test. The split of an id depends only on the id and the
 *  seed, so it does not change when other ids are added or removed. Splits have about their shares.
 *  [any]
 *  @param ids        int32 or int64 [n], any numbers
 *  @param seed       other seeds, other splits
 *  @param shares     [num_parts] what each split gets, relative to their sum
 *  @param num_parts  1 to 256
 *  @param out        uint8 [n]: 0 .. num_parts - 1
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (shares that are negative, not finite or all 0) */
GLS_API gls_status_t gls_split_ids(const DLTensor *ids, uint64_t seed, const double *shares,
                                   size_t num_parts, gls_tensor_t **out, gls_error_t **err);

/** The three splits. */
enum { GLS_PART_TRAIN = 0, GLS_PART_VALID = 1, GLS_PART_TEST = 2 };

enum {
  GLS_SPLIT_UNDIRECTED = 1u << 0 /**< opposite edges between two nodes are one link: the edge from the
                                      lower to the higher node; both are in its split. Both ends have the
                                      same node type */
};

/** How to split the edges of a type. A number below 1 is a share, rounded down; a number from 1 on is a
 *  count. */
typedef struct gls_link_split_options {
  size_t struct_size;
  uint64_t seed;
  double valid;       /**< links for validation */
  double test;        /**< links for test */
  double supervision; /**< of the links for training, how many are labels only and not sampled; 0: all of
                           them are both */
  uint32_t flags;     /**< GLS_SPLIT_* */
  uint32_t reserved;
} gls_link_split_options_t;
#define GLS_LINK_SPLIT_OPTIONS_INIT \
  { sizeof(gls_link_split_options_t), 0, 0, 0, 0, 0, 0 }

/** One split of a random split of all edges of a type, in exact numbers, as PyG's RandomLinkSplit makes
 *  them. Takes 9 bytes per edge, 32 more where they are undirected.
 *  @param edge_type  NULL: the only one
 *  @param options    the same for all splits
 *  @param part       GLS_PART_*
 *  @param links      out: int64 [n] ids of the edges that are links of this split, ascending: seeds for
 *                    a sampler or loader, which draws the negatives
 *  @param exclude    out: int64 [m] ids of the edges that its sampler must exclude, ascending, with
 *                    opposite edges. Training excludes all links of the other splits and those for
 *                    supervision; validation excludes those for validation and test; test excludes
 *                    those for test. If reverse edges have a type of their own with the same ids,
 *                    GLS_EXCLUDE_REVERSE_TYPES of the sampler excludes them
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an option; no links are left for
 *          training); GLS_ERR_CORRUPT_DATA (indices or edge ids of the dataset) */
GLS_API gls_status_t gls_dataset_split_links(const gls_dataset_t *dataset, const char *edge_type,
                                             const gls_link_split_options_t *options,
                                             int32_t part, gls_tensor_t **links,
                                             gls_tensor_t **exclude, gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_SPLIT_H */
