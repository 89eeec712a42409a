/* Picking by layer: options that do not fit, loaders, limits; what is picked, the conformance
 * vectors say. */
#include "helpers.h"

#define NODES 300
#define DEGREE 40

static gls_context_t *ctx;
static gls_dataset_t *ring; /* edge v * DEGREE + j goes from v + 1 + j to v */

static int set_up(void **state) {
  (void)state;
  ctx = make_context(3);
  ring = make_ring(ctx, NODES, DEGREE);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_context_release(ctx);
  return 0;
}

static gls_sampler_options_t by_layer(uint32_t flags) {
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS | flags);
  options.pick = GLS_PICK_LAYER;
  return options;
}
static gls_sampler_t *created(const gls_sampler_options_t *options) {
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, options, &sampler, &err));
  return sampler;
}

static void options_that_do_not_fit(void **state) {
  (void)state;
  gls_sampler_t *sampler = NULL;
  const gls_walk_options_t walk = {sizeof walk, 3, 0, 0, 0, 0, 0, NULL, 0};
#define REFUSED(argument, change)                                                                  \
  do {                                                                                             \
    gls_sampler_options_t options = by_layer(0);                                                   \
    change;                                                                                        \
    FAILS(GLS_ERR_INVALID_ARGUMENT, argument, gls_sampler_create(ring, &options, &sampler, &err)); \
    assert_null(sampler);                                                                          \
  } while (0)
#define WALKS                      \
  options.kind = GLS_SAMPLER_WALK; \
  options.walk = &walk;            \
  options.fanouts = NULL;          \
  options.num_fanouts = 0;         \
  options.pick = GLS_PICK_INDEPENDENT
  REFUSED("pick", options.pick = GLS_PICK_LAYER + 1);
  REFUSED("pick", options.pick = -1);
  REFUSED("pick", options.replace = GLS_REPLACE_ABOVE);
  REFUSED("pick", options.replace = GLS_REPLACE_ALWAYS);
  REFUSED("pick", options.edge_time = "w"; options.time_strategy = GLS_TIME_LAST);
  REFUSED("batch_dependency", options.pick = GLS_PICK_INDEPENDENT; options.batch_dependency = 1);
  REFUSED("flags", options.pick = GLS_PICK_INDEPENDENT;
          options.flags |= GLS_SAMPLE_LAYER_DEPENDENT);
  REFUSED("fanouts", options.num_fanouts = 0);
  REFUSED("pick", WALKS; options.pick = GLS_PICK_LAYER);
  REFUSED("batch_dependency", WALKS; options.batch_dependency = 2);
  REFUSED("flags", WALKS; options.flags |= GLS_SAMPLE_LAYER_DEPENDENT);
#undef REFUSED
#undef WALKS
}

/* A program compiled before there was such an option picks as it did. */
static void options_of_an_older_header(void **state) {
  (void)state;
  gls_sampler_options_t options = by_layer(0);
  options.struct_size = offsetof(gls_sampler_options_t, pick);
  gls_sampler_t *const old = created(&options);
  gls_sampler_t *const plain = make_sampler(ring, GLS_SAMPLE_EDGE_IDS);
  const int64_t seeds[] = {1, 2, 77};
  gls_batch_t *const one = sample_ids(old, NULL, 3, seeds);
  gls_batch_t *const other = sample_ids(plain, NULL, 3, seeds);
  assert_int_equal(batch_digest(one), batch_digest(other));
  gls_batch_release(one);
  gls_batch_release(other);
  gls_sampler_release(old);
  gls_sampler_release(plain);
}

/* Loaders give the same batches whatever the number of threads, one after the other, resumed, and
 * asked for singly. */
static void the_same_everywhere(void **state) {
  (void)state;
  for (uint32_t way = 0; way < 8; ++way) {
    gls_sampler_options_t options = by_layer(((way & 1) != 0 ? GLS_SAMPLE_LAYER_DEPENDENT : 0u) |
                                             ((way & 2) != 0 ? GLS_SAMPLE_DISJOINT : 0u));
    options.batch_dependency = way;
    options.weight = (way & 4) != 0 ? "w" : NULL;
    uint64_t first[32];
    size_t batches = 0;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
      gls_context_t *const own = make_context(threads);
      gls_dataset_t *const same = make_ring(own, NODES, DEGREE);
      gls_sampler_t *sampler = NULL;
      OK(gls_sampler_create(same, &options, &sampler, &err));
      gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
      loading.batch_size = 16;
      loading.flags = GLS_LOADER_SHUFFLE;
      gls_loader_t *const loader = make_loader(sampler, &loading);
      uint64_t digests[32];
      const size_t count = drain(loader, digests, COUNT_OF(digests));
      assert_int_equal(count, (NODES + 15) / 16);
      for (size_t i = 0; i < count; ++i) {
        first[i] = batches == 0 ? digests[i] : first[i];
        assert_int_equal(digests[i], first[i]);
        gls_batch_t *single = NULL;
        OK(gls_loader_sample(loader, 0, i, &single, &err));
        assert_int_equal(batch_digest(single), first[i]);
        gls_batch_release(single);
      }
      batches = count;
      OK(gls_loader_seek(loader, 0, &err));
      for (int i = 0; i < 5; ++i) {
        gls_batch_release(next_batch(loader));
      }
      char saved[GLS_LOADER_STATE_MAX];
      OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
      gls_loader_t *const resumed = make_loader(sampler, &loading);
      OK(gls_loader_restore(resumed, saved, &err));
      assert_int_equal(drain(resumed, digests, COUNT_OF(digests)), count - 5);
      for (size_t i = 5; i < count; ++i) {
        assert_int_equal(digests[i - 5], first[i]);
      }
      gls_loader_release(resumed);
      gls_loader_release(loader);
      gls_sampler_release(sampler);
      gls_dataset_release(same);
      gls_context_release(own);
    }
  }
}

