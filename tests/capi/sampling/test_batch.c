/* Batches: what they list, what their arrays are, and that arrays are one memory. */
#include "helpers.h"

static gls_context_t *ctx;
static gls_dataset_t *ring;
static gls_dataset_t *bipartite;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  ring = make_ring(ctx, 50, 4);
  bipartite = make_bipartite(ctx, 6, 3);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_dataset_release(bipartite);
  gls_context_release(ctx);
  return 0;
}

static gls_batch_t *loaded(gls_dataset_t *dataset, uint32_t flags) {
  gls_sampler_t *const sampler = make_sampler(dataset, flags);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 5;
  gls_loader_t *const loader = make_loader(sampler, &options);
  OK(gls_loader_seek(loader, 6, &err));
  gls_batch_release(next_batch(loader));
  gls_batch_t *const batch = next_batch(loader);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  return batch;
}

static void info(void **state) {
  (void)state;
  gls_batch_t *const batch = loaded(ring, GLS_SAMPLE_EDGE_IDS);
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  assert_int_equal(info.struct_size, sizeof info);
  assert_int_equal(info.epoch, 6);
  assert_int_equal(info.batch, 1);
  assert_int_equal(info.num_hops, 2);
  assert_true(info.bytes > 0 && info.sample_ns > 0 && info.gather_ns > 0);
  info.struct_size = offsetof(gls_batch_info_t, batch);
  info.batch = 77;
  OK(gls_batch_get_info(batch, &info, &err));
  assert_int_equal(info.batch, 77);
  info.struct_size = 0;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "struct_size", gls_batch_get_info(batch, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batch", gls_batch_get_info(NULL, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_batch_get_info(batch, NULL, &err));
  gls_batch_release(batch);
}

/* Every array that is listed can be had, once, and none that is not. */
static void the_list_is_complete(void **state) {
  (void)state;
  static const uint32_t flags[] = {0, GLS_SAMPLE_EDGE_IDS, GLS_SAMPLE_DISJOINT,
                                   GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_DISJOINT | GLS_SAMPLE_INT32};
  for (size_t f = 0; f < COUNT_OF(flags); ++f) {
    gls_batch_t *const batch = loaded(ring, flags[f]);
    int listed[GLS_BATCH_NEAR_SCORE + 1] = {0};
    const size_t count = gls_batch_num_arrays(batch);
    for (size_t i = 0; i < count; ++i) {
      gls_array_info_t array = {sizeof array, -1, -1, NULL, NULL};
      OK(gls_batch_get_array_info(batch, i, &array, &err));
      assert_in_range(array.array, GLS_BATCH_NODE, GLS_BATCH_NEAR_SCORE);
      const bool of_column =
          array.array == GLS_BATCH_NODE_COLUMN || array.array == GLS_BATCH_EDGE_COLUMN;
      assert_true((array.name != NULL) == of_column);
      ++listed[array.array];
      gls_tensor_release(batch_array(batch, array.array, array.type, array.name));
    }
    const bool edge_ids = (flags[f] & GLS_SAMPLE_EDGE_IDS) != 0;
    const bool disjoint = (flags[f] & GLS_SAMPLE_DISJOINT) != 0;
    const int expected[] = {1, 1, 1, edge_ids, disjoint, 1, 1, 1, 1, 2, edge_ids,
                            0, 0, 0, 0,        0,        0, 0, 0, 0, 0};
    for (int32_t a = 0; a <= GLS_BATCH_NEAR_SCORE; ++a) {
      assert_int_equal(listed[a], expected[a]);
      if (expected[a] == 0) {
        gls_tensor_t *tensor = NULL;
        const char *const name = a == GLS_BATCH_EDGE_COLUMN ? "f" : NULL;
        FAILS(GLS_ERR_NOT_FOUND, NULL, gls_batch_tensor(batch, a, NULL, name, &tensor, &err));
        assert_null(tensor);
      }
    }
    gls_array_info_t array = {sizeof array, -1, -1, NULL, NULL};
    FAILS(GLS_ERR_NOT_FOUND, "index", gls_batch_get_array_info(batch, count, &array, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_batch_get_array_info(batch, 0, NULL, &err));
    assert_int_equal(array.array, -1);
    gls_batch_release(batch);
  }
  assert_int_equal(gls_batch_num_arrays(NULL), 0);
}

static void arrays_are_aligned_writable_and_one_memory(void **state) {
  (void)state;
  gls_batch_t *const batch = loaded(ring, GLS_SAMPLE_EDGE_IDS | GLS_SAMPLE_DISJOINT);
  for (size_t i = 0; i < gls_batch_num_arrays(batch); ++i) {
    gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
    OK(gls_batch_get_array_info(batch, i, &array, &err));
    gls_tensor_t *const one = batch_array(batch, array.array, array.type, array.name);
    gls_tensor_t *const two = batch_array(batch, array.array, NULL, array.name);
    assert_ptr_not_equal(one, two);
    assert_ptr_equal(tensor_data(one), tensor_data(two));
    const size_t alignment = array.array == GLS_BATCH_COL ? 8 : 64;
    if ((uintptr_t)tensor_data(one) % alignment != 0) {
      print_error("array %d is at %p\n", array.array, tensor_data(one));
      fail();
    }
    assert_int_equal(one->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
    assert_non_null(one->dl_tensor.strides);
    assert_int_equal(one->dl_tensor.dtype.lanes, 1);
    memset((void *)tensor_data(one), 0xff, 1); /* allowed */
    gls_tensor_release(one);
    gls_tensor_release(two);
  }
  gls_batch_release(batch);
}

/* Both ends of the edges are one array, whose rows are the arrays of the two ends. */
static void edge_index_is_row_and_col(void **state) {
  (void)state;
  static const uint32_t flags[] = {0, GLS_SAMPLE_INT32, GLS_SAMPLE_DISJOINT,
                                   GLS_SAMPLE_TOWARD_SEEDS};
  for (size_t f = 0; f < COUNT_OF(flags); ++f) {
    gls_batch_t *const batch = loaded(ring, flags[f]);
    gls_tensor_t *const both = batch_array(batch, GLS_BATCH_EDGE_INDEX, NULL, NULL);
    gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, NULL, NULL);
    gls_tensor_t *const col = batch_array(batch, GLS_BATCH_COL, NULL, NULL);
    const int64_t count = row->dl_tensor.shape[0];
    assert_true(count > 0);
    assert_int_equal(both->dl_tensor.ndim, 2);
    assert_int_equal(both->dl_tensor.shape[0], 2);
    assert_int_equal(both->dl_tensor.shape[1], count);
    assert_int_equal(both->dl_tensor.strides[0], count);
    assert_int_equal(both->dl_tensor.strides[1], 1);
    assert_ptr_equal(tensor_data(both), tensor_data(row));
    const int64_t width = both->dl_tensor.dtype.bits / 8;
    assert_ptr_equal((const char *)tensor_data(both) + count * width, tensor_data(col));
    gls_batch_release(batch); /* each array keeps the memory of all three */
    gls_tensor_release(row);
    gls_tensor_release(both);
    memset((void *)tensor_data(col), 0, (size_t)(count * width));
    gls_tensor_release(col);
  }
}

static void arrays_outlive_the_batch(void **state) {
  (void)state;
  gls_batch_t *const batch = loaded(ring, 0);
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  gls_tensor_t *const counts = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
  gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
  gls_batch_release(batch);
  assert_int_equal(id_at(node, 0), 5);
  assert_int_equal(id_at(counts, 0), 5);
  assert_true(((const float *)tensor_data(x))[0] == 5.0f);
  gls_tensor_release(node);
  gls_tensor_release(counts);
  gls_tensor_release(x);
}

static void arrays_that_are_asked_for_wrongly(void **state) {
  (void)state;
  gls_batch_t *const batch = loaded(ring, 0);
  gls_tensor_t *tensor = NULL;
#define ASK(array, type, name) gls_batch_tensor(batch, array, type, name, &tensor, &err)
  FAILS(GLS_ERR_INVALID_ARGUMENT, "array", ASK(-1, NULL, NULL));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "array", ASK(GLS_BATCH_EDGE_INDEX + 1, NULL, NULL));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name", ASK(GLS_BATCH_EDGE_INDEX, NULL, "x"));
  FAILS(GLS_ERR_NOT_FOUND, NULL, ASK(GLS_BATCH_EDGE_INDEX, "node", NULL));
  FAILS(GLS_ERR_NOT_FOUND, NULL, ASK(GLS_BATCH_NODE, RING_TYPE, NULL));
  FAILS(GLS_ERR_NOT_FOUND, NULL, ASK(GLS_BATCH_ROW, "node", NULL));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name", ASK(GLS_BATCH_NODE_COLUMN, NULL, NULL));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name", ASK(GLS_BATCH_NODE, NULL, "x"));
  FAILS(GLS_ERR_NOT_FOUND, NULL, ASK(GLS_BATCH_NODE_COLUMN, NULL, "f"));
  FAILS(GLS_ERR_NOT_FOUND, NULL, ASK(GLS_BATCH_EDGE_COLUMN, NULL, "x"));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_batch_tensor(batch, 0, NULL, NULL, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batch", gls_batch_tensor(NULL, 0, NULL, NULL, &tensor, &err));
#undef ASK
  assert_null(tensor);
  gls_batch_release(batch);
  gls_batch_release(NULL);
}

/* Types that were not reached are there, and empty. */
static void several_types(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(bipartite, GLS_SAMPLE_EDGE_IDS);
  gls_batch_t *batch = NULL;
  const gls_sample_request_t empty = GLS_SAMPLE_REQUEST_INIT;
  OK(gls_sampler_sample(sampler, &empty, &batch, &err));
  static const char *const nodes[] = {"user", "item"};
  static const char *const edges[] = {"user__likes__item", "item__rev_likes__user"};
  for (size_t t = 0; t < 2; ++t) {
    gls_tensor_t *tensor = batch_array(batch, GLS_BATCH_NODE, nodes[t], NULL);
    assert_int_equal(tensor->dl_tensor.ndim, 1);
    assert_int_equal(tensor_elements(tensor), 0);
    gls_tensor_release(tensor);
    EXPECT_IDS(batch, GLS_BATCH_NUM_NODES, nodes[t], 0, 0, 0);
    EXPECT_IDS(batch, GLS_BATCH_NUM_EDGES, edges[t], 0, 0);
    tensor = batch_array(batch, GLS_BATCH_EDGE, edges[t], NULL);
    assert_int_equal(tensor_elements(tensor), 0);
    gls_tensor_release(tensor);
    FAILS(GLS_ERR_NOT_FOUND, NULL,
          gls_batch_tensor(batch, GLS_BATCH_INPUT, nodes[t], NULL, &tensor, &err));
  }
  gls_tensor_t *none = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_batch_tensor(batch, GLS_BATCH_NODE, NULL, NULL, &none, &err)); /* which? */
  gls_batch_release(batch);
  /* Seeds of both types at once. */
  ID_VIEW(users, 5, 0);
  ID_VIEW(items, 2);
  const gls_seed_set_t seeds[] = {{"item", &items}, {"user", &users}};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = seeds;
  request.num_seeds = 2;
  OK(gls_sampler_sample(sampler, &request, &batch, &err));
  gls_tensor_t *tensor = batch_array(batch, GLS_BATCH_NODE, "user", NULL);
  assert_int_equal(id_at(tensor, 0), 5);
  assert_int_equal(id_at(tensor, 1), 0);
  gls_tensor_release(tensor);
  EXPECT_IDS(batch, GLS_BATCH_SEED, "item", 0);
  gls_batch_release(batch);
  gls_sampler_release(sampler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info),
      cmocka_unit_test(the_list_is_complete),
      cmocka_unit_test(arrays_are_aligned_writable_and_one_memory),
      cmocka_unit_test(edge_index_is_row_and_col),
      cmocka_unit_test(arrays_outlive_the_batch),
      cmocka_unit_test(arrays_that_are_asked_for_wrongly),
      cmocka_unit_test(several_types),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
