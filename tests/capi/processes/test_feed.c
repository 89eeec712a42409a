/* Feeds: batches that come through shared memory are those of one loader, and memory is bounded.
 * Both ends are in this process; test_feed_processes.c has those that are killed. */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "feeds.h"

/* ---- the same batches --------------------------------------------------------------------------
 */

static void gives_the_batches_of_the_loader(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("same");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1u << 20);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  uint64_t expected[kMostBatches];
  uint64_t got[kMostBatches];
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    OK(gls_loader_seek(all.loader, epoch, &err));
    OK(gls_loader_seek(loader, epoch, &err));
    assert_int_equal(drain(all.loader, expected, kMostBatches), 25);
    assert_int_equal(drain_soon(loader, got), 25);
    assert_memory_equal(got, expected, 25 * sizeof *got);
    assert_null(soon(loader)); /* the end, again and again */
  }
  gls_loader_stats_t own;
  gls_loader_stats_t stats;
  memset(&own, 0, sizeof own);
  memset(&stats, 0, sizeof stats);
  own.struct_size = stats.struct_size = sizeof stats;
  OK(gls_loader_get_stats(all.loader, &own, &err));
  OK(gls_loader_get_stats(loader, &stats, &err));
  assert_int_equal(stats.batches, own.batches);
  assert_int_equal(stats.seeds, own.seeds);
  assert_int_equal(stats.remote_rows, stats.gathered_rows);
  assert_int_equal(stats.nodes, own.nodes);
  assert_int_equal(stats.edges, own.edges);
  assert_int_equal(stats.gathered_bytes, own.gathered_bytes);
  assert_true(stats.sample_ns > 0 && stats.caller_wait_ns > 0 && stats.wall_ns > 0);
  assert_int_equal(stats.ready_batches, 0);
  gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
  OK(gls_loader_get_info(loader, &info, &err));
  assert_int_equal(info.epoch, 2);
  assert_int_equal(info.next_batch, 25);
  assert_int_equal(info.num_batches, 25);
  assert_int_equal(info.num_seeds, 200);
  assert_int_equal(info.batch_size, 8);
  SOON(info_of(feed).batches == 75);
  assert_int_equal(info_of(feed).consumers, 1);
  gls_loader_release(loader);
  OK(gls_feed_wait(feed, 20000, &err));
  assert_int_equal(info_of(feed).lost, 0);
  assert_int_equal(info_of(feed).attached, 1);
  gls_feed_release(feed);
  assert_int_equal(access(path, F_OK), -1);
  gls_context_release(ctx);
  release_all(&all);
}

static void says_what_types_there_are(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("types");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1u << 20);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  gls_dataset_t *names = NULL;
  OK(gls_loader_dataset(loader, &names, &err));
  assert_int_equal(gls_dataset_num_node_types(names), 1);
  gls_column_info_t column;
  memset(&column, 0, sizeof column);
  column.struct_size = sizeof column;
  OK(gls_dataset_get_node_column_info(names, "node", 0, &column, &err));
  assert_string_equal(column.name, "x");
  gls_dataset_release(names);
  OK(gls_loader_dataset(all.loader, &names, &err));
  gls_dataset_release(names);
  gls_batch_t *const batch = soon(loader);
  gls_tensor_t *const x = batch_array(batch, GLS_BATCH_NODE_COLUMN, NULL, "x");
  assert_true((x->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
  assert_int_equal((uintptr_t)tensor_data(x) % 64, 0);
  gls_batch_t *other = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_loader_sample(loader, 0, 0, &other, &err));
  gls_tensor_t *norm = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_loader_saint_norms(loader, NULL, &norm, NULL, &err));
  gls_tensor_t *plan = NULL;
  FAILS(GLS_ERR_UNSUPPORTED, NULL, gls_loader_plan(loader, NULL, &plan, &err));
  int64_t rows = 0;
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_loader_pad_size(loader, "node", &rows, &err));
  gls_feed_t *second = NULL;
  gls_feed_options_t options = GLS_FEED_OPTIONS_INIT;
  options.path = socket_path("second");
  FAILS(GLS_ERR_UNSUPPORTED, "loader", gls_feed_create(loader, &options, &second, &err));
  /* Everything goes, and the tensor stays. */
  gls_batch_release(batch);
  gls_loader_release(loader);
  gls_feed_release(feed);
  const float *const values = tensor_data(x);
  assert_true(values[1] == values[0] + 0.25f);
  gls_tensor_release(x);
  gls_context_release(ctx);
  release_all(&all);
}

