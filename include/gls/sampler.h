#ifndef GLS_SAMPLER_H
#define GLS_SAMPLER_H

#include <gls/base.h>
#include <gls/batch.h>
#include <gls/dataset.h>
#include <gls/dlpack.h>
#include <gls/status.h>
#include <gls/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Sampler
 * --------------------------------------------------------------------------------------------- */

typedef struct gls_sampler gls_sampler_t;

/** New methods are new kinds, not new functions. */
typedef int32_t gls_sampler_kind_t;
enum {
  GLS_SAMPLER_NEIGHBOR = 0,   /**< neighbourhoods, hop by hop */
  GLS_SAMPLER_WALK = 1,       /**< random walks from the seeds, see ::gls_walk_options_t */
  GLS_SAMPLER_IMPORTANCE = 2, /**< the nodes that random walks visit most, see
                                   ::gls_importance_options_t */
  GLS_SAMPLER_PPR = 3,        /**< the nodes of highest personalised PageRank, see ::gls_ppr_options_t */
  GLS_SAMPLER_HGT = 4         /**< in each hop a given number of nodes of each type, by their weight
                                   as neighbours of the batch, see ::gls_hgt_options_t */
};

/** Whether an edge can be picked several times. */
typedef int32_t gls_replace_t;
enum {
  GLS_REPLACE_NEVER = 0, /**< distinct edges */
  GLS_REPLACE_ABOVE = 1, /**< all neighbours while there are at most `fanout`; beyond that, draws
                              with replacement */
  GLS_REPLACE_ALWAYS = 2 /**< `fanout` draws with replacement from any non-empty neighbourhood, as
                              PyG and DGL do */
};

/** Flags of ::gls_sampler_options_t. */
typedef uint32_t gls_sample_flags_t;
enum {
  GLS_SAMPLE_EDGE_IDS = 1u << 0,       /**< report the id of every sampled edge */
  GLS_SAMPLE_DISJOINT = 1u << 1,       /**< each seed grows its own tree; adds GLS_BATCH_TREE */
  GLS_SAMPLE_TOWARD_SEEDS = 1u << 2,   /**< `col` is always the end nearer to the seed, also with
                                            GLS_DIRECTION_OUT */
  GLS_SAMPLE_INT32 = 1u << 3,          /**< local and global ids as int32; every count must fit */
  GLS_SAMPLE_TIME_STRICT = 1u << 4,    /**< times must be below that of the seed, not equal to it */
  GLS_SAMPLE_EXCLUDE_LINKS = 1u << 5,  /**< a batch does not use the links that are its seeds, nor
                                            edges that `exclude_mode` adds to them; loaders of nodes
                                            refuse it */
  GLS_SAMPLE_LAYER_DEPENDENT = 1u << 6 /**< with ::GLS_PICK_LAYER: a node has the same random number
                                            in all hops */
};

/** Whether the picks of one row depend on those of other rows. */
typedef int32_t gls_pick_t;
enum {
  GLS_PICK_INDEPENDENT = 0, /**< no: each row has its own random numbers */
  GLS_PICK_LAYER = 1        /**< each neighbour has one random number for all rows, and a row picks
                                 those with the smallest numbers. So rows pick the same nodes, and a
                                 batch has fewer nodes; each row by itself has the same distribution
                                 as independent picks. With weights, picks are only nearly in
                                 proportion to them. Excludes replacement and ::GLS_TIME_LAST.
                                 Source: Balin and Catalyurek, Layer-Neighbor Sampling (LABOR-0),
                                 NeurIPS 2023 */
};

/** Which edges to exclude besides the given ones. */
typedef int32_t gls_exclude_mode_t;
enum {
  GLS_EXCLUDE_SELF = 0,         /**< only the given edges */
  GLS_EXCLUDE_REVERSE_ID = 1,   /**< also, for edge e, the edge whose id is in row e of the int64
                                     column `reverse_column` of the same edge type */
  GLS_EXCLUDE_REVERSE_TYPES = 2 /**< also, for edge e of a type in `reverse_types`, edge e of the
                                     type paired with it; a pair holds in both directions */
};

/** What to draw for links that are seeds. */
typedef int32_t gls_negative_mode_t;
enum {
  GLS_NEGATIVE_NONE = 0,
  GLS_NEGATIVE_BINARY = 1, /**< `amount` pairs of nodes per link, both ends drawn */
  GLS_NEGATIVE_TRIPLET = 2 /**< `amount` targets for each link, whose source is kept */
};

