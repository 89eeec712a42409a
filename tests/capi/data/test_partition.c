/* Parts of a graph: cut, opened, asked, verified and merged. */
#include "files.h"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* 10 nodes, 3 edges each */
static char folder[PATH_SIZE];
static char parts[PATH_SIZE];

static int set_up(void **state) {
  (void)state;
  ctx = make_context(1);
  ring = make_ring(ctx, 10, 3);
  make_folder(folder);
  join_path(parts, folder, "parts");
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_context_release(ctx);
  remove_folder(folder);
  return 0;
}

static gls_partition_options_t given(const DLTensor *const *owners) {
  gls_partition_options_t options = GLS_PARTITION_OPTIONS_INIT;
  options.method = GLS_PARTITION_GIVEN;
  options.parts = 2;
  options.owners = owners;
  options.num_owners = 1;
  options.overwrite = 1;
  return options;
}

static void expect_ids(gls_tensor_t *tensor, size_t count, const int64_t *expected) {
  assert_int_equal(tensor_elements(tensor), count);
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(id_at(tensor, (int64_t)i), expected[i]);
  }
  gls_tensor_release(tensor);
}

/* Of the numbers of parts, either alone, both, and none. */
static void expect_parts(const gls_dataset_t *dataset, uint32_t expected, size_t size,
                         const int64_t *numbers) {
  uint32_t count = 0;
  gls_tensor_t *here = NULL;
  OK(gls_dataset_parts(dataset, &count, &here, &err));
  assert_int_equal(count, expected);
  assert_int_equal(here->dl_tensor.ndim, 1);
  expect_ids(here, size, numbers);
  here = NULL;
  OK(gls_dataset_parts(dataset, NULL, &here, &err));
  expect_ids(here, size, numbers);
  count = 0;
  OK(gls_dataset_parts(dataset, &count, NULL, &err));
  assert_int_equal(count, expected);
  OK(gls_dataset_parts(dataset, NULL, NULL, NULL));
}

static void there_and_back(void **state) {
  (void)state;
  ID_VIEW(owners, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0);
  const DLTensor *const list[] = {&owners};
  const gls_partition_options_t options = given(list);
  OK(gls_dataset_partition(ring, parts, &options, &err));

  gls_partition_t *partition = NULL;
  OK(gls_partition_open(ctx, parts, &partition, &err));
  gls_partition_info_t info = {sizeof info, 0, 0, NULL, NULL, NULL, 0, 0};
  OK(gls_partition_get_info(partition, &info, &err));
  assert_int_equal(info.parts, 2);
  assert_string_equal(info.method, "given");
  assert_int_equal(strlen(info.graph), 16);
  assert_int_equal(info.num_node_types, 1);
  assert_int_equal(info.num_edge_types, 1);
  gls_partition_type_info_t type = {sizeof type, NULL, NULL, NULL, 0};
  OK(gls_partition_get_type_info(partition, 0, 0, &type, &err));
  assert_int_equal(type.count, 10);
  assert_null(type.source);
  OK(gls_partition_get_type_info(partition, 1, 0, &type, &err));
  assert_int_equal(type.count, 30);
  assert_non_null(type.source);
  FAILS(GLS_ERR_NOT_FOUND, "index", gls_partition_get_type_info(partition, 1, 1, &type, &err));

  ID_VIEW(asked, 9, 1, 4, 4);
  gls_tensor_t *out = NULL;
  OK(gls_partition_owners(partition, NULL, &asked, &out, &err));
  const int32_t *const found = tensor_data(out);
  assert_int_equal(found[0], 0);
  assert_int_equal(found[1], 1);
  assert_int_equal(found[2], 0);
  assert_int_equal(found[3], 0);
  gls_tensor_release(out);
  ID_VIEW(outside, 3, 10);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids",
        gls_partition_owners(partition, NULL, &outside, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, "node_type",
        gls_partition_owners(partition, "none", &asked, &out, &err));

  char path[PATH_SIZE];
  join_path(path, parts, "part-1");
  gls_dataset_t *part = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &part, &err));
  gls_part_info_t which = {sizeof which, 0, 0, NULL};
  OK(gls_dataset_get_part_info(part, &which, &err));
  assert_int_equal(which.number, 1);
  assert_int_equal(which.parts, 2);
  assert_string_equal(which.graph, info.graph);
  expect_parts(part, 2, LIST(1));
  int64_t owned = -1;
  OK(gls_dataset_global_ids(part, NULL, &out, &owned, &err));
  gls_dataset_release(part); /* the tensor keeps it */
  assert_int_equal(owned, 4);
  for (int64_t i = 0; i < owned; ++i) {
    assert_int_equal(id_at(out, i), 2 * i + 1);
  }
  gls_tensor_release(out);
  FAILS(GLS_ERR_UNSUPPORTED, "dataset", gls_dataset_global_ids(ring, NULL, &out, &owned, &err));
  OK(gls_dataset_get_part_info(ring, &which, &err));
  assert_int_equal(which.parts, 0);
  assert_null(which.graph);
  expect_parts(ring, 1, LIST(0));
  uint32_t count = 7;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_dataset_parts(NULL, &count, &out, &err));
  assert_int_equal(count, 7);

  OK(gls_partition_verify(partition, NULL, &err));
  join_path(path, folder, "merged");
  OK(gls_partition_merge(partition, path, NULL, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_partition_merge(partition, path, NULL, &err));
  gls_write_options_t write = GLS_WRITE_OPTIONS_INIT;
  write.layouts = GLS_LAYOUT_CSR;
  FAILS(GLS_ERR_UNSUPPORTED, "options", gls_partition_merge(partition, path, &write, &err));
  gls_dataset_t *merged = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &merged, &err));
  assert_int_equal(gls_dataset_num_edges(merged, NULL), 30);
  gls_dataset_release(merged);
  gls_partition_release(partition);
  gls_partition_release(NULL);
}