/* Three trainers and two feeds: each trainer gets what a loader of its rank gives in one process.
 */
static void shares_as_a_loader_does(void **state) {
  (void)state;
  for (int32_t even = GLS_EVEN_NONE; even <= GLS_EVEN_REPEAT; ++even) {
    struct made first = make_all(0, 1, even);
    struct made second = make_all(0, 1, even);
    const char *paths[] = {socket_path("one"), socket_path("two")};
    gls_feed_t *const one = serve(first.loader, paths[0], 3, 1u << 20);
    gls_feed_t *const two = serve(second.loader, paths[1], 3, 1u << 20);
    gls_context_t *const ctx = make_context(1);
    gls_loader_t *loaders[3];
    for (uint32_t rank = 0; rank < 3; ++rank) {
      loaders[rank] = attach_to(ctx, paths, 2, rank);
    }
    for (uint32_t rank = 0; rank < 3; ++rank) {
      struct made alone = make_all(rank, 3, even);
      uint64_t expected[kMostBatches];
      uint64_t got[kMostBatches];
      const size_t count = drain(alone.loader, expected, kMostBatches);
      gls_loader_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0};
      gls_loader_info_t own = info;
      OK(gls_loader_get_info(loaders[rank], &info, &err));
      OK(gls_loader_get_info(alone.loader, &own, &err));
      assert_int_equal(info.num_batches, own.num_batches);
      assert_int_equal(drain_soon(loaders[rank], got), count);
      assert_memory_equal(got, expected, count * sizeof *got);
      OK(gls_loader_get_info(loaders[rank], &info, &err));
      assert_int_equal(info.next_batch, own.next_batch);
      release_all(&alone);
    }
    for (uint32_t rank = 0; rank < 3; ++rank) {
      gls_loader_release(loaders[rank]);
    }
    gls_feed_release(one);
    gls_feed_release(two);
    gls_context_release(ctx);
    release_all(&first);
    release_all(&second);
  }
}

static void resumes(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("resume");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1u << 20);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *loader = attach_to(ctx, &path, 1, 0);
  uint64_t expected[kMostBatches];
  uint64_t got[kMostBatches];
  char saved[GLS_LOADER_STATE_MAX];
  char own[GLS_LOADER_STATE_MAX];
  OK(gls_loader_seek(all.loader, 4, &err));
  OK(gls_loader_seek(loader, 4, &err));
  for (int i = 0; i < 7; ++i) {
    gls_batch_release(next_batch(all.loader));
    gls_batch_release(soon(loader));
  }
  OK(gls_loader_save(all.loader, own, sizeof own, NULL, &err));
  OK(gls_loader_save(loader, saved, sizeof saved, NULL, &err));
  assert_string_equal(saved, own);
  assert_int_equal(drain(all.loader, expected, kMostBatches), 18);
  gls_loader_release(loader);
  loader = attach_to(ctx, &path, 1, 0);
  FAILS(GLS_ERR_INVALID_ARGUMENT, "state", gls_loader_restore(loader, "{}", &err));
  OK(gls_loader_restore(loader, saved, &err));
  assert_int_equal(drain_soon(loader, got), 18);
  assert_memory_equal(got, expected, 18 * sizeof *got);
  /* Cancelled, it is over until it is sent elsewhere. */
  gls_loader_cancel(loader);
  gls_batch_t *batch = NULL;
  FAILS(GLS_ERR_CANCELED, NULL, gls_loader_next(loader, 0, &batch, &err));
  OK(gls_loader_restore(loader, own, &err));
  batch = soon(loader);
  assert_int_equal(batch_digest(batch), expected[0]);
  gls_batch_release(batch);
  gls_loader_release(loader);
  gls_feed_release(feed);
  gls_context_release(ctx);
  release_all(&all);
}

