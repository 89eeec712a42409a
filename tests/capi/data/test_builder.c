/* The builder: what it takes and when, what it refuses, and that a refusal changes nothing. */
#include "files.h"

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

static const int64_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7};

static gls_tensor_t *counted(size_t count, atomic_int *released) {
  const int64_t shape = (int64_t)count;
  return wrapped((void *)kNumbers, kInt64, 1, &shape, released);
}

/* ---- ownership --------------------------------------------------------------------------------
 */

static void tensors_are_taken_on_success_only(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_builder_t *const builder = make_builder(ctx);
  gls_tensor_t *const source = counted(4, &released);
  gls_tensor_t *const target = counted(4, &released);
  gls_tensor_t *const longer = counted(5, &released);
  const int64_t shape[] = {2, 2};
  gls_tensor_t *const matrix = wrapped((void *)kNumbers, kInt64, 2, shape, &released);
  const int64_t four = 4;
  gls_tensor_t *const real = wrapped((void *)kNumbers, kFloat64, 1, &four, &released);
#define EDGES(type, s, t) gls_builder_add_edges(builder, type, s, t, NULL, &err)
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, EDGES("a__b", source, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target", EDGES("a__b__a", source, longer));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "source", EDGES("a__b__a", matrix, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target", EDGES("a__b__a", source, real));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target", EDGES("a__b__a", source, NULL));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "source", EDGES("a__b__a", NULL, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "target", EDGES("a__b__a", source, source)); /* taken twice? */
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edge_type", EDGES(NULL, source, target));
#define TOPOLOGY(layout, p, i, e) \
  gls_builder_add_topology(builder, "a__b__a", layout, p, i, e, &err)
  FAILS(GLS_ERR_INVALID_ARGUMENT, "layout", TOPOLOGY(0, longer, source, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "layout", TOPOLOGY(3, longer, source, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "indptr", TOPOLOGY(GLS_LAYOUT_CSC, real, source, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "indices", TOPOLOGY(GLS_LAYOUT_CSC, longer, matrix, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edge_ids", TOPOLOGY(GLS_LAYOUT_CSC, longer, source, real));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "edge_ids", TOPOLOGY(GLS_LAYOUT_CSC, longer, source, source));
#define COLUMN(type, name, role, t) gls_builder_add_node_column(builder, type, name, role, t, &err)
  FAILS(GLS_ERR_NOT_FOUND, NULL, COLUMN("a", "x", GLS_ROLE_FEATURE, source));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "role", COLUMN("a", "x", 5, source));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "role", COLUMN("a", "x", -1, source));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "tensor", COLUMN("a", "x", 0, NULL));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name", COLUMN("a", NULL, 0, source));
  FAILS(GLS_ERR_NOT_FOUND, NULL,
        gls_builder_add_edge_column(builder, "a__b__a", "x", 0, source, &err));
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_builder_add_id_set(builder, "a", "s", source, &err));
  assert_int_equal(atomic_load(&released), 0);

  OK(EDGES("a__b__a", source, target));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_builder_add_id_set(builder, "a", "s", real, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_builder_add_id_set(builder, "a", "s", matrix, &err));
  OK(COLUMN("a", "x", GLS_ROLE_FEATURE, real));
  OK(gls_builder_add_edge_column(builder, NULL, "w", GLS_ROLE_WEIGHT, longer, &err));
  assert_int_equal(atomic_load(&released), 0);
  gls_builder_release(builder);
  assert_int_equal(atomic_load(&released), 4);
  gls_tensor_release(matrix);
  assert_int_equal(atomic_load(&released), 5);
#undef EDGES
#undef TOPOLOGY
#undef COLUMN
}

static void a_failed_build_leaves_everything(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__a", counted(4, &released), counted(4, &released), NULL,
                           &err));
  OK(gls_builder_add_node_column(builder, "a", "x", GLS_ROLE_FEATURE, counted(3, &released), &err));
  gls_dataset_t *dataset = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_builder_build(builder, NULL, &dataset, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_builder_build(builder, NULL, &dataset, &err));
  assert_null(dataset);
  assert_int_equal(atomic_load(&released), 0);
  gls_builder_release(builder);
  assert_int_equal(atomic_load(&released), 3);
}

