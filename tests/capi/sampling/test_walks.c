/* Random walks: loaders over them, what a batch of them has, every option that is refused, damage.
 */
#include "graph_fixture.h"
#include "sampling_checks.h"

#define NODES 100
#define DEGREE 5
#define LENGTH 7

static int set_up(void **state) {
  (void)state;
  return set_up_ring_and_shop(3, NODES, DEGREE, 12, 9);
}

static gls_walk_options_t steps(uint32_t length) {
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  walk.length = length;
  return walk;
}
static gls_sampler_options_t walk_options(const gls_walk_options_t *walk, uint32_t flags) {
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.kind = GLS_SAMPLER_WALK;
  options.seed = 7;
  options.flags = flags;
  options.walk = walk;
  return options;
}
static gls_sampler_t *walker(gls_dataset_t *dataset, const gls_walk_options_t *walk,
                             uint32_t flags) {
  const gls_sampler_options_t options = walk_options(walk, flags);
  return create_sampler(dataset, &options);
}

/* Every step is an edge, its id is that of the edge, and columns are those of the nodes met. */
static void loaded_walks(void **state) {
  (void)state;
  gls_walk_options_t walk = steps(LENGTH);
  walk.walks = 3;
  gls_sampler_t *const sampler = walker(ring, &walk, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 16;
  options.flags = GLS_LOADER_SHUFFLE;
  gls_loader_t *const loader = make_loader(sampler, &options);
  int seen[NODES] = {0};
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; gls_batch_release(batch)) {
    gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    gls_tensor_t *const seed = batch_array(batch, GLS_BATCH_SEED, NULL, NULL);
    gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
    gls_tensor_t *const walks = batch_array(batch, GLS_BATCH_WALK, NULL, NULL);
    gls_tensor_t *const edges = batch_array(batch, GLS_BATCH_WALK_EDGE, "node", NULL);
    gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
    gls_tensor_t *const y = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "y");
    gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, NULL, NULL);
    const int64_t seeds = tensor_elements(input);
    assert_int_equal(walks->dl_tensor.ndim, 2);
    assert_int_equal(walks->dl_tensor.shape[0], 3 * seeds);
    assert_int_equal(walks->dl_tensor.shape[1], LENGTH + 1);
    assert_int_equal(edges->dl_tensor.shape[0], 3 * seeds);
    assert_int_equal(edges->dl_tensor.shape[1], LENGTH);
    assert_int_equal(tensor_elements(row), 0);
    assert_int_equal(tensor_elements(counts), 2);
    assert_int_equal(id_at(counts, 0), seeds);
    assert_int_equal(id_at(counts, 0) + id_at(counts, 1), tensor_elements(node));
    assert_int_equal(x->dl_tensor.shape[0], tensor_elements(node));
    assert_int_equal(y->dl_tensor.shape[0], seeds); /* labels are for the seeds */
    gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(gls_batch_get_info(batch, &info, &err));
    assert_int_equal(info.num_hops, 1);
    assert_true(info.bytes >= (uint64_t)tensor_elements(walks) * 8);
    for (int64_t w = 0; w < 3 * seeds; ++w) {
      assert_int_equal(id_at(walks, w * (LENGTH + 1)), id_at(seed, w / 3));
      assert_int_equal(id_at(node, id_at(seed, w / 3)), id_at(input, w / 3));
      seen[id_at(input, w / 3)] += w % 3 == 0;
      for (int64_t s = 0; s < LENGTH; ++s) {
        const int64_t from = id_at(node, id_at(walks, w * (LENGTH + 1) + s));
        const int64_t local = id_at(walks, w * (LENGTH + 1) + s + 1);
        const int64_t edge = id_at(edges, w * LENGTH + s);
        assert_int_equal(edge / DEGREE, from);
        assert_int_equal(id_at(node, local), (from + 1 + edge % DEGREE) % NODES);
        assert_true(((const float *)tensor_data(x))[3 * local] == (float)id_at(node, local));
      }
    }
    RELEASE_TENSORS(input, node, seed, counts, walks, edges, x, y, row);
  }
  for (size_t v = 0; v < NODES; ++v) {
    assert_int_equal(seen[v], 1);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* A loader's batches do not depend on its threads, and are those of the sampler. */
static void the_same_everywhere(void **state) {
  (void)state;
  gls_walk_options_t walk = steps(LENGTH);
  walk.p = 0.5;
  walk.q = 2;
  walk.stop = 0.05;
  gls_sampler_t *const sampler = walker(ring, &walk, GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_INT32);
  expect_same_for_any_workers(sampler, 7);
  gls_sampler_release(sampler);
}

/* A path over two types: columns have the types in turn, and NULL is the type of the seeds. */
static void along_a_path(void **state) {
  (void)state;
  static const char *const path[] = {"user__likes__item", "item__rev_likes__user"};
  gls_walk_options_t walk = steps(4);
  walk.path = path;
  walk.path_length = 2;
  gls_sampler_t *const sampler = walker(shop, &walk, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *loader = make_loader(sampler, &options); /* walks begin at items */
  gls_batch_t *const batch = next_batch(loader);
  gls_tensor_t *const items = batch_array(batch, GLS_BATCH_NODE, "item", NULL);
  gls_tensor_t *const users = batch_array(batch, GLS_BATCH_NODE, "user", NULL);
  gls_tensor_t *const walks = batch_array(batch, GLS_BATCH_WALK, "item", NULL);
  gls_tensor_t *const edges = batch_array(batch, GLS_BATCH_WALK_EDGE, "item", NULL);
  assert_int_equal(walks->dl_tensor.shape[0], 9);
  for (int64_t w = 0; w < 9; ++w) {
    for (int64_t s = 0; s < 4; ++s) {
      const int64_t edge = id_at(edges, 4 * w + s);
      gls_tensor_t *const near = s % 2 == 0 ? items : users;
      gls_tensor_t *const far = s % 2 == 0 ? users : items;
      const int64_t from = id_at(near, id_at(walks, 5 * w + s));
      const int64_t to = id_at(far, id_at(walks, 5 * w + s + 1));
      const int64_t user = edge / 2;
      const int64_t item = (user + edge % 2) % 9;
      assert_int_equal(from, s % 2 == 0 ? item : user);
      assert_int_equal(to, s % 2 == 0 ? user : item);
    }
  }
  gls_tensor_t *none = NULL;
  FAILS(GLS_ERR_NOT_FOUND, "array",
        gls_batch_tensor(batch, GLS_BATCH_WALK, "user", NULL, &none, &err));
  RELEASE_TENSORS(items, users, walks, edges);
  gls_batch_release(batch);
  gls_loader_release(loader);
  loader = NULL;
  options.node_type = "user";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "node_type",
        gls_loader_create(sampler, NULL, &options, &loader, &err));
  options.node_type = NULL;
  options.edge_type = "user__likes__item";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edge_type",
        gls_loader_create(sampler, NULL, &options, &loader, &err));
  gls_sampler_release(sampler);
}