static void count_call(void *data) { atomic_fetch_add((atomic_int *)data, 1); }

static void notifies(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("notify");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1u << 20);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  atomic_int calls;
  atomic_init(&calls, 0);
  int promised = 0;
  int batches = 0;
  for (;;) {
    gls_error_t *err = NULL;
    const gls_status_t ready = gls_loader_notify(loader, count_call, &calls, &err);
    assert_true(ready == GLS_OK || ready == GLS_IN_PROGRESS);
    if (ready == GLS_IN_PROGRESS) {
      ++promised;
      SOON(atomic_load(&calls) == promised);
    }
    gls_batch_t *batch = NULL;
    const gls_status_t got = gls_loader_next(loader, 0, &batch, &err);
    if (got == GLS_END) {
      break;
    }
    if (got == GLS_OK) {
      ++batches;
      gls_batch_release(batch);
    }
  }
  assert_int_equal(batches, 25);
  assert_int_equal(atomic_load(&calls), promised);
  gls_loader_release(loader);
  gls_feed_release(feed);
  gls_context_release(ctx);
  release_all(&all);
}

/* ---- bounds ------------------------------------------------------------------------------------
 */

static void holds_no_more_than_its_bytes(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("bounds");
  const uint64_t bytes = 24 << 10; /* a few batches */
  gls_feed_t *const feed = serve(all.loader, path, 2, bytes);
  gls_context_t *const ctx = make_context(1);
  /* The other has a share of its own and is done while this one holds what it has. */
  gls_loader_t *const slow = attach_to(ctx, &path, 1, 0);
  gls_loader_t *const quick = attach_to(ctx, &path, 1, 1);
  gls_batch_t *held[kMostBatches];
  size_t count = 0;
  for (;;) {
    gls_error_t *err = NULL;
    const gls_status_t status = gls_loader_next(slow, -1, &held[count], &err);
    if (status != GLS_OK) {
      check_result(status, GLS_ERR_OUT_OF_MEMORY, err, "bytes", "next", __FILE__, __LINE__);
      break;
    }
    ++count;
  }
  assert_true(count >= 1 && count < 12);
  uint64_t digests[kMostBatches];
  assert_int_equal(drain_soon(quick, digests), 12);
  assert_true(info_of(feed).used_bytes <= 2 * bytes);
  SOON(info_of(feed).wait_ns > 0);
  /* What is held is as it was, and room given back is used. */
  struct made alone = make_all(0, 2, GLS_EVEN_NONE);
  uint64_t expected[kMostBatches];
  assert_int_equal(drain(alone.loader, expected, kMostBatches), 13);
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(batch_digest(held[i]), expected[i]);
    gls_batch_release(held[i]);
  }
  assert_int_equal(drain_soon(slow, digests), 13 - count);
  assert_memory_equal(digests, expected + count, (13 - count) * sizeof *digests);
  gls_loader_release(slow);
  gls_loader_release(quick);
  OK(gls_feed_wait(feed, 20000, &err));
  assert_int_equal(info_of(feed).used_bytes, 0);
  gls_feed_release(feed);
  gls_context_release(ctx);
  release_all(&alone);
  release_all(&all);
}

static void says_when_a_batch_is_too_large(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("large");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1024);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  gls_batch_t *batch = NULL;
  for (int i = 0; i < 25; ++i) {
    FAILS(GLS_ERR_OUT_OF_MEMORY, "bytes", gls_loader_next(loader, 20000, &batch, &err));
  }
  assert_null(soon(loader));
  gls_loader_release(loader);
  gls_feed_release(feed);
  gls_context_release(ctx);
  release_all(&all);
}

