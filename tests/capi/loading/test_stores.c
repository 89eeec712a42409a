/* Stores: a column and neighbours that the test answers, at once and from a thread of its own. */
#include <pthread.h>

#include "graph_fixture.h"

enum { kNodes = 40, kDegree = 3, kEdges = kNodes * kDegree };

static gls_dataset_t *bare; /* the nodes of the ring alone */

static int set_up(void **state) {
  (void)state;
  set_up_ring(2, kNodes, kDegree);
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t type = GLS_NODE_TYPE_OPTIONS_INIT;
  type.num_nodes = kNodes;
  OK(gls_builder_add_node_type(builder, "node", &type, &err));
  bare = finish_builder(builder, 0);
  return 0;
}
static int tear_down_all(void **state) {
  gls_dataset_release(bare);
  return tear_down(state);
}

static atomic_int released;
static atomic_int asked;

static gls_fetch_info_t info_of(const gls_fetch_t *fetch) {
  gls_fetch_info_t info = {sizeof info, NULL, 0, NULL, 0, 0, 0, 0};
  OK(gls_fetch_get_info(fetch, &info, &err));
  return info;
}

/* ---- what answers -------------------------------------------------------------------------------
 */

static void write_rows(gls_fetch_t *fetch) {
  const gls_fetch_info_t info = info_of(fetch);
  float *const rows = info.rows;
  assert_int_equal(info.row_bytes, 2 * sizeof *rows);
  for (size_t i = 0; i < info.num_ids; ++i) {
    rows[2 * i] = (float)info.ids[i];
    rows[2 * i + 1] = -(float)info.ids[i];
  }
  OK(gls_fetch_rows_done(fetch, &err));
  FAILS(GLS_ERR_INVALID_STATE, NULL, gls_fetch_rows_done(fetch, &err));
  gls_fetch_release(fetch);
}
static void fetch_rows(gls_fetch_t *fetch, void *user_data) {
  assert_ptr_equal(user_data, &released);
  atomic_fetch_add(&asked, 1);
  write_rows(fetch);
}
static void *answer_later(void *fetch) {
  write_rows(fetch);
  return NULL;
}
static void fetch_rows_later(gls_fetch_t *fetch, void *user_data) {
  (void)user_data;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, answer_later, fetch), 0);
  assert_int_equal(pthread_detach(thread), 0);
}
static void fetch_fails(gls_fetch_t *fetch, void *user_data) {
  (void)user_data;
  OK(gls_fetch_fail(fetch, GLS_ERR_NOT_FOUND, "there is no such row", &err));
  gls_fetch_release(fetch);
}
static void fetch_nothing(gls_fetch_t *fetch, void *user_data) {
  (void)user_data;
  gls_fetch_release(fetch);
}
/* The ring: node v has edges from v + 1, v + 2, ... */
static void fetch_neighbors(gls_fetch_t *fetch, void *user_data) {
  (void)user_data;
  const gls_fetch_info_t info = info_of(fetch);
  assert_null(info.rows);
  int64_t *const counts = malloc((info.num_ids + 1) * sizeof *counts);
  int64_t *const neighbors = malloc((kDegree * info.num_ids + 1) * sizeof *neighbors);
  int64_t *const edges = malloc((kDegree * info.num_ids + 1) * sizeof *edges);
  assert_true(counts != NULL && neighbors != NULL && edges != NULL);
  for (size_t i = 0; i < info.num_ids; ++i) {
    counts[i] = kDegree;
    for (size_t j = 0; j < kDegree; ++j) {
      neighbors[kDegree * i + j] = (info.ids[i] + 1 + (int64_t)j) % kNodes;
      edges[kDegree * i + j] = info.ids[i] * kDegree + (int64_t)j;
    }
  }
  OK(gls_fetch_neighbors(fetch, counts, neighbors, edges, &err));
  gls_fetch_release(fetch);
  free(counts);
  free(neighbors);
  free(edges);
}

/* ---- stores -------------------------------------------------------------------------------------
 */

static const int64_t kTwo[] = {2};

static gls_store_column_t column_of(const char *type, const char *name) {
  gls_store_column_t column = GLS_STORE_COLUMN_INIT;
  column.type = type;
  column.name = name;
  column.row_shape = kTwo;
  column.row_ndim = 1;
  column.dtype = (DLDataType){kDLFloat, 32, 1};
  return column;
}
static gls_store_options_t options_of(gls_fetch_fn fetch) {
  gls_store_options_t options = GLS_STORE_OPTIONS_INIT;
  options.fetch = fetch;
  options.user_data = &released;
  options.destroy = count_release;
  return options;
}
static gls_store_t *column_store(const char *name, gls_fetch_fn fetch) {
  const gls_store_column_t column = column_of(NULL, name);
  const gls_store_options_t options = options_of(fetch);
  gls_store_t *store = NULL;
  OK(gls_store_create_column(ctx, &column, &options, &store, &err));
  return store;
}
static gls_store_t *ring_store(void) {
  gls_store_neighbors_t neighbors = GLS_STORE_NEIGHBORS_INIT;
  neighbors.edge_type = RING_TYPE;
  neighbors.num_edges = kEdges;
  neighbors.layout = GLS_LAYOUT_CSC;
  neighbors.flags = GLS_STORE_EDGE_IDS;
  const gls_store_options_t options = options_of(fetch_neighbors);
  gls_store_t *store = NULL;
  OK(gls_store_create_neighbors(ctx, &neighbors, &options, &store, &err));
  return store;
}
static gls_dataset_t *with(const gls_dataset_t *base, size_t count, gls_store_t *const *stores) {
  gls_dataset_t *out = NULL;
  OK(gls_dataset_with_stores(base, stores, count, &out, &err));
  return out;
}

