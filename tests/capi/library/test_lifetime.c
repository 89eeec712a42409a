/* Who keeps whom alive: release in every order, and use from many threads. */
#include <pthread.h>

#include "helpers.h"

/* ---- every order ------------------------------------------------------------------------------
 */

enum { CONTEXT, DATASET, SAMPLER, LOADER, BATCH, TENSOR, KINDS };

struct family {
  gls_context_t *ctx;
  gls_dataset_t *dataset;
  gls_sampler_t *sampler;
  gls_loader_t *loader;
  gls_batch_t *batch;
  gls_tensor_t *tensor;
};

static void release_one(struct family *family, int kind) {
  switch (kind) {
    case CONTEXT:
      gls_context_release(family->ctx);
      break;
    case DATASET:
      gls_dataset_release(family->dataset);
      break;
    case SAMPLER:
      gls_sampler_release(family->sampler);
      break;
    case LOADER:
      gls_loader_release(family->loader);
      break;
    case BATCH:
      gls_batch_release(family->batch);
      break;
    default:
      gls_tensor_release(family->tensor);
  }
}

/* Uses whatever is left, to see that its parents are there. */
static void use(const struct family *family, const bool *gone) {
  if (!gone[TENSOR]) {
    assert_int_equal(id_at(family->tensor, 0), 0);
  }
  if (!gone[BATCH]) {
    gls_tensor_release(batch_array(family->batch, GLS_BATCH_ROW, NULL, NULL));
  }
  if (!gone[LOADER]) {
    gls_batch_release(next_batch(family->loader));
  }
  if (!gone[SAMPLER]) {
    gls_batch_release(sample_ids(family->sampler, NULL, 1, (const int64_t[]){3}));
  }
  if (!gone[DATASET]) {
    assert_int_equal(gls_dataset_num_nodes(family->dataset, NULL), 12);
  }
  if (!gone[CONTEXT]) {
    char text[32];
    OK(gls_context_get(family->ctx, "threads", text, sizeof text, NULL, &err));
  }
}

/* Lexicographically next permutation; false after the last. */
static bool next_permutation(int *order, int count) {
  int i = count - 2;
  while (i >= 0 && order[i] > order[i + 1]) {
    --i;
  }
  if (i < 0) {
    return false;
  }
  int j = count - 1;
  while (order[j] < order[i]) {
    --j;
  }
  const int kept = order[i];
  order[i] = order[j];
  order[j] = kept;
  for (int a = i + 1, b = count - 1; a < b; ++a, --b) {
    const int swapped = order[a];
    order[a] = order[b];
    order[b] = swapped;
  }
  return true;
}

static void every_order_of_release(void **state) {
  (void)state;
  int order[KINDS] = {CONTEXT, DATASET, SAMPLER, LOADER, BATCH, TENSOR};
  int count = 0;
  do {
    struct family family;
    atomic_int released = 0;
    gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
    options.num_threads = 1;
    options.log_user_data = &released;
    options.log_destroy = count_release;
    OK(gls_context_create(&options, &family.ctx, &err));
    family.dataset = make_ring(family.ctx, 12, 2);
    family.sampler = make_sampler(family.dataset, 0);
    gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
    loading.batch_size = 1;
    family.loader = make_loader(family.sampler, &loading);
    family.batch = next_batch(family.loader);
    family.tensor = batch_array(family.batch, GLS_BATCH_NODE, NULL, NULL);
    bool gone[KINDS] = {false};
    for (int i = 0; i < KINDS; ++i) {
      release_one(&family, order[i]);
      gone[order[i]] = true;
      use(&family, gone);
    }
    assert_int_equal(atomic_load(&released), 1); /* the context is gone */
    ++count;
  } while (next_permutation(order, KINDS));
  assert_int_equal(count, 720);
}

static void tensors_of_a_dataset(void **state) {
  (void)state;
  atomic_int released = 0;
  gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
  options.num_threads = 2;
  options.log_user_data = &released;
  options.log_destroy = count_release;
  gls_context_t *ctx = NULL;
  OK(gls_context_create(&options, &ctx, &err));
  gls_dataset_t *const dataset = make_ring(ctx, 12, 2);
  gls_tensor_t *tensor = NULL;
  OK(gls_dataset_tensor(dataset, GLS_ARRAY_NODE_COLUMN, NULL, "y", &tensor, &err));
  gls_dataset_release(dataset);
  gls_context_release(ctx);
  assert_int_equal(id_at(tensor, 11), 110);
  assert_int_equal(atomic_load(&released), 0);
  gls_tensor_release(tensor);
  assert_int_equal(atomic_load(&released), 1);
}

static void null_everywhere(void **state) {
  (void)state;
  gls_error_release(NULL);
  gls_tensor_release(NULL);
  gls_context_release(NULL);
  gls_dataset_release(NULL);
  gls_builder_release(NULL);
  gls_sampler_release(NULL);
  gls_loader_release(NULL);
  gls_batch_release(NULL);
}

/* ---- many threads -----------------------------------------------------------------------------
 */

#define THREADS 16
#define REQUESTS 40

struct shared {
  gls_context_t *ctx;
  gls_dataset_t *dataset;
  gls_sampler_t *sampler;
  uint64_t expected[REQUESTS]; /* samples */
  uint64_t epoch[8];           /* batches of a loader */
};

