/* Saving and restoring a loader: the rest of the epoch is byte-equal whatever the threads, the
 * prefetching and the number of trainers, and the state of another loader is refused by name. */
#include "helpers.h"

#define NODES 100
#define MOST 64

static gls_context_t *ctx;
static gls_context_t *other_ctx; /* other number of threads */
static gls_dataset_t *ring;
static gls_dataset_t *other_ring; /* the same, in the other context */

static int set_up(void **state) {
  (void)state;
  ctx = make_context(1);
  other_ctx = make_context(4);
  ring = make_ring(ctx, NODES, 5);
  other_ring = make_ring(other_ctx, NODES, 5);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_dataset_release(ring);
  gls_dataset_release(other_ring);
  gls_context_release(ctx);
  gls_context_release(other_ctx);
  return 0;
}

static gls_loader_options_t shuffling(uint32_t batch_size, uint32_t rank, uint32_t world) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = batch_size;
  options.flags = GLS_LOADER_SHUFFLE;
  options.rank = rank;
  options.world_size = world;
  return options;
}
/* The loader keeps its sampler alive. */
static gls_loader_t *loader_of(gls_dataset_t *dataset, const gls_loader_options_t *options) {
  gls_sampler_t *const sampler = make_sampler(dataset, GLS_SAMPLE_EDGE_IDS);
  gls_loader_t *const loader = make_loader(sampler, options);
  gls_sampler_release(sampler);
  return loader;
}
static void pass_over(gls_loader_t *loader, int count) {
  for (int i = 0; i < count; ++i) {
    gls_batch_t *const batch = next_batch(loader);
    assert_non_null(batch);
    gls_batch_release(batch);
  }
}
static void save(const gls_loader_t *loader, char *state) {
  size_t length = 0;
  OK(gls_loader_save(loader, state, GLS_LOADER_STATE_MAX, &length, &err));
  assert_int_equal(length, strlen(state));
}

/* The digests of epoch 2, by batch number. */
static size_t whole_epoch(uint64_t *digests) {
  const gls_loader_options_t options = shuffling(7, 0, 1);
  gls_loader_t *const loader = loader_of(ring, &options);
  OK(gls_loader_seek(loader, 2, &err));
  const size_t count = drain(loader, digests, MOST);
  gls_loader_release(loader);
  return count;
}

static void at_every_batch_with_other_threads(void **state) {
  (void)state;
  uint64_t expected[MOST];
  const size_t count = whole_epoch(expected);
  assert_int_equal(count, 15);
  const gls_loader_options_t options = shuffling(7, 0, 1);
  gls_loader_t *const from = loader_of(ring, &options);
  gls_loader_options_t changed = options;
  changed.num_workers = 4;
  changed.prefetch = 3;
  changed.prefetch_bytes = 1 << 20;
  gls_loader_t *const to = loader_of(other_ring, &changed);
  OK(gls_loader_seek(from, 2, &err));
  for (size_t done = 0; done <= count; ++done) {
    char saved[GLS_LOADER_STATE_MAX];
    save(from, saved);
    OK(gls_loader_restore(to, saved, &err));
    gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
    OK(gls_loader_get_info(to, &info, &err));
    assert_int_equal(info.epoch, 2);
    assert_int_equal(info.next_batch, done);
    uint64_t rest[MOST];
    assert_int_equal(drain(to, rest, MOST), count - done);
    assert_memory_equal(rest, expected + done, (count - done) * sizeof *rest);
    gls_batch_t *const batch = next_batch(from);
    assert_true((batch == NULL) == (done == count));
    gls_batch_release(batch);
  }
  /* The epochs after it begin at their start again. */
  OK(gls_loader_seek(to, 2, &err));
  uint64_t again[MOST];
  assert_int_equal(drain(to, again, MOST), count);
  assert_memory_equal(again, expected, count * sizeof *again);
  gls_loader_release(from);
  gls_loader_release(to);
}

static void with_other_numbers_of_trainers(void **state) {
  (void)state;
  uint64_t expected[MOST];
  const size_t count = whole_epoch(expected);
  for (uint32_t before = 1; before <= 4; ++before) {
    for (uint32_t after = 1; after <= 4; ++after) {
      const int steps = 2;
      const size_t done = (size_t)steps * before;
      const gls_loader_options_t old = shuffling(7, before - 1, before);
      gls_loader_t *const from = loader_of(ring, &old);
      OK(gls_loader_seek(from, 2, &err));
      pass_over(from, steps);
      char saved[GLS_LOADER_STATE_MAX];
      save(from, saved);
      gls_loader_release(from);
      bool seen[MOST] = {false};
      for (uint32_t rank = 0; rank < after; ++rank) {
        const gls_loader_options_t options = shuffling(7, rank, after);
        gls_loader_t *const to = loader_of(other_ring, &options);
        OK(gls_loader_restore(to, saved, &err));
        size_t number = done + rank;
        for (gls_batch_t *batch; (batch = next_batch(to)) != NULL; number += after) {
          assert_in_range(number, done, count - 1);
          assert_true(batch_digest(batch) == expected[number]);
          seen[number] = true;
          gls_batch_release(batch);
        }
        gls_loader_release(to);
      }
      for (size_t b = 0; b < count; ++b) {
        assert_true(seen[b] == (b >= done));
      }
    }
  }
}

