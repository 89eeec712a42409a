/* Nodes drawn from budgets: loaders, threads, every option that is refused, damage. */
#include "graph_fixture.h"
#include "sampling_checks.h"

#define NODES 100
#define DEGREE 5

static int set_up(void **state) {
  (void)state;
  return set_up_ring_and_shop(3, NODES, DEGREE, 12, 9);
}

static const int64_t kFourTwo[] = {4, 2};
static const gls_node_samples_t kForAll = {NULL, kFourTwo, 2};

static gls_hgt_options_t hgt_of(const gls_node_samples_t *samples, size_t count) {
  gls_hgt_options_t hgt = GLS_HGT_OPTIONS_INIT;
  hgt.samples = samples;
  hgt.num_samples = count;
  return hgt;
}
static gls_sampler_options_t options_of(const gls_hgt_options_t *hgt) {
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.kind = GLS_SAMPLER_HGT;
  options.seed = 7;
  options.hgt = hgt;
  return options;
}

static void loaded(void **state) {
  (void)state;
  const gls_hgt_options_t hgt = hgt_of(&kForAll, 1);
  for (int round = 0; round < 2; ++round) {
    gls_sampler_options_t options = options_of(&hgt);
    options.flags = GLS_SAMPLE_EDGE_IDS | (round == 0 ? 0u : GLS_SAMPLE_INT32);
    gls_sampler_t *const sampler = create_sampler(ring, &options);
    gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
    loading.batch_size = 16;
    loading.flags = GLS_LOADER_SHUFFLE;
    gls_loader_t *const loader = make_loader(sampler, &loading);
    uint64_t number = 0;
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
      gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
      gls_tensor_t *const edges = batch_array(batch, GLS_BATCH_NUM_EDGES, NULL, NULL);
      gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
      gls_tensor_t *const seed = batch_array(batch, GLS_BATCH_SEED, NULL, NULL);
      gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, NULL, NULL);
      gls_tensor_t *const col = batch_array(batch, GLS_BATCH_COL, NULL, NULL);
      gls_tensor_t *const edge = batch_array(batch, GLS_BATCH_EDGE, NULL, NULL);
      gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
      assert_int_equal(tensor_elements(counts), 3);
      assert_int_equal(id_at(counts, 0), number < 6 ? 16 : 4);
      assert_int_equal(id_at(counts, 1), 4);
      assert_int_equal(id_at(counts, 2), 2);
      assert_int_equal(tensor_elements(seed), id_at(counts, 0));
      assert_int_equal(tensor_elements(node), id_at(counts, 0) + 6);
      assert_int_equal(x->dl_tensor.shape[0], tensor_elements(node));
      assert_int_equal(tensor_elements(edges), 1);
      assert_int_equal(id_at(edges, 0), tensor_elements(row));
      assert_true(tensor_elements(row) > 0);
      for (int64_t i = 0; i < tensor_elements(row); ++i) {
        const int64_t target = id_at(node, id_at(col, i));
        const int64_t source = id_at(node, id_at(row, i));
        assert_int_equal(id_at(edge, i) / DEGREE, target);
        assert_int_equal((target + 1 + id_at(edge, i) % DEGREE) % NODES, source);
      }
      gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
      OK(gls_batch_get_info(batch, &info, &err));
      assert_int_equal(info.num_hops, 2);
      gls_batch_t *again = NULL;
      OK(gls_loader_sample(loader, 0, number++, &again, &err));
      assert_true(batch_digest(again) == batch_digest(batch));
      gls_batch_release(again);
      RELEASE_TENSORS(counts, edges, node, seed, row, col, edge, x);
    }
    assert_int_equal(number, 7);
    gls_loader_release(loader);
    gls_sampler_release(sampler);
  }
}