/** Flags of ::gls_negative_options_t. */
typedef uint32_t gls_negative_flags_t;
enum {
  GLS_NEGATIVE_STRICT = 1u << 0,      /**< no edge of the dataset is drawn */
  GLS_NEGATIVE_ALLOW_SHORT = 1u << 1, /**< a negative is missing (-1 in triplets) if `tries` draws
                                           found none, all weights are 0, or no node exists in time;
                                           without this flag that is ::GLS_ERR_NOT_FOUND */
  GLS_NEGATIVE_IN_TIME = 1u << 2,     /**< draws only nodes that exist at the time of their link:
                                           those whose `node_time` is at most that time, or below it
                                           with ::GLS_SAMPLE_TIME_STRICT. `time_window` has no
                                           effect. Nodes of a type without the column always exist.
                                           Needs `node_time` in a type that is drawn from. With a
                                           device, the CPU makes such draws */
  GLS_NEGATIVE_OLDEST = 1u << 3       /**< with ::GLS_NEGATIVE_IN_TIME: draws the oldest node if none
                                           exists at that time; among several, the lowest id */
};

/** Negatives for links: nodes of the link's two types, from the whole graph. */
typedef struct gls_negative_options {
  size_t struct_size;
  gls_negative_mode_t mode;   /**< GLS_NEGATIVE_* */
  gls_negative_flags_t flags; /**< GLS_NEGATIVE_STRICT to GLS_NEGATIVE_OLDEST */
  double amount;              /**< per link; a whole number for triplets; rounded up over all links
                                   for binary negatives; 0: 1 */
  double degree_power;        /**< draws nodes in proportion to this power of their degree in the
                                   links' type: a multiple of 0.25 up to 2; 0: uniformly */
  const char *source_weight;  /**< or draws in proportion to a node column of non-negative numbers:
                                   for sources, which only binary negatives draw; NULL: as
                                   `degree_power` sets */
  const char *target_weight;  /**< a node column for targets, as `source_weight`; NULL: as
                                   `degree_power` sets */
  uint32_t tries;             /**< draws for each strict negative, at most 2048; 0: 64 */
  uint32_t reserved;
} gls_negative_options_t;
#define GLS_NEGATIVE_OPTIONS_INIT GLS_INIT(gls_negative_options_t)

/** Random walks. Each step follows one edge, in the sampler's direction, of the current node's row:
 *  uniformly, or in proportion to `weight`. A walk ends where the row is empty.
 *
 *  Sources: node2vec: Grover and Leskovec, KDD 2016; its steps by rejection: Yang et al., KnightKing,
 *  SOSP 2019. */
typedef struct gls_walk_options {
  size_t struct_size;
  uint32_t length;         /**< steps of a walk, at most 2^20; 0: as many as `path` has */
  uint32_t walks;          /**< from each seed, at most 2^20; 0: 1 */
  double p;                /**< node2vec: a step back to the previous node weighs 1/p; 0: 1 */
  double q;                /**< node2vec: a step to a node without an edge from the previous node, in
                                the direction of the walk, weighs 1/q. Other values of p and q than 1
                                need a path of one edge type, between nodes of one type; 0: 1 */
  double restart;          /**< probability, before each step, of returning to the seed instead,
                                where the path begins again; needs a path within one node type */
  double stop;             /**< probability, before each step, of ending */
  const char *const *path; /**< edge types to follow in turn. Each begins at the node type where the
                                previous one ends. The path repeats; then the last type must end
                                where the first begins; NULL: the only one, between nodes of one type */
  size_t path_length;
} gls_walk_options_t;
#define GLS_WALK_OPTIONS_INIT GLS_INIT(gls_walk_options_t)

/** Importance neighbours: the nodes that short random walks from a node visit most. A walk traverses
 *  `path` once or several times, and visits the node at the end of each traversal. The start node of
 *  the walk counts like any other node. Walks follow edges as those of ::gls_walk_options_t do, by
 *  `weight` if it is given.
 *
 *  Source: PinSAGE: Ying et al., KDD 2018. */
