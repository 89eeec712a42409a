/* Calls that block end when the interrupt function of their thread says so. Their objects go on.
 * Without it each of them would wait for ever. Those that wait for silent servers are in tests/unit
 * and tests/python, too. */
#include <pthread.h>
#include <unistd.h>

#include "served_fixture.h"
#include "test_paths.h"

enum { kWidth = 3 };

static gls_context_t *ctx; /* its calls have no time limit */

static int32_t never(void *user_data) {
  ++*(int *)user_data;
  return 0;
}

/* Waits until the server keeps `count` calls, and answers them. */
static void answer_kept(int count) {
  for (int i = 0; i < count; ++i) {
    SOON(atomic_load(&kept_calls[i]) != NULL);
    gls_call_t *const call = atomic_exchange(&kept_calls[i], NULL);
    OK(gls_call_reply(call, "y", 1, &err));
    gls_call_release(call);
  }
  assert_int_equal(atomic_exchange(&num_kept, 0), count);
}

static int set_up(void **state) {
  (void)state;
  ctx = make_context(2);
  make_folder(folder);
  set_key(ctx, folder);
  OK(gls_context_set(ctx, "cluster.request_timeout_ms", "0", &err));
  OK(gls_context_set(ctx, "cluster.open_timeout_ms", "0", &err));
  set_up_served(ctx);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  tear_down_served();
  gls_context_release(ctx);
  remove_folder(folder);
  return 0;
}

/* ---- servers ----------------------------------------------------------------------------------
 */

static void test_open(void **state) {
  (void)state;
  char silent[PATH_SIZE];
  char absent[PATH_SIZE];
  const int fd = silent_place(silent);
  free_place(absent);
  char place[3 * PATH_SIZE];
  gls_dataset_t *none = NULL;
  for (int i = 0; i < 3; ++i) { /* one that is silent, one that is not there, and both */
    snprintf(place, sizeof place, i == 2 ? "gls://%s,%s" : "gls://%s", i == 1 ? absent : silent,
             absent);
    INTERRUPTED(gls_dataset_open(ctx, place, NULL, &none, &err));
  }
  gls_probe_t *probe = NULL;
  INTERRUPTED(gls_server_probe(ctx, silent, -1, &probe, &err));
  close(fd);
}

static void test_function(void **state) {
  (void)state;
  gls_future_t *answer = NULL;
  const gls_call_options_t options = GLS_CALL_OPTIONS_INIT;
  OK(gls_dataset_call(served, 0, "keep", "x", 1, GLS_TIMEOUT_DEFAULT, &options, &answer, &err));
  INTERRUPTED(gls_future_wait(answer, -1, &err));
  INTERRUPTED(gls_future_wait(answer, 100000, &err));
  EXPECT(GLS_IN_PROGRESS, NULL, gls_future_wait(answer, 0, &err)); /* it goes on */
  answer_kept(1);
  OK(gls_future_wait(answer, -1, &err));
  assert_int_equal(gls_future_count(answer), 1);
  gls_future_release(answer);
}