/* A state is resumed a second time, in the middle of what was left. */
static void states_of_resumed_loaders(void **state) {
  (void)state;
  uint64_t expected[MOST];
  const size_t count = whole_epoch(expected);
  const gls_loader_options_t two = shuffling(7, 1, 2);
  const gls_loader_options_t three = shuffling(7, 0, 3);
  const gls_loader_options_t one = shuffling(7, 0, 1);
  char saved[GLS_LOADER_STATE_MAX];
  gls_loader_t *loader = loader_of(ring, &two);
  OK(gls_loader_seek(loader, 2, &err));
  pass_over(loader, 2); /* 4 batches done */
  save(loader, saved);
  gls_loader_release(loader);
  loader = loader_of(ring, &three);
  OK(gls_loader_restore(loader, saved, &err));
  pass_over(loader, 1); /* 7 done */
  save(loader, saved);
  gls_loader_release(loader);
  loader = loader_of(other_ring, &one);
  OK(gls_loader_restore(loader, saved, &err));
  uint64_t rest[MOST];
  assert_int_equal(drain(loader, rest, MOST), count - 7);
  assert_memory_equal(rest, expected + 7, (count - 7) * sizeof *rest);
  gls_loader_release(loader);
}

static void the_state_is_small_text(void **state) {
  (void)state;
  const gls_loader_options_t options = shuffling(1u << 30, 0, UINT32_MAX);
  gls_sampler_options_t sampling = sampler_options(0);
  sampling.seed = UINT64_MAX;
  gls_sampler_t *sampler = NULL;
  OK(gls_sampler_create(ring, &sampling, &sampler, &err));
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(sampler, IDS(1, 2, 3), &options, &loader, &err));
  OK(gls_loader_seek(loader, UINT64_MAX, &err));
  char saved[GLS_LOADER_STATE_MAX];
  save(loader, saved);
  assert_true(saved[0] == '{' && strlen(saved) < 512);
  size_t length = 0;
  char small[16] = "kept";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "capacity",
        gls_loader_save(loader, small, sizeof small, &length, &err));
  assert_int_equal(length, strlen(saved));
  assert_string_equal(small, "kept");
  OK(gls_loader_restore(loader, saved, &err));
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  OK(gls_loader_get_info(loader, &info, &err));
  assert_true(info.epoch == UINT64_MAX);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* ---- foreign states ---------------------------------------------------------------------------
 */

static void refused(gls_loader_t *loader, const char *saved, const char *named) {
  gls_error_t *err = NULL;
  assert_int_equal(gls_loader_restore(loader, saved, &err), GLS_ERR_INVALID_ARGUMENT);
  assert_string_equal(gls_error_detail(err, "argument"), "state");
  if (strstr(gls_error_message(err), named) == NULL) {
    print_error("\"%s\" does not name \"%s\"\n", gls_error_message(err), named);
    fail();
  }
  gls_error_release(err);
  /* Nothing changed. */
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  OK(gls_loader_get_info(loader, &info, &err));
  assert_int_equal(info.epoch, 4);
  assert_int_equal(info.next_batch, 1);
}

static void foreign_states_are_named(void **state) {
  (void)state;
  static const int64_t few[] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const int64_t moved[] = {1, 2, 3, 4, 5, 6, 8, 7};
  const gls_loader_options_t options = shuffling(4, 0, 1);
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(sampler, ids64(8, few), &options, &loader, &err));
  OK(gls_loader_seek(loader, 4, &err));
  pass_over(loader, 1);
  char saved[GLS_LOADER_STATE_MAX];

  gls_loader_t *other = NULL;
#define FOREIGN(named, from, ids, change)                     \
  do {                                                        \
    gls_loader_options_t changed = options;                   \
    change;                                                   \
    OK(gls_loader_create(from, ids, &changed, &other, &err)); \
    save(other, saved);                                       \
    refused(loader, saved, "\"" named "\"");                  \
    gls_loader_release(other);                                \
  } while (0)
  FOREIGN("batch_size", sampler, ids64(8, few), changed.batch_size = 5);
  FOREIGN("shuffle", sampler, ids64(8, few), changed.flags = 0);
  FOREIGN("drop_last", sampler, ids64(8, few), changed.flags |= GLS_LOADER_DROP_LAST);
  FOREIGN("num_seeds", sampler, ids64(7, few), );
  FOREIGN("seeds", sampler, ids64(8, moved), );
  gls_sampler_options_t sampling = sampler_options(0);
  sampling.seed = 8;
  gls_sampler_t *reseeded = NULL;
  OK(gls_sampler_create(ring, &sampling, &reseeded, &err));
  FOREIGN("seed", reseeded, ids64(8, few), );
  gls_dataset_t *const larger = make_ring(ctx, NODES + 1, 5);
  gls_sampler_t *const elsewhere = make_sampler(larger, 0);
  FOREIGN("dataset", elsewhere, ids64(8, few), );