static void a_builder_is_empty_after_success(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_builder_t *const builder = make_builder(ctx);
  for (int round = 0; round < 3; ++round) {
    OK(gls_builder_add_edges(builder, "a__b__a", counted(4, &released), counted(4, &released), NULL,
                             &err));
    gls_dataset_t *dataset = NULL;
    OK(gls_builder_build(builder, NULL, &dataset, &err));
    assert_int_equal(gls_dataset_num_nodes(dataset, NULL), 4);
    gls_dataset_release(dataset);
    assert_int_equal(atomic_load(&released), 2 * (round + 1));
  }
  gls_builder_release(builder);
  gls_builder_release(NULL);
}

/* ---- errors of use ----------------------------------------------------------------------------
 */

static void names(void **state) {
  (void)state;
  gls_builder_t *const builder = make_builder(ctx);
  char longest[257];
  memset(longest, 'n', sizeof longest);
  longest[256] = '\0';
  static const char *const bad[] = {"",   "a__b", "_a",       "a_",       "a\nb",
                                    "\t", "\x7f", "\xff\xfe", "\xc0\x80", "\xed\xa0\x80"};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_builder_add_node_type(builder, bad[i], NULL, &err));
  }
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_builder_add_node_type(builder, longest, NULL, &err));
  longest[255] = '\0';
  OK(gls_builder_add_node_type(builder, longest, NULL, &err));
  OK(gls_builder_add_node_type(builder, "\xe2\x82\xac with blanks, \"quotes\" and /", NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "type", gls_builder_add_node_type(builder, NULL, NULL, &err));
  static const char *const bad_edges[] = {"",         "a",        "a__b",    "a__b__c__d",
                                          "__b__a",   "a____a",   "a__b__",  "a___b__a",
                                          "a__b___a", "_a__b__a", "a__\n__a"};
  atomic_int released = 0;
  gls_tensor_t *const source = counted(1, &released);
  gls_tensor_t *const target = counted(1, &released);
  for (size_t i = 0; i < COUNT_OF(bad_edges); ++i) {
    FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
          gls_builder_add_edges(builder, bad_edges[i], source, target, NULL, &err));
  }
  OK(gls_builder_add_edges(builder, "a__b__a", source, target, NULL, &err));
  gls_tensor_t *const column = counted(1, &released);
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
          gls_builder_add_node_column(builder, "a", bad[i], 0, column, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
          gls_builder_add_edge_column(builder, "a__b__a", bad[i], 0, column, &err));
    FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
          gls_builder_add_id_set(builder, "a", bad[i], column, &err));
  }
  gls_tensor_release(column);
  gls_builder_release(builder);
  assert_int_equal(atomic_load(&released), 3);
}

static void things_added_twice(void **state) {
  (void)state;
  gls_builder_t *const builder = make_builder(ctx);
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, 1), IDS(1, 0), NULL, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_builder_add_node_type(builder, "a", NULL, &err));
  OK(gls_builder_add_node_column(builder, NULL, "x", 0, IDS(1, 2), &err));
  OK(gls_builder_add_edge_column(builder, NULL, "x", 0, IDS(1, 2), &err));
  OK(gls_builder_add_id_set(builder, NULL, "s", IDS(1), &err));
  gls_tensor_t *const spare = IDS(1, 2);
  gls_tensor_t *const other = IDS(1, 2);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL,
        gls_builder_add_edges(builder, "a__b__a", spare, other, NULL, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL,
        gls_builder_add_node_column(builder, "a", "x", 0, spare, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL,
        gls_builder_add_edge_column(builder, "a__b__a", "x", 0, spare, &err));
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_builder_add_id_set(builder, "a", "s", spare, &err));
  gls_tensor_release(spare);
  gls_tensor_release(other);
  gls_dataset_release(finish_builder(builder, 0));
}