typedef struct gls_importance_options {
  size_t struct_size;
  uint32_t neighbors;      /**< neighbours of each node: those with most visits, ties by lower id; at
                                least 1 */
  uint32_t walks;          /**< from each node; 0: 10 */
  uint32_t traversals;     /**< traversals of the path by each walk, at most 2^20 by all walks of a
                                node; 0: 2 */
  uint32_t hops;           /**< neighbours of neighbours, at most 255; 0: 1 */
  double stop;             /**< probability, before each traversal but the first, of ending the walk */
  const char *const *path; /**< edge types to follow in turn. Each begins at the node type where the
                                previous one ends, and the last ends where the first begins; NULL:
                                the only one, between nodes of one type */
  size_t path_length;
} gls_importance_options_t;
#define GLS_IMPORTANCE_OPTIONS_INIT GLS_INIT(gls_importance_options_t)

/** Flags of ::gls_ppr_options_t. */
typedef uint32_t gls_ppr_flags_t;
enum {
  GLS_PPR_NO_TOP_UP = 1u << 0 /**< report only nodes that were pushed. Without it, if these are fewer
                                   than `neighbors`, others follow by their residual, and residuals
                                   are added to scores */
};

/** Edge types along which residuals are pushed separately, and their share of the neighbours. Frozen. */
typedef struct gls_ppr_channel {
  const char *const *edge_types; /**< at least one; channels may share them */
  size_t num_edge_types;
  double share;                  /**< of `neighbors`, above 0 */
  uint64_t reserved;
} gls_ppr_channel_t;

/** Personalised PageRank: the nodes where walks from a seed probably end, if a walk ends at each step
 *  with probability `alpha`. Computed by forward push, not by walks. The nodes of all types are one
 *  graph. Only `row_limit` uses random numbers.
 *
 *  Source: Andersen, Chung, Lang, FOCS 2006. */
typedef struct gls_ppr_options {
  size_t struct_size;
  uint32_t neighbors;                /**< neighbours of each seed in each node type: those with the
                                          highest score, ties by lower id; 0: 50 */
  gls_ppr_flags_t flags;             /**< GLS_PPR_NO_TOP_UP */
  double alpha;                      /**< probability of ending, 1e-6 to 1; 0: 0.5 */
  double epsilon;                    /**< a node is pushed while its residual exceeds alpha * epsilon
                                          * degree, 1e-12 to 1. A seed reads about 1 / (alpha *
                                          epsilon) edges at most, besides its own; 0: 1e-4 */
  uint64_t max_edges;                /**< the push for a seed ends when it has read this many edges.
                                          Its scores are then less exact, and with top-up include the
                                          remaining residuals; 0: 2^24 */
  uint32_t row_limit;                /**< longer rows are sampled down to this length, each edge type
                                          separately; 0: all edges are used */
  uint32_t reserved;
  const char *const *edge_types;     /**< edge types to push along; NULL: all */
  size_t num_edge_types;
  const gls_ppr_channel_t *channels; /**< each channel pushes separately, along its own edge types,
                                          which are among `edge_types`, and finds at most
                                          `neighbors`. A node belongs to the channel with its highest
                                          score, ties to the first. Each channel gets its share of
                                          `neighbors`, by largest remainder, for the nodes that
                                          belong to it. Unused places go to the highest scores of all
                                          channels. GLS_BATCH_NEAR_SCORE has three more columns for
                                          each channel; NULL: all edge types together */
  size_t num_channels;               /**< at most 64; their shares add up to 1 within 1e-6 */
} gls_ppr_options_t;
#define GLS_PPR_OPTIONS_INIT GLS_INIT(gls_ppr_options_t)

/** How many nodes of a type to draw in each hop; -1: all available, 0: none. Frozen. */
typedef struct gls_node_samples {
  const char *node_type; /**< NULL: every node type without an entry of its own */
  const int64_t *per_hop;
  size_t num_hops;       /**< 1 to 255, the same for every entry */
} gls_node_samples_t;

/** Samples nodes by budgets. Every node of the batch distributes 1 evenly among its neighbours of each
 *  edge type, in the sampler's direction. A node's budget is the sum of what it received. Each hop
 *  draws nodes of each type, without replacement, in proportion to the square of their budget. So a
 *  batch has given numbers of nodes of every type, and many edges between them.
 *
 *  Source: HGSampling: Hu, Dong, Wang, Sun, Heterogeneous Graph Transformer, WWW 2020. */
