/* Neighbours by importance and by personalised PageRank: loaders, arrays, every option that is
 * refused, damage. */
#include "graph_fixture.h"
#include "sampling_checks.h"

#define NODES 100
#define DEGREE 5

static int set_up(void **state) {
  (void)state;
  return set_up_ring_and_shop(3, NODES, DEGREE, 12, 9);
}

static gls_sampler_options_t near_options(const gls_importance_options_t *importance,
                                          const gls_ppr_options_t *ppr) {
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.kind = ppr != NULL ? GLS_SAMPLER_PPR : GLS_SAMPLER_IMPORTANCE;
  options.seed = 7;
  options.importance = importance;
  options.ppr = ppr;
  return options;
}
static gls_sampler_t *make_near(gls_dataset_t *dataset, const gls_importance_options_t *importance,
                                const gls_ppr_options_t *ppr, uint32_t flags) {
  gls_sampler_options_t options = near_options(importance, ppr);
  options.flags = flags;
  return create_sampler(dataset, &options);
}
static gls_importance_options_t importance_of(uint32_t neighbors) {
  gls_importance_options_t importance = GLS_IMPORTANCE_OPTIONS_INIT;
  importance.neighbors = neighbors;
  return importance;
}

/* What every batch of both kinds has: rows of distinct neighbours by seed, in the order of a score.
 */
static void check_rows(const gls_batch_t *batch, const char *type, int64_t seeds, int score) {
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, type, NULL);
  gls_tensor_t *const of = batch_array(batch, GLS_BATCH_NEAR_SEED, type, NULL);
  gls_tensor_t *const near = batch_array(batch, GLS_BATCH_NEAR_NODE, type, NULL);
  gls_tensor_t *const scores = batch_array(batch, GLS_BATCH_NEAR_SCORE, type, NULL);
  const int64_t rows = tensor_elements(of);
  assert_int_equal(tensor_elements(near), rows);
  assert_int_equal(scores->dl_tensor.ndim, 2);
  assert_int_equal(scores->dl_tensor.shape[0], rows);
  assert_int_equal(scores->dl_tensor.shape[1], 2);
  assert_int_equal(scores->dl_tensor.dtype.code, kDLFloat);
  assert_int_equal(scores->dl_tensor.dtype.bits, 32);
  const float *const values = tensor_data(scores);
  for (int64_t i = 0; i < rows; ++i) {
    assert_in_range(id_at(of, i), i == 0 ? 0 : id_at(of, i - 1), seeds - 1);
    assert_in_range(id_at(near, i), 0, tensor_elements(node) - 1);
    assert_true(values[2 * i + score] > 0);
    if (i > 0 && id_at(of, i) == id_at(of, i - 1)) {
      const float before = values[2 * (i - 1) + score];
      assert_true(values[2 * i + score] < before ||
                  (values[2 * i + score] == before &&
                   id_at(node, id_at(near, i)) > id_at(node, id_at(near, i - 1))));
    }
  }
  RELEASE_TENSORS(node, of, near, scores);
}

static void loaded(void **state) {
  (void)state;
  gls_importance_options_t importance = importance_of(3);
  importance.hops = 2;
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  ppr.neighbors = 7;
  for (int way = 0; way < 2; ++way) {
    gls_sampler_t *const sampler =
        make_near(ring, way == 0 ? &importance : NULL, way == 0 ? NULL : &ppr, 0);
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    options.batch_size = 16;
    options.flags = GLS_LOADER_SHUFFLE;
    gls_loader_t *const loader = make_loader(sampler, &options);
    uint64_t number = 0;
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
      gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
      gls_tensor_t *const edges = batch_array(batch, GLS_BATCH_NUM_EDGES, NULL, NULL);
      gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
      gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, NULL, NULL);
      gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
      gls_tensor_t *const of = batch_array(batch, GLS_BATCH_NEAR_SEED, NULL, NULL);
      assert_int_equal(tensor_elements(row), 0);
      assert_int_equal(tensor_elements(counts), way == 0 ? 3 : 2);
      assert_int_equal(tensor_elements(edges), way == 0 ? 2 : 1);
      assert_int_equal(x->dl_tensor.shape[0], tensor_elements(node));
      int64_t sum = 0;
      for (int64_t h = 0; h < tensor_elements(counts); ++h) {
        sum += id_at(counts, h);
      }
      assert_int_equal(sum, tensor_elements(node));
      const int64_t expanded = id_at(counts, 0) + (way == 0 ? id_at(counts, 1) : 0);
      check_rows(batch, "node", expanded, way == 0 ? 1 : 0);
      if (way == 1) {
        assert_int_equal(tensor_elements(of), 7 * id_at(counts, 0));
      }
      gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
      OK(gls_batch_get_info(batch, &info, &err));
      assert_int_equal(info.num_hops, way == 0 ? 2 : 1);
      assert_true(info.bytes >= (uint64_t)tensor_elements(of) * 24);
      gls_batch_t *again = NULL;
      OK(gls_loader_sample(loader, 0, number++, &again, &err));
      assert_true(batch_digest(again) == batch_digest(batch));
      gls_batch_release(again);
      RELEASE_TENSORS(counts, edges, node, row, x, of);
    }
    assert_int_equal(number, 7);
    gls_loader_release(loader);
    gls_sampler_release(sampler);
  }
}

