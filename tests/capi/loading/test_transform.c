/* The caller's own stage of a loader: what it may do to a batch, how it fails, and when it ends. */
#include <pthread.h>
#include <stdio.h>

#include "helpers.h"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* 100 nodes */
static gls_sampler_t *sampler;

static int set_up(void **state) {
  (void)state;
  ctx = make_context(3);
  ring = make_ring(ctx, 100, 5);
  sampler = make_sampler(ring, 0);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  gls_sampler_release(sampler);
  gls_dataset_release(ring);
  gls_context_release(ctx);
  return 0;
}

static gls_loader_options_t with_transform(gls_transform_fn transform, void *data) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 3;
  options.flags = GLS_LOADER_SHUFFLE;
  options.transform = transform;
  options.transform_data = data;
  return options;
}
static gls_batch_info_t info_of(const gls_batch_t *batch) {
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  return info;
}
static gls_tensor_t *attached(const gls_batch_t *batch, const char *name) {
  return batch_array(batch, GLS_BATCH_ATTACHED, NULL, name);
}

/* ---- what it does ------------------------------------------------------------------------------
 */

/* Negates the column x and attaches twice the ids, and where the batch stands. */
static gls_status_t negate_and_attach(gls_batch_t *batch, void *calls, char *message,
                                      size_t capacity) {
  atomic_fetch_add((atomic_int *)calls, 1);
  assert_int_equal(message[0], '\0');
  assert_in_range(capacity, 256, 65536);
  gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
  float *const values = (float *)(uintptr_t)tensor_data(x);
  for (int64_t i = 0; i < tensor_elements(x); ++i) {
    values[i] = -values[i];
  }
  gls_tensor_release(x);
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  const int64_t nodes = tensor_elements(node);
  int64_t twice[200];
  assert_in_range(nodes, 1, 200);
  for (int64_t i = 0; i < nodes; ++i) {
    twice[i] = 2 * id_at(node, i);
  }
  gls_tensor_release(node);
  const gls_batch_info_t info = info_of(batch);
  OK(gls_batch_attach(batch, "twice", ids64((size_t)nodes, twice), &err));
  OK(gls_batch_attach(batch, "where", IDS((int64_t)info.epoch, (int64_t)info.batch), &err));
  assert_int_equal(info_of(batch).bytes, info.bytes + 8 * (uint64_t)nodes + 16);
  gls_batch_release(batch); /* does nothing to what is borrowed */
  return GLS_OK;
}

static void check_batch(const gls_batch_t *batch, const gls_batch_t *plain) {
  const size_t before = gls_batch_num_arrays(plain);
  assert_int_equal(gls_batch_num_arrays(batch), before + 2);
  static const char *const names[] = {"twice", "where"};
  for (size_t i = 0; i < 2; ++i) {
    gls_array_info_t info = {sizeof info, -1, -1, "", NULL};
    OK(gls_batch_get_array_info(batch, before + i, &info, &err));
    assert_int_equal(info.array, GLS_BATCH_ATTACHED);
    assert_int_equal(info.rows, 0);
    assert_string_equal(info.type, "");
    assert_string_equal(info.name, names[i]);
  }
  gls_tensor_t *const node = batch_array(plain, GLS_BATCH_NODE, NULL, NULL);
  gls_tensor_t *const was = batch_array(plain, GLS_BATCH_NODE_COLUMN, NULL, "x");
  gls_tensor_t *const is = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
  gls_tensor_t *const twice = attached(batch, "twice");
  gls_tensor_t *const where = attached(batch, "where");
  assert_int_equal(tensor_elements(is), tensor_elements(was));
  for (int64_t i = 0; i < tensor_elements(was); ++i) {
    assert_true(((const float *)tensor_data(is))[i] == -((const float *)tensor_data(was))[i]);
  }
  assert_int_equal(tensor_elements(twice), tensor_elements(node));
  for (int64_t i = 0; i < tensor_elements(node); ++i) {
    assert_int_equal(id_at(twice, i), 2 * id_at(node, i));
  }
  assert_int_equal(id_at(where, 0), info_of(batch).epoch);
  assert_int_equal(id_at(where, 1), info_of(batch).batch);
  gls_tensor_t *const tensors[] = {node, was, is, twice, where};
  for (size_t t = 0; t < COUNT_OF(tensors); ++t) {
    gls_tensor_release(tensors[t]);
  }
}