/* Another trainer does not come. */
static void test_table(void **state) {
  (void)state;
  gls_table_options_t options = GLS_TABLE_OPTIONS_INIT;
  options.width = kWidth;
  options.optimizer = GLS_OPTIMIZER_SGD;
  options.world_size = 2;
  gls_table_t *tables[2] = {NULL, NULL};
  for (uint32_t rank = 0; rank < 2; ++rank) {
    options.rank = rank;
    OK(gls_table_open(served, NULL, "t", &options, &tables[rank], &err));
  }
  int64_t id = 1;
  float numbers[kWidth] = {1, 2, 3};
  const int64_t shape[2] = {1, kWidth};
  const DLTensor ids = view_of(&id, kInt64, 1, shape);
  const DLTensor gradients = view_of(numbers, kFloat32, 2, shape);
  INTERRUPTED(gls_table_step(tables[0], &ids, &gradients, 1.0, -1, &err));
  /* The step was taken back: other gradients may come. */
  numbers[0] = 5;
  INTERRUPTED(gls_table_step(tables[0], &ids, &gradients, 1.0, -1, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_table_step(tables[1], &ids, &gradients, 1.0, 100, &err));
  gls_table_info_t info = {.struct_size = sizeof info};
  OK(gls_table_get_info(tables[0], &info, &err));
  assert_int_equal(info.step, 0);
  OK(gls_table_drop(tables[0], &err));
  gls_table_release(tables[0]);
  gls_table_release(tables[1]);
}

/* ---- groups -----------------------------------------------------------------------------------
 */

struct other {
  gls_group_options_t options;
  gls_group_t *group;
};
static void *join_other(void *data) {
  struct other *const other = data;
  OK(gls_group_join(ctx, &other->options, -1, &other->group, &err));
  return NULL;
}

static void test_group(void **state) {
  (void)state;
  char place[PATH_SIZE];
  free_place(place);
  gls_group_options_t options = GLS_GROUP_OPTIONS_INIT;
  options.world_size = 2;
  options.rendezvous = place;
  gls_group_t *group = NULL;
  for (options.rank = 0; options.rank < 2; ++options.rank) { /* nobody else is there */
    INTERRUPTED(gls_group_join(ctx, &options, -1, &group, &err));
  }
  options.rank = 0;
  struct other other = {options, NULL};
  other.options.rank = 1;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, join_other, &other), 0);
  OK(gls_group_join(ctx, &options, -1, &group, &err));
  assert_int_equal(pthread_join(thread, NULL), 0);
  INTERRUPTED(gls_group_barrier(group, -1, NULL, &err));
  gls_future_t *answers[2] = {NULL, NULL};
  OK(gls_group_barrier(group, -1, &answers[0], &err)); /* goes on with it */
  INTERRUPTED(gls_future_wait(answers[0], -1, &err));
  OK(gls_group_barrier(other.group, -1, &answers[1], &err));
  for (int i = 0; i < 2; ++i) {
    OK(gls_future_wait(answers[i], -1, &err));
    gls_future_release(answers[i]);
  }
  gls_group_release(other.group);
  gls_group_release(group);
}

/* ---- loaders and feeds ------------------------------------------------------------------------
 */

static void expect_batch(gls_loader_t *loader, uint64_t number) {
  gls_batch_t *batch = NULL;
  OK(gls_loader_next(loader, -1, &batch, &err));
  gls_batch_info_t info = {.struct_size = sizeof info};
  OK(gls_batch_get_info(batch, &info, &err));
  assert_int_equal(info.batch, number);
  gls_batch_release(batch);
}

