/* What tests of several samplers check alike: worker threads, refused options and requests, and
 * arrays that change after the dataset was built. */
#ifndef GLS_TESTS_CAPI_SAMPLING_CHECKS_H
#define GLS_TESTS_CAPI_SAMPLING_CHECKS_H

#include "helpers.h"

static inline gls_sampler_t *create_sampler(gls_dataset_t *dataset,
                                            const gls_sampler_options_t *options) {
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, options, &sampler, &err));
  return sampler;
}
static inline gls_sample_request_t seed_request(const gls_seed_set_t *seeds) {
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = seeds;
  request.num_seeds = 1;
  return request;
}

/* RELEASE_TENSORS(node, row, col) */
static inline void release_tensors(size_t count, gls_tensor_t *const *tensors) {
  for (size_t t = 0; t < count; ++t) {
    gls_tensor_release(tensors[t]);
  }
}
#define RELEASE_TENSORS(...) \
  release_tensors(COUNT_OF(((gls_tensor_t *[]){__VA_ARGS__})), (gls_tensor_t *[]){__VA_ARGS__})

/* One worker thread and three give an epoch of `batches` batches of 16 the same bytes. */
static inline void expect_same_for_any_workers(gls_sampler_t *sampler, size_t batches) {
  uint64_t digests[2][16] = {{0}};
  for (uint32_t round = 0; round < 2; ++round) {
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.batch_size = 16;
    options.num_workers = 1 + 2 * round;
    gls_loader_t *const loader = make_loader(sampler, &options);
    assert_int_equal(drain(loader, digests[round], 16), batches);
    gls_loader_release(loader);
  }
  assert_memory_equal(digests[0], digests[1], sizeof digests[0]);
}

/* ---- refused options and requests -------------------------------------------------------------
 */

/* Options that only a sampler of neighbours takes. `kind` describes a sampler of another kind,
 * which refuses each of them. The dataset is of make_ring(). */
static inline void refuse_neighbor_options(gls_dataset_t *dataset,
                                           const gls_sampler_options_t *kind) {
  static const gls_negative_options_t negatives = {
      sizeof negatives, GLS_NEGATIVE_BINARY, 0, 0, 0, NULL, NULL, 0, 0};
  gls_sampler_t *sampler = NULL;
#define REFUSED_WITH(argument, change)                            \
  do {                                                            \
    gls_sampler_options_t options = *kind;                        \
    change;                                                       \
    FAILS(GLS_ERR_INVALID_ARGUMENT, argument,                     \
          gls_sampler_create(dataset, &options, &sampler, &err)); \
    assert_null(sampler);                                         \
  } while (0)
  REFUSED_WITH("fanouts", options.fanouts = kFanouts; options.num_fanouts = 1);
  REFUSED_WITH("flags", options.flags = GLS_SAMPLE_DISJOINT);
  REFUSED_WITH("flags", options.flags = GLS_SAMPLE_TOWARD_SEEDS);
  REFUSED_WITH("flags", options.flags = GLS_SAMPLE_TIME_STRICT);
  REFUSED_WITH("flags", options.flags = GLS_SAMPLE_EXCLUDE_LINKS);
  REFUSED_WITH("replace", options.replace = GLS_REPLACE_ABOVE);
  REFUSED_WITH("node_time", options.node_time = "y");
  REFUSED_WITH("edge_time", options.edge_time = "w");
  REFUSED_WITH("time_window", options.time_window = 1);
  REFUSED_WITH("negatives", options.negatives = &negatives);
#undef REFUSED_WITH
}

/* A sampler that takes neither times nor links refuses both in a request. */
static inline void refuse_times_and_links(const gls_sampler_t *sampler, const char *node_type,
                                          const char *edge_type) {
  ID_VIEW(ids, 0, 1);
  const DLTensor *const times[] = {&ids};
  const gls_seed_set_t seeds = {node_type, &ids};
  gls_sample_request_t request = seed_request(&seeds);
  request.times = times;
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "times", gls_sampler_sample(sampler, &request, &batch, &err));
  gls_link_set_t links = GLS_LINK_SET_INIT;
  links.edge_type = edge_type;
  links.links = &ids;
  request = (gls_sample_request_t)GLS_SAMPLE_REQUEST_INIT;
  request.links = &links;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "links", gls_sampler_sample(sampler, &request, &batch, &err));
  assert_null(batch);
}

/* ---- arrays that change -----------------------------------------------------------------------
 * Memory that its owner changes after the dataset was built: wrong, but no reason to read outside.
 */

/* A graph "a__b__a" over arrays of the caller, who may change them later. `ids` may be NULL.
 * `weights` become the column "w" unless NULL; they are copied. */
static inline gls_dataset_t *dataset_over(gls_context_t *context, gls_layout_t layout,
                                          int64_t nodes, int64_t *indptr, int32_t *indices,
                                          int32_t *ids, const float *weights) {
  const int64_t rows = nodes + 1;
  const int64_t edges = indptr[nodes];
  gls_builder_t *const builder = make_builder(context);
  OK(gls_builder_add_topology(builder, "a__b__a", layout, wrapped(indptr, kInt64, 1, &rows, NULL),
                              wrapped(indices, kInt32, 1, &edges, NULL),
                              ids != NULL ? wrapped(ids, kInt32, 1, &edges, NULL) : NULL, &err));
  if (weights != NULL) {
    OK(gls_builder_add_edge_column(builder, NULL, "w", GLS_ROLE_WEIGHT, floats(edges, 0, weights),
                                   &err));
  }
  return finish_builder(builder, 0);
}

/* After `change` the sampler reports corrupt data for the request; `undo` takes the change back. */
#define EXPECT_CORRUPT(sampler, request, change, undo)                                     \
  do {                                                                                     \
    gls_batch_t *none_ = NULL;                                                             \
    change;                                                                                \
    FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_sampler_sample(sampler, request, &none_, &err)); \
    assert_null(none_);                                                                    \
    undo;                                                                                  \
  } while (0)

static inline void expect_sampled(const gls_sampler_t *sampler,
                                  const gls_sample_request_t *request) {
  gls_batch_t *batch = NULL;
  OK(gls_sampler_sample(sampler, request, &batch, &err));
  gls_batch_release(batch);
}

#endif /* GLS_TESTS_CAPI_SAMPLING_CHECKS_H */
