/* Being told that a loader has something: once for each promise, and never without one. */
#include <pthread.h>

#include "sampler_fixture.h"

static int set_up(void **state) {
  (void)state;
  return set_up_sampler(3, 100, 5, 0);
}

/* Counts calls, and lets a thread wait for the next. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t called;
  int calls;
  int seen;
} bell_t;
#define BELL_INIT \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 }

static void ring_bell(void *user_data) {
  bell_t *const bell = user_data;
  pthread_mutex_lock(&bell->mutex);
  ++bell->calls;
  pthread_cond_signal(&bell->called);
  pthread_mutex_unlock(&bell->mutex);
}
static void wait_for_bell(bell_t *bell) {
  pthread_mutex_lock(&bell->mutex);
  while (bell->calls == bell->seen) {
    pthread_cond_wait(&bell->called, &bell->mutex);
  }
  ++bell->seen;
  pthread_mutex_unlock(&bell->mutex);
}
static int calls_of(bell_t *bell) {
  pthread_mutex_lock(&bell->mutex);
  const int calls = bell->calls;
  pthread_mutex_unlock(&bell->mutex);
  return calls;
}

/* The next batch or NULL, as an event loop gets it; it never waits inside of gls_loader_next().
 * `promises` counts how often it was told to wait for the bell. */
static gls_batch_t *next_by_bell(gls_loader_t *loader, bell_t *bell, int *promises) {
  gls_error_t *err = NULL;
  const gls_status_t asked = gls_loader_notify(loader, ring_bell, bell, &err);
  assert_null(err);
  if (asked == GLS_IN_PROGRESS) {
    ++*promises;
    wait_for_bell(bell);
  } else {
    assert_int_equal(asked, GLS_OK);
  }
  gls_batch_t *batch = NULL;
  const gls_status_t status = gls_loader_next(loader, 0, &batch, &err);
  assert_null(err);
  assert_true(status == GLS_END || (status == GLS_OK && batch != NULL));
  return batch;
}

static void an_epoch_without_waiting(void **state) {
  (void)state;
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 3;
  options.flags = GLS_LOADER_SHUFFLE;
  for (uint32_t prefetch = 1; prefetch <= 4; ++prefetch) {
    options.prefetch = prefetch;
    options.num_workers = 1 + prefetch / 2;
    gls_loader_t *const asked = make_loader(sampler, &options);
    gls_loader_t *const waited = make_loader(sampler, &options);
    bell_t bell = BELL_INIT;
    int promises = 0;
    for (uint64_t epoch = 0; epoch < 3; ++epoch) {
      OK(gls_loader_seek(asked, epoch, &err));
      OK(gls_loader_seek(waited, epoch, &err));
      size_t batches = 0;
      for (gls_batch_t *batch; (batch = next_by_bell(asked, &bell, &promises)) != NULL; ++batches) {
        gls_batch_t *const expected = next_batch(waited);
        assert_non_null(expected);
        assert_int_equal(batch_digest(batch), batch_digest(expected));
        gls_batch_release(batch);
        gls_batch_release(expected);
      }
      assert_int_equal(batches, 34);
      assert_null(next_batch(waited));
      /* The end is something, too. */
      OK(gls_loader_notify(asked, ring_bell, &bell, &err));
    }
    gls_loader_release(asked);
    gls_loader_release(waited);
    assert_int_equal(bell.calls, promises); /* the calls are over with the release */
  }
}

/* A bell that keeps the worker who rings it, so that a context of one worker makes no more batches.
 */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool held;
  bool let_go;
} hold_t;

static void hold_worker(void *user_data) {
  hold_t *const hold = user_data;
  pthread_mutex_lock(&hold->mutex);
  hold->held = true;
  pthread_cond_broadcast(&hold->changed);
  while (!hold->let_go) {
    pthread_cond_wait(&hold->changed, &hold->mutex);
  }
  pthread_mutex_unlock(&hold->mutex);
}

static void promise(gls_loader_t *loader, bell_t *bell) {
  EXPECT(GLS_IN_PROGRESS, NULL, gls_loader_notify(loader, ring_bell, bell, &err));
}

