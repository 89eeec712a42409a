/* Timeouts: a negative one waits without limit, 0 polls, and GLS_TIMEOUT_DEFAULT is the documented
 * default. No test looks at a clock: a call waits if only its interrupt function ends it, and polls
 * if it returns although nothing would end it. */
#include <pthread.h>
#include <unistd.h>

#include "served_fixture.h"
#include "test_paths.h"

enum { kWidth = 3 };

static gls_context_t *patient; /* its settings set no limit */
static gls_context_t *hasty;   /* its settings limit a request to 300 ms */
static gls_dataset_t *limited; /* `served`, opened by `hasty` */

static void release_kept(void) {
  for (int i = 0; i < kMostKept; ++i) {
    gls_call_release(atomic_exchange(&kept_calls[i], NULL));
  }
}
static bool any_kept(void) {
  for (int i = 0; i < kMostKept; ++i) {
    if (atomic_load(&kept_calls[i]) != NULL) {
      return true;
    }
  }
  return false;
}

static gls_context_t *context_with(const char *request_timeout_ms) {
  gls_context_t *const out = make_context(2);
  set_key(out, folder);
  OK(gls_context_set(out, "cluster.request_timeout_ms", request_timeout_ms, &err));
  return out;
}

static int set_up(void **state) {
  (void)state;
  make_folder(folder);
  patient = context_with("0");
  hasty = context_with("300");
  set_up_served(patient);
  limited = open_served(hasty);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  release_kept();
  gls_dataset_release(limited);
  tear_down_served();
  gls_context_release(hasty);
  gls_context_release(patient);
  remove_folder(folder);
  return 0;
}

/* ---- loaders and feeds -------------------------------------------------------------------------
 */

static void of_loaders_and_feeds(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 50;
  options.transform = wait_at_gate;
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_t *batch = NULL;
  atomic_store(&shut, true);
  EXPECT(GLS_IN_PROGRESS, NULL, gls_loader_next(loader, 0, &batch, &err));
  INTERRUPTED(gls_loader_next(loader, -1, &batch, &err));
  INTERRUPTED(gls_loader_next(loader, GLS_TIMEOUT_DEFAULT, &batch, &err));
  EXPECT(GLS_IN_PROGRESS, NULL, gls_loader_next(loader, 0, &batch, &err));
  assert_null(batch);
  atomic_store(&shut, false);
  OK(gls_loader_next(loader, GLS_TIMEOUT_DEFAULT, &batch, &err));
  gls_batch_release(batch);

  char *const path = socket_path("timeouts");
  const char *paths[1] = {path};
  gls_attach_options_t attach = GLS_ATTACH_OPTIONS_INIT;
  attach.paths = paths;
  attach.num_paths = 1;
  gls_loader_t *attached = NULL;
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_feed_attach(patient, &attach, 0, &attached, &err));
  INTERRUPTED(gls_feed_attach(patient, &attach, -1, &attached, &err));
  gls_feed_t *const feed = serve(loader, path, 1, 0);
  EXPECT(GLS_IN_PROGRESS, NULL, gls_feed_wait(feed, 0, &err));
  INTERRUPTED(gls_feed_wait(feed, -1, &err));
  INTERRUPTED(gls_feed_wait(feed, GLS_TIMEOUT_DEFAULT, &err));
  OK(gls_feed_attach(patient, &attach, 0, &attached, &err)); /* a poll finds it */
  gls_loader_release(attached);
  OK(gls_feed_wait(feed, GLS_TIMEOUT_DEFAULT, &err));
  OK(gls_feed_wait(feed, 0, &err));
  OK(gls_feed_attach(patient, &attach, GLS_TIMEOUT_DEFAULT, &attached, &err));
  gls_loader_release(attached);
  gls_feed_release(feed);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* ---- calls -------------------------------------------------------------------------------------
 */

static gls_future_t *call(gls_dataset_t *dataset, int64_t timeout_ms) {
  gls_future_t *future = NULL;
  OK(gls_dataset_call(dataset, 0, "keep", "x", 1, timeout_ms, NULL, &future, &err));
  return future;
}
static void expect_timed_out(gls_future_t *future) {
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_future_wait(future, -1, &err));
  gls_future_release(future);
}
static void expect_waits(gls_future_t *future) {
  EXPECT(GLS_IN_PROGRESS, NULL, gls_future_wait(future, 0, &err));
  INTERRUPTED(gls_future_wait(future, -1, &err));
  INTERRUPTED(gls_future_wait(future, GLS_TIMEOUT_DEFAULT, &err));
  EXPECT(GLS_IN_PROGRESS, NULL, gls_future_wait(future, 0, &err));
  gls_future_release(future);
}