static int64_t nodes_of(const gls_sampler_t *sampler, uint64_t batch) {
  ID_VIEW(ids, 10, 11, 12, 13, 14, 15, 16, 17);
  const gls_seed_set_t seeds = {NULL, &ids};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  request.batch = batch;
  gls_batch_t *out = NULL;
  OK(gls_sampler_sample(sampler, &request, &out, &err));
  gls_tensor_t *const node = batch_array(out, GLS_BATCH_NODE, NULL, NULL);
  const int64_t count = tensor_elements(node);
  gls_tensor_release(node);
  gls_batch_release(out);
  return count;
}

/* Seeds that share most of their neighbours: fewer nodes, and fewer still if hops share numbers. */
static void fewer_nodes(void **state) {
  (void)state;
  gls_sampler_options_t options = sampler_options(0);
  gls_sampler_t *const apart = created(&options);
  options = by_layer(0);
  gls_sampler_t *const layer = created(&options);
  options = by_layer(GLS_SAMPLE_LAYER_DEPENDENT);
  gls_sampler_t *const layers = created(&options);
  int64_t of_apart = 0;
  int64_t of_layer = 0;
  int64_t of_layers = 0;
  for (uint64_t batch = 0; batch < 50; ++batch) {
    of_apart += nodes_of(apart, batch);
    of_layer += nodes_of(layer, batch);
    of_layers += nodes_of(layers, batch);
  }
  assert_true(of_layer < of_apart * 2 / 3);
  assert_true(of_layers < of_layer);
  gls_sampler_release(apart);
  gls_sampler_release(layer);
  gls_sampler_release(layers);
}

/* The largest numbers there are. */
static void limits(void **state) {
  (void)state;
  const uint32_t most[] = {1, 2, UINT32_MAX - 1, UINT32_MAX};
  const uint64_t batches[] = {0, 1, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
  for (size_t i = 0; i < COUNT_OF(most); ++i) {
    gls_sampler_options_t options = by_layer(0);
    options.batch_dependency = most[i];
    options.seed = UINT64_MAX;
    gls_sampler_t *const sampler = created(&options);
    for (size_t b = 0; b < COUNT_OF(batches); ++b) {
      assert_true(nodes_of(sampler, batches[b]) > 8);
    }
    gls_sampler_release(sampler);
  }
}

/* Memory that its owner changes after the dataset was built: wrong, but no reason to read outside.
 */
static void damage(void **state) {
  (void)state;
  int64_t indptr[] = {0, 3, 6, 9, 12};
  int32_t indices[] = {1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2};
  int32_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const int64_t five = 5;
  const int64_t twelve = 12;
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_topology(
      builder, "a__b__a", GLS_LAYOUT_CSC, wrapped(indptr, kInt64, 1, &five, NULL),
      wrapped(indices, kInt32, 1, &twelve, NULL), wrapped(ids, kInt32, 1, &twelve, NULL), &err));
  OK(gls_builder_add_edge_column(
      builder, NULL, "w", GLS_ROLE_WEIGHT,
      floats(12, 0, (const float[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  const int64_t two = 2;
  const gls_fanout_t fanouts = {NULL, &two, 1};
  ID_VIEW(excluded, 5);
  const gls_edge_set_t exclude = {NULL, &excluded};
  for (int way = 0; way < 4; ++way) {
    gls_sampler_options_t options = by_layer(0);
    options.fanouts = &fanouts;
    options.weight = (way & 1) != 0 ? "w" : NULL;
    options.exclude = &exclude;
    options.num_exclude = (way & 2) != 0 ? 1 : 0;
    gls_sampler_t *sampler = NULL;
    OK(gls_sampler_create(dataset, &options, &sampler, &err));
    ID_VIEW(seed, 0, 1, 2, 3);
    const gls_seed_set_t seeds = {NULL, &seed};
    gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
    request.seeds = &seeds;
    request.num_seeds = 1;
    gls_batch_t *batch = NULL;
#define MET(change, back)                                                                   \
  do {                                                                                      \
    change;                                                                                 \
    FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_sampler_sample(sampler, &request, &batch, &err)); \
    back;                                                                                   \
  } while (0)
    MET(indptr[3] = 1 << 20, indptr[3] = 9);
    MET(indptr[1] = -4, indptr[1] = 3);
    MET(indptr[1] = INT64_MIN, indptr[1] = 3);
    MET(indptr[4] = INT64_MAX, indptr[4] = 12);
    MET(indices[7] = 4, indices[7] = 1);
    MET(indices[4] = -1, indices[4] = 2);
#undef MET
    assert_null(batch);
    OK(gls_sampler_sample(sampler, &request, &batch, &err));
    gls_batch_release(batch);
    gls_sampler_release(sampler);
  }
  gls_dataset_release(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_that_do_not_fit),
      cmocka_unit_test(options_of_an_older_header),
      cmocka_unit_test(the_same_everywhere),
      cmocka_unit_test(fewer_nodes),
      cmocka_unit_test(limits),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
