/* Replays the conformance vectors through gls.h: orders, plans and padded batches through loaders,
 * samples through samplers. The folder of the vectors is the program's argument. */
#include "conformance.h"

#include "files.h"

static const char *vectors;
static gls_context_t *ctx;
static const char *current; /* name of the case at work */

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

static json_t *load(const char *name) {
  char path[PATH_SIZE];
  join_path(path, vectors, name);
  json_error_t fault;
  json_t *const file = json_load_file(path, 0, &fault);
  if (file == NULL) {
    fail_msg("%s: %s", path, fault.text);
  }
  assert_int_equal(get_number(file, "contract", 0), 1);
  assert_true(json_array_size(json_object_get(file, "cases")) > 0);
  return file;
}

/* ---- orders and plans -------------------------------------------------------------------------
 */

/* A dataset of `count` nodes and nothing else. It is written by hand: no array has so many rows. */
static gls_dataset_t *bare_nodes(uint64_t count) {
  char folder[PATH_SIZE];
  char path[PATH_SIZE];
  make_folder(folder);
  join_path(path, folder, "manifest.json");
  char text[256];
  snprintf(text, sizeof text,
           "{\"format\": \"gls-dataset\", \"version\": 1, \"edge_types\": [], \"node_types\": "
           "[{\"name\": \"node\", \"count\": %llu}]}",
           (unsigned long long)count);
  write_text(path, text);
  gls_dataset_t *dataset = NULL;
  OK(gls_dataset_open(ctx, folder, NULL, &dataset, &err));
  remove_folder(folder);
  return dataset;
}

static gls_loader_t *bare_loader(const json_t *test, const gls_loader_options_t *options) {
  gls_dataset_t *const dataset = bare_nodes(get_number(test, "n", 0));
  static const int64_t hop[] = {1};
  const gls_fanout_t fanout = {NULL, hop, 1};
  gls_sampler_options_t sampling = GLS_SAMPLER_OPTIONS_INIT;
  sampling.fanouts = &fanout;
  sampling.num_fanouts = 1;
  sampling.seed = get_number(test, "seed", 0);
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(dataset, &sampling, &sampler, &err));
  gls_loader_t *const loader = make_loader(sampler, options);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
  OK(gls_loader_seek(loader, get_number(test, "epoch", 0), &err));
  return loader;
}

/* Moves to batch `number` of the epoch by way of a saved state, since the epoch may be endless. */
static void go_to(gls_loader_t *loader, uint64_t number) {
  char state[GLS_LOADER_STATE_MAX];
  OK(gls_loader_save(loader, state, sizeof state, NULL, &err));
  json_t *const json = json_loads(state, 0, NULL);
  assert_non_null(json);
  assert_int_equal(json_object_set_new(json, "batches_done", json_integer((json_int_t)number)), 0);
  char *const moved = json_dumps(json, JSON_COMPACT);
  OK(gls_loader_restore(loader, moved, &err));
  free(moved);
  json_decref(json);
}

static void replay_order(const json_t *test) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.flags = GLS_LOADER_SHUFFLE;
  options.batch_size = 1;
  options.prefetch = 1;
  gls_loader_t *const loader = bare_loader(test, &options);
  const json_t *const positions = json_object_get(test, "positions");
  const json_t *const values = json_object_get(json_object_get(test, "expected"), "values");
  size_t i = 0;
  const json_t *value = NULL;
  json_array_foreach(values, i, value) {
    if (positions != NULL) {
      go_to(loader, number_of(json_array_get(positions, i)));
    }
    gls_batch_t *const batch = next_batch(loader);
    assert_non_null(batch);
    EXPECT_IDS(batch, GLS_BATCH_INPUT, NULL, (int64_t)number_of(value));
    EXPECT_IDS(batch, GLS_BATCH_NODE, NULL, (int64_t)number_of(value));
    gls_batch_release(batch);
  }
  gls_loader_release(loader);
}