/* All rows of "extra" in the batches of an epoch belong to their nodes. */
static void check_epoch(gls_dataset_t *dataset) {
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 7;
  gls_loader_t *const loader = make_loader(sampler, &options);
  for (int i = 0; i < (kNodes + 6) / 7; ++i) {
    gls_batch_t *const batch = next_batch(loader);
    gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
    gls_tensor_t *const rows = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "extra");
    const float *const extra = tensor_data(rows);
    assert_int_equal(tensor_elements(rows), 2 * tensor_elements(node));
    for (int64_t v = 0; v < tensor_elements(node); ++v) {
      assert_true(extra[2 * v] == (float)id_at(node, v));
      assert_true(extra[2 * v + 1] == -(float)id_at(node, v));
    }
    gls_tensor_release(rows);
    gls_tensor_release(node);
    gls_batch_release(batch);
  }
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* ---- tests --------------------------------------------------------------------------------------
 */

static void columns_are_gathered(void **state) {
  (void)state;
  atomic_store(&released, 0);
  atomic_store(&asked, 0);
  gls_store_t *store = column_store("extra", fetch_rows);
  gls_dataset_t *dataset = with(ring, 1, &store);
  check_epoch(dataset);
  gls_store_stats_t stats = {sizeof stats, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_store_get_stats(store, &stats, &err));
  assert_int_equal(stats.fetches, atomic_load(&asked));
  assert_true(stats.ids > kNodes);
  assert_int_equal(stats.failures, 0);
  gls_column_info_t info = {0};
  info.struct_size = sizeof info;
  OK(gls_dataset_get_node_column_info(dataset, NULL, 2, &info, &err));
  assert_string_equal(info.name, "extra");
  assert_int_equal(info.shape[0], kNodes);
  assert_int_equal(info.shape[1], 2);
  gls_tensor_t *tensor = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, NULL,
        gls_dataset_tensor(dataset, GLS_ARRAY_NODE_COLUMN, NULL, "extra", &tensor, &err));
  gls_store_release(store);
  assert_int_equal(atomic_load(&released), 0); /* the dataset has it */
  gls_dataset_release(dataset);
  assert_int_equal(atomic_load(&released), 1);

  store = column_store("extra", fetch_rows_later);
  dataset = with(ring, 1, &store);
  gls_store_release(store);
  check_epoch(dataset);
  gls_dataset_release(dataset);
}

static void neighbors_are_sampled(void **state) {
  (void)state;
  gls_store_t *const stores[] = {column_store("extra", fetch_rows), ring_store()};
  gls_dataset_t *const dataset = with(bare, 2, stores);
  check_epoch(dataset);
  const int64_t seeds[] = {5, 17, 39, 0};
  gls_sampler_t *const expected = make_sampler(ring, GLS_SAMPLE_EDGE_IDS);
  gls_sampler_t *const sampler = make_sampler(dataset, GLS_SAMPLE_EDGE_IDS);
  gls_batch_t *const a = sample_ids(expected, NULL, 4, seeds);
  gls_batch_t *const b = sample_ids(sampler, NULL, 4, seeds);
  assert_true(batch_digest(a) == batch_digest(b));
  gls_batch_release(a);
  gls_batch_release(b);
  gls_sampler_release(expected);
  gls_sampler_release(sampler);
  gls_tensor_t *degrees = NULL;
  gls_tensor_t *const nodes = ids64(4, seeds);
  OK(gls_dataset_degrees(dataset, NULL, GLS_DIRECTION_IN, &nodes->dl_tensor, &degrees, &err));
  for (int64_t i = 0; i < 4; ++i) {
    assert_int_equal(id_at(degrees, i), kDegree);
  }
  gls_tensor_release(nodes);
  gls_tensor_release(degrees);
  gls_dataset_release(dataset);
  gls_store_release(stores[0]);
  gls_store_release(stores[1]);
}