static gls_status_t refuse_third(gls_batch_t *batch, void *data, char *message, size_t capacity) {
  (void)data;
  gls_batch_info_t info = {sizeof info, 0, 0, 0, 0, 0, 0, 0, 0};
  gls_error_t *err = NULL;
  gls_batch_get_info(batch, &info, &err);
  if (info.batch == 2) {
    snprintf(message, capacity, "the third is not wanted");
    return GLS_ERR_NOT_FOUND;
  }
  int64_t value = (int64_t)info.batch;
  const int64_t shape = 1;
  gls_tensor_t *const one = copied(&value, kInt64, 1, &shape);
  return gls_batch_attach(batch, "number", one, NULL);
}

static void passes_errors_and_attached_arrays_on(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 50;
  options.transform = refuse_third;
  gls_loader_t *const changed = make_loader(all.sampler, &options);
  const char *const path = socket_path("errors");
  gls_feed_t *const feed = serve(changed, path, 1, 1u << 20);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  for (int64_t i = 0; i < 4; ++i) {
    gls_batch_t *batch = NULL;
    gls_error_t *err = NULL;
    const gls_status_t status = gls_loader_next(loader, 20000, &batch, &err);
    if (i == 2) {
      assert_int_equal(status, GLS_ERR_NOT_FOUND);
      assert_non_null(strstr(gls_error_message(err), "the third is not wanted"));
      assert_string_equal(gls_error_detail(err, "batch"), "2");
      gls_error_release(err);
      continue;
    }
    assert_int_equal(status, GLS_OK);
    gls_tensor_t *const number = batch_array(batch, GLS_BATCH_ATTACHED, NULL, "number");
    assert_int_equal(id_at(number, 0), i);
    gls_tensor_release(number);
    gls_batch_release(batch);
  }
  assert_null(soon(loader));
  gls_loader_release(loader);
  gls_feed_release(feed);
  gls_loader_release(changed);
  gls_context_release(ctx);
  release_all(&all);
}

/* Of a batch that is served, bytes that were copied. */
static uint64_t copied_of(const struct made *all, uint32_t flags, gls_transform_fn transform,
                          gls_feed_info_t *info, uint64_t *gathered) {
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 50;
  options.flags = flags;
  options.transform = transform;
  gls_loader_t *const made = make_loader(all->sampler, &options);
  const char *const path = socket_path("copies");
  gls_feed_t *const feed = serve(made, path, 1, 1u << 20);
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  uint64_t digests[kMostBatches];
  uint64_t expected[kMostBatches];
  assert_int_equal(drain_soon(loader, digests), 4);
  assert_int_equal(drain(made, expected, kMostBatches), 4);
  assert_memory_equal(digests, expected, 4 * sizeof *digests);
  gls_loader_stats_t stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = sizeof stats;
  OK(gls_loader_get_stats(loader, &stats, &err));
  *gathered = stats.gathered_bytes;
  SOON(info_of(feed).batches == 4);
  *info = info_of(feed);
  gls_loader_release(loader);
  gls_feed_release(feed);
  gls_loader_release(made);
  gls_context_release(ctx);
  return info->copied_bytes;
}

static gls_status_t change_nothing(gls_batch_t *batch, void *data, char *message, size_t capacity) {
  (void)batch;
  (void)data;
  (void)message;
  (void)capacity;
  return GLS_OK;
}

static void gathers_columns_where_they_are_read(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  gls_feed_info_t info;
  uint64_t gathered = 0;
  uint64_t none = 0;
  const uint64_t bare = copied_of(&all, GLS_LOADER_NO_COLUMNS, NULL, &info, &none);
  assert_int_equal(none, 0);
  assert_true(bare > 0 && bare < info.batch_bytes);
  const uint64_t with_columns = copied_of(&all, 0, NULL, &info, &gathered);
  assert_true(gathered > 0);
  assert_int_equal(with_columns, bare);
  assert_true(info.batch_bytes >= bare + gathered);
  /* A transform sees the columns before there is a place for what it attaches. */
  const uint64_t transformed = copied_of(&all, 0, change_nothing, &info, &gathered);
  assert_int_equal(transformed, bare + gathered);
  release_all(&all);
}