static void replay_plan(const json_t *test) {
  const json_t *const expected = json_object_get(test, "expected");
  const char *const even = get_text(test, "even", "none");
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = (uint32_t)get_number(test, "batch_size", 0);
  options.flags = (get_flag(test, "drop_last") ? GLS_LOADER_DROP_LAST : 0u) |
                  (get_flag(test, "shuffle") ? GLS_LOADER_SHUFFLE : 0u);
  options.even = strcmp(even, "drop") == 0     ? GLS_EVEN_DROP
                 : strcmp(even, "repeat") == 0 ? GLS_EVEN_REPEAT
                                               : GLS_EVEN_NONE;
  options.rank = (uint32_t)get_number(test, "rank", 0);
  options.world_size = (uint32_t)get_number(test, "world", 1);
  gls_loader_t *const loader = bare_loader(test, &options);
  const uint64_t steps = get_number(test, "done_steps", 0);
  if (steps > 0) {
    gls_loader_options_t before = options;
    before.rank = 0;
    before.world_size = (uint32_t)get_number(test, "done_world", 1);
    gls_loader_t *const left = bare_loader(test, &before);
    for (uint64_t i = 0; i < steps; ++i) {
      gls_batch_release(next_batch(left));
    }
    char state[GLS_LOADER_STATE_MAX];
    OK(gls_loader_save(left, state, sizeof state, NULL, &err));
    OK(gls_loader_restore(loader, state, &err));
    gls_loader_release(left);
  }
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  OK(gls_loader_get_info(loader, &info, &err));
  assert_int_equal(info.num_global_batches, get_number(expected, "epoch_batches", UINT64_MAX));
  const json_t *const batches = json_object_get(expected, "batches");
  const json_t *const positions = json_object_get(expected, "positions");
  for (size_t i = 0; i < json_array_size(batches); ++i) {
    gls_batch_t *const batch = next_batch(loader);
    assert_non_null(batch);
    gls_batch_info_t of_batch = {sizeof of_batch, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(gls_batch_get_info(batch, &of_batch, &err));
    assert_int_equal(of_batch.batch, number_of(json_array_get(batches, i)));
    if (i < json_array_size(positions)) {
      size_t count = 0;
      int64_t *const input = get_array(json_array_get(positions, i), &count);
      check_ids(batch, GLS_BATCH_INPUT, NULL, count, input, __LINE__);
      free(input);
    }
    gls_batch_release(batch);
  }
  assert_null(next_batch(loader));
  gls_loader_release(loader);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void replay(const char *name) {
  json_t *const file = load(name);
  struct graphs *const graphs = read_graphs(ctx, json_object_get(file, "graphs"));
  size_t i = 0;
  const json_t *test = NULL;
  json_array_foreach(json_object_get(file, "cases"), i, test) {
    current = get_text(test, "name", "?");
    const char *const kind = get_text(test, "kind", "?");
    if (strcmp(kind, "order") == 0) {
      replay_order(test);
    } else if (strcmp(kind, "plan") == 0) {
      replay_plan(test);
    } else if (strcmp(kind, "seeds") == 0) {
      replay_seeds(graphs, test);
    } else if (strcmp(kind, "seed_sets") == 0) {
      replay_seed_sets(graphs, test);
    } else if (strcmp(kind, "pad") == 0) {
      replay_pad(graphs, test, 0);
      replay_pad(graphs, test, GLS_SAMPLE_INT32);
    } else if (strcmp(kind, "codes") == 0) {
      replay_codes(ctx, test);
    } else {
      assert_string_equal(kind, "sample");
      replay_sample(graphs, test, 0);
      replay_sample(graphs, test, GLS_SAMPLE_INT32);
    }
  }
  current = NULL;
  release_graphs(graphs);
  json_decref(file);
}

static const char *const kFiles[] = {
    "order.json",
    "plan.json",
    "sample_basic.json",
    "sample_fanout.json",
    "sample_weight.json",
    "sample_exclude.json",
    "sample_hetero.json",
    "sample_star.json",
    "sample_large.json",
    "sample_time.json",
    "sample_induced.json",
    "sample_links.json",
    "sample_walks.json",
    "sample_bidirectional.json",
    "sample_labor.json",
    "sample_anchors.json",
    "sample_importance.json",
    "sample_ppr.json",
    "sample_channels.json",
    "sample_hgt.json",
    "seeds.json",
    "seed_sets.json",
    "pad.json",
    "codes.json",
};

static void replay_file(void **state) { replay(*state); }

static int name_the_case(void **state) {
  (void)state;
  if (current != NULL) {
    print_error("the case was \"%s\"\n", current);
    current = NULL;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  vectors = argv[1];
  struct CMUnitTest tests[COUNT_OF(kFiles)];
  for (size_t i = 0; i < COUNT_OF(kFiles); ++i) {
    const struct CMUnitTest test = {kFiles[i], replay_file, NULL, name_the_case,
                                    (void *)(uintptr_t)kFiles[i]};
    tests[i] = test;
  }
  return _cmocka_run_group_tests("conformance", tests, COUNT_OF(tests), set_up, tear_down);
}
