/* Odd graphs and odd requests: what is legal works, what is not is refused with the right status.
 */
#include <math.h>

#include "helpers.h"

static gls_context_t *ctx;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_context_release(ctx);
  return 0;
}

/* Nodes "a" and edges "a__b__a", in both layouts. */
static gls_dataset_t *graph(int64_t nodes, size_t edges, const int64_t *source,
                            const int64_t *target) {
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t options = GLS_NODE_TYPE_OPTIONS_INIT;
  options.num_nodes = nodes;
  OK(gls_builder_add_node_type(builder, "a", &options, &err));
  OK(gls_builder_add_edges(builder, "a__b__a", ids64(edges, source), ids64(edges, target), NULL,
                           &err));
  return finish_builder(builder, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
}
static gls_sampler_t *all_neighbours(gls_dataset_t *dataset, int32_t direction, uint32_t flags) {
  static const int64_t all[] = {-1, -1};
  const gls_fanout_t fanout = {NULL, all, 2};
  gls_sampler_options_t options = sampler_options(flags);
  options.fanouts = &fanout;
  options.direction = direction;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &options, &sampler, &err));
  return sampler;
}
static void sample_fails(const gls_sampler_t *sampler, int64_t seed, gls_status_t code) {
  const int64_t shape = 1;
  const DLTensor view = view_of(&seed, kInt64, 1, &shape);
  const gls_seed_set_t seeds = {NULL, &view};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  gls_batch_t *batch = NULL;
  FAILS(code, NULL, gls_sampler_sample(sampler, &request, &batch, &err));
  assert_null(batch);
}

/* ---- graphs -----------------------------------------------------------------------------------
 */

static void a_graph_without_nodes(void **state) {
  (void)state;
  gls_dataset_t *const dataset = graph(0, 0, NULL, NULL);
  gls_sampler_t *const sampler = make_sampler(dataset, GLS_SAMPLE_EDGE_IDS);
  sample_fails(sampler, 0, GLS_ERR_INVALID_ARGUMENT);
  sample_fails(sampler, -1, GLS_ERR_INVALID_ARGUMENT);
  gls_batch_release(sample_ids(sampler, NULL, 0, NULL));
  gls_loader_t *const loader = make_loader(sampler, NULL);
  assert_null(next_batch(loader));
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

static void isolated_nodes(void **state) {
  (void)state;
  gls_dataset_t *const dataset = graph(5, 0, NULL, NULL);
  for (int32_t direction = GLS_DIRECTION_IN; direction <= GLS_DIRECTION_OUT; ++direction) {
    gls_sampler_t *const sampler = all_neighbours(dataset, direction, GLS_SAMPLE_EDGE_IDS);
    gls_batch_t *const batch = sample_ids(sampler, NULL, 2, (const int64_t[]){4, 0});
    EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, 4, 0);
    EXPECT_IDS(batch, GLS_BATCH_NUM_NODES, NULL, 2, 0, 0);
    EXPECT_IDS(batch, GLS_BATCH_NUM_EDGES, NULL, 0, 0);
    gls_batch_release(batch);
    gls_sampler_release(sampler);
  }
  gls_dataset_release(dataset);
}

static void self_loops(void **state) {
  (void)state;
  static const int64_t ends[] = {0, 1};
  gls_dataset_t *const dataset = graph(2, 2, ends, ends);
  gls_sampler_t *const sampler = all_neighbours(dataset, GLS_DIRECTION_IN, GLS_SAMPLE_EDGE_IDS);
  gls_batch_t *const batch = sample_ids(sampler, NULL, 1, (const int64_t[]){1});
  EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, 1);
  EXPECT_IDS(batch, GLS_BATCH_ROW, NULL, 0);
  EXPECT_IDS(batch, GLS_BATCH_COL, NULL, 0);
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 1);
  EXPECT_IDS(batch, GLS_BATCH_NUM_EDGES, NULL, 1, 0);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