/* ---- misuse ------------------------------------------------------------------------------------
 */

static void refuses_wrong_options(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  struct made half = make_all(0, 2, GLS_EVEN_NONE);
  gls_feed_t *feed = NULL;
  gls_feed_options_t options = GLS_FEED_OPTIONS_INIT;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_feed_create(all.loader, &options, &feed, &err));
  char longer[200];
  memset(longer, 'a', sizeof longer);
  longer[0] = '/';
  longer[sizeof longer - 1] = '\0';
  options.path = longer;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "path", gls_feed_create(all.loader, &options, &feed, &err));
  options.path = "/tmp/there/is/no/such/folder.sock";
  FAILS(GLS_ERR_NOT_FOUND, NULL, gls_feed_create(all.loader, &options, &feed, &err));
  const char *const path = socket_path("wrong");
  options.path = path;
  options.mode = 01000;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "mode", gls_feed_create(all.loader, &options, &feed, &err));
  options.mode = 0;
  options.bytes = UINT64_MAX;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "bytes", gls_feed_create(all.loader, &options, &feed, &err));
  options.bytes = 0;
  options.consumers = UINT32_MAX;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "consumers", gls_feed_create(all.loader, &options, &feed, &err));
  options.consumers = 0;
  options.reserved = 1;
  FAILS(GLS_ERR_UNSUPPORTED, "reserved", gls_feed_create(all.loader, &options, &feed, &err));
  options.reserved = 0;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "loader", gls_feed_create(half.loader, &options, &feed, &err));
  FAILS(GLS_ERR_INVALID_ARGUMENT, "options", gls_feed_create(all.loader, NULL, &feed, &err));
  assert_int_equal(access(path, F_OK), -1);

  gls_context_t *const ctx = all.ctx;
  gls_loader_t *loader = NULL;
  gls_attach_options_t attach = GLS_ATTACH_OPTIONS_INIT;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "paths", gls_feed_attach(ctx, &attach, 20000, &loader, &err));
  attach.paths = &path;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "num_paths", gls_feed_attach(ctx, &attach, 20000, &loader, &err));
  attach.num_paths = 1;
  attach.rank = attach.world_size = 2;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank", gls_feed_attach(ctx, &attach, 20000, &loader, &err));
  attach.rank = attach.world_size = 0;
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_feed_attach(ctx, &attach, 30, &loader, &err));
  FAILS(GLS_ERR_TIMED_OUT, NULL, gls_feed_attach(ctx, &attach, 0, &loader, &err)); /* a poll */

  options.consumers = 1;
  OK(gls_feed_create(all.loader, &options, &feed, &err));
  attach.rank = 1;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "rank", gls_feed_attach(ctx, &attach, 20000, &loader, &err));
  attach.rank = 0;
  OK(gls_feed_attach(ctx, &attach, 20000, &loader, &err));
  gls_loader_t *second = NULL;
  FAILS(GLS_ERR_ALREADY_EXISTS, "rank", gls_feed_attach(ctx, &attach, 20000, &second, &err));
  attach.rank = 1;
  attach.world_size = 2;
  FAILS(GLS_ERR_INVALID_STATE, NULL, gls_feed_attach(ctx, &attach, 20000, &second, &err));
  gls_loader_release(loader);
  /* A place is free as soon as it is left, and a poll finds a feed that exists. */
  OK(gls_feed_attach(ctx, &attach, 0, &second, &err));
  gls_loader_release(second);
  OK(gls_feed_attach(ctx, &attach, -1, &second, &err));
  gls_loader_release(second);
  /* Two feeds that are not alike. */
  gls_loader_options_t other = GLS_LOADER_OPTIONS_INIT;
  other.batch_size = 9;
  gls_loader_t *const unlike = make_loader(all.sampler, &other);
  const char *paths[] = {path, socket_path("unlike")};
  gls_feed_t *const unlike_feed = serve(unlike, paths[1], 1, 0);
  attach.rank = attach.world_size = 0;
  attach.paths = paths;
  attach.num_paths = 2;
  FAILS(GLS_ERR_INVALID_ARGUMENT, "paths", gls_feed_attach(ctx, &attach, 20000, &loader, &err));
  gls_feed_release(unlike_feed);
  gls_loader_release(unlike);
  EXPECT(GLS_OK, NULL, gls_feed_wait(feed, 20000, &err));
  gls_feed_release(feed);
  gls_feed_release(NULL);
  release_all(&half);
  release_all(&all);
}