typedef struct gls_hgt_options {
  size_t struct_size;
  const gls_node_samples_t *samples;
  size_t num_samples;      /**< at least 1, and every node type must be covered */
  uint32_t most_neighbors; /**< how many neighbours of a node, along one edge type, share its 1, at
                                most 2^28. If it has more, this many are drawn uniformly. Edges to
                                these are reported, or with GLS_SUBGRAPH_INDUCED all edges between
                                nodes of the batch; 0: 50 */
  uint32_t reserved;
} gls_hgt_options_t;
#define GLS_HGT_OPTIONS_INIT GLS_INIT(gls_hgt_options_t)

/** Which of the neighbours that are early enough to pick. */
typedef int32_t gls_time_strategy_t;
enum {
  GLS_TIME_UNIFORM = 0, /**< any of them, as without times */
  GLS_TIME_LAST = 1     /**< the latest `fanout`; among equal times those stored later */
};

/** Which edges between the sampled nodes to report. */
typedef int32_t gls_subgraph_t;
enum {
  GLS_SUBGRAPH_SAMPLED = 0,      /**< the picked edges */
  GLS_SUBGRAPH_INDUCED = 1,      /**< all edges between nodes of the batch (of one tree, where each
                                      seed grows its own) that are neither excluded nor out of time.
                                      For walks: between the nodes that they visited. Needs the
                                      layout of the sampler's direction of every edge type */
  GLS_SUBGRAPH_BIDIRECTIONAL = 2 /**< the picked edges and their reverses, each pair of nodes once,
                                      in order of the frontier's ends, then the others. Reverses are
                                      of the same edge type if both its ends are of one node type;
                                      `reverse_types` names pairs of types that reverse each other. A
                                      reverse has the id of the picked edge */
};

/** Fanouts of one edge type: how many neighbours to take per hop; -1 takes all, 0 none. Frozen. */
typedef struct gls_fanout {
  const char *edge_type; /**< NULL: every edge type without an entry of its own */
  const int64_t *per_hop;
  size_t num_hops;       /**< 1 to 255, the same for every entry */
} gls_fanout_t;

/** A set of edges of one type. Frozen. */
typedef struct gls_edge_set {
  const char *edge_type;
  const DLTensor *edges; /**< int32 or int64: [n] edge ids, or [2, n] sources and targets (then all
                              parallel edges between the two) */
} gls_edge_set_t;

/** Two edge types that reverse each other. Frozen. */
typedef struct gls_type_pair {
  const char *edge_type;
  const char *reverse_type;
} gls_type_pair_t;

/** What a label means for its anchor. */
typedef int32_t gls_label_role_t;
enum {
  GLS_LABEL_POSITIVE = 0, /**< nodes that belong to the anchor */
  GLS_LABEL_NEGATIVE = 1  /**< nodes that do not */
};

/** Flags of ::gls_supervision_t. */
typedef uint32_t gls_supervision_flags_t;
enum {
  GLS_SUPERVISION_SAMPLED = 1u << 0 /**< the edge type is also sampled, by its own fanouts; a batch
                                         does not use the edges from its anchors to their labels, nor
                                         edges that `exclude_mode` adds to them */
};

/** Labels of anchors, for link prediction. With supervisions every seed of a request or loader is an
 *  anchor; its labels become seeds after it. Without GLS_SUPERVISION_SAMPLED, `edge_type` is not
 *  sampled: its fanouts are 0 without an entry of its own, and induced subgraphs omit it. Frozen. */
typedef struct gls_supervision {
  const char *edge_type;         /**< labels are the targets of an anchor's edges of this type, in
                                      stored order, whatever the direction, times and exclusions of
                                      the sampler; needs CSR; NULL: labels are given with the anchors */
  const char *node_type;         /**< node type of given labels, NULL: the only one; else NULL */
  const char *name;              /**< name of its array; NULL: that of `edge_type` */
  gls_label_role_t role;         /**< GLS_LABEL_*; each at most once with the same name */
  gls_supervision_flags_t flags; /**< GLS_SUPERVISION_* */
  uint32_t max_labels;           /**< labels of an anchor, at most 2^28. From more labels, this many
                                      are drawn anew for each batch, without replacement, and rows of
                                      labels always have this length; 0: all */
  uint32_t reserved;
} gls_supervision_t;