static uint64_t sample_request(const gls_sampler_t *sampler, uint64_t number) {
  int64_t ids[8];
  for (uint64_t i = 0; i < 8; ++i) {
    ids[i] = (int64_t)((number * 37 + i * i) % 200);
  }
  const int64_t shape = 8;
  const DLTensor view = view_of(ids, kInt64, 1, &shape);
  const gls_seed_set_t seeds = {NULL, &view};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  request.batch = number;
  gls_batch_t *batch = NULL;
  if (gls_sampler_sample(sampler, &request, &batch, NULL) != GLS_OK) {
    return 0;
  }
  const uint64_t digest = batch_digest(batch);
  gls_batch_release(batch);
  return digest;
}

/* cmocka's assertions belong to the main thread: faults are returned. */
static void *work(void *argument) {
  const struct shared *const shared = argument;
  for (uint64_t i = 0; i < REQUESTS; ++i) {
    if (sample_request(shared->sampler, i) != shared->expected[i]) {
      return "a sample differs";
    }
    char text[32];
    if (gls_dataset_num_nodes(shared->dataset, NULL) != 200 ||
        gls_context_set(shared->ctx, "gather.prefetch_rows", i % 2 ? "4" : "8", NULL) != GLS_OK ||
        gls_context_get(shared->ctx, "gather.prefetch_rows", text, sizeof text, NULL, NULL) !=
            GLS_OK) {
      return "a call failed";
    }
  }
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 25;
  options.flags = GLS_LOADER_SHUFFLE;
  gls_loader_t *loader = NULL;
  if (gls_loader_create(shared->sampler, NULL, &options, &loader, NULL) != GLS_OK) {
    return "no loader";
  }
  for (size_t i = 0; i < 8; ++i) {
    gls_batch_t *batch = NULL;
    if (gls_loader_next(loader, -1, &batch, NULL) != GLS_OK) {
      return "no batch";
    }
    const bool equal = batch_digest(batch) == shared->epoch[i];
    gls_batch_release(batch);
    if (!equal) {
      return "a batch differs";
    }
  }
  gls_loader_release(loader);
  return NULL;
}

static void sixteen_threads_get_the_same_bytes(void **state) {
  (void)state;
  struct shared shared;
  shared.ctx = make_context(3);
  shared.dataset = make_ring(shared.ctx, 200, 6);
  gls_sampler_options_t options = sampler_options(GLS_SAMPLE_EDGE_IDS);
  ID_VIEW(ids, 5, 6, 7);
  const gls_edge_set_t set = {NULL, &ids};
  options.exclude = &set;
  options.num_exclude = 1;
  options.weight = "w";
  OK(gls_sampler_create(shared.dataset, &options, &shared.sampler, &err));
  for (uint64_t i = 0; i < REQUESTS; ++i) {
    shared.expected[i] = sample_request(shared.sampler, i);
  }
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.batch_size = 25;
  loading.flags = GLS_LOADER_SHUFFLE;
  gls_loader_t *const loader = make_loader(shared.sampler, &loading);
  assert_int_equal(drain(loader, shared.epoch, 8), 8);
  gls_loader_release(loader);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, work, &shared), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    void *fault = NULL;
    assert_int_equal(pthread_join(threads[i], &fault), 0);
    if (fault != NULL) {
      print_error("thread %d: %s\n", i, (const char *)fault);
      fail();
    }
  }
  gls_sampler_release(shared.sampler);
  gls_dataset_release(shared.dataset);
  gls_context_release(shared.ctx);
}

/* The calls on a loader that any thread may make, while one thread takes batches. */
struct watched {
  gls_loader_t *loader;
  atomic_bool over;
};
static void *watch(void *argument) {
  struct watched *const watched = argument;
  while (!atomic_load(&watched->over)) {
    gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
    gls_loader_stats_t stats;
    memset(&stats, 0, sizeof stats);
    stats.struct_size = sizeof stats;
    char saved[GLS_LOADER_STATE_MAX];
    if (gls_loader_get_info(watched->loader, &info, NULL) != GLS_OK ||
        gls_loader_get_stats(watched->loader, &stats, NULL) != GLS_OK ||
        gls_loader_save(watched->loader, saved, sizeof saved, NULL, NULL) != GLS_OK) {
      return "a call failed";
    }
  }
  return NULL;
}

static void a_loader_may_be_watched(void **state) {
  (void)state;
  gls_context_t *const ctx = make_context(2);
  gls_dataset_t *const dataset = make_ring(ctx, 200, 6);
  gls_sampler_t *const sampler = make_sampler(dataset, 0);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 2;
  struct watched watched = {make_loader(sampler, &options), false};
  pthread_t threads[3];
  for (size_t i = 0; i < COUNT_OF(threads); ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, watch, &watched), 0);
  }
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    OK(gls_loader_seek(watched.loader, epoch, &err));
    uint64_t digests[128];
    assert_int_equal(drain(watched.loader, digests, 128), 100);
  }
  atomic_store(&watched.over, true);
  for (size_t i = 0; i < COUNT_OF(threads); ++i) {
    void *fault = NULL;
    assert_int_equal(pthread_join(threads[i], &fault), 0);
    assert_null(fault);
  }
  gls_loader_release(watched.loader);
  gls_sampler_release(sampler);
  gls_dataset_release(dataset);
  gls_context_release(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order_of_release),
      cmocka_unit_test(tensors_of_a_dataset),
      cmocka_unit_test(null_everywhere),
      cmocka_unit_test(sixteen_threads_get_the_same_bytes),
      cmocka_unit_test(a_loader_may_be_watched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