static void arrays_are_changed_and_attached(void **state) {
  (void)state;
  atomic_int calls = 0;
  atomic_int released = 0;
  gls_loader_options_t options = with_transform(negate_and_attach, &calls);
  options.num_workers = 3;
  gls_loader_t *const loader = make_loader(sampler, &options);
  options.transform = NULL;
  options.transform_data = NULL;
  gls_loader_t *const plain = make_loader(sampler, &options);
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    OK(gls_loader_seek(loader, epoch, &err));
    OK(gls_loader_seek(plain, epoch, &err));
    uint64_t number = 0;
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; ++number) {
      assert_int_equal(info_of(batch).batch, number); /* in order */
      gls_batch_t *const expected = next_batch(plain);
      check_batch(batch, expected);
      gls_batch_t *again = NULL; /* on this thread */
      OK(gls_loader_sample(loader, epoch, number, &again, &err));
      assert_int_equal(batch_digest(again), batch_digest(batch));
      gls_batch_release(again);
      gls_batch_release(expected);
      gls_batch_release(batch);
    }
    assert_int_equal(number, 34);
  }
  assert_int_equal(calls, 4 * 34);
  assert_int_equal(released, 0);
  gls_loader_release(loader);
  gls_loader_release(plain);
}

static void attached_arrays_that_are_asked_for_wrongly(void **state) {
  (void)state;
  atomic_int calls = 0;
  const gls_loader_options_t options = with_transform(negate_and_attach, &calls);
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_t *const batch = next_batch(loader);
  gls_tensor_t *out = NULL;
#define ASK(code, argument, array, type, name) \
  FAILS(code, argument, gls_batch_tensor(batch, array, type, name, &out, &err))
  ASK(GLS_ERR_NOT_FOUND, "name", GLS_BATCH_ATTACHED, NULL, "thrice");
  ASK(GLS_ERR_INVALID_ARGUMENT, "name", GLS_BATCH_ATTACHED, NULL, NULL);
  ASK(GLS_ERR_INVALID_ARGUMENT, "type", GLS_BATCH_ATTACHED, "node", "twice");
  ASK(GLS_ERR_NOT_FOUND, NULL, GLS_BATCH_NODE_COLUMN, NULL, "twice"); /* names of their own */
#undef ASK
  assert_null(out);
  gls_tensor_t *const late = IDS(1);
  FAILS(GLS_ERR_INVALID_STATE, NULL, gls_batch_attach(batch, "late", late, &err));
  gls_tensor_release(late); /* still ours */
  /* An array outlives its batch. */
  gls_tensor_t *const where = attached(batch, "where");
  gls_batch_release(batch);
  gls_loader_release(loader);
  assert_int_equal(id_at(where, 1), 0);
  gls_tensor_release(where);
}

static gls_status_t attach_wrongly(gls_batch_t *batch, void *released, char *message,
                                   size_t capacity) {
  (void)message;
  (void)capacity;
  static int64_t number = 7;
  static const int64_t one = 1;
  gls_tensor_t *const tensor = wrapped(&number, kInt64, 1, &one, released);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batch", gls_batch_attach(NULL, "a", tensor, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "name", gls_batch_attach(batch, NULL, tensor, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "tensor", gls_batch_attach(batch, "a", NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_batch_attach(batch, "", tensor, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, NULL, gls_batch_attach(batch, "a__b", tensor, &err));
  tensor->dl_tensor.device.device_type = kDLCUDA;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_batch_attach(batch, "a", tensor, &err));
  tensor->dl_tensor.device.device_type = kDLCPU;
  const size_t before = gls_batch_num_arrays(batch);
  OK(gls_batch_attach(batch, "a", tensor, &err));
  gls_tensor_t *const other = IDS(1);
  FAILS(GLS_ERR_ALREADY_EXISTS, "name", gls_batch_attach(batch, "a", other, &err));
  OK(gls_batch_attach(batch, "x", other, &err)); /* also the name of a column */
  assert_int_equal(gls_batch_num_arrays(batch), before + 2);
  return GLS_OK;
}

static void arrays_that_cannot_be_attached(void **state) {
  (void)state;
  atomic_int released = 0;
  const gls_loader_options_t options = with_transform(attach_wrongly, &released);
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_t *batch = NULL;
  OK(gls_loader_sample(loader, 0, 0, &batch, &err));
  gls_tensor_t *const a = attached(batch, "a");
  assert_int_equal(id_at(a, 0), 7);
  assert_int_equal(released, 0);
  gls_batch_release(batch);
  assert_int_equal(released, 0);
  gls_tensor_release(a);
  assert_int_equal(released, 1); /* given back once, with the last that used it */
  gls_loader_release(loader);
}

/* ---- errors ------------------------------------------------------------------------------------
 */

static gls_status_t fail_some(gls_batch_t *batch, void *user_data, char *message, size_t capacity) {
  (void)user_data;
  const gls_batch_info_t info = info_of(batch);
  switch (info.batch % 6) {
    case 1:
      snprintf(message, capacity, "batch %d is bad", (int)info.batch);
      return GLS_ERR_CORRUPT_DATA;
    case 2:
      return GLS_ERR_IO; /* without words */
    case 3:
      memset(message, 'x', capacity); /* without an end */
      return GLS_ERR_NOT_FOUND;
    case 4:
      return 5;
    case 5:
      return GLS_ERR_INTERNAL - 1;
    default:
      return GLS_OK;
  }
}

