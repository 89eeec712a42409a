/* Datasets: what they say about themselves, their arrays, keys, saving, opening and verifying. */
#include "files.h"

static gls_context_t *ctx;
static char folder[PATH_SIZE];
static char path[PATH_SIZE];

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  make_folder(folder);
  join_path(path, folder, "graph");
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  remove_folder(folder);
  gls_context_release(ctx);
  return 0;
}

static gls_tensor_t *array_of(const gls_dataset_t *dataset, int32_t array, const char *type,
                              const char *name) {
  gls_tensor_t *out = NULL;
  OK(gls_dataset_tensor(dataset, array, type, name, &out, &err));
  assert_int_not_equal(out->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
  return out;
}

/* ---- description ------------------------------------------------------------------------------
 */

static void check_description(const gls_dataset_t *dataset) {
  assert_int_equal(gls_dataset_num_node_types(dataset), 1);
  assert_int_equal(gls_dataset_num_edge_types(dataset), 1);
  assert_int_equal(gls_dataset_num_nodes(dataset, "node"), 10);
  assert_int_equal(gls_dataset_num_nodes(dataset, NULL), 10);
  assert_int_equal(gls_dataset_num_nodes(dataset, "nodes"), -1);
  assert_int_equal(gls_dataset_num_edges(dataset, RING_TYPE), 30);
  assert_int_equal(gls_dataset_num_edges(dataset, NULL), 30);
  assert_int_equal(gls_dataset_num_edges(dataset, "node"), -1);

  gls_node_type_info_t node = {sizeof node, NULL, 0, 0, 0, 0, 0};
  OK(gls_dataset_get_node_type_info(dataset, 0, &node, &err));
  assert_string_equal(node.name, "node");
  assert_int_equal(node.num_nodes, 10);
  assert_int_equal(node.num_columns, 2);
  assert_int_equal(node.num_id_sets, 1);
  assert_int_equal(node.has_keys, 0);

  gls_edge_type_info_t edge;
  memset(&edge, 0, sizeof edge);
  edge.struct_size = sizeof edge;
  OK(gls_dataset_get_edge_type_info(dataset, 0, &edge, &err));
  assert_string_equal(edge.name, RING_TYPE);
  assert_string_equal(edge.source, "node");
  assert_string_equal(edge.relation, "to");
  assert_string_equal(edge.target, "node");
  assert_int_equal(edge.num_edges, 30);
  assert_int_equal(edge.num_columns, 2);
  assert_int_equal(edge.layouts, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
  assert_true(edge.index_bits == 32 || edge.index_bits == 64);

  gls_column_info_t column;
  memset(&column, 0, sizeof column);
  column.struct_size = sizeof column;
  OK(gls_dataset_get_node_column_info(dataset, "node", 0, &column, &err));
  assert_string_equal(column.name, "x");
  assert_int_equal(column.role, GLS_ROLE_FEATURE);
  assert_int_equal(column.dtype.code, kDLFloat);
  assert_int_equal(column.ndim, 2);
  assert_int_equal(column.shape[0], 10);
  assert_int_equal(column.shape[1], 3);
  assert_true(column.row_stride >= 12);
  OK(gls_dataset_get_node_column_info(dataset, NULL, 1, &column, &err));
  assert_string_equal(column.name, "y");
  assert_int_equal(column.role, GLS_ROLE_LABEL);
  assert_int_equal(column.ndim, 1);
  OK(gls_dataset_get_edge_column_info(dataset, NULL, 0, &column, &err));
  assert_string_equal(column.name, "w");
  assert_int_equal(column.role, GLS_ROLE_WEIGHT);
  OK(gls_dataset_get_edge_column_info(dataset, RING_TYPE, 1, &column, &err));
  assert_string_equal(column.name, "f");

  gls_id_set_info_t set = {sizeof set, NULL, 0};
  OK(gls_dataset_get_id_set_info(dataset, "node", 0, &set, &err));
  assert_string_equal(set.name, "train");
  assert_int_equal(set.num_ids, 5);
}

static void a_dataset_describes_itself(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 10, 3);
  check_description(dataset);
  gls_dataset_release(dataset);
}

static void what_does_not_exist(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 10, 3);
  gls_node_type_info_t node = {sizeof node, "kept", 0, 0, 0, 0, 0};
  gls_edge_type_info_t edge;
  gls_column_info_t column;
  gls_id_set_info_t set = {sizeof set, NULL, 0};
  memset(&edge, 0, sizeof edge);
  memset(&column, 0, sizeof column);
  edge.struct_size = sizeof edge;
  column.struct_size = sizeof column;
  FAILS(GLS_ERR_NOT_FOUND, "index", gls_dataset_get_node_type_info(dataset, 1, &node, &err));
  FAILS(GLS_ERR_NOT_FOUND, "index", gls_dataset_get_node_type_info(dataset, SIZE_MAX, &node, &err));
  FAILS(GLS_ERR_NOT_FOUND, "index", gls_dataset_get_edge_type_info(dataset, 1, &edge, &err));
  FAILS(GLS_ERR_NOT_FOUND, "index",
        gls_dataset_get_node_column_info(dataset, NULL, 2, &column, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_get_node_column_info(dataset, "a", 0, &column, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_get_edge_column_info(dataset, "a__b__c", 0, &column, &err));
  FAILS(GLS_ERR_NOT_FOUND, "index", gls_dataset_get_id_set_info(dataset, NULL, 1, &set, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_dataset_get_node_type_info(NULL, 0, &node, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_get_edge_type_info(dataset, 0, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out",
        gls_dataset_get_node_column_info(dataset, NULL, 0, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out",
        gls_dataset_get_edge_column_info(dataset, NULL, 0, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_get_id_set_info(dataset, NULL, 0, NULL, &err));
  node.struct_size = 0;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "struct_size",
        gls_dataset_get_node_type_info(dataset, 0, &node, &err));
  assert_string_equal(node.name, "kept");
  assert_int_equal(gls_dataset_num_node_types(NULL), 0);
  assert_int_equal(gls_dataset_num_edge_types(NULL), 0);
  assert_int_equal(gls_dataset_num_nodes(NULL, NULL), -1);
  assert_int_equal(gls_dataset_num_edges(NULL, NULL), -1);
  gls_dataset_release(dataset);
}

static void null_names_only_the_only_type(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_bipartite(ctx, 6, 3);
  assert_int_equal(gls_dataset_num_node_types(dataset), 2);
  assert_int_equal(gls_dataset_num_edge_types(dataset), 2);
  assert_int_equal(gls_dataset_num_nodes(dataset, NULL), -1);
  assert_int_equal(gls_dataset_num_edges(dataset, NULL), -1);
  assert_int_equal(gls_dataset_num_nodes(dataset, "user"), 6);
  assert_int_equal(gls_dataset_num_nodes(dataset, "item"), 3);
  assert_int_equal(gls_dataset_num_edges(dataset, "item__rev_likes__user"), 12);
  gls_tensor_t *tensor = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_CSC_INDPTR, NULL, NULL, &tensor, &err));
  FAILS(
      GLS_ERR_NOT_FOUND, NULL,
      gls_dataset_tensor(dataset, GLS_ARRAY_CSR_INDPTR, "user__likes__item", NULL, &tensor, &err));
  assert_null(tensor);
  gls_dataset_release(dataset);
}

/* ---- arrays -----------------------------------------------------------------------------------
 */

static void arrays_are_given_out_without_a_copy(void **state) {
  (void)state;
  const int64_t indptr[] = {0, 2, 3, 3};
  const int64_t indices[] = {1, 2, 0};
  const float x[] = {1, 2, 3};
  const int64_t y[] = {2, 0};
  const int64_t four = 4;
  const int64_t three = 3;
  const int64_t two = 2;
  atomic_int released = 0;
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_topology(builder, "a__b__a", GLS_LAYOUT_CSC,
                              wrapped((void *)indptr, kInt64, 1, &four, &released),
                              wrapped((void *)indices, kInt64, 1, &three, &released), NULL, &err));
  OK(gls_builder_add_node_column(builder, "a", "x", GLS_ROLE_FEATURE,
                                 wrapped((void *)x, kFloat32, 1, &three, &released), &err));
  OK(gls_builder_add_edge_column(builder, "a__b__a", "w", GLS_ROLE_WEIGHT,
                                 wrapped((void *)x, kFloat32, 1, &three, &released), &err));
  OK(gls_builder_add_id_set(builder, "a", "train", wrapped((void *)y, kInt64, 1, &two, &released),
                            &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  static const struct {
    int32_t array;
    const char *type;
    const char *name;
  } asked[] = {
      {GLS_ARRAY_CSC_INDPTR, "a__b__a", NULL}, {GLS_ARRAY_CSC_INDICES, NULL, NULL},
      {GLS_ARRAY_NODE_COLUMN, "a", "x"},       {GLS_ARRAY_EDGE_COLUMN, NULL, "w"},
      {GLS_ARRAY_ID_SET, NULL, "train"},
  };
  const void *const expected[] = {indptr, indices, x, x, y};
  gls_tensor_t *tensors[COUNT_OF(asked)];
  for (size_t i = 0; i < COUNT_OF(asked); ++i) {
    tensors[i] = array_of(dataset, asked[i].array, asked[i].type, asked[i].name);
    assert_ptr_equal(tensor_data(tensors[i]), expected[i]);
  }
  gls_tensor_t *none = NULL;
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_CSC_EDGE_IDS, NULL, NULL, &none, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_CSR_INDICES, NULL, NULL, &none, &err));
  /* They keep the dataset alive, and the dataset what it was made of. */
  gls_dataset_release(dataset);
  assert_int_equal(atomic_load(&released), 0);
  assert_int_equal(((const int64_t *)tensor_data(tensors[1]))[2], 0);
  for (size_t i = 0; i < COUNT_OF(asked); ++i) {
    gls_tensor_release(tensors[i]);
  }
  assert_int_equal(atomic_load(&released), 5);
}

static void sorted_edges(void **state) {
  (void)state;
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(2, 0, 1, 0), IDS32(1, 1, 0, 1), NULL, &err));
  gls_dataset_t *const dataset = finish_builder(builder, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
  static const int64_t expected[6][4] = {
      {0, 1, 4, 4}, {1, 2, 0, 0}, {2, 0, 1, 3}, {0, 2, 3, 4}, {1, 1, 0, 1}, {1, 3, 2, 0},
  };
  for (int32_t i = 0; i < 6; ++i) {
    gls_tensor_t *const tensor = array_of(dataset, GLS_ARRAY_CSC_INDPTR + i, NULL, NULL);
    assert_int_equal(tensor_elements(tensor), 4);
    for (int64_t j = 0; j < 4; ++j) {
      assert_int_equal(id_at(tensor, j), expected[i][j]);
    }
    gls_tensor_release(tensor);
  }
  gls_dataset_release(dataset);
}

static void arrays_that_do_not_exist(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 10, 3);
  gls_tensor_t *out = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "array", gls_dataset_tensor(dataset, -1, NULL, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "array", gls_dataset_tensor(dataset, 9, NULL, NULL, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_NODE_COLUMN, NULL, "w", &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_NODE_COLUMN, NULL, NULL, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_EDGE_COLUMN, NULL, "x", &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_ID_SET, NULL, "valid", &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_CSC_INDICES, "node", NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset",
        gls_dataset_tensor(NULL, GLS_ARRAY_ID_SET, NULL, "train", &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out",
        gls_dataset_tensor(dataset, GLS_ARRAY_ID_SET, NULL, "train", NULL, &err));
  assert_null(out);
  gls_dataset_release(dataset);
}

/* ---- original ids -----------------------------------------------------------------------------
 */

static gls_dataset_t *keyed(int32_t ids, const char *edges) {
  char file[PATH_SIZE];
  join_path(file, folder, "edges.txt");
  write_text(file, edges);
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t type = GLS_NODE_TYPE_OPTIONS_INIT;
  type.ids = ids;
  gls_text_options_t options = GLS_TEXT_OPTIONS_INIT;
  options.header = GLS_HEADER_NO;
  OK(gls_builder_add_node_type(builder, "a", &type, &err));
  OK(gls_builder_add_edges_text(builder, "a__b__a", file, &options, &err));
  return finish_builder(builder, 0);
}

static void check_keys(const gls_dataset_t *dataset, size_t count, const char *const *keys) {
  gls_node_type_info_t info = {sizeof info, NULL, 0, 0, 0, 0, 0};
  OK(gls_dataset_get_node_type_info(dataset, 0, &info, &err));
  assert_int_equal(info.has_keys, 1);
  assert_int_equal(info.num_nodes, count);
  for (size_t v = 0; v < count; ++v) {
    char text[64];
    size_t length = 0;
    OK(gls_dataset_node_key(dataset, "a", (int64_t)v, text, sizeof text, &length, &err));
    assert_string_equal(text, keys[v]);
    assert_int_equal(length, strlen(keys[v]));
    int64_t node = -1;
    OK(gls_dataset_find_node(dataset, NULL, keys[v], &node, &err));
    assert_int_equal(node, v);
  }
}

static void text_keys(void **state) {
  (void)state;
  static const char *const keys[] = {"Zoe", "ana", "bob", "\xc3\xa9va"};
  gls_dataset_t *const dataset = keyed(GLS_IDS_STRING, "bob,ana\nZoe,bob\n\xc3\xa9va,ana\n");
  check_keys(dataset, COUNT_OF(keys), keys);
  int64_t node = 77;
  char text[8] = "kept";
  size_t length = 0;
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_find_node(dataset, NULL, "bo", &node, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_find_node(dataset, NULL, "", &node, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_find_node(dataset, "b", "bob", &node, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "key", gls_dataset_find_node(dataset, NULL, NULL, &node, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_find_node(dataset, NULL, "bob", NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_dataset_node_key(dataset, NULL, 4, text, sizeof text, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_dataset_node_key(dataset, NULL, -1, text, sizeof text, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "capacity",
        gls_dataset_node_key(dataset, NULL, 3, text, 4, &length, &err));
  assert_int_equal(length, 4);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "capacity",
        gls_dataset_node_key(dataset, NULL, 3, NULL, 0, &length, &err));
  assert_int_equal(node, 77);
  assert_string_equal(text, "kept");
  /* They survive being saved. */
  OK(gls_dataset_save(dataset, path, NULL, &err));
  gls_dataset_release(dataset);
  gls_dataset_t *again = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &again, &err));
  check_keys(again, COUNT_OF(keys), keys);
  OK(gls_dataset_verify(again, NULL, &err));
  gls_dataset_release(again);
}

static void integer_keys(void **state) {
  (void)state;
  static const char *const keys[] = {"-9223372036854775808", "-3", "20", "9223372036854775807"};
  gls_dataset_t *const dataset =
      keyed(GLS_IDS_INTEGER, "20 -3\n9223372036854775807 20\n-9223372036854775808 -3\n");
  check_keys(dataset, COUNT_OF(keys), keys);
  int64_t node = 77;
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_find_node(dataset, NULL, "21", &node, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_find_node(dataset, NULL, "twenty", &node, &err));
  assert_int_equal(node, 77);
  gls_dataset_release(dataset);
}

static void no_keys(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 4, 1);
  int64_t node = 77;
  char text[8];
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_find_node(dataset, NULL, "1", &node, &err));
  FAILS(GLS_ERR_UNSUPPORTED, NULL,
        gls_dataset_node_key(dataset, NULL, 1, text, sizeof text, NULL, &err));
  gls_dataset_release(dataset);
}

/* ---- folders ----------------------------------------------------------------------------------
 */

static uint64_t digest_of_samples(gls_dataset_t *dataset) {
  gls_sampler_t *const sampler = make_sampler(dataset, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 3;
  gls_loader_t *const loader = make_loader(sampler, &options);
  uint64_t digests[8];
  const size_t count = drain(loader, digests, 8);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  return hash_bytes(count, digests, count * sizeof *digests);
}

static void a_saved_dataset_is_the_same(void **state) {
  (void)state;
  gls_dataset_t *const made = make_ring(ctx, 10, 3);
  const uint64_t expected = digest_of_samples(made);
  OK(gls_dataset_save(made, path, NULL, &err));
  gls_dataset_release(made);
  for (int32_t residency = GLS_RESIDENCY_MAPPED; residency <= GLS_RESIDENCY_ALL; ++residency) {
    gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
    options.residency = residency;
    options.verify_checksums = 1;
    gls_dataset_t *opened = NULL;
    OK(gls_dataset_open(ctx, path, &options, &opened, &err));
    check_description(opened);
    OK(gls_dataset_verify(opened, NULL, &err));
    assert_true(digest_of_samples(opened) == expected);
    gls_dataset_release(opened);
  }
}

static void saving_over_something(void **state) {
  (void)state;
  gls_dataset_t *const first = make_ring(ctx, 10, 3);
  gls_dataset_t *const second = make_ring(ctx, 20, 1);
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  OK(gls_dataset_save(first, path, &options, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_dataset_save(second, path, &options, &err));
  gls_dataset_t *opened = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &opened, &err));
  options.overwrite = 1;
  options.compact_rows = 1;
  OK(gls_dataset_save(second, path, &options, &err));
  check_description(opened); /* the old files stay mapped */
  gls_dataset_release(opened);
  OK(gls_dataset_open(ctx, path, NULL, &opened, &err));
  assert_int_equal(gls_dataset_num_nodes(opened, NULL), 20);
  gls_dataset_release(opened);
  gls_dataset_release(first);
  gls_dataset_release(second);
}

static void some_of_the_layouts(void **state) {
  (void)state;
  gls_dataset_t *const made = make_ring(ctx, 10, 3);
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.layouts = GLS_LAYOUT_CSR;
  OK(gls_dataset_save(made, path, &options, &err));
  gls_dataset_t *opened = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &opened, &err));
  gls_edge_type_info_t edge;
  memset(&edge, 0, sizeof edge);
  edge.struct_size = sizeof edge;
  OK(gls_dataset_get_edge_type_info(opened, 0, &edge, &err));
  assert_int_equal(edge.layouts, GLS_LAYOUT_CSR);
  options.layouts = GLS_LAYOUT_CSC;
  options.overwrite = 1;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_save(opened, path, &options, &err));
  options.layouts = GLS_LAYOUT_CSC | GLS_LAYOUT_CSR; /* none is left out in silence */
  gls_error_t *err = NULL;
  assert_int_equal(gls_dataset_save(opened, path, &options, &err), GLS_ERR_UNSUPPORTED);
  assert_string_equal(gls_error_detail(err, "argument"), "layouts");
  assert_string_equal(gls_error_detail(err, "type"), "node__to__node");
  assert_non_null(strstr(gls_error_message(err), "CSC"));
  gls_error_release(err);
  options.layouts = 0; /* those it has */
  OK(gls_dataset_save(opened, path, &options, &err));
  options.layouts = 4;
  FAILS(GLS_ERR_UNSUPPORTED, "layouts", gls_dataset_save(made, path, &options, &err));
  gls_dataset_release(opened);
  gls_dataset_release(made);
}

struct stop {
  int calls;
  int stop_at;
};
static int32_t stop_at(void *user_data, const char *stage, uint64_t done, uint64_t total,
                       const char *unit) {
  struct stop *const stop = user_data;
  assert_true(stop->stop_at == 0 || stop->calls < stop->stop_at); /* never after it said stop */
  assert_non_null(stage);
  assert_non_null(unit);
  assert_true(total == 0 || done <= total);
  return ++stop->calls == stop->stop_at ? 1 : 0;
}

static void progress_may_end_a_call(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 10, 3);
  struct stop stop = {0, 0};
  gls_write_options_t write = GLS_WRITE_OPTIONS_INIT;
  write.progress = stop_at;
  write.progress_user_data = &stop;
  OK(gls_dataset_save(dataset, path, &write, &err));
  assert_true(stop.calls > 0);
  remove_folder(path);
  stop = (struct stop){0, 1};
  FAILS(GLS_ERR_CANCELED, NULL, gls_dataset_save(dataset, path, &write, &err));
  assert_false(file_exists(path));
  assert_int_equal(rmdir(folder), 0); /* nothing was left behind */
  assert_int_equal(mkdir(folder, 0700), 0);
  gls_verify_options_t verify = GLS_VERIFY_OPTIONS_INIT;
  verify.progress = stop_at;
  verify.progress_user_data = &stop;
  stop = (struct stop){0, 0};
  OK(gls_dataset_verify(dataset, &verify, &err));
  stop = (struct stop){0, 1};
  FAILS(GLS_ERR_CANCELED, NULL, gls_dataset_verify(dataset, &verify, &err));
  gls_dataset_release(dataset);
}