#undef FOREIGN
  /* The width of the seeds' numbers is no difference. */
  OK(gls_loader_create(sampler, ids32(8, few), &options, &other, &err));
  save(other, saved);
  OK(gls_loader_restore(loader, saved, &err));
  gls_loader_release(other);
  gls_loader_release(loader);
  gls_sampler_release(elsewhere);
  gls_sampler_release(reseeded);
  gls_sampler_release(sampler);
  gls_dataset_release(larger);
}

static void all_nodes_by_name_or_by_default(void **state) {
  (void)state;
  int64_t all[NODES];
  for (int64_t i = 0; i < NODES; ++i) {
    all[i] = i;
  }
  const gls_loader_options_t options = shuffling(4, 0, 1);
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_loader_t *given = NULL;
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(sampler, ids64(NODES, all), &options, &given, &err));
  OK(gls_loader_create(sampler, NULL, &options, &loader, &err));
  char saved[GLS_LOADER_STATE_MAX];
  pass_over(given, 1);
  save(given, saved);
  OK(gls_loader_restore(loader, saved, &err));
  save(loader, saved);
  OK(gls_loader_restore(given, saved, &err));
  gls_loader_release(loader);
  gls_loader_release(given);
  gls_sampler_release(sampler);
}

static void seeds_of_another_node_type(void **state) {
  (void)state;
  static const int64_t ends[] = {0, 1, 2, 3, 4, 5, 6, 7};
  gls_builder_t *builder = NULL;
  gls_dataset_t *dataset = NULL;
  OK(gls_builder_create(ctx, &builder, &err));
  OK(gls_builder_add_edges(builder, "a__to__b", ids64(8, ends), ids64(8, ends), NULL, &err));
  OK(gls_builder_build(builder, NULL, &dataset, &err));
  gls_builder_release(builder);
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_options_t options = shuffling(4, 0, 1);
  options.node_type = "a";
  gls_loader_t *const of_a = make_loader(sampler, &options);
  options.node_type = "b";
  gls_loader_t *const of_b = make_loader(sampler, &options);
  OK(gls_loader_seek(of_b, 4, &err));
  pass_over(of_b, 1);
  char saved[GLS_LOADER_STATE_MAX];
  save(of_a, saved);
  refused(of_b, saved, "\"node_type\"");
  gls_loader_release(of_a);
  gls_loader_release(of_b);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
}

static void texts_that_are_no_states(void **state) {
  (void)state;
  const gls_loader_options_t options = shuffling(4, 0, 1);
  gls_loader_t *const loader = loader_of(ring, &options);
  OK(gls_loader_seek(loader, 4, &err));
  pass_over(loader, 1);
  static const char *const bad[] = {"",   " ",    "null",       "{}",
                                    "[]", "17",   "\"state\"",  "{\"",
                                    "{]", "\xff", "{\"a\": 1}", "{\"gls_loader\": 1}",
                                    "nan"};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    refused(loader, bad[i], "loader state");
  }
  char deep[5000];
  memset(deep, '[', sizeof deep);
  deep[sizeof deep - 1] = '\0';
  refused(loader, deep, "loader state");
  FAILS(GLS_ERR_UNSUPPORTED, "state", gls_loader_restore(loader, "{\"gls_loader\": 2}", &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "state", gls_loader_restore(loader, NULL, &err));

  /* A state of this loader with one number spoilt. */
  char saved[GLS_LOADER_STATE_MAX];
  save(loader, saved);
  /* Deep and long: neither runs out of stack nor comes back in the message. */
  const size_t depth = 200000;
  char *const nested = malloc(2 * depth + 100);
  assert_non_null(nested);
  size_t at_depth = (size_t)sprintf(nested, "{\"gls_loader\": 1, \"contract\": ");
  memset(nested + at_depth, '[', depth);
  memset(nested + at_depth + depth, ']', depth);
  at_depth += 2 * depth;
  nested[at_depth++] = '}';
  nested[at_depth] = '\0';
  refused(loader, nested, "loader state");
  free(nested);
  static const char *const spoilt[] = {
      "-1", "1.5", "\"1\"", "null", "18446744073709551615", "99999999999999999999999"};
  const char *const at = strstr(saved, "\"batches_done\":");
  assert_non_null(at);
  const size_t before = (size_t)(at - saved) + strlen("\"batches_done\":");
  const char *const after = strchr(at, ',');
  for (size_t i = 0; i < COUNT_OF(spoilt); ++i) {
    char text[2 * GLS_LOADER_STATE_MAX];
    snprintf(text, sizeof text, "%.*s%s%s", (int)before, saved, spoilt[i], after);
    refused(loader, text, "batches_done");
  }
  gls_loader_release(loader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_every_batch_with_other_threads),
      cmocka_unit_test(with_other_numbers_of_trainers),
      cmocka_unit_test(states_of_resumed_loaders),
      cmocka_unit_test(the_state_is_small_text),
      cmocka_unit_test(foreign_states_are_named),
      cmocka_unit_test(all_nodes_by_name_or_by_default),
      cmocka_unit_test(seeds_of_another_node_type),
      cmocka_unit_test(texts_that_are_no_states),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