typedef struct gls_sampler_options {
  size_t struct_size;
  gls_sampler_kind_t kind;             /**< GLS_SAMPLER_* */
  gls_sample_flags_t flags;            /**< GLS_SAMPLE_* */
  uint64_t seed;                       /**< same seed, same batches */
  const gls_fanout_t *fanouts;
  size_t num_fanouts;                  /**< at least 1, and every edge type must be covered. 0 with
                                            GLS_SUBGRAPH_INDUCED: no hops, only the seeds. Always 0
                                            for other kinds than GLS_SAMPLER_NEIGHBOR */
  gls_direction_t direction;           /**< GLS_DIRECTION_* */
  gls_replace_t replace;               /**< GLS_REPLACE_* */
  const char *weight;                  /**< edge column of non-negative numbers, one per edge. Picks
                                            are in proportion to the weight, and weight 0 is never
                                            picked; edge types without this column are sampled
                                            uniformly; NULL: uniform */
  const gls_edge_set_t *exclude;       /**< edges never used by this sampler; copied */
  size_t num_exclude;
  gls_exclude_mode_t exclude_mode;     /**< GLS_EXCLUDE_*; also for the sets given per call. Loaders,
                                            and requests for links, refuse other modes than
                                            GLS_EXCLUDE_SELF if they exclude no edges */
  uint32_t contract;                   /**< version of the sampling contract; 0: the newest (1) */
  const char *reverse_column;
  const gls_type_pair_t *reverse_types; /**< with GLS_EXCLUDE_REVERSE_TYPES or
                                             GLS_SUBGRAPH_BIDIRECTIONAL; both types of a pair have
                                             equally many edges */
  size_t num_reverse_types;
  const char *node_time;               /**< node column of integers, one per node: a seed of time t
                                            may use neighbours whose time is at most t. Types without
                                            this column are always early enough. Each seed then grows
                                            its own tree, as with GLS_SAMPLE_DISJOINT, and needs a
                                            time; NULL: no times of nodes */
  const char *edge_time;               /**< edge column of times, used like `node_time`; with both,
                                            both must be early enough; NULL: no times of edges */
  int64_t time_window;                 /**< above 0: times below t - time_window are too early */
  gls_time_strategy_t time_strategy;   /**< GLS_TIME_*; LAST uses `edge_time` if given, else
                                            `node_time`, and excludes weights and replacement */
  gls_subgraph_t subgraph;             /**< GLS_SUBGRAPH_* */
  const gls_negative_options_t *negatives; /**< negatives to draw for links; then all seeds are
                                                links; NULL: no negatives */
  const gls_walk_options_t *walk;      /**< options of the kind GLS_SAMPLER_WALK, which requires
                                            them; NULL for other kinds. Allowed `flags` are
                                            GLS_SAMPLE_EDGE_IDS and GLS_SAMPLE_INT32; fanouts,
                                            replacement, times and negatives are refused */
  gls_pick_t pick;                     /**< GLS_PICK_* */
  uint32_t batch_dependency;           /**< with ::GLS_PICK_LAYER: how many consecutive batches (of
                                            all trainers) a node keeps its random number. One node in
                                            this many gets a new number with each batch; epochs share
                                            none; 0 or 1: all numbers are new in each batch */
  const gls_supervision_t *supervisions; /**< labels of the seeds, which are then anchors; refused
                                              with walks and negatives; NULL: no labels */
  size_t num_supervisions;             /**< at most 65536 */
  const gls_importance_options_t *importance; /**< options of the kind GLS_SAMPLER_IMPORTANCE, which
                                                   requires them; NULL for other kinds. Allowed
                                                   `flags` are GLS_SAMPLE_INT32; all else as for
                                                   `walk` */
  const gls_ppr_options_t *ppr;        /**< options of the kind GLS_SAMPLER_PPR, which requires them;
                                            NULL for other kinds. All else as for `importance`, but
                                            weights are refused */
  const gls_hgt_options_t *hgt;        /**< options of the kind GLS_SAMPLER_HGT, which requires them;
                                            NULL for other kinds. All else as for `walk`, but weights
                                            are refused */
  DLDevice device;                     /**< where gls_sampler_sample() samples and its batches are,
                                            and where loaders of this sampler deliver unless they set
                                            a device. {kDLCPU, 0}: the host. {kDLCUDA, n}: GPU n,
                                            which needs the plugin libgls_cuda.so. The bytes are
                                            equal. If the GPU cannot sample with these options, the
                                            CPU samples and the batch is moved, or it is an error:
                                            see setting "device.sampling" when the sampler is made;
                                            {0, 0}: where the dataset is */
} gls_sampler_options_t;
#define GLS_SAMPLER_OPTIONS_INIT GLS_INIT(gls_sampler_options_t)

