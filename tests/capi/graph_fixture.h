/* The graphs that tests of samplers and loaders share. A test file calls one of the set_up_*()
 * functions from its own set-up, and passes tear_down() to the runner. */
#ifndef GLS_TESTS_CAPI_GRAPH_FIXTURE_H
#define GLS_TESTS_CAPI_GRAPH_FIXTURE_H

#include "helpers.h"

static gls_context_t *ctx;
static gls_dataset_t *ring; /* of make_ring(): edge v * degree + j goes from v + 1 + j to v */
static gls_dataset_t *shop; /* of make_bipartite(), CSC only; NULL in tests of the ring alone */

static inline int set_up_ring(uint32_t threads, int64_t nodes, int64_t degree) {
  ctx = make_context(threads);
  ring = make_ring(ctx, nodes, degree);
  return 0;
}
static inline int set_up_ring_and_shop(uint32_t threads, int64_t nodes, int64_t degree,
                                       int64_t users, int64_t items) {
  set_up_ring(threads, nodes, degree);
  shop = make_bipartite(ctx, users, items);
  return 0;
}
static inline int tear_down(void **state) {
  (void)state;
  gls_dataset_release(shop);
  gls_dataset_release(ring);
  gls_context_release(ctx);
  return 0;
}

#endif /* GLS_TESTS_CAPI_GRAPH_FIXTURE_H */