static void progress_may_end_opening(void **state) {
  (void)state;
  gls_dataset_t *const made = make_ring(ctx, 10, 3);
  OK(gls_dataset_save(made, path, NULL, &err));
  gls_dataset_release(made);
  struct stop stop = {0, 0};
  gls_dataset_t *opened = NULL;
  gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
  options.progress = stop_at;
  options.progress_user_data = &stop;
  OK(gls_dataset_open(ctx, path, &options, &opened, &err));
  assert_int_equal(stop.calls, 0); /* nothing was read */
  gls_dataset_release(opened);
  for (int verify = 0; verify <= 1; ++verify) {
    options.verify_checksums = verify;
    options.residency = verify ? GLS_RESIDENCY_MAPPED : GLS_RESIDENCY_ALL;
    stop = (struct stop){0, 0};
    OK(gls_dataset_open(ctx, path, &options, &opened, &err));
    assert_true(stop.calls > 0);
    gls_dataset_release(opened);
    stop = (struct stop){0, 1};
    FAILS(GLS_ERR_CANCELED, NULL, gls_dataset_open(ctx, path, &options, &opened, &err));
  }
}

/* A file of several steps, on the calling thread alone: each step may be the last. */
static void progress_may_end_opening_within_a_file(void **state) {
  (void)state;
  enum { ROWS = 10, WIDTH = 3 << 20 };
  gls_context_options_t alone = GLS_CONTEXT_OPTIONS_INIT;
  alone.num_threads = 1;
  gls_context_t *single = NULL;
  OK(gls_context_create(&alone, &single, &err));
  gls_builder_t *builder = NULL;
  OK(gls_builder_create(single, &builder, &err));
  gls_node_type_options_t nodes = GLS_NODE_TYPE_OPTIONS_INIT;
  nodes.num_nodes = ROWS;
  OK(gls_builder_add_node_type(builder, "node", &nodes, &err));
  unsigned char *const bytes = calloc(ROWS, WIDTH);
  int64_t shape[] = {ROWS, WIDTH};
  const DLTensor view = {bytes, {kDLCPU, 0}, 2, {kDLUInt, 8, 1}, shape, NULL, 0};
  gls_tensor_t *column = NULL;
  OK(gls_tensor_wrap(&view, 1, bytes, free, &column, &err));
  OK(gls_builder_add_node_column(builder, "node", "x", GLS_ROLE_FEATURE, column, &err));
  OK(gls_builder_write(builder, path, NULL, &err));
  gls_builder_release(builder);

  struct stop stop = {0, 0};
  gls_dataset_t *opened = NULL;
  gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
  options.verify_checksums = 1;
  options.progress = stop_at;
  options.progress_user_data = &stop;
  OK(gls_dataset_open(single, path, &options, &opened, &err));
  gls_dataset_release(opened);
  const int calls = stop.calls;
  assert_true(calls >= 3);
  for (int last = 1; last <= calls; ++last) {
    stop = (struct stop){0, last};
    FAILS(GLS_ERR_CANCELED, NULL, gls_dataset_open(single, path, &options, &opened, &err));
  }
  gls_context_release(single);
}

