/* Loaders: order, sharing, bounds, waiting, cancelling. What they gather and how they are resumed
 * is tested in files of its own. */
#include <pthread.h>
#include <time.h>

#include "sampler_fixture.h"

static int set_up(void **state) {
  (void)state;
  return set_up_sampler(3, 100, 5, 0);
}

static gls_loader_info_t info_of(const gls_loader_t *loader) {
  gls_loader_info_t info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(gls_loader_get_info(loader, &info, &err));
  return info;
}
static gls_loader_stats_t stats_of(const gls_loader_t *loader) {
  gls_loader_stats_t stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = sizeof stats;
  OK(gls_loader_get_stats(loader, &stats, &err));
  return stats;
}
static uint64_t number_of(const gls_batch_t *batch) {
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  return info.batch;
}
static gls_loader_options_t by(uint32_t batch_size, uint32_t flags) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = batch_size;
  options.flags = flags;
  return options;
}

/* Positions of all seeds of the rest of the epoch; returns how many batches held them. */
static size_t read_epoch(gls_loader_t *loader, int64_t *positions, size_t *count) {
  size_t batches = 0;
  *count = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; ++batches) {
    gls_tensor_t *const input = batch_array(batch, GLS_BATCH_INPUT, NULL, NULL);
    for (int64_t i = 0; i < tensor_elements(input); ++i) {
      positions[(*count)++] = id_at(input, i);
    }
    gls_tensor_release(input);
    gls_batch_release(batch);
  }
  return batches;
}

/* ---- order ------------------------------------------------------------------------------------
 */

static void in_order(void **state) {
  (void)state;
  const gls_loader_options_t options = by(32, 0);
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_loader_info_t info = info_of(loader);
  assert_int_equal(info.epoch, 0);
  assert_int_equal(info.next_batch, 0);
  assert_int_equal(info.num_batches, 4);
  assert_int_equal(info.num_global_batches, 4);
  assert_int_equal(info.num_seeds, 100);
  assert_int_equal(info.batch_size, 32);
  int64_t positions[128];
  size_t count = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    OK(gls_loader_seek(loader, (uint64_t)epoch, &err));
    assert_int_equal(read_epoch(loader, positions, &count), 4);
    assert_int_equal(count, 100);
    for (size_t i = 0; i < count; ++i) {
      assert_int_equal(positions[i], i);
    }
  }
  info = info_of(loader);
  assert_int_equal(info.epoch, 1);
  assert_int_equal(info.next_batch, 4);
  gls_loader_release(loader);
}

static void the_end_is_repeated(void **state) {
  (void)state;
  const gls_loader_options_t options = by(50, 0);
  gls_loader_t *const loader = make_loader(sampler, &options);
  uint64_t digests[2];
  assert_int_equal(drain(loader, digests, 2), 2);
  gls_batch_t *batch = NULL;
  for (int64_t timeout = -1; timeout < 3; ++timeout) {
    EXPECT(GLS_END, NULL, gls_loader_next(loader, timeout, &batch, &err));
  }
  assert_null(batch);
  OK(gls_loader_seek(loader, 0, &err));
  uint64_t again[2];
  assert_int_equal(drain(loader, again, 2), 2);
  assert_memory_equal(digests, again, sizeof digests);
  OK(gls_loader_seek(loader, UINT64_MAX, &err));
  assert_int_equal(drain(loader, again, 2), 2);
  assert_int_equal(info_of(loader).epoch, UINT64_MAX);
  gls_loader_release(loader);
}

static void shuffled(void **state) {
  (void)state;
  const gls_loader_options_t options = by(7, GLS_LOADER_SHUFFLE);
  gls_loader_t *const loader = make_loader(sampler, &options);
  int64_t epochs[3][100];
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    size_t count = 0;
    OK(gls_loader_seek(loader, epoch % 2, &err)); /* 0, 1 and 0 again */
    assert_int_equal(read_epoch(loader, epochs[epoch], &count), 15);
    assert_int_equal(count, 100);
    bool seen[100] = {false};
    for (size_t i = 0; i < count; ++i) {
      assert_in_range(epochs[epoch][i], 0, 99);
      assert_false(seen[epochs[epoch][i]]);
      seen[epochs[epoch][i]] = true;
    }
  }
  assert_memory_equal(epochs[0], epochs[2], sizeof epochs[0]);
  assert_memory_not_equal(epochs[0], epochs[1], sizeof epochs[0]);
  gls_loader_release(loader);
}

