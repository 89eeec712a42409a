/* Forked children: every object made before the fork answers GLS_ERR_INVALID_STATE, may be
 * released, and the child may start anew. The parent goes on. */
#include <sys/wait.h>

#include "files.h"

/* In a child there is no test to fail, only an exit status: the line of what went wrong. */
#define CHILD_REQUIRE(condition)                                                    \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: in the child: %s\n", __FILE__, __LINE__, #condition); \
      _exit(1);                                                                     \
    }                                                                               \
  } while (0)

/* Runs `child` in a forked process and expects it to end well, and soon. */
static void in_child(void (*child)(void *), void *argument) {
  fflush(NULL);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    alarm(60); /* a child that hangs is killed */
    child(argument);
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    print_error("the child ended with status 0x%x\n", (unsigned)status);
    fail();
  }
}

struct objects {
  gls_context_t *ctx;
  gls_dataset_t *dataset;
  gls_builder_t *builder;
  gls_sampler_t *sampler;
  gls_loader_t *loader;
  gls_batch_t *batch;
  gls_tensor_t *of_batch;
  gls_tensor_t *of_dataset;
  gls_table_t *table;
};

static struct objects make_objects(void) {
  struct objects all;
  all.ctx = make_context(3);
  all.dataset = make_ring(all.ctx, 200, 4);
  all.builder = ring_builder(all.ctx, 10, 1);
  all.sampler = make_sampler(all.dataset, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 10;
  all.loader = make_loader(all.sampler, &options);
  all.batch = next_batch(all.loader);
  all.of_batch = batch_array(all.batch, GLS_BATCH_NODE, NULL, NULL);
  all.of_dataset = NULL;
  OK(gls_dataset_tensor(all.dataset, GLS_ARRAY_NODE_COLUMN, NULL, "y", &all.of_dataset, &err));
  gls_table_options_t table = GLS_TABLE_OPTIONS_INIT;
  table.width = 2;
  table.optimizer = GLS_OPTIMIZER_SGD;
  all.table = NULL;
  OK(gls_table_open(all.dataset, NULL, "table", &table, &all.table, &err));
  return all;
}
static void release_objects(struct objects *all) {
  gls_table_release(all->table);
  gls_tensor_release(all->of_batch);
  gls_tensor_release(all->of_dataset);
  gls_batch_release(all->batch);
  gls_loader_release(all->loader);
  gls_sampler_release(all->sampler);
  gls_builder_release(all->builder);
  gls_dataset_release(all->dataset);
  gls_context_release(all->ctx);
}

#define REFUSED(call)                                              \
  do {                                                             \
    gls_error_t *err = NULL;                                       \
    CHILD_REQUIRE((call) == GLS_ERR_INVALID_STATE);                \
    CHILD_REQUIRE(gls_error_status(err) == GLS_ERR_INVALID_STATE); \
    CHILD_REQUIRE(strstr(gls_error_message(err), "fork") != NULL); \
    gls_error_release(err);                                        \
  } while (0)

static void refuse_context_and_builder(const struct objects *all) {
  char text[32];
  gls_dataset_t *dataset = NULL;
  gls_builder_t *builder = NULL;
  REFUSED(gls_context_set(all->ctx, "threads", "1", &err));
  REFUSED(gls_context_get(all->ctx, "threads", text, sizeof text, NULL, &err));
  REFUSED(gls_dataset_open(all->ctx, "/", NULL, &dataset, &err));
  REFUSED(gls_builder_create(all->ctx, &builder, &err));
  int64_t numbers[] = {0, 1};
  const int64_t shape = 2;
  const DLTensor view = view_of(numbers, kInt64, 1, &shape);
  gls_tensor_t *one = NULL;
  gls_tensor_t *two = NULL;
  CHILD_REQUIRE(gls_tensor_wrap(&view, 0, NULL, NULL, &one, NULL) == GLS_OK);
  CHILD_REQUIRE(gls_tensor_wrap(&view, 0, NULL, NULL, &two, NULL) == GLS_OK);
  REFUSED(gls_builder_add_node_type(all->builder, "a", NULL, &err));
  REFUSED(gls_builder_add_edges(all->builder, "a__b__a", one, two, NULL, &err));
  REFUSED(gls_builder_add_topology(all->builder, "a__b__a", GLS_LAYOUT_CSC, one, two, NULL, &err));
  REFUSED(gls_builder_add_edges_text(all->builder, "a__b__a", "/", NULL, &err));
  REFUSED(gls_builder_add_nodes_text(all->builder, "a", "/", NULL, &err));
  REFUSED(gls_builder_add_node_column(all->builder, "node", "c", 0, one, &err));
  REFUSED(gls_builder_add_edge_column(all->builder, RING_TYPE, "c", 0, one, &err));
  REFUSED(gls_builder_add_id_set(all->builder, "node", "c", one, &err));
  REFUSED(gls_builder_build(all->builder, NULL, &dataset, &err));
  REFUSED(gls_builder_write(all->builder, "/", NULL, &err));
  gls_tensor_release(one);
  gls_tensor_release(two);
  CHILD_REQUIRE(dataset == NULL && builder == NULL);
}

static void refuse_dataset(const struct objects *all) {
  gls_node_type_info_t node = {sizeof node, NULL, 0, 0, 0, 0, 0};
  gls_edge_type_info_t edge;
  gls_column_info_t column;
  gls_id_set_info_t set = {sizeof set, NULL, 0};
  memset(&edge, 0, sizeof edge);
  memset(&column, 0, sizeof column);
  edge.struct_size = sizeof edge;
  column.struct_size = sizeof column;
  int64_t id = 7;
  char text[32];
  gls_tensor_t *tensor = NULL;
  const gls_dataset_t *const dataset = all->dataset;
  REFUSED(gls_dataset_get_node_type_info(dataset, 0, &node, &err));
  REFUSED(gls_dataset_get_edge_type_info(dataset, 0, &edge, &err));
  REFUSED(gls_dataset_get_node_column_info(dataset, NULL, 0, &column, &err));
  REFUSED(gls_dataset_get_edge_column_info(dataset, NULL, 0, &column, &err));
  REFUSED(gls_dataset_get_id_set_info(dataset, NULL, 0, &set, &err));
  REFUSED(gls_dataset_tensor(dataset, GLS_ARRAY_CSC_INDPTR, NULL, NULL, &tensor, &err));
  REFUSED(gls_dataset_find_node(dataset, NULL, "1", &id, &err));
  REFUSED(gls_dataset_node_key(dataset, NULL, 1, text, sizeof text, NULL, &err));
  const int64_t shape = 1;
  const DLTensor view = view_of(&id, kInt64, 1, &shape);
  REFUSED(gls_dataset_find_edges(dataset, NULL, &view, &tensor, &tensor, &err));
  REFUSED(gls_dataset_has_edges(dataset, NULL, &view, &view, &tensor, &err));
  REFUSED(gls_dataset_degrees(dataset, NULL, GLS_DIRECTION_IN, NULL, &tensor, &err));
  const gls_link_split_options_t split = GLS_LINK_SPLIT_OPTIONS_INIT;
  REFUSED(gls_dataset_share_ids(dataset, NULL, &view, 0, 1, NULL, &tensor, &err));
  REFUSED(gls_dataset_split_links(dataset, NULL, &split, GLS_SPLIT_TEST, &tensor, &tensor, &err));
  REFUSED(gls_dataset_verify(dataset, NULL, &err));
  REFUSED(gls_dataset_save(dataset, "/", NULL, &err));
  uint32_t count = 7;
  REFUSED(gls_dataset_parts(dataset, &count, &tensor, &err));
  CHILD_REQUIRE(node.name == NULL && column.name == NULL && tensor == NULL && id == 7 &&
                count == 7);
}

static void never_called(void *user_data) {
  (void)user_data;
  _exit(2);
}

static void refuse_sampler_loader_batch(const struct objects *all) {
  gls_sampler_t *sampler = NULL;
  gls_loader_t *loader = NULL;
  gls_batch_t *batch = NULL;
  gls_tensor_t *tensor = NULL;
  const gls_sampler_options_t options = sampler_options(0);
  const gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  gls_loader_stats_t stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = sizeof stats;
  gls_batch_info_t of_batch = {sizeof of_batch, 0, 0, 0, 0, 0, 0, 0, 0};
  gls_array_info_t array = {sizeof array, 0, 0, NULL, NULL};
  char text[GLS_LOADER_STATE_MAX];
  REFUSED(gls_sampler_create(all->dataset, &options, &sampler, &err));
  REFUSED(gls_sampler_sample(all->sampler, &request, &batch, &err));
  REFUSED(gls_loader_create(all->sampler, NULL, NULL, &loader, &err));
  REFUSED(gls_loader_next(all->loader, -1, &batch, &err));
  REFUSED(gls_loader_notify(all->loader, never_called, NULL, &err));
  REFUSED(gls_loader_seek(all->loader, 0, &err));
  REFUSED(gls_loader_sample(all->loader, 0, 0, &batch, &err));
  REFUSED(gls_loader_get_info(all->loader, &info, &err));
  REFUSED(gls_loader_get_stats(all->loader, &stats, &err));
  REFUSED(gls_loader_save(all->loader, text, sizeof text, NULL, &err));
  REFUSED(gls_loader_restore(all->loader, "{}", &err));
  gls_loader_cancel(all->loader);
  REFUSED(gls_batch_get_info(all->batch, &of_batch, &err));
  REFUSED(gls_batch_get_array_info(all->batch, 0, &array, &err));
  REFUSED(gls_batch_tensor(all->batch, GLS_BATCH_NODE, NULL, NULL, &tensor, &err));
  gls_tensor_t *const one = IDS(1);
  REFUSED(gls_batch_attach(all->batch, "one", one, &err));
  gls_tensor_release(one);
  CHILD_REQUIRE(sampler == NULL && loader == NULL && batch == NULL && tensor == NULL);
}

static void refuse_table(const struct objects *all) {
  int64_t id = 7;
  float numbers[2] = {1, 2};
  const int64_t shape[2] = {1, 2};
  const DLTensor ids = view_of(&id, kInt64, 1, shape);
  const DLTensor rows = view_of(numbers, kFloat32, 2, shape);
  gls_table_info_t info = {.struct_size = sizeof info};
  gls_table_t *table = NULL;
  gls_tensor_t *tensor = NULL;
  REFUSED(gls_table_open(all->dataset, NULL, "table", NULL, &table, &err));
  REFUSED(gls_table_get_info(all->table, &info, &err));
  REFUSED(gls_table_rows(all->table, &ids, &tensor, &err));
  REFUSED(gls_table_write(all->table, &ids, &rows, &err));
  REFUSED(gls_table_step(all->table, &ids, &rows, 0.1, GLS_TIMEOUT_DEFAULT, &err));
  REFUSED(gls_table_save(all->table, "/", &err));
  REFUSED(gls_table_load(all->table, "/", GLS_TIMEOUT_DEFAULT, &err));
  REFUSED(gls_table_drop(all->table, &err));
}

static void refuse_everything(void *argument) {
  struct objects *const all = argument;
  refuse_context_and_builder(all);
  refuse_dataset(all);
  refuse_table(all);
  refuse_sampler_loader_batch(all);
  release_objects(all);
}

static void objects_are_refused_and_released(void **state) {
  (void)state;
  struct objects all = make_objects();
  in_child(refuse_everything, &all);
  /* The parent goes on. */
  uint64_t digests[32];
  assert_int_equal(drain(all.loader, digests, 32), 19);
  gls_dataset_t *built = NULL;
  OK(gls_builder_build(all.builder, NULL, &built, &err));
  gls_dataset_release(built);
  release_objects(&all);
}

static void leave(void *argument) {
  (void)argument;
#if defined(__SANITIZE_ADDRESS__)
  _exit(0); /* what is not released is not a leak of the child's */
#else
  exit(0); /* with destructors and all */
#endif
}

static void a_child_may_exit_at_any_time(void **state) {
  (void)state;
  struct objects all = make_objects();
  for (int i = 0; i < 15; ++i) {
    gls_batch_release(next_batch(all.loader)); /* workers are at work */
    in_child(leave, NULL);
    in_child(refuse_everything, &all);
  }
  uint64_t digests[32];
  assert_int_equal(drain(all.loader, digests, 32), 4);
  release_objects(&all);
}

/* Tensors are plain memory: a child may read them, and their release must not wait for threads that
 * it does not have, even where it lets go of the context. */
static void read_and_release(void *argument) {
  struct objects *const all = argument;
  CHILD_REQUIRE(id_at(all->of_batch, 3) == 3);
  CHILD_REQUIRE(id_at(all->of_dataset, 3) == 30);
  gls_tensor_release(all->of_batch);
  gls_tensor_release(all->of_dataset);
}

static void tensors_alone(void **state) {
  (void)state;
  struct objects all = make_objects();
  gls_batch_release(all.batch);
  gls_loader_release(all.loader);
  gls_sampler_release(all.sampler);
  gls_builder_release(all.builder);
  gls_dataset_release(all.dataset);
  gls_context_release(all.ctx);
  in_child(read_and_release, &all);
  assert_int_equal(id_at(all.of_dataset, 199), 1990);
  gls_tensor_release(all.of_batch);
  gls_tensor_release(all.of_dataset);
}

static uint64_t sample_anew(void) {
  gls_context_t *ctx = NULL;
  gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
  options.num_threads = 2;
  if (gls_context_create(&options, &ctx, NULL) != GLS_OK) {
    return 0;
  }
  gls_dataset_t *const dataset = make_ring(ctx, 30, 3);
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 7;
  gls_loader_t *const loader = make_loader(sampler, &loading);
  uint64_t digests[8];
  const size_t count = drain(loader, digests, 8);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
  gls_context_release(ctx);
  return hash_bytes(count, digests, count * sizeof *digests);
}
static void start_anew(void *expected) {
  CHILD_REQUIRE(sample_anew() == *(const uint64_t *)expected);
  /* And fork again. */
  const pid_t pid = fork();
  CHILD_REQUIRE(pid >= 0);
  if (pid == 0) {
    CHILD_REQUIRE(sample_anew() == *(const uint64_t *)expected);
    _exit(0);
  }
  int status = 0;
  CHILD_REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
}

static void a_child_may_start_anew(void **state) {
  (void)state;
  struct objects all = make_objects();
  uint64_t expected = sample_anew();
  in_child(start_anew, &expected);
  release_objects(&all);
}

static void read_error(void *err) {
  CHILD_REQUIRE(gls_error_status(err) == GLS_ERR_NOT_FOUND);
  CHILD_REQUIRE(gls_error_detail(err, "file") != NULL);
  gls_error_release(err);
}

static void errors_are_no_objects_of_a_context(void **state) {
  (void)state;
  gls_context_t *const ctx = make_context(1);
  gls_dataset_t *dataset = NULL;
  gls_error_t *err = NULL;
  assert_int_equal(gls_dataset_open(ctx, "/no/such", NULL, &dataset, &err), GLS_ERR_NOT_FOUND);
  in_child(read_error, err);
  gls_error_release(err);
  gls_context_release(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_are_refused_and_released),
      cmocka_unit_test(a_child_may_exit_at_any_time),
      cmocka_unit_test(tensors_alone),
      cmocka_unit_test(a_child_may_start_anew),
      cmocka_unit_test(errors_are_no_objects_of_a_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