/* A loader's batches depend neither on its threads nor on where it goes on. */
static void the_same_everywhere(void **state) {
  (void)state;
  const gls_hgt_options_t hgt = hgt_of(&kForAll, 1);
  const gls_sampler_options_t options = options_of(&hgt);
  uint64_t expected[7] = {0};
  for (uint32_t threads = 1; threads <= 4; ++threads) {
    gls_context_t *const own = make_context(threads);
    gls_dataset_t *const dataset = make_ring(own, NODES, DEGREE);
    gls_sampler_t *const sampler = create_sampler(dataset, &options);
    gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
    loading.batch_size = 16;
    gls_loader_t *loader = make_loader(sampler, &loading);
    for (size_t b = 0; b < COUNT_OF(expected); ++b) {
      if (b == threads) {
        char saved[GLS_LOADER_STATE_MAX];
        OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
        gls_loader_release(loader);
        loader = make_loader(sampler, &loading);
        OK(gls_loader_restore(loader, saved, &err));
      }
      gls_batch_t *const batch = next_batch(loader);
      const uint64_t digest = batch_digest(batch);
      assert_true(threads == 1 || digest == expected[b]);
      expected[b] = digest;
      gls_batch_release(batch);
    }
    gls_loader_release(loader);
    gls_sampler_release(sampler);
    gls_dataset_release(dataset);
    gls_context_release(own);
  }
}

/* Padded batches have one shape. */
static void padded(void **state) {
  (void)state;
  const gls_hgt_options_t hgt = hgt_of(&kForAll, 1);
  const gls_sampler_options_t options = options_of(&hgt);
  gls_sampler_t *const sampler = create_sampler(ring, &options);
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 10;
  loading.pad = &pad;
  gls_loader_t *const loader = make_loader(sampler, &loading);
  int64_t rows = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    assert_true(rows == 0 || rows == tensor_elements(node));
    rows = tensor_elements(node);
    gls_tensor_release(node);
  }
  assert_true(rows > 16);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static void several_types(void **state) {
  (void)state;
  static const int64_t users[] = {3, 0};
  static const int64_t items[] = {2, 2};
  const gls_node_samples_t samples[] = {{"user", users, 2}, {"item", items, 2}};
  const gls_hgt_options_t hgt = hgt_of(samples, 2);
  gls_sampler_options_t options = options_of(&hgt);
  gls_sampler_t *const sampler = create_sampler(shop, &options);
  ID_VIEW(own, 0, 1);
  ID_VIEW(others, 5);
  const gls_seed_set_t seeds[] = {{"item", &others}, {"user", &own}};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = seeds;
  request.num_seeds = 2;
  gls_batch_t *batch = NULL;
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  EXPECT_IDS(batch, GLS_BATCH_SEED, "user", 0, 1);
  EXPECT_IDS(batch, GLS_BATCH_SEED, "item", 0);
  gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, "user", NULL);
  assert_int_equal(id_at(counts, 0), 2);
  assert_int_equal(id_at(counts, 2), 0);
  gls_tensor_release(counts);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

static void options_that_cannot_be(void **state) {
  (void)state;
  static const int64_t bad[] = {1, -2};
  static const int64_t large[] = {1, (1 << 28) + 1};
  static int64_t many[256];
  const gls_supervision_t supervision = {"node__to__node", NULL, NULL, 0, 0, 0, 0};
  const gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  gls_sampler_t *sampler = NULL;
#define REFUSED_OF(dataset, status, argument, change)                               \
  do {                                                                              \
    gls_node_samples_t samples[] = {kForAll, {"user", kFourTwo, 2}};                \
    gls_hgt_options_t hgt = hgt_of(samples, 1);                                     \
    gls_sampler_options_t options = options_of(&hgt);                               \
    change;                                                                         \
    FAILS(status, argument, gls_sampler_create(dataset, &options, &sampler, &err)); \
    assert_null(sampler);                                                           \
  } while (0)
#define REFUSED(argument, change) REFUSED_OF(ring, GLS_ERR_INVALID_ARGUMENT, argument, change)
  REFUSED("hgt", options.hgt = NULL);
  REFUSED("hgt", options.kind = GLS_SAMPLER_NEIGHBOR);
  REFUSED("walk", options.walk = &walk);
  REFUSED("samples", hgt.num_samples = 0);
  REFUSED("samples", hgt.samples = NULL);
  REFUSED("samples", samples[0].num_hops = 0);
  REFUSED("samples[].per_hop", samples[0].per_hop = NULL);
  REFUSED("samples", samples[0].per_hop = bad);
  REFUSED("samples", samples[0].per_hop = large);
  REFUSED("samples", samples[0].per_hop = many; samples[0].num_hops = 256);
  REFUSED_OF(ring, GLS_ERR_NOT_FOUND, "samples", samples[0].node_type = "person");
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "samples", samples[0].node_type = "user");
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "samples", samples[0] = samples[1];
             hgt.num_samples = 2);
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "samples", samples[1].num_hops = 1;
             hgt.num_samples = 2);
  REFUSED("most_neighbors", hgt.most_neighbors = (1u << 28) + 1);
  REFUSED_OF(ring, GLS_ERR_UNSUPPORTED, NULL, hgt.reserved = 1);
  REFUSED_OF(shop, GLS_ERR_UNSUPPORTED, "direction", options.direction = GLS_DIRECTION_OUT);
  REFUSED("weight", options.weight = "w");
  REFUSED("subgraph", options.subgraph = GLS_SUBGRAPH_BIDIRECTIONAL);
  REFUSED("pick", options.pick = GLS_PICK_LAYER);
  REFUSED("supervisions", options.supervisions = &supervision; options.num_supervisions = 1);