static void the_last_batch(void **state) {
  (void)state;
  int64_t positions[128];
  size_t count = 0;
  gls_loader_options_t options = by(30, GLS_LOADER_DROP_LAST);
  gls_loader_t *loader = make_loader(sampler, &options);
  assert_int_equal(info_of(loader).num_batches, 3);
  assert_int_equal(read_epoch(loader, positions, &count), 3);
  assert_int_equal(count, 90);
  gls_loader_release(loader);
  options.batch_size = 101; /* not one full batch */
  loader = make_loader(sampler, &options);
  assert_int_equal(read_epoch(loader, positions, &count), 0);
  gls_loader_release(loader);
  loader = make_loader(sampler, NULL); /* all defaults */
  assert_int_equal(info_of(loader).batch_size, 1024);
  assert_int_equal(read_epoch(loader, positions, &count), 1);
  assert_int_equal(count, 100);
  gls_loader_release(loader);
}

/* ---- seeds ------------------------------------------------------------------------------------
 */

static void given_seeds_are_taken(void **state) {
  (void)state;
  static const int64_t ids[] = {5, 3, 5, 99};
  const int64_t four = 4;
  atomic_int released = 0;
  gls_tensor_t *const seeds = wrapped((void *)ids, kInt64, 1, &four, &released);
  gls_loader_options_t options = by(3, 0);
  gls_loader_t *loader = NULL;
  options.id_set = "train";
  FAILS(GLS_ERR_INVALID_ARGUMENT, "id_set",
        gls_loader_create(sampler, seeds, &options, &loader, &err));
  assert_int_equal(released, 0);
  options.id_set = NULL;
  OK(gls_loader_create(sampler, seeds, &options, &loader, &err));
  gls_batch_t *batch = next_batch(loader);
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  assert_int_equal(id_at(node, 0), 5);
  assert_int_equal(id_at(node, 1), 3);
  gls_tensor_release(node);
  EXPECT_IDS(batch, GLS_BATCH_SEED, NULL, 0, 1, 0);
  EXPECT_IDS(batch, GLS_BATCH_INPUT, NULL, 0, 1, 2);
  gls_batch_release(batch);
  batch = next_batch(loader);
  EXPECT_IDS(batch, GLS_BATCH_INPUT, NULL, 3);
  gls_batch_release(batch);
  assert_int_equal(atomic_load(&released), 0);
  gls_loader_release(loader);
  assert_int_equal(atomic_load(&released), 1);
}