static void expect_owners(const gls_dataset_t *dataset, const char *type, const DLTensor *ids,
                          const int32_t *expected) {
  gls_tensor_t *out = NULL;
  OK(gls_dataset_owners(dataset, type, ids, &out, &err));
  assert_int_equal(out->dl_tensor.shape[0], ids->shape[0]);
  assert_int_equal(out->dl_tensor.dtype.code, kDLInt);
  assert_int_equal(out->dl_tensor.dtype.bits, 32);
  assert_memory_equal(tensor_data(out), expected, (size_t)ids->shape[0] * sizeof *expected);
  gls_tensor_release(out);
}
#define OWNERS(dataset, type, ids, ...) \
  expect_owners(dataset, type, ids, (const int32_t[]){__VA_ARGS__})

/* A graph of six users and four items, and the same from the folder of its two parts. */
static gls_dataset_t *open_in_two_parts(gls_dataset_t **likes) {
  *likes = make_bipartite(ctx, 6, 4);
  ID_VIEW(users, 0, 1, 1, 0, 1, 0);
  ID_VIEW(items, 1, 1, 0, 0);
  const DLTensor *const list[] = {&users, &items};
  gls_partition_options_t options = given(list);
  options.num_owners = 2;
  OK(gls_dataset_partition(*likes, parts, &options, &err));
  gls_dataset_t *whole = NULL;
  OK(gls_dataset_open(ctx, parts, NULL, &whole, &err));
  return whole;
}

/* Edges are owned with their targets: found by a book of edges where ids are not positions, and by
 * their ends where they are. */
static void owners_of_the_whole_and_of_a_part(void **state) {
  (void)state;
  gls_dataset_t *likes = NULL;
  gls_dataset_t *const whole = open_in_two_parts(&likes);
  ID_VIEW(some, 3, 0, 2, 2);
  OWNERS(whole, "user", &some, 0, 0, 1, 1);
  OWNERS(whole, "item", &some, 0, 1, 0, 0);
  OWNERS(likes, "item", &some, 0, 0, 0, 0);
  /* Edges of user u are 2 u and 2 u + 1, to the items u % 4 and (u + 1) % 4. */
  ID_VIEW(edges, 0, 1, 2, 3, 4, 5, 6, 7, 11);
  OWNERS(whole, "user__likes__item", &edges, 1, 1, 1, 0, 0, 0, 0, 1, 0);
  OWNERS(whole, "item__rev_likes__user", &edges, 0, 0, 1, 1, 1, 1, 0, 0, 0);
  gls_tensor_t *out = NULL;
  ID_VIEW(beyond, 12);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids",
        gls_dataset_owners(whole, "item__rev_likes__user", &beyond, &out, &err));
  gls_dataset_release(whole);

  char path[PATH_SIZE];
  join_path(path, parts, "part-1"); /* users 1, 2, 4 and items 0, 1; then others that it knows */
  gls_dataset_t *part = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &part, &err));
  OWNERS(part, "user", &some, -1, 1, 1, 1);
  ID_VIEW(last, gls_dataset_num_edges(part, "user__likes__item") - 1, 0);
  OWNERS(part, "user__likes__item", &last, 1, 1);
  gls_dataset_release(part);
  gls_dataset_release(likes);
}