static void test_next(void **state) {
  (void)state;
  gls_sampler_t *const sampler = make_sampler(ring, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 50;
  options.transform = wait_at_gate;
  gls_loader_t *const loader = make_loader(sampler, &options);
  atomic_store(&shut, true);
  gls_batch_t *none = NULL;
  INTERRUPTED(gls_loader_next(loader, -1, &none, &err));
  INTERRUPTED(gls_loader_next(loader, 100000, &none, &err));
  assert_null(none);
  atomic_store(&shut, false);
  for (uint64_t number = 0; number < 4; ++number) {
    expect_batch(loader, number);
  }
  EXPECT(GLS_END, NULL, gls_loader_next(loader, -1, &none, &err));

  /* The same over a feed. */
  char *const path = socket_path("interrupt");
  gls_loader_t *attached = NULL;
  const char *paths[1] = {path};
  gls_attach_options_t attach = GLS_ATTACH_OPTIONS_INIT;
  attach.paths = paths;
  attach.num_paths = 1;
  INTERRUPTED(gls_feed_attach(ctx, &attach, -1, &attached, &err)); /* there is none */
  gls_feed_t *const feed = serve(loader, path, 1, 0);
  INTERRUPTED(gls_feed_wait(feed, -1, &err));
  OK(gls_feed_attach(ctx, &attach, -1, &attached, &err));
  atomic_store(&shut, true);
  INTERRUPTED(gls_loader_next(attached, -1, &none, &err));
  atomic_store(&shut, false);
  expect_batch(attached, 0);
  expect_batch(attached, 1);
  gls_loader_release(attached);
  gls_feed_release(feed);
  gls_loader_release(loader);
  gls_sampler_release(sampler);
}

/* ---- the interrupt function -------------------------------------------------------------------
 */

static int32_t calls_library(void *user_data) {
  int *const count = user_data;
  if (++*count > 1) {
    return 1;
  }
  /* A call that blocks inside has an interrupt function of its own, which ends it alone. */
  int inner = 0;
  gls_interrupt_fn outer = NULL;
  void *outer_data = NULL;
  gls_thread_set_interrupt(third_time, &inner, &outer, &outer_data);
  assert_ptr_equal(outer, calls_library);
  assert_ptr_equal(outer_data, count);
  gls_future_t *answer = NULL;
  OK(gls_dataset_call(served, 0, "keep", "x", 1, GLS_TIMEOUT_DEFAULT, NULL, &answer, &err));
  FAILS(GLS_ERR_CANCELED, NULL, gls_future_wait(answer, -1, &err));
  assert_int_equal(inner, 3);
  gls_future_release(answer);
  gls_thread_set_interrupt(outer, outer_data, NULL, NULL);
  return 0;
}

static void test_function_that_calls(void **state) {
  (void)state;
  gls_future_t *answer = NULL;
  OK(gls_dataset_call(served, 0, "keep", "x", 1, GLS_TIMEOUT_DEFAULT, NULL, &answer, &err));
  set_interrupt(calls_library);
  FAILS(GLS_ERR_CANCELED, NULL, gls_future_wait(answer, -1, &err));
  assert_int_equal(asked, 2);
  set_interrupt(NULL);
  gls_future_release(answer);
  answer_kept(2);
}

/* A call with an interrupt function keeps its time limit. A poll does not run the function. */
static void test_asks_only_while_it_blocks(void **state) {
  (void)state;
  gls_future_t *answer = NULL;
  OK(gls_dataset_call(served, 0, "keep", "x", 1, GLS_TIMEOUT_DEFAULT, NULL, &answer, &err));
  set_interrupt(never);
  EXPECT(GLS_IN_PROGRESS, NULL, gls_future_wait(answer, 300, &err));
  assert_in_range(asked, 1, 7); /* 50 ms apart */
  const int before = asked;
  for (int i = 0; i < 1000; ++i) {
    EXPECT(GLS_IN_PROGRESS, NULL, gls_future_wait(answer, 0, &err));
  }
  assert_int_equal(asked, before);
  set_interrupt(NULL);
  gls_future_release(answer);
  answer_kept(1);
}

/* What ends in order is cut short, and has ended. */
static void test_stop(void **state) {
  (void)state;
  gls_future_t *answer = NULL;
  OK(gls_dataset_call(served, 0, "keep", "x", 1, GLS_TIMEOUT_DEFAULT, NULL, &answer, &err));
  SOON(atomic_load(&kept_calls[0]) != NULL);
  set_interrupt(third_time);
  OK(gls_server_stop(server, -1, &err)); /* waits for the call */
  set_interrupt(NULL);
  gls_future_release(answer);
  gls_call_release(atomic_exchange(&kept_calls[0], NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open),
      cmocka_unit_test(test_function),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_group),
      cmocka_unit_test(test_next),
      cmocka_unit_test(test_function_that_calls),
      cmocka_unit_test(test_asks_only_while_it_blocks),
      cmocka_unit_test(test_stop), /* last: there is no server afterwards */
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