/* A loader's batches do not depend on its threads. */
static void the_same_everywhere(void **state) {
  (void)state;
  gls_importance_options_t importance = importance_of(3);
  importance.stop = 0.5;
  gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  ppr.row_limit = 3;
  for (int way = 0; way < 2; ++way) {
    gls_sampler_t *const sampler =
        make_near(ring, way == 0 ? &importance : NULL, way == 0 ? NULL : &ppr, GLS_SAMPLE_INT32);
    expect_same_for_any_workers(sampler, 7);
    gls_sampler_release(sampler);
  }
}

/* Importance is among nodes of one type; PPR has neighbours of each. */
static void several_types(void **state) {
  (void)state;
  static const char *const path[] = {"user__likes__item", "item__rev_likes__user"};
  gls_importance_options_t importance = importance_of(4);
  importance.path = path;
  importance.path_length = 2;
  gls_sampler_t *sampler = make_near(shop, &importance, NULL, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *loader = make_loader(sampler, &options); /* walks begin at items */
  gls_batch_t *batch = next_batch(loader);
  check_rows(batch, "item", 9, 1);
  gls_tensor_t *none = NULL;
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_NEAR_NODE, "user", NULL, &none, &err));
  gls_batch_release(batch);
  gls_loader_release(loader);
  loader = NULL;
  options.node_type = "user";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "node_type",
        gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);

  const gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  sampler = make_near(shop, NULL, &ppr, 0);
  loader = make_loader(sampler, &options);
  batch = next_batch(loader);
  check_rows(batch, "item", 12, 0);
  check_rows(batch, "user", 12, 0);
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_WALK, "user", NULL, &none, &err));
  gls_batch_release(batch);
  gls_loader_release(loader);
  loader = NULL;
  options.node_type = NULL;
  options.edge_type = "user__likes__item";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edge_type",
        gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
}

static void options_that_cannot_be(void **state) {
  (void)state;
  static const char *const unknown[] = {"a__b__c"};
  static const char *const path[] = {"user__likes__item", "item__rev_likes__user",
                                     "user__likes__item"};
  static const char *const twice[] = {"user__likes__item", "user__likes__item"};
  static const gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  gls_sampler_t *sampler = NULL;
  for (int way = 0; way < 2; ++way) {
#define REFUSED_OF(dataset, code, argument, change)                               \
  do {                                                                            \
    gls_importance_options_t importance = importance_of(3);                       \
    gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;                                 \
    gls_sampler_options_t options =                                               \
        near_options(way == 0 ? &importance : NULL, way == 0 ? NULL : &ppr);      \
    change;                                                                       \
    FAILS(code, argument, gls_sampler_create(dataset, &options, &sampler, &err)); \
    assert_null(sampler);                                                         \
  } while (0)
#define REFUSED(argument, change) REFUSED_OF(ring, GLS_ERR_INVALID_ARGUMENT, argument, change)
    REFUSED(way == 0 ? "importance" : "ppr", options.importance = NULL; options.ppr = NULL);
    REFUSED(way == 0 ? "importance" : "ppr", options.kind = GLS_SAMPLER_NEIGHBOR;
            options.fanouts = kFanouts; options.num_fanouts = 1);
    REFUSED(way == 0 ? "ppr" : "importance", options.importance = &importance; options.ppr = &ppr);
    REFUSED("walk", options.walk = &walk);
    REFUSED(way == 0 ? "importance" : "ppr", importance.struct_size = 3; ppr.struct_size = 3);
    REFUSED("flags", options.flags = GLS_SAMPLE_EDGE_IDS);
    REFUSED("time_strategy", options.time_strategy = GLS_TIME_LAST);
    REFUSED("subgraph", options.subgraph = GLS_SUBGRAPH_INDUCED);
    REFUSED(way == 0 ? "path" : "edge_types", importance.path_length = 1; ppr.num_edge_types = 1);
    REFUSED_OF(ring, GLS_ERR_NOT_FOUND, way == 0 ? "path" : "edge_types", importance.path = unknown;
               importance.path_length = 1; ppr.edge_types = unknown; ppr.num_edge_types = 1);
    REFUSED_OF(shop, GLS_ERR_UNSUPPORTED, "direction", importance.path = path + 1;
               importance.path_length = 2; options.direction = GLS_DIRECTION_OUT);
    if (way == 0) {
      REFUSED("neighbors", importance.neighbors = 0);
      REFUSED("walks", importance.walks = (1 << 20) + 1);
      REFUSED("traversals", importance.traversals = (1 << 17));
      REFUSED("hops", importance.hops = 256);
      REFUSED("stop", importance.stop = -0.5);
      REFUSED("stop", importance.stop = 0.0 / 0.0);
      REFUSED_OF(ring, GLS_ERR_NOT_FOUND, "weight", options.weight = "none");
      REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "path", (void)0);
      REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "path", importance.path = path;
                 importance.path_length = 1);
      REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "path", importance.path = twice;
                 importance.path_length = 2);
      REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "traversals", importance.path = path;
                 importance.path_length = 2; importance.walks = 1; importance.traversals = 1 << 20);
    } else {
      REFUSED_OF(ring, GLS_ERR_UNSUPPORTED, "flags", ppr.flags = 2);
      REFUSED_OF(ring, GLS_ERR_UNSUPPORTED, NULL, ppr.reserved = 1);
      REFUSED("alpha", ppr.alpha = -1);
      REFUSED("alpha", ppr.alpha = 1.5);
      REFUSED("alpha", ppr.alpha = 1e-7);
      REFUSED("alpha", ppr.alpha = 0.0 / 0.0);
      REFUSED("epsilon", ppr.epsilon = 2);
      REFUSED("epsilon", ppr.epsilon = 1e-13);
      REFUSED("epsilon", ppr.epsilon = 0.0 / 0.0);
      REFUSED("max_edges", ppr.max_edges = (1ULL << 31) + 1);
      REFUSED("weight", options.weight = "w");
      REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "edge_types", ppr.edge_types = twice;
                 ppr.num_edge_types = 2);
    }