static void of_calls(void **state) {
  (void)state;
  expect_timed_out(call(served, 0));
  expect_timed_out(call(served, 100));
  expect_timed_out(call(limited, GLS_TIMEOUT_DEFAULT)); /* the setting */
  expect_waits(call(limited, -1));
  expect_waits(call(served, GLS_TIMEOUT_DEFAULT)); /* the setting has no limit */
  expect_waits(call(served, -1));
  release_kept();
}

/* ---- servers -----------------------------------------------------------------------------------
 */

static void of_probes(void **state) {
  (void)state;
  char silent[PATH_SIZE];
  const int fd = silent_place(silent);
  gls_probe_t *probe = NULL;
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_server_probe(patient, silent, 0, &probe, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL,
        gls_server_probe(hasty, silent, GLS_TIMEOUT_DEFAULT, &probe, &err));
  INTERRUPTED(gls_server_probe(patient, silent, GLS_TIMEOUT_DEFAULT, &probe, &err));
  INTERRUPTED(gls_server_probe(hasty, silent, -1, &probe, &err));
  close(fd);
  OK(gls_server_probe(patient, gls_server_address(server), -1, &probe, &err));
  gls_probe_release(probe);
}

static void of_stopping(void **state) {
  (void)state;
  gls_future_t *const future = call(served, -1);
  SOON(any_kept());
  OK(gls_server_stop(server, 0, &err)); /* although a call is in progress */
  gls_future_release(future);
}

/* ---- tables ------------------------------------------------------------------------------------
 */

static gls_status_t take_step(gls_table_t *table, int64_t timeout_ms, gls_error_t **err) {
  int64_t id = 1;
  float numbers[kWidth] = {1, 2, 3};
  const int64_t shape[2] = {1, kWidth};
  const DLTensor ids = view_of(&id, kInt64, 1, shape);
  const DLTensor gradients = view_of(numbers, kFloat32, 2, shape);
  return gls_table_step(table, &ids, &gradients, 1.0, timeout_ms, err);
}
static void *step_of_other(void *table) {
  OK(take_step(table, 20000, &err));
  return NULL;
}
static gls_table_t *open_table(gls_dataset_t *dataset, const char *name, uint32_t rank,
                               uint32_t world_size) {
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = kWidth;
  options.optimizer = GLS_OPTIMIZER_SGD;
  options.rank = rank;
  options.world_size = world_size;
  gls_table_t *out = NULL;
  OK(gls_table_open(dataset, NULL, name, &options, &out, &err));
  return out;
}