static void a_loader_that_moves_keeps_its_promises(void **state) {
  (void)state;
  gls_context_t *const one = make_context(1);
  gls_dataset_t *const dataset = make_ring(one, 100, 5);
  gls_sampler_t *const from = make_sampler(dataset, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 10;
  gls_loader_t *const holder = make_loader(from, &options);
  gls_loader_t *const loader = make_loader(from, &options);
  hold_t hold = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};
  /* The first promise of a loader is always made: its worker waits for the call to end. */
  EXPECT(GLS_IN_PROGRESS, NULL, gls_loader_notify(holder, hold_worker, &hold, &err));
  pthread_mutex_lock(&hold.mutex);
  while (!hold.held) {
    pthread_cond_wait(&hold.changed, &hold.mutex);
  }
  pthread_mutex_unlock(&hold.mutex);

  char saved[GLS_LOADER_STATE_MAX];
  OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
  bell_t bell = BELL_INIT;
  bell_t other = BELL_INIT;
  promise(loader, &bell);
  assert_int_equal(calls_of(&bell), 0);
  promise(loader, &other); /* asked again: the first is answered */
  assert_int_equal(calls_of(&bell), 1);
  assert_int_equal(calls_of(&other), 0);
  OK(gls_loader_seek(loader, 1, &err));
  assert_int_equal(calls_of(&other), 1);
  promise(loader, &bell);
  OK(gls_loader_restore(loader, saved, &err));
  assert_int_equal(calls_of(&bell), 2);
  promise(loader, &bell);
  gls_loader_cancel(loader);
  assert_int_equal(calls_of(&bell), 3);
  FAILS(GLS_ERR_CANCELED, NULL, gls_loader_notify(loader, ring_bell, &bell, &err));
  OK(gls_loader_seek(loader, 0, &err));
  assert_int_equal(calls_of(&bell), 3); /* no promise was made */
  promise(loader, &bell);

  pthread_mutex_lock(&hold.mutex);
  hold.let_go = true;
  pthread_cond_broadcast(&hold.changed);
  pthread_mutex_unlock(&hold.mutex);
  gls_loader_release(loader);
  assert_int_equal(bell.calls, 4);
  assert_int_equal(other.calls, 1);
  gls_loader_release(holder);
  gls_sampler_release(from);
  gls_dataset_release(dataset);
  gls_context_release(one);
}

/* A call that waits may be the one that takes the batch; the promise is kept all the same. */
static void waiting_and_asking(void **state) {
  (void)state;
  gls_sampler_t *slow = NULL;
  gls_loader_t *const loader = make_slow_loader(ring, &slow);
  bell_t bell = BELL_INIT;
  promise(loader, &bell);
  gls_batch_release(next_batch(loader));
  wait_for_bell(&bell);
  gls_loader_release(loader);
  assert_int_equal(bell.calls, 1);
  gls_sampler_release(slow);
}

static void an_error_is_something(void **state) {
  (void)state;
  float weights[] = {1, -1}; /* in a column of no such role only sampling looks at them */
  const int64_t two = 2;
  gls_builder_t *const builder = make_builder(ctx);
  gls_node_type_options_t nodes = GLS_NODE_TYPE_OPTIONS_INIT;
  nodes.num_nodes = 2;
  OK(gls_builder_add_node_type(builder, "a", &nodes, &err));
  OK(gls_builder_add_edges(builder, "a__b__a", IDS(0, 1), IDS(1, 0), NULL, &err));
  OK(gls_builder_add_edge_column(builder, "a__b__a", "w", GLS_ROLE_OTHER,
                                 wrapped(weights, kFloat32, 1, &two, NULL), &err));
  gls_dataset_t *const dataset = finish_builder(builder, GLS_LAYOUT_CSC);
  gls_sampler_options_t sampling = sampler_options(0);
  sampling.weight = "w";
  gls_sampler_t *from = NULL;
  OK(gls_sampler_create(dataset, &sampling, &from, &err));
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 2;
  gls_loader_t *const loader = make_loader(from, &options);
  bell_t bell = BELL_INIT;
  gls_error_t *err = NULL;
  if (gls_loader_notify(loader, ring_bell, &bell, &err) == GLS_IN_PROGRESS) {
    wait_for_bell(&bell);
  }
  assert_null(err);
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_CORRUPT_DATA, NULL, gls_loader_next(loader, 0, &batch, &err));
  gls_loader_release(loader);
  gls_sampler_release(from);
  gls_dataset_release(dataset);
}

static void wrong_arguments(void **state) {
  (void)state;
  gls_loader_t *const loader = make_loader(sampler, NULL);
  bell_t bell = BELL_INIT;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_notify(NULL, ring_bell, &bell, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "ready", gls_loader_notify(loader, NULL, &bell, &err));
  gls_loader_release(loader);
  assert_int_equal(bell.calls, 0);
}

static void *cancel_now(void *loader) {
  gls_loader_cancel(loader);
  return NULL;
}

/* Cancelling from another thread while batches come in: each bell rings once, whoever was first. */
static void cancelled_by_another_thread(void **state) {
  (void)state;
  enum { kRounds = 200 };
  static bell_t bells[kRounds];
  static bool promised[kRounds];
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 50;
  gls_loader_t *const loader = make_loader(sampler, &options);
  for (int round = 0; round < kRounds; ++round) {
    const bell_t fresh = BELL_INIT;
    bells[round] = fresh;
    OK(gls_loader_seek(loader, (uint64_t)round, &err));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_now, loader), 0);
    gls_error_t *err = NULL;
    const gls_status_t status = gls_loader_notify(loader, ring_bell, &bells[round], &err);
    assert_true(status == GLS_OK || status == GLS_IN_PROGRESS || status == GLS_ERR_CANCELED);
    gls_error_release(err);
    pthread_join(thread, NULL);
    promised[round] = status == GLS_IN_PROGRESS;
  }
  gls_loader_release(loader);
  for (int round = 0; round < kRounds; ++round) {
    assert_int_equal(bells[round].calls, promised[round] ? 1 : 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_epoch_without_waiting),
      cmocka_unit_test(a_loader_that_moves_keeps_its_promises),
      cmocka_unit_test(waiting_and_asking),
      cmocka_unit_test(an_error_is_something),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(cancelled_by_another_thread),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_sampler);
}
