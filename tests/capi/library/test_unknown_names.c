/* Of a name that nothing has, an error lists what there is, with the same details wherever it is
 * said. */
#include "graph_fixture.h"

#define RING_NODES "node"

static int set_up(void **state) {
  (void)state;
  return set_up_ring(2, 10, 3);
}

static void check_detail(const gls_error_t *err, const char *key, const char *expected) {
  const char *const found = gls_error_detail(err, key);
  if (expected == NULL) {
    return;
  }
  if (found == NULL || strcmp(found, expected) != 0) {
    fail_msg("\"%s\": the detail %s is %s, expected %s", gls_error_message(err), key,
             found != NULL ? found : "(none)", expected);
  }
}
/* The error of an unknown name: what it is about, and that it lists one that there is. */
static void check_unknown(gls_status_t status, gls_error_t *err, const char *argument,
                          const char *column, const char *type, const char *listed) {
  assert_int_equal(status, GLS_ERR_NOT_FOUND);
  check_detail(err, "argument", argument);
  check_detail(err, "column", column);
  check_detail(err, "type", type);
  if (strstr(gls_error_message(err), listed) == NULL) {
    fail_msg("\"%s\" does not list %s", gls_error_message(err), listed);
  }
  gls_error_release(err);
}
#define UNKNOWN(argument, column, type, listed, call)                  \
  do {                                                                 \
    gls_error_t *err = NULL;                                           \
    const gls_status_t status_ = (call);                               \
    check_unknown(status_, err, (argument), (column), (type), listed); \
  } while (0)

static void columns_of_samplers(void **state) {
  (void)state;
  gls_sampler_t *out = NULL;
  gls_sampler_options_t options = sampler_options(0);
  options.weight = "heft";
  UNKNOWN("weight", "heft", NULL, "f", gls_sampler_create(ring, &options, &out, &err));
  options = sampler_options(0);
  options.node_time = "moment";
  UNKNOWN("node_time", "moment", NULL, "x, y", gls_sampler_create(ring, &options, &out, &err));
  options = sampler_options(0);
  options.edge_time = "moment";
  UNKNOWN("edge_time", "moment", NULL, "f", gls_sampler_create(ring, &options, &out, &err));
  options = sampler_options(0);
  options.exclude_mode = GLS_EXCLUDE_REVERSE_ID;
  options.reverse_column = "rev";
  UNKNOWN("reverse_column", "rev", NULL, "f", gls_sampler_create(ring, &options, &out, &err));
  gls_walk_options_t walk = GLS_WALK_OPTIONS_INIT;
  walk.length = 2;
  options = (gls_sampler_options_t)GLS_SAMPLER_OPTIONS_INIT;
  options.kind = GLS_SAMPLER_WALK;
  options.walk = &walk;
  options.weight = "heft";
  UNKNOWN("weight", "heft", NULL, "f", gls_sampler_create(ring, &options, &out, &err));
}

static void columns_of_loaders(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, GLS_SAMPLE_EDGE_IDS);
  gls_loader_t *out = NULL;
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  gls_column_request_t column = {NULL, "z", GLS_GATHER_AUTO, {0, 0, 0}};
  options.columns = &column;
  options.num_columns = 1;
  UNKNOWN("columns", "z", NULL, "x, y", gls_loader_create(sampler, NULL, &options, &out, &err));
  column.type = RING_NODES;
  UNKNOWN("columns", "z", RING_NODES, "x, y",
          gls_loader_create(sampler, NULL, &options, &out, &err));
  column.type = "nod";
  UNKNOWN("columns", NULL, "nod", RING_NODES,
          gls_loader_create(sampler, NULL, &options, &out, &err));
  options = (gls_loader_options_t)GLS_LOADER_OPTIONS_INIT;
  options.seed_rule = GLS_SEEDS_DRAW;
  options.seed_weight = "z";
  UNKNOWN("seed_weight", "z", RING_NODES, "x, y",
          gls_loader_create(sampler, NULL, &options, &out, &err));
  options = (gls_loader_options_t)GLS_LOADER_OPTIONS_INIT;
  options.seed_rule = GLS_SEEDS_CLUSTER;
  options.cluster = "z";
  UNKNOWN("cluster", "z", RING_NODES, "x, y",
          gls_loader_create(sampler, NULL, &options, &out, &err));
  options = (gls_loader_options_t)GLS_LOADER_OPTIONS_INIT;
  options.id_set = "practice";
  UNKNOWN("id_set", NULL, RING_NODES, "train",
          gls_loader_create(sampler, NULL, &options, &out, &err));
  options = (gls_loader_options_t)GLS_LOADER_OPTIONS_INIT;
  const gls_pad_size_t size = {"nod", 3};
  gls_pad_options_t pad = GLS_PAD_OPTIONS_INIT;
  pad.sizes = &size;
  pad.num_sizes = 1;
  options.pad = &pad;
  UNKNOWN("pad", NULL, "nod", RING_NODES, gls_loader_create(sampler, NULL, &options, &out, &err));
  gls_sampler_release(sampler);
}

static void columns_of_datasets_and_batches(void **state) {
  (void)state;
  gls_tensor_t *out = NULL;
  UNKNOWN(NULL, "z", RING_NODES, "x, y",
          gls_dataset_tensor(ring, GLS_ARRAY_NODE_COLUMN, NULL, "z", &out, &err));
  UNKNOWN(NULL, "z", RING_TYPE, "f",
          gls_dataset_tensor(ring, GLS_ARRAY_EDGE_COLUMN, NULL, "z", &out, &err));
  int64_t id = 3;
  const int64_t one = 1;
  const DLTensor ids = view_of(&id, kInt64, 1, &one);
  UNKNOWN("column", "z", RING_NODES, "x, y",
          gls_dataset_rows(ring, RING_NODES, "z", &ids, &out, &err));
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  const gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_t *const batch = next_batch(loader);
  UNKNOWN(NULL, "z", RING_NODES, "x, y",
          gls_batch_tensor(batch, GLS_BATCH_NODE_COLUMN, NULL, "z", &out, &err));
  gls_batch_release(batch);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

static void settings(void **state) {
  (void)state;
  gls_error_t *err = NULL;
  assert_int_equal(gls_context_set(ctx, "memory.hugepages", "true", &err), GLS_ERR_NOT_FOUND);
  check_detail(err, "setting", "memory.hugepages");
  assert_non_null(strstr(gls_error_message(err), "memory.huge_pages"));
  assert_null(strstr(gls_error_message(err), "net.plain")); /* those of the group alone */
  gls_error_release(err);
  err = NULL;
  assert_int_equal(gls_context_set(ctx, "hugepages", "true", &err), GLS_ERR_NOT_FOUND);
  assert_non_null(strstr(gls_error_message(err), "memory.*"));
  gls_error_release(err);
  err = NULL;
  assert_int_equal(gls_context_set(ctx, "memory.pool", "many", &err), GLS_ERR_INVALID_ARGUMENT);
  check_detail(err, "setting", "memory.pool");
  gls_error_release(err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_of_samplers),
      cmocka_unit_test(columns_of_loaders),
      cmocka_unit_test(columns_of_datasets_and_batches),
      cmocka_unit_test(settings),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
