#ifndef GLS_QUERY_H
#define GLS_QUERY_H

#include <gls/base.h>
#include <gls/dataset.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Queries: rows of columns, ends of edges, degrees and owners, by id
 * --------------------------------------------------------------------------------------------- */

/** [any] Both ends of edges. Takes O(log nodes) for each edge. For a type whose edge ids are not
 *  positions, the first call also reads all ids and keeps 8 bytes per edge with the dataset.
 *  @param edge_type  NULL: the only one
 *  @param edges      int32 or int64 [n] edge ids
 *  @param source     out: int64 [n]
 *  @param target     out: int64 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (indices or edge ids of the dataset); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_find_edges(const gls_dataset_t *dataset, const char *edge_type,
                                            const DLTensor *edges, gls_tensor_t **source,
                                            gls_tensor_t **target, gls_error_t **err);
/** [any] Whether there is an edge from source[i] to target[i]. Searches the shorter of the two nodes'
 *  stored rows.
 *  @param edge_type  NULL: the only one
 *  @param source     int32 or int64 [n] nodes
 *  @param target     int32 or int64 [n] nodes
 *  @param out        bool [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (lengths; a node out of range,
 *          with its position and value); GLS_ERR_CORRUPT_DATA (indptr of the dataset); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_has_edges(const gls_dataset_t *dataset, const char *edge_type,
                                           const DLTensor *source, const DLTensor *target,
                                           gls_tensor_t **out, gls_error_t **err);
/** [any] Degrees: how many edges of a type enter each target, or leave each source. Reads all edges if
 *  the layout of that end (CSC for in, CSR for out) is not stored.
 *  @param edge_type  NULL: the only one
 *  @param direction  GLS_DIRECTION_IN or GLS_DIRECTION_OUT
 *  @param nodes      int32 or int64 [n]; NULL: all nodes at that end
 *  @param out        int64 [n]
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (a node out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (indptr or indices of the dataset); GLS_ERR_IO,
 *          GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_degrees(const gls_dataset_t *dataset, const char *edge_type,
                                         gls_direction_t direction, const DLTensor *nodes,
                                         gls_tensor_t **out, gls_error_t **err);

/** [any] Rows of a column by id, gathered as loaders gather them. For a graph in parts each row comes
 *  from its owner or from a copy in this process. A row is fetched once however often its id occurs.
 *  To read a whole column in place, see gls_dataset_tensor().
 *  @param type    node or edge type; NULL: the only node type
 *  @param column  any column of the type; a quantised one is decoded
 *  @param ids     int32 or int64 [n] nodes or edges, in any order, repeated ids allowed; borrowed
 *  @param out     [n, ...] rows in the order of the ids, of the column's dtype (gls_column_info_t), in
 *                 new memory that may be written. For a dataset on a device (gls_dataset_on_device())
 *                 the rows are in its memory, complete for any stream, see gls_tensor_record_stream().
 *                 The first call for a column places it as loaders do (settings "device.*"; with
 *                 "device.group" call in the same order in all processes). Rows of a graph on servers
 *                 are received on the host and then moved
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type, column; a part that is open by itself has no row for an
 *          id); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its position and value);
 *          GLS_ERR_IO, GLS_ERR_TIMED_OUT (a server of the graph cannot be reached);
 *          GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_dataset_rows(const gls_dataset_t *dataset, const char *type,
                                      const char *column, const DLTensor *ids, gls_tensor_t **out,
                                      gls_error_t **err);
/** [any] The part that owns each of some nodes or edges: which server has its row, and which process
 *  should train on it. An edge belongs to the owner of its target where in-neighbours are stored
 *  (GLS_LAYOUT_CSC), else to the owner of its source. Nodes need no request to a server, nor do edges
 *  of a type that has columns, or ids that are not positions. Other edges are found as by
 *  gls_dataset_find_edges().
 *  @param type  node or edge type; NULL: the only node type
 *  @param ids   int32 or int64 [n]; borrowed
 *  @param out   int32 [n]: parts. For a dataset that is not in parts all are 0. For a part that is
 *               open by itself, with ids of its own: its number if it owns the id, else -1 (another
 *               part)
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id out of range, with its
 *          position and value); GLS_ERR_CORRUPT_DATA (the book); GLS_ERR_IO, GLS_ERR_TIMED_OUT (a
 *          server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_owners(const gls_dataset_t *dataset, const char *type,
                                        const DLTensor *ids, gls_tensor_t **out, gls_error_t **err);

/** [any] A trainer's share of some ids, to be its seeds: equal shares, each with as many ids of its
 *  own part as fit. Each rank computes its share from the same arguments, without communication. The
 *  shares are disjoint in positions and cover all ids; the first n % world_size ranks get one id more
 *  than the others.
 *
 *  The ids of a part are distributed evenly over its ranks, in runs of the given order, as far as
 *  their shares have room. The remaining ids fill up other shares, in order of rank. For a dataset
 *  that is not in parts, or a part that is open by itself, shares are runs of the given order.
 *
 *  Without `rank_parts`, rank r of W belongs to part r*P/W (rounded down) of P, because launchers
 *  number the trainers of one machine consecutively. With fewer ranks than parts, part p belongs to
 *  rank p*W/P. Owners are found as by gls_dataset_owners(); a loader of the share has `world_size` 1.
 *  @param type        node or edge type; NULL: the only node type
 *  @param ids         int32 or int64 [n], in any order, repeated ids allowed; borrowed. NULL: all of
 *                     the type
 *  @param rank        0 .. world_size-1
 *  @param world_size  how many trainers share the ids, at least 1
 *  @param rank_parts  int32 or int64 [world_size]: the part of each rank; the same in all processes;
 *                     borrowed; 0 where shares are runs. NULL: as above
 *  @param out         int64: the ids of the share, in the order they were given
 *  @return GLS_OK; GLS_ERR_NOT_FOUND (type); GLS_ERR_INVALID_ARGUMENT (an id, `rank`, `world_size`, or
 *          a number of a part out of range; the length of `rank_parts`); GLS_ERR_CORRUPT_DATA (the
 *          book); GLS_ERR_IO, GLS_ERR_TIMED_OUT (a server of the graph cannot be reached) */
GLS_API gls_status_t gls_dataset_share_ids(const gls_dataset_t *dataset, const char *type,
                                           const DLTensor *ids, uint32_t rank, uint32_t world_size,
                                           const DLTensor *rank_parts, gls_tensor_t **out,
                                           gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_QUERY_H */