static void folders_that_are_no_datasets(void **state) {
  (void)state;
  gls_dataset_t *out = NULL;
  gls_dataset_options_t options = GLS_DATASET_OPTIONS_INIT;
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_open(ctx, path, NULL, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_open(ctx, folder, NULL, &out, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_dataset_open(ctx, "", NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_dataset_open(ctx, NULL, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx", gls_dataset_open(NULL, path, NULL, &out, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_dataset_open(ctx, path, NULL, NULL, &err));
  options.residency = 3;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "residency", gls_dataset_open(ctx, folder, &options, &out, &err));
  char manifest[PATH_SIZE];
  join_path(manifest, folder, "manifest.json");
  static const char *const bad[] = {
      "",
      "{",
      "[]",
      "{}",
      "{\"format\": \"other\", \"version\": 1, \"node_types\": [], \"edge_types\": []}",
      "{\"format\": \"gls-dataset\", \"version\": 1, \"node_types\": [], \"edge_types\": [],"
      " \"more\": 1}",
      "{\"format\": \"gls-dataset\", \"version\": 1, \"edge_types\": [], \"node_types\": ["
      "{\"name\": \"a\", \"count\": 1, \"id_sets\": [{\"name\": \"s\", \"array\": "
      "{\"file\": \"missing.npy\", \"dtype\": \"int64\", \"shape\": [1]}}]}]}",
      "{\"format\": \"gls-dataset\", \"version\": 1, \"edge_types\": [], \"node_types\": ["
      "{\"name\": \"a\", \"count\": 1, \"id_sets\": [{\"name\": \"s\", \"array\": "
      "{\"file\": \"../x.npy\", \"dtype\": \"int64\", \"shape\": [1]}}]}]}",
  };
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    write_text(manifest, bad[i]);
    FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_dataset_open(ctx, folder, NULL, &out, &err));
  }
  write_text(manifest,
             "{\"format\": \"gls-dataset\", \"version\": 3, \"node_types\": [], \"edge_types\": "
             "[]}");
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_open(ctx, folder, NULL, &out, &err));
  assert_null(out);
}

