/* A plan of an epoch: its counts are those of the batches, its reads those of the loader; every
 * option that is refused. */
#include <jansson.h>

#include "files.h"
#include "graph_fixture.h"

#define NODES 200
#define BATCH 16
#define BATCHES 13 /* the last one has 8 seeds */
#define MEMORY "20000"

static gls_sampler_t *sampler;

static int set_up(void **state) {
  (void)state;
  set_up_ring(2, NODES, 4);
  sampler = make_sampler(ring, 0);
  return 0;
}
static int tear_down_all(void **state) {
  gls_sampler_release(sampler);
  return tear_down(state);
}

static gls_loader_t *loader_of(gls_sampler_t *of) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = BATCH;
  options.flags = GLS_LOADER_SHUFFLE;
  return make_loader(of, &options);
}

static json_t *plan_of(const gls_loader_t *loader, const gls_plan_options_t *options) {
  gls_tensor_t *text = NULL;
  OK(gls_loader_plan(loader, options, &text, &err));
  assert_int_equal(text->dl_tensor.ndim, 1);
  assert_true(text->dl_tensor.dtype.code == kDLUInt && text->dl_tensor.dtype.bits == 8);
  const size_t length = (size_t)tensor_elements(text);
  assert_null(memchr(tensor_data(text), 0, length));
  json_error_t problem;
  json_t *const out = json_loadb(tensor_data(text), length, 0, &problem);
  gls_tensor_release(text);
  assert_non_null(out);
  return out;
}
static json_t *field(const json_t *object, const char *name) {
  json_t *const out = json_object_get(object, name);
  assert_non_null(out);
  return out;
}
static uint64_t number(const json_t *object, const char *name) {
  const json_t *const value = field(object, name);
  assert_true(json_is_integer(value));
  return (uint64_t)json_integer_value(value);
}

struct sizes {
  uint64_t total, least, most;
};
static void add_size(struct sizes *to, uint64_t size) {
  to->total += size;
  to->least = size < to->least ? size : to->least;
  to->most = size > to->most ? size : to->most;
}
static void check_sizes(const struct sizes *expected, const json_t *found) {
  assert_int_equal(number(found, "total"), expected->total);
  assert_int_equal(number(found, "least"), expected->least);
  assert_int_equal(number(found, "most"), expected->most);
}
/* Expected: of a whole batch, then of each hop. */
static void check_counts(const json_t *plan, const char *key, const char *type,
                         const struct sizes *expected, size_t hops) {
  const json_t *const types = field(plan, key);
  assert_int_equal(json_array_size(types), 1);
  const json_t *const found = json_array_get(types, 0);
  assert_string_equal(json_string_value(field(found, "type")), type);
  check_sizes(&expected[0], found);
  assert_int_equal(json_array_size(field(found, "hops")), hops);
  for (size_t hop = 0; hop < hops; ++hop) {
    check_sizes(&expected[1 + hop], json_array_get(field(found, "hops"), hop));
  }
}

static void counts_of(const gls_plan_options_t *options, uint64_t batches) {
  gls_loader_t *const loader = loader_of(sampler);
  const uint64_t epoch = options != NULL ? options->epoch : 0;
  json_t *const plan = plan_of(loader, options);
  OK(gls_loader_seek(loader, epoch, &err));
  const struct sizes none = {0, UINT64_MAX, 0};
  struct sizes nodes[4] = {none, none, none, none};
  struct sizes edges[3] = {none, none, none};
  uint64_t seeds = 0;
  for (uint64_t b = 0; b < batches; ++b) {
    gls_batch_t *const batch = next_batch(loader);
    gls_tensor_t *const num_nodes = batch_array(batch, GLS_BATCH_NUM_NODES, NULL, NULL);
    gls_tensor_t *const num_edges = batch_array(batch, GLS_BATCH_NUM_EDGES, NULL, NULL);
    gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
    const gls_tensor_t *const of[2] = {num_nodes, num_edges};
    struct sizes *const to[2] = {nodes, edges};
    for (size_t kind = 0; kind < 2; ++kind) {
      uint64_t sum = 0;
      for (int64_t hop = 0; hop < tensor_elements(of[kind]); ++hop) {
        add_size(&to[kind][1 + hop], (uint64_t)id_at(of[kind], hop));
        sum += (uint64_t)id_at(of[kind], hop);
      }
      add_size(to[kind], sum);
    }
    seeds += (uint64_t)tensor_elements(input);
    gls_tensor_release(num_nodes);
    gls_tensor_release(num_edges);
    gls_tensor_release(input);
    gls_batch_release(batch);
  }
  check_counts(plan, "nodes", "node", nodes, 3);
  check_counts(plan, "edges", RING_TYPE, edges, 2);
  assert_int_equal(number(plan, "format"), 1);
  assert_int_equal(number(plan, "epoch"), epoch);
  assert_int_equal(number(plan, "batch_size"), BATCH);
  assert_int_equal(number(field(plan, "batches"), "epoch"), BATCHES);
  assert_int_equal(number(field(plan, "batches"), "planned"), batches);
  assert_int_equal(number(plan, "seeds"), seeds);
  json_decref(plan);
  gls_loader_release(loader);
}