static void parallel_edges(void **state) {
  (void)state;
  static const int64_t source[] = {0, 0, 2, 0};
  static const int64_t target[] = {1, 1, 1, 1};
  gls_dataset_t *const dataset = graph(3, 4, source, target);
  gls_sampler_t *const sampler = all_neighbours(dataset, GLS_DIRECTION_IN, GLS_SAMPLE_EDGE_IDS);
  gls_batch_t *batch = sample_ids(sampler, NULL, 1, (const int64_t[]){1});
  EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, 1, 0, 2);
  EXPECT_IDS(batch, GLS_BATCH_ROW, NULL, 1, 1, 2, 1);
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 0, 1, 2, 3);
  gls_batch_release(batch);
  /* A pair names all of them. */
  int64_t pair_values[] = {0, 1};
  const int64_t pair_shape[] = {2, 1};
  const DLTensor pair = view_of(pair_values, kInt64, 2, pair_shape);
  const gls_edge_set_t set = {NULL, &pair};
  ID_VIEW(seed, 1);
  const gls_seed_set_t seeds = {NULL, &seed};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  request.exclude = &set;
  request.num_exclude = 1;
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  EXPECT_IDS(batch, GLS_BATCH_EDGE, NULL, 2);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

/* ---- requests ---------------------------------------------------------------------------------
 */

static void seeds_out_of_range(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 10, 2);
  static const uint32_t flags[] = {0, GLS_SAMPLE_INT32, GLS_SAMPLE_DISJOINT};
  static const int64_t bad[] = {
      -1, 10, INT64_MIN, INT64_MAX, INT64_C(1) << 32, (INT64_C(1) << 32) + 3};
  for (size_t f = 0; f < COUNT_OF(flags); ++f) {
    gls_sampler_t *const sampler = make_sampler(dataset, flags[f]);
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
      sample_fails(sampler, bad[i], GLS_ERR_INVALID_ARGUMENT);
      /* A failure leaves nothing behind for the next batch. */
      gls_batch_t *const batch = sample_ids(sampler, NULL, 1, (const int64_t[]){9});
      EXPECT_IDS(batch, GLS_BATCH_SEED, NULL, 0);
      gls_batch_release(batch);
    }
    gls_sampler_release(sampler);
  }
  gls_dataset_release(dataset);
}

static void empty_and_repeated_seeds(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 10, 2);
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_batch_t *batch = sample_ids(sampler, NULL, 0, NULL);
  EXPECT_IDS(batch, GLS_BATCH_NUM_NODES, NULL, 0, 0, 0);
  gls_batch_release(batch);
  static const int64_t same[] = {4, 4, 4, 4};
  batch = sample_ids(sampler, NULL, 4, same);
  EXPECT_IDS(batch, GLS_BATCH_SEED, NULL, 0, 0, 0, 0);
  gls_tensor_t *counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
  assert_int_equal(id_at(counts, 0), 1);
  gls_tensor_release(counts);
  gls_batch_release(batch);
  /* A loader gives labels to each distinct seed of a batch once. */
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(sampler, ids64(4, same), NULL, &loader, &err));
  batch = next_batch(loader);
  EXPECT_IDS(batch, GLS_BATCH_INPUT, NULL, 0, 1, 2, 3);
  gls_tensor_t *const label = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "y");
  assert_int_equal(tensor_elements(label), 1);
  assert_int_equal(id_at(label, 0), 40);
  gls_tensor_release(label);
  gls_batch_release(batch);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

/* ---- weights ----------------------------------------------------------------------------------
 */

static gls_dataset_t *weighted(const float *weights) {
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(1, 2, 3, 0), IDS(0, 0, 0, 1), NULL, &err));
  /* With the role of weights they must be some, but a sampler takes any column for its weights. */
  OK(gls_builder_add_edge_column(builder, NULL, "w", GLS_ROLE_OTHER, floats(4, 0, weights), &err));
  return finish_builder(builder, 0);
}