static void seeds_stay_the_callers_on_failure(void **state) {
  (void)state;
  static const int64_t ids[] = {5, 3, 100, -1};
  const int64_t four = 4;
  const int64_t two = 2;
  atomic_int released = 0;
  gls_tensor_t *const bad = wrapped((void *)ids, kInt64, 1, &four, &released);
  gls_tensor_t *const good = wrapped((void *)ids, kInt64, 1, &two, &released);
  gls_tensor_t *const real = wrapped((void *)ids, kFloat64, 1, &two, &released);
  const int64_t shape[] = {1, 2};
  gls_tensor_t *const matrix = wrapped((void *)ids, kInt64, 2, shape, &released);
  gls_loader_t *loader = NULL;
  gls_loader_options_t options = by(3, 0);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds",
        gls_loader_create(sampler, bad, &options, &loader, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds",
        gls_loader_create(sampler, real, &options, &loader, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "seeds",
        gls_loader_create(sampler, matrix, &options, &loader, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "sampler",
        gls_loader_create(NULL, good, &options, &loader, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_loader_create(sampler, good, &options, NULL, &err));
  options.flags = 8;
  FAILS(GLS_ERR_UNSUPPORTED, "flags", gls_loader_create(sampler, good, &options, &loader, &err));
  options = by(3, 0);
  options.rank = 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank",
        gls_loader_create(sampler, good, &options, &loader, &err));
  assert_null(loader);
  assert_int_equal(atomic_load(&released), 0);
  gls_tensor_release(bad);
  gls_tensor_release(good);
  gls_tensor_release(real);
  gls_tensor_release(matrix);
  assert_int_equal(atomic_load(&released), 4);
}

static void id_sets(void **state) {
  (void)state;
  gls_loader_options_t options = by(10, 0);
  options.id_set = "train";
  gls_loader_t *loader = make_loader(sampler, &options);
  assert_int_equal(info_of(loader).num_seeds, 50);
  gls_batch_t *const batch = next_batch(loader);
  gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
  assert_int_equal(id_at(node, 3), 6); /* the even nodes */
  gls_tensor_release(node);
  gls_batch_release(batch);
  gls_loader_release(loader);
  options.id_set = "test";
  loader = NULL;
  FAILS(GLS_ERR_NOT_FOUND, "id_set", gls_loader_create(sampler, NULL, &options, &loader, &err));
  options = by(10, 0);
  options.node_type = "nodes";
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_loader_create(sampler, NULL, &options, &loader, &err));
  assert_null(loader);
}

static void no_seeds_at_all(void **state) {
  (void)state;
  gls_loader_t *loader = NULL;
  OK(gls_loader_create(sampler, ids64(0, (const int64_t[]){0}), NULL, &loader, &err));
  assert_int_equal(info_of(loader).num_batches, 0);
  assert_int_equal(info_of(loader).num_global_batches, 0);
  assert_null(next_batch(loader));
  gls_loader_release(loader);
  gls_loader_options_t options = by(4, GLS_LOADER_SHUFFLE);
  options.world_size = 3;
  options.even = GLS_EVEN_REPEAT;
  OK(gls_loader_create(sampler, ids64(0, (const int64_t[]){0}), &options, &loader, &err));
  assert_null(next_batch(loader));
  assert_int_equal(info_of(loader).next_batch, 0);
  gls_loader_release(loader);
}

static void wrong_options(void **state) {
  (void)state;
  gls_loader_t *loader = NULL;
#define REFUSED(code, argument, change)                                               \
  do {                                                                                \
    gls_loader_options_t options = by(10, 0);                                         \
    change;                                                                           \
    FAILS(code, argument, gls_loader_create(sampler, NULL, &options, &loader, &err)); \
  } while (0)
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "options", options.struct_size = 0);
  REFUSED(GLS_ERR_UNSUPPORTED, "flags", options.flags = 1u << 31);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "even", options.even = 3);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "even", options.even = -1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "rank", options.rank = 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, "batch_size", options.batch_size = UINT32_MAX);
  REFUSED(GLS_ERR_UNSUPPORTED, "device", options.device.device_type = kDLROCM);
  REFUSED(GLS_ERR_UNSUPPORTED, "device", options.device.device_id = 1);
  REFUSED(GLS_ERR_UNSUPPORTED, NULL, options.reserved0 = 1);
  REFUSED(GLS_ERR_INVALID_ARGUMENT, NULL, options.num_columns = 1);