static void expect_share(const gls_dataset_t *dataset, const char *type, const DLTensor *ids,
                         uint32_t rank, uint32_t world_size, const DLTensor *rank_parts,
                         size_t count, const int64_t *expected) {
  gls_tensor_t *out = NULL;
  OK(gls_dataset_share_ids(dataset, type, ids, rank, world_size, rank_parts, &out, &err));
  assert_int_equal(out->dl_tensor.shape[0], count);
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(id_at(out, (int64_t)i), expected[i]);
  }
  gls_tensor_release(out);
}

/* Each trainer has ids of its part, in the order given, as far as its share has room. */
static void shares_of_the_whole_and_of_a_part(void **state) {
  (void)state;
  gls_dataset_t *likes = NULL;
  gls_dataset_t *const whole = open_in_two_parts(&likes);
  ID_VIEW(other_way, 1, 0);
  expect_share(whole, "user", NULL, 0, 2, NULL, LIST(0, 3, 5));
  expect_share(whole, "user", NULL, 1, 2, NULL, LIST(1, 2, 4));
  expect_share(whole, "user", NULL, 0, 2, &other_way, LIST(1, 2, 4));
  ID_VIEW(some, 5, 1, 0, 3, 5);
  expect_share(whole, "user", &some, 0, 2, NULL, LIST(5, 0, 3));
  expect_share(whole, "user", &some, 1, 2, NULL, LIST(1, 5));
  /* By the items that the edges go to: 0 and 1 are of part 1. */
  expect_share(whole, "user__likes__item", NULL, 0, 2, NULL, LIST(3, 4, 5, 6, 10, 11));
  expect_share(likes, "user", &some, 0, 2, NULL, LIST(5, 1, 0));
  gls_tensor_t *out = NULL;
  ID_VIEW(beyond, 0, 2);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank_parts",
        gls_dataset_share_ids(whole, "user", NULL, 0, 2, &beyond, &out, &err));
  gls_dataset_release(whole);

  char path[PATH_SIZE];
  join_path(path, parts, "part-1");
  gls_dataset_t *part = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &part, &err));
  ID_VIEW(of_part, 2, 0, 1);
  expect_share(part, "user", &of_part, 0, 2, NULL, LIST(2, 0));
  gls_dataset_release(part);
  gls_dataset_release(likes);
}

static void rows_of_the_whole_and_of_a_part(void **state) {
  (void)state;
  ID_VIEW(owners, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0);
  const DLTensor *const list[] = {&owners};
  const gls_partition_options_t options = given(list);
  OK(gls_dataset_partition(ring, parts, &options, &err));
  gls_dataset_t *whole = NULL;
  OK(gls_dataset_open(ctx, parts, NULL, &whole, &err));
  ID_VIEW(some, 9, 1, 4, 1);
  gls_tensor_t *out = NULL;
  OK(gls_dataset_rows(whole, NULL, "y", &some, &out, &err));
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(id_at(out, i), 10 * some_values[i]);
  }
  gls_tensor_release(out);
  gls_tensor_t *expected = NULL;
  OK(gls_dataset_rows(whole, RING_TYPE, "f", &some, &out, &err));
  OK(gls_dataset_rows(ring, RING_TYPE, "f", &some, &expected, &err));
  assert_int_equal(out->dl_tensor.ndim, 2);
  assert_int_equal(out->dl_tensor.shape[1], 2);
  assert_memory_equal(tensor_data(out), tensor_data(expected), 8 * sizeof(float));
  gls_tensor_release(out);
  gls_tensor_release(expected);
  gls_dataset_release(whole);

  char path[PATH_SIZE];
  join_path(path, parts, "part-1"); /* in ids of its own: 1, 3, 5, 7, and others without rows */
  gls_dataset_t *part = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &part, &err));
  ID_VIEW(own, 3, 0);
  OK(gls_dataset_rows(part, NULL, "y", &own, &out, &err));
  assert_int_equal(id_at(out, 0), 70);
  assert_int_equal(id_at(out, 1), 10);
  gls_tensor_release(out);
  ID_VIEW(others, 0, 4);
  FAILS(GLS_ERR_NOT_FOUND, "column", gls_dataset_rows(part, NULL, "y", &others, &out, &err));
  gls_dataset_release(part);
}