static void counts(void **state) {
  (void)state;
  counts_of(NULL, BATCHES);
  gls_plan_options_t options = GLS_PLAN_OPTIONS_INIT;
  options.epoch = 4;
  counts_of(&options, BATCHES);
  options.batches = 3;
  counts_of(&options, 3);
}

/* The loader reads what the plan says, and then does again: a plan changes nothing. */
static void reads(void **state) {
  (void)state;
  char folder[PATH_SIZE];
  char graph[PATH_SIZE];
  make_folder(folder);
  join_path(graph, folder, "graph");
  gls_context_t *const own = make_context(2);
  gls_dataset_t *const made = make_ring(own, 2000, 4);
  OK(gls_dataset_save(made, graph, NULL, &err));
  gls_dataset_release(made);
  OK(gls_context_set(own, "storage.way", "planned", &err));
  OK(gls_context_set(own, "storage.memory", MEMORY, &err));
  OK(gls_context_set(own, "storage.folder", "/var/tmp", &err)); /* on a disk */
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(own, graph, NULL, &dataset, &err));
  gls_sampler_t *const of_files = make_sampler(dataset, 0);
  gls_loader_t *const loader = loader_of(of_files);
  const uint64_t memory[] = {UINT64_C(1) << 40, 20000};
  gls_plan_options_t options = GLS_PLAN_OPTIONS_INIT;
  options.memory = memory + 1;
  options.num_memory = 1;
  json_t *plan = plan_of(loader, &options);
  const json_t *found = json_array_get(field(plan, "memory"), 0);
  assert_int_equal(json_array_size(field(plan, "memory")), 1);
  gls_loader_stats_t stats = GLS_INIT(gls_loader_stats_t);
  OK(gls_loader_get_stats(loader, &stats, &err));
  assert_true(stats.batches == 0 && stats.nodes == 0 && stats.disk_rows == 0);
  assert_int_equal(drain(loader, NULL, 0), 2000 / BATCH);
  OK(gls_loader_get_stats(loader, &stats, &err));
  assert_true(stats.disk_rows > 0 && stats.disk_read_bytes > 0);
  assert_int_equal(number(found, "bytes"), memory[1]);
  assert_int_equal(number(found, "uses"), stats.host_rows);
  assert_int_equal(number(found, "missed_rows"), stats.disk_rows);
  assert_int_equal(number(found, "missed_bytes"), stats.disk_row_bytes);
  assert_int_equal(number(found, "read_bytes"), stats.disk_read_bytes);
  assert_true(number(found, "packed_bytes") > 0);
  assert_int_equal(stats.disk_packed_bytes, number(found, "packed_bytes"));
  json_decref(plan);
  /* Ascending; all of 2^40 bytes are enough. */
  options.memory = memory;
  options.num_memory = 2;
  plan = plan_of(loader, &options);
  found = field(plan, "memory");
  assert_int_equal(json_array_size(found), 2);
  assert_int_equal(number(json_array_get(found, 0), "bytes"), memory[1]);
  assert_int_equal(number(json_array_get(found, 1), "bytes"), memory[0]);
  assert_true(number(json_array_get(found, 1), "missed_rows") <
              number(json_array_get(found, 0), "missed_rows"));
  json_decref(plan);
  gls_loader_release(loader);
  gls_sampler_release(of_files);
  gls_dataset_release(dataset);
  gls_context_release(own);
  remove_folder(folder);
}

static int32_t stop_at_three(void *user_data, const char *stage, uint64_t done, uint64_t total,
                             const char *unit) {
  assert_string_equal(stage, "sample");
  assert_string_equal(unit, "batches");
  assert_int_equal(total, BATCHES);
  assert_int_equal(done, ++*(uint64_t *)user_data);
  return done == 3;
}

static void options_that_cannot_be(void **state) {
  (void)state;
  gls_loader_t *const loader = loader_of(sampler);
  gls_tensor_t *none = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_plan(NULL, NULL, &none, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "json", gls_loader_plan(loader, NULL, NULL, &err));
#define REFUSED(code, argument, change)                                    \
  do {                                                                     \
    gls_plan_options_t options = GLS_PLAN_OPTIONS_INIT;                    \
    change;                                                                \
    FAILS(code, argument, gls_loader_plan(loader, &options, &none, &err)); \
    assert_null(none);                                                     \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "options", options.struct_size = 3);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "batches", options.batches = BATCHES + 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "batches", options.batches = UINT64_MAX);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "memory", options.num_memory = 1);
  static const uint64_t sizes[] = {1000000, 0};
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "memory", (options.memory = sizes, options.num_memory = 2));
  uint64_t calls = 0;
  REFUSED(GLS_ERR_CANCELED, NULL,
          (options.progress = stop_at_three, options.progress_user_data = &calls));
  assert_int_equal(calls, 3);
  /* Without a size, the pointer is not read. */
  gls_plan_options_t options = GLS_PLAN_OPTIONS_INIT;
  options.memory = sizes;
  json_decref(plan_of(loader, &options));
  gls_loader_release(loader);
  gls_loader_options_t empty = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *idle = NULL;
  OK(gls_loader_create(sampler, ids64(0, NULL), &empty, &idle, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_plan(idle, NULL, &none, &err));
  assert_null(none);
  gls_loader_release(idle);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts),
      cmocka_unit_test(reads),
      cmocka_unit_test(options_that_cannot_be),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_all);
}