static void sizes_and_flags(void **state) {
  (void)state;
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t node = GLS_NODE_TYPE_OPTIONS_INIT;
  node.num_nodes = -1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "num_nodes",
        gls_builder_add_node_type(builder, "a", &node, &err));
  node.num_nodes = 0;
  node.ids = 3;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ids", gls_builder_add_node_type(builder, "a", &node, &err));
  node.ids = 0;
  node.reserved = 1;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_builder_add_node_type(builder, "a", &node, &err));
  node.reserved = 0;
  node.struct_size = 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options", gls_builder_add_node_type(builder, "a", &node, &err));
  gls_tensor_t *const source = IDS(0);
  gls_tensor_t *const target = IDS(0);
  gls_edge_type_options_t edge = GLS_EDGE_TYPE_OPTIONS_INIT;
  edge.flags = 2;
  FAILS(GLS_ERR_UNSUPPORTED, "flags",
        gls_builder_add_edges(builder, "a__b__a", source, target, &edge, &err));
  edge.flags = 0;
  edge.reserved = 1;
  FAILS(GLS_ERR_UNSUPPORTED, NULL,
        gls_builder_add_edges(builder, "a__b__a", source, target, &edge, &err));
  gls_tensor_release(source);
  gls_tensor_release(target);
  gls_write_options_t write = GLS_WRITE_OPTIONS_INIT;
  write.layouts = 8;
  gls_dataset_t *dataset = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, "layouts", gls_builder_build(builder, &write, &dataset, &err));
  FAILS(GLS_ERR_UNSUPPORTED, "layouts", gls_builder_write(builder, "/no/such", &write, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_builder_build(builder, NULL, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_builder_write(builder, NULL, NULL, &err));
  gls_builder_t *none = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx", gls_builder_create(NULL, &none, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_builder_create(ctx, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "builder", gls_builder_build(NULL, NULL, &dataset, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "builder", gls_builder_write(NULL, "x", NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "builder", gls_builder_add_node_type(NULL, "a", NULL, &err));
  assert_null(dataset);
  gls_builder_release(builder);
}

/* ---- data that does not fit together ----------------------------------------------------------
 */

static void build_fails(gls_builder_t *builder, gls_status_t code) {
  gls_dataset_t *dataset = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_builder_build(builder, NULL, &dataset, &err);
  assert_int_equal(status, code);
  assert_true(strlen(gls_error_message(err)) > 0);
  gls_error_release(err);
  assert_null(dataset);
  gls_builder_release(builder);
}

static gls_builder_t *with_nodes(int64_t count) {
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t options = GLS_NODE_TYPE_OPTIONS_INIT;
  options.num_nodes = count;
  OK(gls_builder_add_node_type(builder, "a", &options, &err));
  return builder;
}

static void ends_of_edges_are_checked(void **state) {
  (void)state;
  static const int64_t bad[] = {-1, 3, INT64_MIN, INT64_MAX, INT64_C(1) << 32};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    gls_builder_t *builder = with_nodes(3);
    OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, bad[i]), IDS(1, 2), NULL, &err));
    build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
    builder = with_nodes(3);
    OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, 1), IDS(1, bad[i]), NULL, &err));
    build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
  }
  gls_builder_t *builder = make_builder(ctx); /* the number of nodes is found from the edges */
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, -1), IDS(1, 2), NULL, &err));
  build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
}

static gls_builder_t *topology(size_t rows, const int64_t *indptr, size_t edges,
                               const int64_t *indices, const int64_t *ids) {
  gls_builder_t *const builder = with_nodes(3);
  OK(gls_builder_add_topology(builder, "a__b__a", GLS_LAYOUT_CSC, ids64(rows, indptr),
                              ids32(edges, indices), ids == NULL ? NULL : ids64(edges, ids), &err));
  return builder;
}