static void wrong_options(void **state) {
  (void)state;
  ID_VIEW(owners, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0);
  ID_VIEW(few, 0, 1);
  ID_VIEW(large, 0, 1, 0, 1, 0, 2, 0, 1, 0, 0);
  ID_VIEW(negative, 0, 1, 0, 1, 0, -1, 0, 1, 0, 0);
  const DLTensor *list[] = {&owners, &owners};
  gls_partition_options_t options = given(list);
#define REFUSED(code, argument) \
  FAILS(code, argument, gls_dataset_partition(ring, parts, &options, &err))
  options.num_owners = 2;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners");
  options.num_owners = 0;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners");
  options = given(NULL);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners");
  options = given(list);
  list[0] = NULL;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, NULL);
  list[0] = &few;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners");
  list[0] = &large;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners");
  list[0] = &negative;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners");
  list[0] = &owners;
  options.owners_file = "owners";
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners_file");
  options = given(list);
  options.balance_edges = 1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "balance_edges");
  options.balance_edges = 0;
  options.imbalance = 0.1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "imbalance");
  options = given(list);
  options.parts = 0;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "parts");
  options = given(list);
  options.method = 5;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "method");
  options.method = GLS_PARTITION_RANDOM;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "owners");
  options = given(list);
  options.hot_rows = -1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "hot_rows");
  options = given(list);
  options.hot_id_set = "train"; /* of how many? */
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "hot_id_set");
  options.hot_rows = 1;
  options.hot_id_set = "no such set";
  REFUSED(GLS_ERR_NOT_FOUND, "hot_id_set");
  options.hot_id_set = NULL;
  options.hot_max_seeds = 5; /* of what? */
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "hot_max_seeds");
  const int64_t fanouts[] = {3, 0};
  options.num_hot_fanouts = 1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "hot_fanouts");
  options.hot_fanouts = fanouts;
  options.num_hot_fanouts = 2;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "hot_fanouts");
  options.num_hot_fanouts = 1;
  options.hot_max_seeds = -1;
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "hot_max_seeds");
  options.hot_max_seeds = 0;
  options.hot_rows = 0; /* how many? */
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "hot_fanouts");
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options", gls_dataset_partition(ring, parts, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_dataset_partition(ring, NULL, &options, &err));
  gls_partition_t *partition = NULL;
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_partition_open(ctx, folder, &partition, &err));
  assert_null(partition);
}