static void options_that_cannot_be(void **state) {
  (void)state;
  gls_sampler_t *sampler = NULL;
#define REFUSED_OF(dataset, code, argument, change)                               \
  do {                                                                            \
    gls_walk_options_t walk = steps(3);                                           \
    gls_sampler_options_t options = walk_options(&walk, 0);                       \
    change;                                                                       \
    FAILS(code, argument, gls_sampler_create(dataset, &options, &sampler, &err)); \
    assert_null(sampler);                                                         \
  } while (0)
#define REFUSED(argument, change) REFUSED_OF(ring, GLS_ERR_INVALID_ARGUMENT, argument, change)
  REFUSED("walk", options.walk = NULL);
  REFUSED("walk", options.kind = GLS_SAMPLER_NEIGHBOR; options.fanouts = kFanouts;
          options.num_fanouts = 1);
  REFUSED("walk", walk.struct_size = 3);
  REFUSED("replace", options.replace = GLS_REPLACE_ALWAYS);
  REFUSED("time_strategy", options.time_strategy = GLS_TIME_LAST);
  REFUSED("length", walk.length = 0);
  REFUSED("length", walk.length = (1 << 20) + 1);
  REFUSED("walks", walk.walks = (1 << 20) + 1);
  REFUSED("p", walk.p = -1);
  REFUSED("p", walk.p = 0.0 / 0.0);
  REFUSED("p", walk.p = 1.0 / 0.0);
  REFUSED("p", walk.p = 1e-310); /* 1/p is infinite */
  REFUSED("q", walk.q = -1);
  REFUSED("q", walk.q = 1.0 / 0.0);
  REFUSED("restart", walk.restart = -0.5);
  REFUSED("restart", walk.restart = 1.5);
  REFUSED("stop", walk.stop = 1.5);
  REFUSED("stop", walk.stop = 0.0 / 0.0);
  REFUSED("path", walk.path_length = 1);
  static const char *const unknown[] = {"a__b__c"};
  REFUSED_OF(ring, GLS_ERR_NOT_FOUND, "path", walk.path = unknown; walk.path_length = 1);
  REFUSED_OF(ring, GLS_ERR_NOT_FOUND, "weight", options.weight = "none");
  REFUSED("weight", options.weight = "f");
  static const char *const path[] = {"user__likes__item", "item__rev_likes__user",
                                     "user__likes__item"};
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "path", (void)0);
  static const char *const broken[] = {"user__likes__item", "user__likes__item"};
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "path", walk.path = broken; walk.path_length = 2);
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "length", walk.path = path; walk.path_length = 3;
             walk.length = 4);
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "restart", walk.path = path; walk.path_length = 2;
             walk.restart = 0.1);
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "p", walk.path = path; walk.path_length = 2;
             walk.p = 2);
  REFUSED_OF(shop, GLS_ERR_INVALID_ARGUMENT, "q", walk.path = path; walk.path_length = 2;
             walk.q = 2);
  REFUSED_OF(shop, GLS_ERR_UNSUPPORTED, "direction", walk.path = path; walk.path_length = 1;
             walk.length = 1; options.direction = GLS_DIRECTION_OUT);