static void expect_failure(gls_status_t status, gls_error_t *err, uint64_t number) {
  static const struct {
    gls_status_t status;
    const char *text;
  } expected[] = {{GLS_OK, ""},
                  {GLS_ERR_CORRUPT_DATA, " is bad"},
                  {GLS_ERR_IO, ": GLS_ERR_IO"},
                  {GLS_ERR_NOT_FOUND, "xxxx"},
                  {GLS_ERR_INVALID_ARGUMENT, "returned 5,"},
                  {GLS_ERR_INVALID_ARGUMENT, "returned -12,"}};
  assert_int_equal(status, expected[number % 6].status);
  if (status == GLS_OK) {
    assert_null(err);
    return;
  }
  char text[32];
  snprintf(text, sizeof text, "%d", (int)number);
  assert_string_equal(gls_error_detail(err, "batch"), text);
  assert_string_equal(gls_error_detail(err, "epoch"), "0");
  snprintf(text, sizeof text, "transform of batch %d of", (int)number);
  assert_non_null(strstr(gls_error_message(err), text));
  assert_non_null(strstr(gls_error_message(err), expected[number % 6].text));
  assert_in_range(strlen(gls_error_message(err)), 1, 1100);
  gls_error_release(err);
}

static void an_error_fails_its_batch_alone(void **state) {
  (void)state;
  const gls_loader_options_t options = with_transform(fail_some, NULL);
  gls_loader_t *const loader = make_loader(sampler, &options);
  for (uint64_t number = 0; number < 34; ++number) {
    for (int alone = 0; alone < 2; ++alone) {
      gls_batch_t *batch = NULL;
      gls_error_t *err = NULL;
      const gls_status_t status = alone ? gls_loader_sample(loader, 0, number, &batch, &err)
                                        : gls_loader_next(loader, -1, &batch, &err);
      expect_failure(status, err, number);
      assert_int_equal(batch != NULL, status == GLS_OK);
      gls_batch_release(batch);
    }
  }
  assert_null(next_batch(loader));
  gls_loader_release(loader);
}

static void loaders_that_cannot_be(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_loader_options_t options = with_transform(NULL, &released);
  gls_loader_t *loader = NULL;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "transform",
        gls_loader_create(sampler, NULL, &options, &loader, &err));
  assert_int_equal(released, 0); /* there is no function */
  options.transform_destroy = count_release;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "transform",
        gls_loader_create(sampler, NULL, &options, &loader, &err));
  assert_int_equal(released, 1);
  options = with_transform(fail_some, &released);
  options.transform_destroy = count_release;
  options.id_set = "none";
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_loader_create(sampler, NULL, &options, &loader, &err));
  assert_int_equal(released, 2);
  options.id_set = NULL;
  options.reserved1 = 1;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_loader_create(sampler, NULL, &options, &loader, &err));
  assert_int_equal(released, 3);
  options.reserved1 = 0;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "sampler",
        gls_loader_create(NULL, NULL, &options, &loader, &err));
  assert_int_equal(released, 4);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_loader_create(sampler, NULL, &options, NULL, &err));
  assert_int_equal(released, 5);
  /* A longer struct with an option that the library does not know. */
  struct {
    gls_loader_options_t known;
    uint64_t unknown;
  } longer = {options, 1};
  longer.known.struct_size = sizeof longer;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_loader_create(sampler, NULL, &longer.known, &loader, &err));
  assert_int_equal(released, 6);
  assert_null(loader);
  OK(gls_loader_create(sampler, NULL, &options, &loader, &err));
  assert_int_equal(released, 6);
  gls_loader_release(loader);
  assert_int_equal(released, 7);
}

/* ---- threads and the end -----------------------------------------------------------------------
 */

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int inside;
  int most;
  int wanted; /* callers wait until so many are inside, or it is 0 */
  int done;
  atomic_int released;
} gate_t;
#define GATE_INIT(wanted) \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, wanted, 0, 0 }

static gls_status_t meet(gls_batch_t *batch, void *user_data, char *message, size_t capacity) {
  (void)batch;
  (void)message;
  (void)capacity;
  gate_t *const gate = user_data;
  pthread_mutex_lock(&gate->mutex);
  assert_int_equal(gate->released, 0);
  ++gate->inside;
  gate->most = gate->inside > gate->most ? gate->inside : gate->most;
  if (gate->inside == gate->wanted) {
    gate->wanted = 0;
  }
  pthread_cond_broadcast(&gate->changed);
  while (gate->wanted != 0) {
    pthread_cond_wait(&gate->changed, &gate->mutex);
  }
  --gate->inside;
  ++gate->done;
  pthread_mutex_unlock(&gate->mutex);
  return GLS_OK;
}
static void release_gate(void *user_data) {
  gate_t *const gate = user_data;
  assert_int_equal(gate->inside, 0);
  atomic_fetch_add(&gate->released, 1);
}
static void open_gate(gate_t *gate) {
  pthread_mutex_lock(&gate->mutex);
  gate->wanted = 0;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}