static void of_tables(void **state) {
  (void)state;
  gls_table_t *const alone = open_table(served, "alone", 0, 1);
  OK(take_step(alone, 0, &err)); /* there is no other trainer */
  OK(take_step(alone, GLS_TIMEOUT_DEFAULT, &err));
  OK(gls_table_drop(alone, &err));
  gls_table_release(alone);

  gls_table_t *const first = open_table(served, "both", 0, 2);
  gls_table_t *const second = open_table(limited, "both", 1, 2);
  FAILS(GLS_ERR_TIMED_OUT, NULL, take_step(first, 0, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL, take_step(second, GLS_TIMEOUT_DEFAULT, &err)); /* the setting */
  INTERRUPTED(take_step(second, -1, &err));
  INTERRUPTED(take_step(first, GLS_TIMEOUT_DEFAULT, &err));
  INTERRUPTED(take_step(first, -1, &err));
  /* A trainer may poll until the other one has come. */
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, step_of_other, first), 0);
  gls_status_t status = GLS_ERR_TIMED_OUT;
  for (int tries = 0; status == GLS_ERR_TIMED_OUT && tries < 20000; ++tries) {
    sleep_ms(1);
    status = take_step(second, 0, NULL);
  }
  assert_int_equal(status, GLS_OK);
  assert_int_equal(pthread_join(thread, NULL), 0);

  char path[PATH_SIZE];
  join_path(path, folder, "saved");
  OK(gls_table_save(first, path, &err));
  OK(gls_table_save(second, path, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_table_load(first, path, 0, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_table_load(second, path, GLS_TIMEOUT_DEFAULT, &err));
  INTERRUPTED(gls_table_load(first, path, -1, &err));
  OK(gls_table_drop(first, &err));
  gls_table_release(first);
  gls_table_release(second);
}

/* ---- groups ------------------------------------------------------------------------------------
 */

typedef struct member {
  gls_group_options_t options;
  gls_group_t *group;
} member_t;
static void *join_other(void *data) {
  member_t *const member = data;
  OK(gls_group_join(hasty, &member->options, GLS_TIMEOUT_DEFAULT, &member->group, &err));
  return NULL;
}

static void of_groups(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  member_t members[2];
  for (uint32_t rank = 0; rank < 2; ++rank) {
    members[rank].options = (gls_group_options_t)GLS_GROUP_OPTIONS_INIT;
    members[rank].options.rank = rank;
    members[rank].options.world_size = 2;
    members[rank].options.rendezvous = place;
    members[rank].group = NULL;
    gls_group_t *none = NULL;
    FAILS(GLS_ERR_TIMED_OUT, NULL, gls_group_join(patient, &members[rank].options, 0, &none, &err));
    INTERRUPTED(gls_group_join(patient, &members[rank].options, -1, &none, &err));
  }
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, join_other, &members[1]), 0);
  OK(gls_group_join(patient, &members[0].options, -1, &members[0].group, &err));
  assert_int_equal(pthread_join(thread, NULL), 0);

  for (int i = 0; i < 2; ++i) { /* rank 0 waits, and then the other one */
    gls_group_t *const group = members[i].group;
    FAILS(GLS_ERR_TIMED_OUT, NULL, gls_group_barrier(group, 0, NULL, &err));
    INTERRUPTED(gls_group_barrier(group, -1, NULL, &err));
    INTERRUPTED(gls_group_barrier(group, GLS_TIMEOUT_DEFAULT, NULL, &err));
    gls_future_t *future = NULL;
    OK(gls_group_barrier(group, GLS_TIMEOUT_DEFAULT, &future, &err));
    OK(gls_group_barrier(members[1 - i].group, GLS_TIMEOUT_DEFAULT, NULL, &err));
    OK(gls_future_wait(future, GLS_TIMEOUT_DEFAULT, &err));
    gls_future_release(future);
  }
  for (int i = 0; i < 2; ++i) { /* the longest time has no limit */
    gls_group_t *const group = members[i].group;
    gls_future_t *future = NULL;
    OK(gls_group_barrier(group, INT64_MAX, &future, &err));
    EXPECT(GLS_IN_PROGRESS, NULL, gls_future_wait(future, 0, &err));
    OK(gls_group_barrier(members[1 - i].group, INT64_MAX, NULL, &err));
    OK(gls_future_wait(future, INT64_MAX, &err));
    gls_future_release(future);
    OK(gls_group_all_gather(group, "x", 1, INT64_MAX, &future, &err));
    gls_future_t *other = NULL;
    OK(gls_group_all_gather(members[1 - i].group, "y", 1, INT64_MAX, &other, &err));
    OK(gls_future_wait(other, INT64_MAX, &err));
    OK(gls_future_wait(future, INT64_MAX, &err));
    gls_future_release(other);
    gls_future_release(future);
  }
  gls_future_t *gathered = NULL;
  OK(gls_group_all_gather(members[1].group, "x", 1, 0, &gathered, &err));
  expect_timed_out(gathered);
  OK(gls_group_function(members[1].group, "keep", keep, NULL, NULL, &err));
  OK(gls_group_function(members[0].group, "keep", keep, NULL, NULL, &err));
  for (uint32_t i = 0; i < 2; ++i) {
    gls_group_t *const group = members[i].group;
    gls_future_t *future = NULL;
    OK(gls_group_call(group, 1 - i, "keep", "x", 1, 0, NULL, &future, &err));
    expect_timed_out(future);
    OK(gls_group_call(group, 1 - i, "keep", "x", 1, GLS_TIMEOUT_DEFAULT, NULL, &future, &err));
    if (i == 1) { /* the settings of its context */
      expect_timed_out(future);
    } else {
      expect_waits(future);
    }
    OK(gls_group_call(group, 1 - i, "keep", "x", 1, -1, NULL, &future, &err));
    expect_waits(future);
  }
  OK(gls_group_leave(members[1].group, 0, &err)); /* although calls are in progress */
  OK(gls_group_leave(members[0].group, 0, &err));
  release_kept();
  gls_group_release(members[1].group);
  gls_group_release(members[0].group);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_loaders_and_feeds),
      cmocka_unit_test(of_calls),
      cmocka_unit_test(of_probes),
      cmocka_unit_test(of_tables),
      cmocka_unit_test(of_groups),
      cmocka_unit_test(of_stopping), /* last: there is no server afterwards */
  };
  assert_int_equal(unsetenv("GLS_NET_KEY"), 0);
  assert_int_equal(unsetenv("GLS_NET_KEY_FILE"), 0);
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