static void errors_are_carried(void **state) {
  (void)state;
  const gls_fetch_fn functions[] = {fetch_fails, fetch_nothing};
  const gls_status_t codes[] = {GLS_ERR_NOT_FOUND, GLS_ERR_INTERNAL};
  const char *const words[] = {"there is no such row", "without an answer"};
  for (int i = 0; i < 2; ++i) {
    gls_store_t *const store = column_store("extra", functions[i]);
    gls_dataset_t *const dataset = with(ring, 1, &store);
    gls_sampler_t *const sampler = make_sampler(dataset, 0);
    gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
    gls_loader_t *const loader = make_loader(sampler, &options);
    gls_batch_t *batch = NULL;
    gls_error_t *err = NULL;
    assert_int_equal(gls_loader_next(loader, -1, &batch, &err), codes[i]);
    assert_non_null(strstr(gls_error_message(err), words[i]));
    assert_non_null(strstr(gls_error_message(err), "the store of column \"extra\""));
    gls_error_release(err);
    gls_loader_release(loader);
    gls_sampler_release(sampler);
    gls_dataset_release(dataset);
    gls_store_release(store);
  }
}

static void bad_stores_are_refused(void **state) {
  (void)state;
  gls_store_t *store = NULL;
  const gls_store_options_t options = options_of(fetch_rows);
  gls_store_column_t column = column_of(NULL, "extra");
  atomic_store(&released, 0);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ctx",
        gls_store_create_column(NULL, &column, &options, &store, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "column",
        gls_store_create_column(ctx, NULL, &options, &store, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out",
        gls_store_create_column(ctx, &column, &options, NULL, &err));
  column.name = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name",
        gls_store_create_column(ctx, &column, &options, &store, &err));
  column = column_of(NULL, "extra");
  column.row_shape = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "row_shape",
        gls_store_create_column(ctx, &column, &options, &store, &err));
  column = column_of(NULL, "extra");
  column.role = 99;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "role",
        gls_store_create_column(ctx, &column, &options, &store, &err));
  column = column_of(NULL, "extra");
  column.dtype.code = 77;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "dtype",
        gls_store_create_column(ctx, &column, &options, &store, &err));
  assert_int_equal(atomic_load(&released), 7);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options",
        gls_store_create_column(ctx, &column, NULL, &store, &err));
  gls_store_options_t bad = GLS_STORE_OPTIONS_INIT;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "fetch",
        gls_store_create_column(ctx, &column, &bad, &store, &err));
  gls_store_neighbors_t neighbors = GLS_STORE_NEIGHBORS_INIT;
  neighbors.edge_type = "node__to";
  neighbors.layout = GLS_LAYOUT_CSC;
  EXPECT(GLS_ERR_INVALID_ARGUMENT, NULL,
         gls_store_create_neighbors(ctx, &neighbors, &options, &store, &err));
  neighbors.edge_type = RING_TYPE;
  neighbors.layout = GLS_LAYOUT_CSC | GLS_LAYOUT_CSR;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "layout",
        gls_store_create_neighbors(ctx, &neighbors, &options, &store, &err));
  neighbors.layout = GLS_LAYOUT_CSC;
  neighbors.flags = 8;
  FAILS(GLS_ERR_UNSUPPORTED, "flags",
        gls_store_create_neighbors(ctx, &neighbors, &options, &store, &err));
  neighbors.flags = 0;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "num_edges",
        gls_store_create_neighbors(ctx, &neighbors, &options, &store, &err));
  assert_null(store);

  gls_dataset_t *dataset = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "stores", gls_dataset_with_stores(ring, NULL, 1, &dataset, &err));
  gls_store_t *const none[] = {NULL};
  FAILS(GLS_ERR_INVALID_ARGUMENT, "stores", gls_dataset_with_stores(ring, none, 1, &dataset, &err));
  gls_store_t *const again = column_store("x", fetch_rows);
  FAILS(GLS_ERR_ALREADY_EXISTS, "stores", gls_dataset_with_stores(ring, &again, 1, &dataset, &err));
  gls_store_t *const edges = ring_store();
  FAILS(GLS_ERR_ALREADY_EXISTS, "stores", gls_dataset_with_stores(ring, &edges, 1, &dataset, &err));
  assert_null(dataset);
  gls_store_release(again);
  gls_store_release(edges);
  gls_store_release(NULL);
  gls_fetch_release(NULL);
}

static void what_needs_arrays_is_refused(void **state) {
  (void)state;
  gls_store_t *const store = column_store("extra", fetch_rows);
  gls_dataset_t *const dataset = with(ring, 1, &store);
  EXPECT(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_save(dataset, "nowhere", NULL, &err));
  EXPECT(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_verify(dataset, NULL, &err));
  EXPECT(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_export(dataset, "dgl", "nowhere", NULL, &err));
  struct ArrowArrayStream stream;
  EXPECT(GLS_ERR_UNSUPPORTED, NULL, gls_dataset_nodes_to_arrow(dataset, NULL, &stream, &err));
  gls_dataset_release(dataset);
  gls_store_release(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_gathered),         cmocka_unit_test(neighbors_are_sampled),
      cmocka_unit_test(errors_are_carried),           cmocka_unit_test(bad_stores_are_refused),
      cmocka_unit_test(what_needs_arrays_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_all);
}