#undef REFUSED
#undef REFUSED_OF
  const gls_hgt_options_t hgt = hgt_of(&kForAll, 1);
  const gls_sampler_options_t options = options_of(&hgt);
  refuse_neighbor_options(ring, &options);
}

static void requests_that_cannot_be(void **state) {
  (void)state;
  const gls_hgt_options_t hgt = hgt_of(&kForAll, 1);
  const gls_sampler_options_t options = options_of(&hgt);
  gls_sampler_t *const sampler = create_sampler(shop, &options);
  ID_VIEW(far, 0, 100);
  const gls_seed_set_t seeds = {"user", &far};
  const gls_sample_request_t request = seed_request(&seeds);
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds", gls_sampler_sample(sampler, &request, &batch, &err));
  assert_null(batch);
  refuse_times_and_links(sampler, "user", "user__likes__item");
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 2;
  loading.edge_type = "user__likes__item";
  gls_loader_t *loader = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edge_type",
        gls_loader_create(sampler, NULL, &loading, &loader, &err));
  assert_null(loader);
  gls_sampler_release(sampler);
}

/* Memory that its owner changes after the dataset was built: wrong, but no reason to read outside.
 */
static void damage(void **state) {
  (void)state;
  int64_t indptr[] = {0, 2, 4, 6, 7};
  int32_t indices[] = {1, 2, 0, 2, 0, 3, 2};
  gls_dataset_t *const dataset = dataset_over(ctx, GLS_LAYOUT_CSC, 4, indptr, indices, NULL, NULL);
  const int64_t all[] = {-1, -1, -1};
  const gls_node_samples_t samples = {NULL, all, 3};
  gls_hgt_options_t hgt = hgt_of(&samples, 1);
  for (uint32_t most = 0; most < 2; ++most) {
    hgt.most_neighbors = most;
    const gls_sampler_options_t options = options_of(&hgt);
    gls_sampler_t *const sampler = create_sampler(dataset, &options);
    ID_VIEW(seed, 0, 1, 2);
    const gls_seed_set_t seeds = {NULL, &seed};
    const gls_sample_request_t request = seed_request(&seeds);
    EXPECT_CORRUPT(sampler, &request, indptr[3] = 1 << 20, indptr[3] = 6);
    EXPECT_CORRUPT(sampler, &request, indptr[1] = -4, indptr[1] = 2);
    EXPECT_CORRUPT(sampler, &request, indices[4] = 4; indices[5] = 4, indices[4] = 0;
                   indices[5] = 3);
    EXPECT_CORRUPT(sampler, &request, indices[4] = -1; indices[5] = -1, indices[4] = 0;
                   indices[5] = 3);
    expect_sampled(sampler, &request);
    gls_sampler_release(sampler);
  }
  gls_dataset_release(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loaded),
      cmocka_unit_test(the_same_everywhere),
      cmocka_unit_test(padded),
      cmocka_unit_test(several_types),
      cmocka_unit_test(options_that_cannot_be),
      cmocka_unit_test(requests_that_cannot_be),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