#undef REFUSED
#undef REFUSED_OF
  const gls_walk_options_t walk = steps(3);
  const gls_sampler_options_t options = walk_options(&walk, 0);
  refuse_neighbor_options(ring, &options);
}

static void requests_that_cannot_be(void **state) {
  (void)state;
  gls_walk_options_t walk = steps(1 << 20);
  walk.walks = 1 << 20;
  gls_sampler_t *const sampler = walker(ring, &walk, 0);
  ID_VIEW(ids, 0, 1);
  const gls_seed_set_t seeds = {NULL, &ids};
  const gls_sample_request_t request = seed_request(&seeds);
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, "seeds", gls_sampler_sample(sampler, &request, &batch, &err));
  assert_null(batch);
  refuse_times_and_links(sampler, NULL, NULL);
  gls_sampler_release(sampler);
}

/* Memory that its owner changes after the dataset was built: wrong, but no reason to read outside.
 */
static void damage(void **state) {
  (void)state;
  int64_t indptr[] = {0, 2, 4, 6, 7};
  int32_t indices[] = {1, 2, 0, 2, 0, 3, 2};
  int32_t ids[] = {3, 1, 2, 0, 4, 6, 5};
  const float weights[] = {1, 2, 3, 4, 5, 6, 7};
  gls_dataset_t *const dataset =
      dataset_over(ctx, GLS_LAYOUT_CSC, 4, indptr, indices, ids, weights);
  ID_VIEW(excluded, 0);
  const gls_edge_set_t exclude = {NULL, &excluded};
  for (int way = 0; way < 8; ++way) {
    gls_walk_options_t walk = steps(40);
    walk.walks = 30;
    if ((way & 1) != 0) {
      walk.p = 3;
      walk.q = 0.25;
    }
    gls_sampler_options_t options = walk_options(&walk, GLS_SAMPLE_EDGE_IDS);
    options.weight = (way & 2) != 0 ? "w" : NULL;
    options.exclude = &exclude;
    options.num_exclude = (way & 4) != 0 ? 1 : 0;
    gls_sampler_t *const sampler = create_sampler(dataset, &options);
    ID_VIEW(seed, 0, 1);
    const gls_seed_set_t seeds = {NULL, &seed};
    const gls_sample_request_t request = seed_request(&seeds);
    if ((way & 2) == 0) { /* tables of weights know the rows from when they were made */
      EXPECT_CORRUPT(sampler, &request, indptr[3] = 1 << 20, indptr[3] = 6);
      EXPECT_CORRUPT(sampler, &request, indptr[1] = -4, indptr[1] = 2);
    }
    EXPECT_CORRUPT(sampler, &request, indices[5] = 4, indices[5] = 3);
    EXPECT_CORRUPT(sampler, &request, indices[4] = -1, indices[4] = 0);
    EXPECT_CORRUPT(sampler, &request, ids[6] = 7, ids[6] = 5);
    EXPECT_CORRUPT(sampler, &request, ids[6] = -1, ids[6] = 5);
    expect_sampled(sampler, &request);
    gls_sampler_release(sampler);
  }
  gls_dataset_release(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loaded_walks),
      cmocka_unit_test(the_same_everywhere),
      cmocka_unit_test(along_a_path),
      cmocka_unit_test(options_that_cannot_be),
      cmocka_unit_test(requests_that_cannot_be),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