static void is_no_column_of_weights(const float *weights) {
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(1, 2, 3, 0), IDS(0, 0, 0, 1), NULL, &err));
  OK(gls_builder_add_edge_column(builder, NULL, "w", GLS_ROLE_WEIGHT, floats(4, 0, weights), &err));
  gls_dataset_t *dataset = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "column \"w\" of \"a__b__a\"",
        gls_builder_build(builder, NULL, &dataset, &err));
  assert_null(dataset);
  gls_builder_release(builder);
}

static void weights_that_are_no_numbers(void **state) {
  (void)state;
  const float bad[] = {NAN, -NAN, -1.0f, INFINITY, -INFINITY, -1e-38f};
  static const int64_t fanouts[][1] = {{1}, {-1}, {5}};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    const float weights[] = {1.0f, bad[i], 1.0f, 1.0f};
    gls_dataset_t *const dataset = weighted(weights);
    is_no_column_of_weights(weights);
    for (size_t f = 0; f < COUNT_OF(fanouts); ++f) {
      const gls_fanout_t fanout = {NULL, fanouts[f], 1};
      gls_sampler_options_t options = sampler_options(0);
      options.fanouts = &fanout;
      options.weight = "w";
      gls_sampler_t *sampler = NULL;
      OK(gls_sampler_create(dataset, &options, &sampler, &err));
      sample_fails(sampler, 0, GLS_ERR_CORRUPT_DATA);
      gls_batch_release(sample_ids(sampler, NULL, 1, (const int64_t[]){1})); /* not looked at */
      /* A loader reports it for that batch, and goes on with the next. */
      gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
      loading.batch_size = 1;
      gls_loader_t *const loader = make_loader(sampler, &loading);
      gls_batch_t *batch = NULL;
      FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_loader_next(loader, -1, &batch, &err));
      assert_null(batch);
      uint64_t digests[4];
      assert_int_equal(drain(loader, digests, 4), 3);
      gls_loader_release(loader);
      gls_sampler_release(sampler);
    }
    gls_dataset_release(dataset);
  }
}

static void weights_that_add_up_to_infinity(void **state) {
  (void)state;
  gls_builder_t *const builder = make_builder(ctx);
  const double weights[] = {1e308, 1e308, 1e308, 1.0};
  const int64_t four = 4;
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(1, 2, 3, 0), IDS(0, 0, 0, 1), NULL, &err));
  OK(gls_builder_add_edge_column(builder, NULL, "w", GLS_ROLE_WEIGHT,
                                 copied(weights, kFloat64, 1, &four), &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  static const int64_t one[] = {1};
  const gls_fanout_t fanout = {NULL, one, 1};
  gls_sampler_options_t options = sampler_options(0);
  options.fanouts = &fanout;
  options.weight = "w";
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &options, &sampler, &err));
  sample_fails(sampler, 0, GLS_ERR_CORRUPT_DATA);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

static void weights_of_zero(void **state) {
  (void)state;
  const float weights[] = {0.0f, -0.0f, 0.0f, 1.0f};
  gls_dataset_t *const dataset = weighted(weights);
  gls_sampler_options_t options = sampler_options(0);
  options.weight = "w";
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &options, &sampler, &err));
  gls_batch_t *const batch = sample_ids(sampler, NULL, 1, (const int64_t[]){0});
  EXPECT_IDS(batch, GLS_BATCH_NUM_EDGES, NULL, 0, 0);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_graph_without_nodes),
      TEST(isolated_nodes),
      TEST(self_loops),
      TEST(parallel_edges),
      TEST(seeds_out_of_range),
      TEST(empty_and_repeated_seeds),
      TEST(weights_that_are_no_numbers),
      TEST(weights_that_add_up_to_infinity),
      TEST(weights_of_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