#undef REFUSED
  assert_null(loader);
  gls_loader_options_t options = by(10, 0);
  options.device.device_type = kDLCPU;
  gls_loader_release(make_loader(sampler, &options));
  gls_loader_release(NULL);
  gls_loader_cancel(NULL);
  gls_batch_t *batch = NULL;
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_next(NULL, 0, &batch, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_seek(NULL, 0, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_get_info(NULL, &info, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_get_stats(NULL, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_save(NULL, NULL, 0, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_loader_restore(NULL, "{}", &err));
  loader = make_loader(sampler, NULL);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_loader_next(loader, 0, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_loader_get_info(loader, NULL, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "out", gls_loader_get_stats(loader, NULL, &err));
  gls_loader_release(loader);
}

/* ---- trainers ---------------------------------------------------------------------------------
 */

static void trainers_share_the_epoch(void **state) {
  (void)state;
  static const size_t counts[3][3] = {{5, 5, 4}, {4, 4, 4}, {5, 5, 5}}; /* by even mode: 14 of 3 */
  gls_loader_options_t options = by(8, GLS_LOADER_SHUFFLE | GLS_LOADER_NO_COLUMNS);
  options.batch_size = 7;
  options.flags |= GLS_LOADER_DROP_LAST;
  gls_loader_t *const whole = make_loader(sampler, &options);
  uint64_t digests[16];
  assert_int_equal(drain(whole, digests, 16), 14);
  gls_loader_release(whole);
  options.world_size = 3;
  for (int32_t even = GLS_EVEN_NONE; even <= GLS_EVEN_REPEAT; ++even) {
    options.even = even;
    for (uint32_t rank = 0; rank < 3; ++rank) {
      options.rank = rank;
      gls_loader_t *const loader = make_loader(sampler, &options);
      assert_int_equal(info_of(loader).num_batches, counts[even][rank]);
      assert_int_equal(info_of(loader).num_global_batches, 14);
      size_t step = 0;
      for (;; ++step) {
        const uint64_t announced = info_of(loader).next_batch;
        gls_batch_t *const batch = next_batch(loader);
        if (batch == NULL) {
          break;
        }
        const uint64_t number = number_of(batch);
        assert_int_equal(number, (rank + 3 * step) % 14);
        assert_int_equal(number, announced);
        assert_true(batch_digest(batch) == digests[number]); /* byte for byte */
        gls_batch_release(batch);
      }
      assert_int_equal(step, counts[even][rank]);
      gls_loader_release(loader);
    }
  }
}

static void more_trainers_than_batches(void **state) {
  (void)state;
  gls_loader_options_t options = by(60, 0); /* two batches */
  options.world_size = 5;
  static const size_t counts[3][2] = {{1, 0}, {0, 0}, {1, 1}};
  for (int32_t even = GLS_EVEN_NONE; even <= GLS_EVEN_REPEAT; ++even) {
    for (uint32_t last = 0; last < 2; ++last) {
      options.even = even;
      options.rank = last * 4;
      gls_loader_t *const loader = make_loader(sampler, &options);
      uint64_t digests[4];
      assert_int_equal(drain(loader, digests, 4), counts[even][last]);
      gls_loader_release(loader);
    }
  }
}

/* ---- bounds and statistics --------------------------------------------------------------------
 */

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

/* Waits until `expected` batches are ready, gives the workers time to make too many, and returns
 * how many there are. */
static uint64_t settled_ready(const gls_loader_t *loader, uint64_t expected) {
  for (int i = 0; i < 5000 && stats_of(loader).ready_batches < expected; ++i) {
    sleep_ms(2);
  }
  sleep_ms(10);
  return stats_of(loader).ready_batches;
}

static void nothing_is_made_before_the_first_call(void **state) {
  (void)state;
  const gls_loader_options_t options = by(5, 0);
  gls_loader_t *const loader = make_loader(sampler, &options);
  sleep_ms(20);
  assert_int_equal(stats_of(loader).ready_batches, 0);
  assert_int_equal(stats_of(loader).wall_ns, 0);
  gls_loader_release(loader);
}

static void prefetch_is_bounded(void **state) {
  (void)state;
  gls_loader_options_t options = by(1, GLS_LOADER_NO_COLUMNS);
  for (uint32_t prefetch = 1; prefetch <= 6; prefetch += 5) {
    options.prefetch = prefetch;
    gls_loader_t *const loader = make_loader(sampler, &options);
    for (int i = 0; i < 3; ++i) {
      gls_batch_release(next_batch(loader));
      assert_int_equal(settled_ready(loader, prefetch), prefetch);
      assert_true(stats_of(loader).ready_bytes > 0);
    }
    const uint64_t waited = stats_of(loader).worker_wait_ns;
    sleep_ms(10);
    assert_true(stats_of(loader).worker_wait_ns > waited);
    gls_loader_release(loader);
  }
}

static void bytes_are_bounded(void **state) {
  (void)state;
  gls_loader_options_t options = by(4, 0);
  options.prefetch = 20;
  options.prefetch_bytes = 1; /* one batch may always be made */
  gls_loader_t *loader = make_loader(sampler, &options);
  uint64_t largest = 0;
  size_t count = 0;
  for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL; ++count) {
    gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(gls_batch_get_info(batch, &info, &err));
    largest = info.bytes > largest ? info.bytes : largest;
    gls_batch_release(batch);
    assert_in_range(settled_ready(loader, 0), 0, 1);
  }
  assert_int_equal(count, 25);
  assert_true(stats_of(loader).peak_bytes <= largest);
  gls_loader_release(loader);
  options.prefetch_bytes = 3 * largest;
  loader = make_loader(sampler, &options);
  gls_batch_release(next_batch(loader));
  assert_in_range(settled_ready(loader, 1), 1, 4); /* some are smaller than the largest */
  uint64_t digests[32];
  drain(loader, digests, 32);
  assert_true(stats_of(loader).peak_bytes <= 4 * largest);
  gls_loader_release(loader);
}

static void statistics_add_up(void **state) {
  (void)state;
  gls_loader_options_t options = by(32, 0);
  gls_loader_t *const loader = make_loader(sampler, &options);
  uint64_t nodes = 0;
  uint64_t edges = 0;
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    OK(gls_loader_seek(loader, epoch, &err));
    for (gls_batch_t *batch; (batch = next_batch(loader)) != NULL;) {
      gls_tensor_t *const node = batch_array(batch, GLS_BATCH_NODE, NULL, NULL);
      gls_tensor_t *const row = batch_array(batch, GLS_BATCH_ROW, NULL, NULL);
      nodes += (uint64_t)tensor_elements(node);
      edges += (uint64_t)tensor_elements(row);
      gls_tensor_release(node);
      gls_tensor_release(row);
      gls_batch_release(batch);
    }
  }
  const gls_loader_stats_t stats = stats_of(loader);
  assert_int_equal(stats.batches, 8);
  assert_int_equal(stats.seeds, 200);
  assert_int_equal(stats.nodes, nodes);
  assert_int_equal(stats.edges, edges);
  assert_int_equal(stats.gathered_rows, nodes + 200); /* "x" of all, "y" of the seeds */
  assert_int_equal(stats.gathered_bytes, nodes * 12 + 200 * 8);
  assert_int_equal(stats.ready_batches, 0);
  assert_int_equal(stats.ready_bytes, 0);
  assert_true(stats.sample_ns > 0 && stats.gather_ns > 0);
  assert_true(stats.wall_ns >= stats.caller_wait_ns && stats.caller_wait_ns > 0);
  assert_true(stats.peak_bytes > 0);
  assert_int_equal(stats.host_rows, stats.gathered_rows);
  assert_true(stats.device_rows == 0 && stats.pinned_rows == 0 && stats.remote_rows == 0 &&
              stats.peer_rows == 0);
  assert_true(stats.disk_rows == 0 && stats.disk_row_bytes == 0 && stats.disk_read_bytes == 0 &&
              stats.disk_packed_bytes == 0);
  gls_loader_stats_t small;
  memset(&small, 0, sizeof small);
  small.struct_size = offsetof(gls_loader_stats_t, seeds);
  small.seeds = 7;
  OK(gls_loader_get_stats(loader, &small, &err));
  assert_int_equal(small.batches, 8);
  assert_int_equal(small.seeds, 7);
  gls_loader_release(loader);
}

/* ---- waiting and cancelling -------------------------------------------------------------------
 */

static void timeouts(void **state) {
  (void)state;
  gls_sampler_t *slow = NULL;
  gls_loader_t *const loader = make_slow_loader(ring, &slow);
  gls_batch_t *batch = NULL;
  EXPECT(GLS_IN_PROGRESS, NULL, gls_loader_next(loader, 0, &batch, &err));
  assert_null(batch);
  int polls = 0;
  for (gls_status_t status = GLS_IN_PROGRESS; status == GLS_IN_PROGRESS; ++polls) {
    status = gls_loader_next(loader, 1, &batch, NULL);
    assert_true(status == GLS_OK || status == GLS_IN_PROGRESS);
    assert_true((batch != NULL) == (status == GLS_OK));
  }
  assert_int_equal(number_of(batch), 0);
  gls_batch_release(batch);
  batch = NULL;
  OK(gls_loader_next(loader, INT64_MAX, &batch, &err)); /* not a time that wraps */
  assert_int_equal(number_of(batch), 1);
  gls_batch_release(batch);
  batch = NULL;
  OK(gls_loader_next(loader, INT64_MIN, &batch, &err));
  assert_int_equal(number_of(batch), 2);
  gls_batch_release(batch);
  gls_loader_release(loader); /* in the middle of a batch */
  gls_sampler_release(slow);
}

static void *cancel_soon(void *loader) {
  sleep_ms(20);
  gls_loader_cancel(loader);
  return NULL;
}

static void cancel_wakes_a_waiting_call(void **state) {
  (void)state;
  gls_sampler_t *slow = NULL;
  gls_loader_t *const loader = make_slow_loader(ring, &slow);
  pthread_t thread;
  gls_batch_t *batch = NULL;
  assert_int_equal(pthread_create(&thread, NULL, cancel_soon, loader), 0);
  gls_status_t status = GLS_OK;
  gls_error_t *err = NULL;
  while ((status = gls_loader_next(loader, -1, &batch, &err)) == GLS_OK) {
    gls_batch_release(batch);
    batch = NULL;
  }
  assert_int_equal(status, GLS_ERR_CANCELED);
  assert_int_equal(gls_error_status(err), GLS_ERR_CANCELED);
  gls_error_release(err);
  assert_null(batch);
  assert_int_equal(pthread_join(thread, NULL), 0);
  for (int64_t timeout = -1; timeout < 2; ++timeout) {
    FAILS(GLS_ERR_CANCELED, NULL, gls_loader_next(loader, timeout, &batch, &err));
  }
  OK(gls_loader_seek(loader, 3, &err));
  batch = next_batch(loader);
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  OK(gls_batch_get_info(batch, &info, &err));
  assert_int_equal(info.epoch, 3);
  assert_int_equal(info.batch, 0);
  gls_batch_release(batch);
  gls_loader_cancel(loader);
  gls_loader_cancel(loader);
  gls_loader_release(loader);
  gls_sampler_release(slow);
}

static void calls_after_cancel(void **state) {
  (void)state;
  const gls_loader_options_t options = by(10, 0);
  gls_loader_t *const loader = make_loader(sampler, &options);
  gls_loader_cancel(loader); /* before anything */
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_CANCELED, NULL, gls_loader_next(loader, -1, &batch, &err));
  assert_null(batch);
  assert_int_equal(info_of(loader).next_batch, 0);
  char saved[GLS_LOADER_STATE_MAX];
  OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
  OK(gls_loader_restore(loader, saved, &err)); /* also goes on */
  gls_batch_release(next_batch(loader));
  gls_loader_cancel(loader);
  FAILS(GLS_ERR_CANCELED, NULL, gls_loader_next(loader, 0, &batch, &err));
  assert_int_equal(stats_of(loader).batches, 1);
  gls_loader_release(loader);
}

/* Seeking drops what was made ahead, at any moment. */
static void seek_in_the_middle(void **state) {
  (void)state;
  const gls_loader_options_t options = by(3, GLS_LOADER_SHUFFLE);
  gls_loader_t *const loader = make_loader(sampler, &options);
  uint64_t first = 0;
  for (int round = 0; round < 40; ++round) {
    OK(gls_loader_seek(loader, 5, &err));
    for (int i = 0; i < round % 5; ++i) {
      gls_batch_t *const batch = next_batch(loader);
      assert_int_equal(number_of(batch), i);
      const uint64_t digest = batch_digest(batch);
      first = i == 0 && first == 0 ? digest : first;
      assert_true(i != 0 || digest == first);
      gls_batch_release(batch);
    }
  }
  gls_loader_release(loader);
}

/* One loader, its children and the context go while workers are busy. */
static void everything_goes_at_once(void **state) {
  (void)state;
  for (int round = 0; round < 30; ++round) {
    gls_context_t *const own = make_context(3);
    gls_dataset_t *const dataset = make_ring(own, 40, 4);
    gls_sampler_t *const from = make_sampler(dataset, 0);
    const gls_loader_options_t options = by(2, 0);
    gls_loader_t *const loader = make_loader(from, &options);
    gls_context_release(own);
    gls_dataset_release(dataset);
    gls_sampler_release(from);
    if (round % 3 != 0) {
      gls_batch_release(next_batch(loader));
    }
    gls_batch_t *batch = NULL;
    const gls_status_t status = gls_loader_next(loader, 0, &batch, NULL);
    assert_true(status == GLS_OK || status == GLS_IN_PROGRESS);
    gls_loader_release(loader);
    gls_batch_release(batch);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_order),
      cmocka_unit_test(the_end_is_repeated),
      cmocka_unit_test(shuffled),
      cmocka_unit_test(the_last_batch),
      cmocka_unit_test(given_seeds_are_taken),
      cmocka_unit_test(seeds_stay_the_callers_on_failure),
      cmocka_unit_test(id_sets),
      cmocka_unit_test(no_seeds_at_all),
      cmocka_unit_test(wrong_options),
      cmocka_unit_test(trainers_share_the_epoch),
      cmocka_unit_test(more_trainers_than_batches),
      cmocka_unit_test(nothing_is_made_before_the_first_call),
      cmocka_unit_test(prefetch_is_bounded),
      cmocka_unit_test(bytes_are_bounded),
      cmocka_unit_test(statistics_add_up),
      cmocka_unit_test(timeouts),
      cmocka_unit_test(cancel_wakes_a_waiting_call),
      cmocka_unit_test(calls_after_cancel),
      cmocka_unit_test(seek_in_the_middle),
      cmocka_unit_test(everything_goes_at_once),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down_sampler);
}
