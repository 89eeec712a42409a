/* What the tests of feeds share: loaders, feeds, trainers, and waits with a limit. */
#ifndef GLS_TESTS_CAPI_FEEDS_H
#define GLS_TESTS_CAPI_FEEDS_H

#include <time.h>
#include <unistd.h>

#include "files.h"

enum { kMostBatches = 64 };

static inline char *socket_path(const char *name) {
  static char paths[4][108];
  static unsigned next = 0;
  char *const path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "/tmp/gls-%s-%d.sock", name, (int)getpid());
  return path;
}

/* ---- feeds and trainers ------------------------------------------------------------------------
 */

struct made {
  gls_context_t *ctx;
  gls_dataset_t *dataset;
  gls_sampler_t *sampler;
  gls_loader_t *loader;
};

/* 25 batches of 8 seeds, in a shuffled order, with columns. */
static inline struct made make_all(uint32_t rank, uint32_t world_size, int32_t even) {
  struct made all;
  all.ctx = make_context(2);
  all.dataset = make_ring(all.ctx, 200, 4);
  all.sampler = make_sampler(all.dataset, GLS_SAMPLE_EDGE_IDS);
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 8;
  options.flags = GLS_LOADER_SHUFFLE;
  options.rank = rank;
  options.world_size = world_size;
  options.even = even;
  all.loader = make_loader(all.sampler, &options);
  return all;
}
static inline void release_all(struct made *all) {
  gls_loader_release(all->loader);
  gls_sampler_release(all->sampler);
  gls_dataset_release(all->dataset);
  gls_context_release(all->ctx);
}

static inline gls_feed_t *serve(gls_loader_t *loader, const char *path, uint32_t consumers,
                                uint64_t bytes) {
  gls_feed_options_t options = GLS_FEED_OPTIONS_INIT;
  options.path = path;
  options.consumers = consumers;
  options.bytes = bytes;
  gls_feed_t *feed = NULL;
  OK(gls_feed_create(loader, &options, &feed, &err));
  return feed;
}
static inline gls_loader_t *attach_to(gls_context_t *ctx, const char *const *paths, size_t count,
                                      uint32_t rank) {
  gls_attach_options_t options = GLS_ATTACH_OPTIONS_INIT;
  options.paths = paths;
  options.num_paths = count;
  options.rank = rank;
  options.stall_ms = 200;
  gls_loader_t *loader = NULL;
  OK(gls_feed_attach(ctx, &options, 20000, &loader, &err));
  return loader;
}
static inline gls_feed_info_t info_of(const gls_feed_t *feed) {
  gls_feed_info_t info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(gls_feed_get_info(feed, &info, &err));
  return info;
}
/* Like next_batch(), but with an end to patience. */
static inline gls_batch_t *soon(gls_loader_t *loader) {
  gls_batch_t *batch = NULL;
  gls_error_t *err = NULL;
  const gls_status_t status = gls_loader_next(loader, 20000, &batch, &err);
  if (status == GLS_END) {
    return NULL;
  }
  check_result(status, GLS_OK, err, NULL, "gls_loader_next", __FILE__, __LINE__);
  return batch;
}
static inline size_t drain_soon(gls_loader_t *loader, uint64_t *digests) {
  size_t count = 0;
  for (gls_batch_t *batch; (batch = soon(loader)) != NULL; ++count) {
    assert_true(count < kMostBatches);
    digests[count] = batch_digest(batch);
    gls_batch_release(batch);
  }
  return count;
}
static inline void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}
/* Waits until it holds, at most 20 s. */
#define SOON(condition)                       \
  do {                                        \
    int tries_ = 0;                           \
    while (!(condition) && ++tries_ < 2000) { \
      sleep_ms(10);                           \
    }                                         \
    assert_true(condition);                   \
  } while (0)

#endif /* GLS_TESTS_CAPI_FEEDS_H */