static void takes_the_place_of_the_dead_alone(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("stale");
  gls_feed_t *const feed = serve(all.loader, path, 1, 0);
  struct stat there;
  assert_int_equal(stat(path, &there), 0);
  assert_int_equal(there.st_mode & 0777, 0600);
  gls_feed_t *second = NULL;
  gls_feed_options_t options = GLS_FEED_OPTIONS_INIT;
  options.path = path;
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_feed_create(all.loader, &options, &second, &err));
  gls_feed_release(feed);
  /* A socket that nobody listens at, as a killed process leaves it. */
  const int old = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  struct sockaddr_un address = {AF_UNIX, {0}};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  assert_int_equal(bind(old, (const struct sockaddr *)&address, sizeof address), 0);
  close(old);
  assert_int_equal(access(path, F_OK), 0);
  OK(gls_feed_create(all.loader, &options, &second, &err));
  gls_feed_release(second);
  /* Other files are left alone. */
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  FAILS(GLS_ERR_ALREADY_EXISTS, NULL, gls_feed_create(all.loader, &options, &second, &err));
  unlink(path);
  release_all(&all);
}

/* ---- what is no trainer -----------------------------------------------------------------------
 */

/* Bytes that no trainer would send end that trainer alone. */
static void survives_nonsense(void **state) {
  (void)state;
  struct made all = make_all(0, 1, GLS_EVEN_NONE);
  const char *const path = socket_path("nonsense");
  gls_feed_t *const feed = serve(all.loader, path, 1, 1u << 20);
  struct sockaddr_un address = {AF_UNIX, {0}};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  unsigned char bytes[4096];
  for (size_t i = 0; i < sizeof bytes; ++i) {
    bytes[i] = (unsigned char)(i * 37 + 11);
  }
  for (int i = 0; i < 100; ++i) {
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
      /* Now and then with the right beginning. */
      if (i % 2 == 0) {
        memcpy(bytes, "GLSF\1\0\0\0\1\0\0\0", 12);
      }
      (void)!write(fd, bytes, (size_t)(1 + i * 40));
    }
    close(fd);
  }
  gls_context_t *const ctx = make_context(1);
  gls_loader_t *const loader = attach_to(ctx, &path, 1, 0);
  uint64_t digests[kMostBatches];
  assert_int_equal(drain_soon(loader, digests), 25);
  gls_loader_release(loader);
  gls_feed_release(feed);
  gls_context_release(ctx);
  release_all(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_the_batches_of_the_loader),
      cmocka_unit_test(says_what_types_there_are),
      cmocka_unit_test(shares_as_a_loader_does),
      cmocka_unit_test(resumes),
      cmocka_unit_test(notifies),
      cmocka_unit_test(holds_no_more_than_its_bytes),
      cmocka_unit_test(says_when_a_batch_is_too_large),
      cmocka_unit_test(passes_errors_and_attached_arrays_on),
      cmocka_unit_test(gathers_columns_where_they_are_read),
      cmocka_unit_test(refuses_wrong_options),
      cmocka_unit_test(takes_the_place_of_the_dead_alone),
      cmocka_unit_test(survives_nonsense),
  };
  return cmocka_run_group_tests_name("feed", tests, NULL, NULL);
}