#undef REFUSED
#undef REFUSED_OF
    const gls_importance_options_t importance = importance_of(3);
    const gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
    const gls_sampler_options_t options =
        near_options(way == 0 ? &importance : NULL, way == 0 ? NULL : &ppr);
    refuse_neighbor_options(ring, &options);
  }
}

static void requests_that_cannot_be(void **state) {
  (void)state;
  const gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
  gls_sampler_t *const sampler = make_near(shop, NULL, &ppr, 0);
  ID_VIEW(ids, 0, 1);
  ID_VIEW(far, 0, 100);
  gls_seed_set_t seeds[] = {{"user", &far}, {"item", &ids}};
  gls_sample_request_t request = seed_request(seeds);
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds", gls_sampler_sample(sampler, &request, &batch, &err));
  seeds[0].ids = &ids;
  request.num_seeds = 2;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds", gls_sampler_sample(sampler, &request, &batch, &err));
  assert_null(batch);
  refuse_times_and_links(sampler, "user", "user__likes__item");
  gls_sampler_release(sampler);
}

/* Memory that its owner changes after the dataset was built: wrong, but no reason to read outside.
 */
static void damage(void **state) {
  (void)state;
  int64_t indptr[] = {0, 2, 4, 6, 7};
  int32_t indices[] = {1, 2, 0, 2, 0, 3, 2};
  gls_dataset_t *const dataset = dataset_over(ctx, GLS_LAYOUT_CSC, 4, indptr, indices, NULL, NULL);
  ID_VIEW(excluded, 0);
  const gls_edge_set_t exclude = {NULL, &excluded};
  for (int way = 0; way < 4; ++way) {
    gls_importance_options_t importance = importance_of(3);
    importance.walks = 100;
    importance.traversals = 20;
    const gls_ppr_options_t ppr = GLS_PPR_OPTIONS_INIT;
    gls_sampler_options_t options =
        near_options((way & 1) == 0 ? &importance : NULL, (way & 1) == 0 ? NULL : &ppr);
    options.exclude = &exclude;
    options.num_exclude = (way & 2) != 0 ? 1 : 0;
    gls_sampler_t *const sampler = create_sampler(dataset, &options);
    ID_VIEW(seed, 0, 1);
    const gls_seed_set_t seeds = {NULL, &seed};
    const gls_sample_request_t request = seed_request(&seeds);
    EXPECT_CORRUPT(sampler, &request, indptr[3] = 1 << 20, indptr[3] = 6);
    EXPECT_CORRUPT(sampler, &request, indptr[1] = -4, indptr[1] = 2);
    EXPECT_CORRUPT(sampler, &request, indices[5] = 4, indices[5] = 3);
    EXPECT_CORRUPT(sampler, &request, indices[4] = -1, indices[4] = 0);
    expect_sampled(sampler, &request);
    gls_sampler_release(sampler);
  }
  gls_dataset_release(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loaded),
      cmocka_unit_test(the_same_everywhere),
      cmocka_unit_test(several_types),
      cmocka_unit_test(options_that_cannot_be),
      cmocka_unit_test(requests_that_cannot_be),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