static void places_that_cannot_be_written(void **state) {
  (void)state;
  gls_dataset_t *const dataset = make_ring(ctx, 4, 1);
  char file[PATH_SIZE];
  join_path(file, folder, "file");
  write_text(file, "");
  char below[2 * PATH_SIZE];
  snprintf(below, sizeof below, "%s/graph", file);
  FAILS(GLS_ERR_IO, NULL, gls_dataset_save(dataset, below, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_dataset_save(dataset, NULL, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_dataset_save(NULL, path, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dataset", gls_dataset_verify(NULL, NULL, &err));
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.struct_size = 3;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options", gls_dataset_save(dataset, path, &options, &err));
  options.struct_size = sizeof options;
  options.reserved = 1;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_save(dataset, path, &options, &err));
  gls_dataset_release(dataset);
  gls_dataset_release(NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_dataset_describes_itself),
      TEST(what_does_not_exist),
      TEST(null_names_only_the_only_type),
      TEST(arrays_are_given_out_without_a_copy),
      TEST(sorted_edges),
      TEST(arrays_that_do_not_exist),
      TEST(text_keys),
      TEST(integer_keys),
      TEST(no_keys),
      TEST(a_saved_dataset_is_the_same),
      TEST(saving_over_something),
      TEST(some_of_the_layouts),
      TEST(progress_may_end_a_call),
      TEST(progress_may_end_opening),
      TEST(progress_may_end_opening_within_a_file),
      TEST(folders_that_are_no_datasets),
      TEST(places_that_cannot_be_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