static void ready_topologies_are_checked(void **state) {
  (void)state;
  static const int64_t good[] = {0, 2, 2, 3};
  static const int64_t indices[] = {1, 2, 0};
  static const int64_t ids[] = {2, 0, 1};
  gls_dataset_release(finish_builder(topology(4, good, 3, indices, ids), 0));
  static const int64_t bad_indptr[][4] = {
      {0, 3, 2, 3}, {0, -1, 2, 3}, {0, 2, 2, 4}, {0, 2, 2, 2}, {1, 2, 2, 3}, {0, 4, 2, 3},
  };
  for (size_t i = 0; i < COUNT_OF(bad_indptr); ++i) {
    build_fails(topology(4, bad_indptr[i], 3, indices, NULL), GLS_ERR_INVALID_ARGUMENT);
  }
  build_fails(topology(3, good, 2, indices, NULL), GLS_ERR_INVALID_ARGUMENT); /* a row too few */
  static const int64_t bad_indices[][3] = {{1, 3, 0}, {-1, 0, 0}, {0, 0, INT32_MAX}};
  for (size_t i = 0; i < COUNT_OF(bad_indices); ++i) {
    build_fails(topology(4, good, 3, bad_indices[i], NULL), GLS_ERR_INVALID_ARGUMENT);
  }
  static const int64_t bad_ids[][3] = {{0, 1, 3}, {0, 1, -1}, {0, 1, 1}};
  for (size_t i = 0; i < COUNT_OF(bad_ids); ++i) {
    build_fails(topology(4, good, 3, indices, bad_ids[i]), GLS_ERR_INVALID_ARGUMENT);
  }
}

static void both_layouts_must_agree(void **state) {
  (void)state;
  static const int64_t csc[] = {0, 2, 2, 3};
  static const int64_t indices[] = {1, 2, 0};
  gls_builder_t *builder = topology(4, csc, 3, indices, NULL);
  /* Edges 1>0 (id 0), 2>0 (id 1), 0>2 (id 2). */
  OK(gls_builder_add_topology(builder, "a__b__a", GLS_LAYOUT_CSR, IDS(0, 1, 2, 3), IDS(2, 0, 0),
                              IDS(2, 0, 1), &err));
  gls_dataset_release(finish_builder(builder, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR));
  builder = topology(4, csc, 3, indices, NULL);
  OK(gls_builder_add_topology(builder, "a__b__a", GLS_LAYOUT_CSR, IDS(0, 1, 2, 3), IDS(2, 0, 1),
                              IDS(2, 0, 1), &err));
  build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
  builder = topology(4, csc, 3, indices, NULL);
  gls_tensor_t *const indptr = IDS(0, 1, 1, 2);
  gls_tensor_t *const fewer = IDS(2, 0);
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_builder_add_topology(builder, "a__b__a", GLS_LAYOUT_CSR, indptr, fewer, NULL, &err));
  gls_tensor_release(indptr);
  gls_tensor_release(fewer);
  gls_builder_release(builder);
}

static void columns_and_sets_must_fit(void **state) {
  (void)state;
  gls_builder_t *builder = with_nodes(3);
  OK(gls_builder_add_node_column(builder, "a", "x", 0, IDS(1, 2), &err));
  build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
  builder = with_nodes(3);
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, 1), IDS(1, 2), NULL, &err));
  OK(gls_builder_add_edge_column(builder, NULL, "w", 0, IDS(1, 2, 3), &err));
  build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
  builder = with_nodes(3);
  OK(gls_builder_add_id_set(builder, "a", "s", IDS(0, 3), &err));
  build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
  builder = with_nodes(3);
  OK(gls_builder_add_id_set(builder, "a", "s", IDS(-1), &err));
  build_fails(builder, GLS_ERR_INVALID_ARGUMENT);
}

/* ---- small things that work -------------------------------------------------------------------
 */