static void wait_inside(gate_t *gate, int inside) {
  pthread_mutex_lock(&gate->mutex);
  while (gate->inside < inside) {
    pthread_cond_wait(&gate->changed, &gate->mutex);
  }
  pthread_mutex_unlock(&gate->mutex);
}

/* It deadlocks unless three batches are transformed at once: the first is only the measure of how
 * large batches are, and is made alone. */
static void several_batches_at_once(void **state) {
  (void)state;
  gate_t gate = GATE_INIT(0);
  gls_loader_options_t options = with_transform(meet, &gate);
  options.transform_destroy = release_gate;
  options.num_workers = 3;
  options.prefetch = 6;
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_release(next_batch(loader));
  OK(gls_loader_seek(loader, 1, &err));
  pthread_mutex_lock(&gate.mutex);
  gate.wanted = 3;
  pthread_mutex_unlock(&gate.mutex);
  uint64_t digests[64];
  assert_int_equal(drain(loader, digests, 64), 34);
  assert_true(gate.most >= 3);
  assert_int_equal(gate.released, 0);
  gls_loader_release(loader);
  assert_int_equal(gate.released, 1);
}

static void *release_now(void *loader) {
  gls_loader_release(loader);
  return NULL;
}

/* Neither cancelling nor seeking waits for a transform; releasing does. */
static void the_release_waits(void **state) {
  (void)state;
  gate_t gate = GATE_INIT(1000);
  gls_loader_options_t options = with_transform(meet, &gate);
  options.transform_destroy = release_gate;
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_batch_t *batch = NULL;
  EXPECT(GLS_IN_PROGRESS, NULL, gls_loader_next(loader, 0, &batch, &err));
  wait_inside(&gate, 1);
  gls_loader_cancel(loader);
  FAILS(GLS_ERR_CANCELED, NULL, gls_loader_next(loader, -1, &batch, &err));
  OK(gls_loader_seek(loader, 1, &err));
  EXPECT(GLS_IN_PROGRESS, NULL, gls_loader_next(loader, 0, &batch, &err));
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, release_now, loader), 0);
  const struct timespec moment = {0, 20000000};
  nanosleep(&moment, NULL);
  assert_int_equal(gate.released, 0);
  open_gate(&gate);
  pthread_join(thread, NULL);
  assert_int_equal(gate.released, 1);
  assert_int_equal(gate.inside, 0);
  assert_true(gate.done >= 1);
}

enum { kLarge = 1 << 20 };

static gls_status_t attach_much(gls_batch_t *batch, void *released, char *message,
                                size_t capacity) {
  (void)message;
  (void)capacity;
  static int64_t zeros[kLarge / 8];
  static const int64_t count = kLarge / 8;
  OK(gls_batch_attach(batch, "much", wrapped(zeros, kInt64, 1, &count, released), &err));
  return GLS_OK;
}

/* What is attached counts in the bound, and is given back when batches are dropped unseen. */
static void attached_bytes_count(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_loader_options_t options = with_transform(attach_much, &released);
  options.prefetch = 30;
  options.prefetch_bytes = 4 * (uint64_t)kLarge + kLarge / 2;
  gls_loader_t *const loader = make_loader(sampler, &options);
  for (int i = 0; i < 10; ++i) {
    gls_batch_t *const batch = next_batch(loader);
    assert_true(info_of(batch).bytes > kLarge);
    gls_batch_release(batch);
  }
  gls_loader_stats_t stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = sizeof stats;
  OK(gls_loader_get_stats(loader, &stats, &err));
  assert_true(stats.peak_bytes > kLarge && stats.peak_bytes <= options.prefetch_bytes);
  OK(gls_loader_seek(loader, 1, &err));
  gls_batch_release(next_batch(loader));
  OK(gls_loader_seek(loader, 2, &err));
  gls_loader_release(loader);
  assert_true(released >= 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_are_changed_and_attached),
      cmocka_unit_test(attached_arrays_that_are_asked_for_wrongly),
      cmocka_unit_test(arrays_that_cannot_be_attached),
      cmocka_unit_test(an_error_fails_its_batch_alone),
      cmocka_unit_test(loaders_that_cannot_be),
      cmocka_unit_test(several_batches_at_once),
      cmocka_unit_test(the_release_waits),
      cmocka_unit_test(attached_bytes_count),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
