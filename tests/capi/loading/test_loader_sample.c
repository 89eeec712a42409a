/* Batches by number: the bytes of the epoch's own, in any order, from any thread. */
#include <pthread.h>

#include "sampler_fixture.h"

enum { kEpochs = 3, kBatches = 4, kThreads = 4 };

static int set_up(void **state) {
  (void)state;
  return set_up_sampler(2, 100, 5, GLS_SAMPLE_EDGE_IDS);
}

static gls_loader_t *shuffled(uint32_t flags, uint32_t rank, uint32_t world_size) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 32;
  options.flags = GLS_LOADER_SHUFFLE | flags;
  options.rank = rank;
  options.world_size = world_size;
  return make_loader(sampler, &options);
}
static uint64_t digest_of(const gls_loader_t *loader, uint64_t epoch, uint64_t number) {
  gls_batch_t *batch = NULL;
  OK(gls_loader_sample(loader, epoch, number, &batch, &err));
  const uint64_t digest = batch_digest(batch);
  gls_batch_release(batch);
  return digest;
}
static void read_epochs(gls_loader_t *loader, uint64_t digests[kEpochs][kBatches]) {
  for (uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    OK(gls_loader_seek(loader, epoch, &err));
    assert_int_equal(drain(loader, digests[epoch], kBatches), kBatches);
  }
}

static void any_order(void **state) {
  (void)state;
  gls_loader_t *const loader = shuffled(0, 0, 1);
  uint64_t expected[kEpochs][kBatches];
  read_epochs(loader, expected);
  assert_true(expected[0][0] != expected[1][0] && expected[0][0] != expected[0][1]);
  for (uint64_t epoch = kEpochs; epoch-- > 0;) {
    for (uint64_t number = kBatches; number-- > 0;) {
      assert_true(digest_of(loader, epoch, number) == expected[epoch][number]);
    }
  }
  gls_loader_release(loader);
}

static void trainers_can_have_all_batches(void **state) {
  (void)state;
  gls_loader_t *const alone = shuffled(0, 0, 1);
  gls_loader_t *const second = shuffled(0, 1, 2);
  uint64_t expected[kEpochs][kBatches];
  read_epochs(alone, expected);
  for (uint64_t number = 0; number < kBatches; ++number) {
    assert_true(digest_of(second, 2, number) == expected[2][number]);
  }
  gls_loader_release(alone);
  gls_loader_release(second);
}

static void the_loader_stays_where_it_is(void **state) {
  (void)state;
  gls_loader_t *const loader = shuffled(0, 0, 1);
  uint64_t expected[kEpochs][kBatches];
  read_epochs(loader, expected);
  OK(gls_loader_seek(loader, 1, &err));
  gls_batch_release(next_batch(loader));
  char before[GLS_LOADER_STATE_MAX];
  char after[GLS_LOADER_STATE_MAX];
  OK(gls_loader_save(loader, before, sizeof before, NULL, &err));
  gls_loader_stats_t stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = sizeof stats;
  OK(gls_loader_get_stats(loader, &stats, &err));
  const uint64_t handed_out = stats.batches;
  assert_true(digest_of(loader, 0, 3) == expected[0][3]);
  OK(gls_loader_save(loader, after, sizeof after, NULL, &err));
  assert_string_equal(before, after);
  OK(gls_loader_get_stats(loader, &stats, &err));
  assert_int_equal(stats.batches, handed_out);
  /* Also one that is cancelled can be asked. */
  gls_loader_cancel(loader);
  assert_true(digest_of(loader, 2, 1) == expected[2][1]);
  OK(gls_loader_restore(loader, before, &err));
  uint64_t rest[kBatches];
  assert_int_equal(drain(loader, rest, kBatches), kBatches - 1);
  assert_true(rest[0] == expected[1][1] && rest[2] == expected[1][3]);
  gls_loader_release(loader);
}

struct reader {
  const gls_loader_t *loader;
  size_t offset;
  uint64_t found[kEpochs][kBatches];
};
static void *read_all(void *argument) {
  struct reader *const self = argument;
  for (size_t i = 0; i < 20 * kEpochs * kBatches; ++i) {
    const size_t at = (i + self->offset) % (kEpochs * kBatches);
    gls_batch_t *batch = NULL;
    if (gls_loader_sample(self->loader, at / kBatches, at % kBatches, &batch, NULL) != GLS_OK) {
      return self;
    }
    self->found[at / kBatches][at % kBatches] = batch_digest(batch);
    gls_batch_release(batch);
  }
  return NULL;
}
static void threads_beside_the_epoch(void **state) {
  (void)state;
  gls_loader_t *const loader = shuffled(0, 0, 1);
  uint64_t expected[kEpochs][kBatches];
  read_epochs(loader, expected);
  pthread_t threads[kThreads];
  struct reader readers[kThreads];
  for (size_t t = 0; t < kThreads; ++t) {
    memset(&readers[t], 0, sizeof readers[t]);
    readers[t].loader = loader;
    readers[t].offset = 3 * t;
    assert_int_equal(pthread_create(&threads[t], NULL, read_all, &readers[t]), 0);
  }
  uint64_t again[kEpochs][kBatches];
  read_epochs(loader, again);
  for (size_t t = 0; t < kThreads; ++t) {
    void *failed = NULL;
    assert_int_equal(pthread_join(threads[t], &failed), 0);
    assert_null(failed);
    assert_memory_equal(readers[t].found, expected, sizeof expected);
  }
  assert_memory_equal(again, expected, sizeof expected);
  gls_loader_release(loader);
}

static void no_such_batch(void **state) {
  (void)state;
  gls_batch_t *batch = NULL;
  gls_loader_t *const loader = shuffled(0, 0, 1);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batch", gls_loader_sample(loader, 0, 4, &batch, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batch", gls_loader_sample(loader, 0, UINT64_MAX, &batch, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_loader_sample(loader, 0, 0, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_sample(NULL, 0, 0, &batch, &err));
  gls_loader_release(loader);
  /* The last batch is not full, and left out. */
  gls_loader_t *const full = shuffled(GLS_LOADER_DROP_LAST, 0, 1);
  digest_of(full, UINT64_MAX, 2);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batch", gls_loader_sample(full, 0, 3, &batch, &err));
  gls_loader_release(full);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  gls_loader_t *empty = NULL;
  OK(gls_loader_create(sampler, ids64(0, NULL), &options, &empty, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "batch", gls_loader_sample(empty, 0, 0, &batch, &err));
  gls_loader_release(empty);
  assert_null(batch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order),
      cmocka_unit_test(trainers_can_have_all_batches),
      cmocka_unit_test(the_loader_stays_where_it_is),
      cmocka_unit_test(threads_beside_the_epoch),
      cmocka_unit_test(no_such_batch),
  };
  return cmocka_run_group_tests_name("loader_sample", tests, set_up, tear_down_sampler);
}