static void reverse_edges(void **state) {
  (void)state;
  gls_builder_t *const builder = make_builder(ctx);
  gls_edge_type_options_t options = GLS_EDGE_TYPE_OPTIONS_INIT;
  options.flags = GLS_EDGES_ADD_REVERSE;
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, 1), IDS(1, 2), &options, &err));
  OK(gls_builder_add_edges(builder, "a__c__d", IDS(0, 1, 2), IDS(0, 0, 1), &options, &err));
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  assert_int_equal(gls_dataset_num_edge_types(dataset), 3);
  assert_int_equal(gls_dataset_num_edges(dataset, "a__b__a"), 4);
  assert_int_equal(gls_dataset_num_edges(dataset, "a__c__d"), 3);
  assert_int_equal(gls_dataset_num_edges(dataset, "d__rev_c__a"), 3);
  gls_tensor_t *tensor = NULL;
  OK(gls_dataset_tensor(dataset, GLS_ARRAY_CSC_INDICES, "a__b__a", NULL, &tensor, &err));
  static const int64_t expected[] = {1, 0, 2, 1}; /* 1>0 is 0>1 turned round, and so on */
  for (int64_t i = 0; i < 4; ++i) {
    assert_int_equal(id_at(tensor, i), expected[i]);
  }
  gls_tensor_release(tensor);
  gls_dataset_release(dataset);
}

static void graphs_without_edges_or_nodes(void **state) {
  (void)state;
  gls_builder_t *builder = with_nodes(0);
  gls_tensor_t *const nothing = ids64(0, NULL);
  gls_tensor_t *const none = ids32(0, kNumbers);
  OK(gls_builder_add_edges(builder, "a__b__a", nothing, none, NULL, &err));
  gls_dataset_t *dataset = finish_builder(builder, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR);
  assert_int_equal(gls_dataset_num_nodes(dataset, NULL), 0);
  assert_int_equal(gls_dataset_num_edges(dataset, NULL), 0);
  OK(gls_dataset_verify(dataset, NULL, &err));
  gls_dataset_release(dataset);
  dataset = finish_builder(with_nodes(3), 0);
  assert_int_equal(gls_dataset_num_edge_types(dataset), 0);
  assert_int_equal(gls_dataset_num_nodes(dataset, NULL), 3);
  gls_dataset_release(dataset);
}

static void written_and_opened(void **state) {
  (void)state;
  char folder[PATH_SIZE];
  char path[PATH_SIZE];
  make_folder(folder);
  join_path(path, folder, "graph");
  gls_builder_t *const builder = ring_builder(ctx, 12, 3);
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.layouts = GLS_LAYOUT_CSC | GLS_LAYOUT_CSR;
  OK(gls_builder_write(builder, path, &options, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL,
        gls_builder_write(builder, path, &options, &err)); /* empty */
  gls_builder_release(builder);
  gls_builder_t *const again = ring_builder(ctx, 12, 3);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_builder_write(again, path, &options, &err));
  gls_builder_release(again);
  gls_dataset_t *opened = NULL;
  OK(gls_dataset_open(ctx, path, NULL, &opened, &err));
  OK(gls_dataset_verify(opened, NULL, &err));
  gls_dataset_t *const made = make_ring(ctx, 12, 3);
  gls_sampler_t *const one = make_sampler(opened, GLS_SAMPLE_EDGE_IDS);
  gls_sampler_t *const two = make_sampler(made, GLS_SAMPLE_EDGE_IDS);
  gls_batch_t *const first = sample_ids(one, NULL, 3, (const int64_t[]){1, 5, 7});
  gls_batch_t *const second = sample_ids(two, NULL, 3, (const int64_t[]){1, 5, 7});
  assert_true(batch_digest(first) == batch_digest(second));
  gls_batch_release(first);
  gls_batch_release(second);
  gls_sampler_release(one);
  gls_sampler_release(two);
  gls_dataset_release(made);
  gls_dataset_release(opened);
  remove_folder(folder);
}

static int32_t stop_at_once(void *user_data, const char *stage, uint64_t done, uint64_t total,
                            const char *unit) {
  (void)stage;
  (void)done;
  (void)total;
  (void)unit;
  ++*(int *)user_data;
  return 1;
}