/* A folder of parts opened as the whole: the same batches, and an error for what it cannot read. */
static void whole_of_parts(void **state) {
  (void)state;
  ID_VIEW(owners, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0);
  const DLTensor *const list[] = {&owners};
  const gls_partition_options_t options = given(list);
  OK(gls_dataset_partition(ring, parts, &options, &err));
  gls_dataset_t *whole = NULL;
  gls_dataset_options_t open = GLS_DATASET_OPTIONS_INIT;
  open.residency = GLS_RESIDENCY_ALL;
  open.verify_checksums = 1;
  OK(gls_dataset_open(ctx, parts, &open, &whole, &err));
  assert_int_equal(gls_dataset_num_nodes(whole, NULL), 10);
  assert_int_equal(gls_dataset_num_edges(whole, NULL), 30);
  gls_edge_type_info_t type = {sizeof type, NULL, NULL, NULL, NULL, 0, 0, 0, 0};
  gls_edge_type_info_t same = {sizeof same, NULL, NULL, NULL, NULL, 0, 0, 0, 0};
  OK(gls_dataset_get_edge_type_info(whole, 0, &type, &err));
  OK(gls_dataset_get_edge_type_info(ring, 0, &same, &err));
  assert_int_equal(type.layouts, same.layouts);
  assert_int_equal(type.index_bits, same.index_bits);
  gls_part_info_t part = {sizeof part, 0, 0, NULL};
  OK(gls_dataset_get_part_info(whole, &part, &err));
  assert_int_equal(part.parts, 0);
  expect_parts(whole, 2, LIST(0, 1));

  gls_dataset_t *const both[] = {ring, whole};
  gls_batch_t *batches[2];
  for (int i = 0; i < 2; ++i) {
    gls_sampler_t *const sampler = make_sampler(both[i], GLS_SAMPLE_EDGE_IDS);
    const int64_t seeds[] = {3, 9, 4};
    batches[i] = sample_ids(sampler, NULL, 3, seeds);
    gls_sampler_release(sampler);
  }
  for (int array = 0; array < 3; ++array) {
    static const int32_t arrays[] = {GLS_BATCH_NODE, GLS_BATCH_ROW, GLS_BATCH_EDGE};
    gls_tensor_t *tensors[2];
    for (int i = 0; i < 2; ++i) {
      OK(gls_batch_tensor(batches[i], arrays[array], NULL, NULL, &tensors[i], &err));
    }
    assert_int_equal(tensor_elements(tensors[0]), tensor_elements(tensors[1]));
    for (int64_t j = 0; j < tensor_elements(tensors[0]); ++j) {
      assert_int_equal(id_at(tensors[0], j), id_at(tensors[1], j));
    }
    gls_tensor_release(tensors[0]);
    gls_tensor_release(tensors[1]);
  }
  gls_batch_release(batches[0]);
  gls_batch_release(batches[1]);

  gls_tensor_t *out = NULL;
  gls_tensor_t *more = NULL;
  for (int32_t array = GLS_ARRAY_CSC_INDPTR; array <= GLS_ARRAY_CSR_EDGE_IDS; ++array) {
    FAILS(GLS_ERR_UNSUPPORTED, "array", gls_dataset_tensor(whole, array, NULL, NULL, &out, &err));
  }
  /* Questions about edges go to the parts. */
  ID_VIEW(ids, 1, 29);
  OK(gls_dataset_find_edges(whole, NULL, &ids, &out, &more, &err));
  expect_ids(out, LIST(2, 2)); /* edge 3 v + j is v + 1 + j -> v, of 10 */
  expect_ids(more, LIST(0, 9));
  ID_VIEW(from, 2, 5);
  ID_VIEW(to, 0, 0);
  OK(gls_dataset_has_edges(whole, NULL, &from, &to, &out, &err));
  assert_int_equal(tensor_elements(out), 2);
  assert_memory_equal(tensor_data(out), "\1\0", 2);
  gls_tensor_release(out);
  for (int32_t way = GLS_DIRECTION_IN; way <= GLS_DIRECTION_OUT; ++way) {
    OK(gls_dataset_degrees(whole, NULL, way, NULL, &out, &err));
    expect_ids(out, LIST(3, 3, 3, 3, 3, 3, 3, 3, 3, 3));
    OK(gls_dataset_degrees(whole, NULL, way, &from, &out, &err));
    expect_ids(out, LIST(3, 3));
  }
  ID_VIEW(beyond, 4, 30);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edges",
        gls_dataset_find_edges(whole, NULL, &beyond, &out, &more, &err));
  char path[PATH_SIZE];
  join_path(path, folder, "saved");
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_save(whole, path, NULL, &err));
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_verify(whole, NULL, &err));
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_partition(whole, path, &options, &err));
  gls_dataset_release(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(there_and_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(owners_of_the_whole_and_of_a_part, set_up, tear_down),
      cmocka_unit_test_setup_teardown(shares_of_the_whole_and_of_a_part, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rows_of_the_whole_and_of_a_part, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_options, set_up, tear_down),
      cmocka_unit_test_setup_teardown(whole_of_parts, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