/** [any] Checks the options against the dataset; samples nothing yet. Walks with `q` read the indices
 *  of their edge type once. With a device, topology and everything else it samples from is placed there
 *  as for a loader, and shared with loaders (settings "device.*").
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT; GLS_ERR_NOT_FOUND (edge type, column); GLS_ERR_UNSUPPORTED
 *          (the layout of the direction is not stored; `device`: no plugin libgls_cuda.so, no driver,
 *          no such GPU, or "device.sampling" is "device" and the GPU cannot sample with these options);
 *          GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_sampler_create(gls_dataset_t *dataset,
                                        const gls_sampler_options_t *options, gls_sampler_t **out,
                                        gls_error_t **err);
/** [any] Where a sampler's batches are: {kDLCPU, 0}, or the device of its options or its dataset.
 *  @return GLS_OK */
GLS_API gls_status_t gls_sampler_device(const gls_sampler_t *sampler, DLDevice *out,
                                        gls_error_t **err);
/** [one] Accepts NULL. */
GLS_API void gls_sampler_release(gls_sampler_t *sampler);

/** Seeds of one node type. Frozen. */
typedef struct gls_seed_set {
  const char *node_type;
  const DLTensor *ids; /**< int32 or int64 [n] */
} gls_seed_set_t;

/** Links as seeds: each end is a seed of its node type. */
typedef struct gls_link_set {
  size_t struct_size;
  const char *edge_type;  /**< NULL: the only one */
  const DLTensor *links;  /**< int32 or int64: [n] ids of edges, or [2, n] sources and targets, which
                               need not be edges */
  const DLTensor *times;  /**< int32 or int64 [n], if the sampler uses times, else NULL */
  const DLTensor *labels; /**< [n, ...] of any number or bool: a row for each link; NULL: with binary
                               negatives, labels are 1 and 0 in float32 */
} gls_link_set_t;
#define GLS_LINK_SET_INIT GLS_INIT(gls_link_set_t)

typedef struct gls_sample_request {
  size_t struct_size;
  const gls_seed_set_t *seeds;   /**< each node type at most once; may be empty. Walks and importance
                                      accept only the type where they begin; PPR and anchors accept
                                      one type */
  size_t num_seeds;
  uint64_t epoch;                /**< part of the random key, with `batch` */
  uint64_t batch;
  const gls_edge_set_t *exclude; /**< edges that this batch must not use */
  size_t num_exclude;
  const DLTensor *const *times;  /**< if the sampler uses times, else NULL: for each of `seeds` int32
                                      or int64 [n], one time for each seed */
  const gls_link_set_t *links;   /**< links as seeds, instead of `seeds`; NULL: none */
  const DLTensor *const *labels; /**< an entry for each supervision of the sampler: NULL, or for one
                                      without an edge type int32 or int64 [n, m], a row for each
                                      anchor, -1 where a label is missing; NULL: no supervision needs
                                      labels */
  size_t num_labels;             /**< as many as supervisions, or 0 */
} gls_sample_request_t;
#define GLS_SAMPLE_REQUEST_INIT GLS_INIT(gls_sample_request_t)

/** [any] Samples one batch on the calling thread; gathers no columns. Arrays of the request are on the
 *  host. If the sampler has a device, arrays of the batch are in its memory, except
 *  GLS_BATCH_NUM_NODES and GLS_BATCH_NUM_EDGES. They are complete for any stream, see
 *  gls_batch_record_stream(). With weights and edges in `exclude` the CPU may sample instead;
 *  "device.sampling" = "device" makes that GLS_ERR_UNSUPPORTED.
 *  @return GLS_OK; GLS_ERR_INVALID_ARGUMENT (a seed or link out of range, with its position and
 *          value); GLS_ERR_CORRUPT_DATA (the dataset has an index or edge id out of range, or a weight
 *          that is negative or not finite); GLS_ERR_NOT_FOUND (no strict negative, no negative in
 *          time, or no column of weights for one); GLS_ERR_UNSUPPORTED (more than 2^31 - 1 nodes of a
 *          type, or in walks, or too many trees); GLS_ERR_OUT_OF_MEMORY */
GLS_API gls_status_t gls_sampler_sample(const gls_sampler_t *sampler,
                                        const gls_sample_request_t *request, gls_batch_t **out,
                                        gls_error_t **err);

#ifdef __cplusplus
}
#endif
#endif /* GLS_SAMPLER_H */