static void a_cancelled_build_can_be_repeated(void **state) {
  (void)state;
  gls_builder_t *const builder = ring_builder(ctx, 12, 3);
  int calls = 0;
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.progress = stop_at_once;
  options.progress_user_data = &calls;
  gls_dataset_t *dataset = NULL;
  FAILS(GLS_ERR_CANCELED, NULL, gls_builder_build(builder, &options, &dataset, &err));
  assert_int_equal(calls, 1);
  OK(gls_builder_build(builder, NULL, &dataset, &err));
  assert_int_equal(gls_dataset_num_edges(dataset, NULL), 36);
  gls_dataset_release(dataset);
  gls_builder_release(builder);
}

static void text_with_options(void **state) {
  (void)state;
  char folder[PATH_SIZE];
  char path[PATH_SIZE];
  make_folder(folder);
  join_path(path, folder, "edges.csv");
  write_text(path, "from;to;w\n0;1;0.5\n1;2;1.5\n");
  gls_text_column_t columns[] = {{"w", NULL, "float32", GLS_ROLE_WEIGHT, 0}};
  gls_text_options_t options = GLS_TEXT_OPTIONS_INIT;
  options.source_field = "from";
  options.target_field = "to";
  options.columns = columns;
  options.num_columns = 1;
  gls_builder_t *const builder = make_builder(ctx);
#define ADD() gls_builder_add_edges_text(builder, "a__b__a", path, &options, &err)
  options.header = 3;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "header", ADD());
  options.header = GLS_HEADER_YES;
  options.flags = 4;
  FAILS(GLS_ERR_UNSUPPORTED, "flags", ADD());
  options.flags = 0;
  options.encoding = 4;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "encoding", ADD());
  options.encoding = GLS_ENCODING_DETECT;
  options.reserved0 = 1;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, ADD());
  options.reserved0 = 0;
  columns[0].reserved = 1;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, ADD());
  columns[0].reserved = 0;
  columns[0].role = 9;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "role", ADD());
  columns[0].role = GLS_ROLE_WEIGHT;
  columns[0].dtype = "float31";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dtype", ADD());
  columns[0].dtype = "float32";
  options.columns = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "columns", ADD());
  options.columns = columns;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path",
        gls_builder_add_edges_text(builder, "a__b__a", NULL, &options, &err));
  OK(ADD());
#undef ADD
  gls_dataset_t *const dataset = finish_builder(builder, 0);
  gls_tensor_t *weights = NULL;
  OK(gls_dataset_tensor(dataset, GLS_ARRAY_EDGE_COLUMN, NULL, "w", &weights, &err));
  assert_true(((const float *)tensor_data(weights))[1] == 1.5f);
  gls_tensor_release(weights);
  gls_dataset_release(dataset);

  write_text(path, "0 1\n1 x\n");
  gls_builder_t *const damaged = make_builder(ctx);
  OK(gls_builder_add_edges_text(damaged, "a__b__a", path, NULL, &err));
  gls_dataset_t *none = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_builder_build(damaged, NULL, &none, &err);
  assert_int_equal(status, GLS_ERR_CORRUPT_DATA);
  assert_string_equal(gls_error_detail(err, "file"), path);
  assert_non_null(strstr(gls_error_message(err), "2")); /* the line */
  gls_error_release(err);
  gls_builder_release(damaged);
  remove_folder(folder);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(tensors_are_taken_on_success_only),
      TEST(a_failed_build_leaves_everything),
      TEST(a_builder_is_empty_after_success),
      TEST(names),
      TEST(things_added_twice),
      TEST(sizes_and_flags),
      TEST(ends_of_edges_are_checked),
      TEST(ready_topologies_are_checked),
      TEST(both_layouts_must_agree),
      TEST(columns_and_sets_must_fit),
      TEST(reverse_edges),
      TEST(graphs_without_edges_or_nodes),
      TEST(written_and_opened),
      TEST(a_cancelled_build_can_be_repeated),
      TEST(text_with_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
