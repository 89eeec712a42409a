/* The ring of graph_fixture.h, and a sampler of two hops on it. */
#ifndef GLS_TESTS_CAPI_SAMPLER_FIXTURE_H
#define GLS_TESTS_CAPI_SAMPLER_FIXTURE_H

#include "graph_fixture.h"

static gls_sampler_t *sampler;

static inline int set_up_sampler(uint32_t threads, int64_t nodes, int64_t degree, uint32_t flags) {
  set_up_ring(threads, nodes, degree);
  sampler = make_sampler(ring, flags);
  return 0;
}
static inline int tear_down_sampler(void **state) {
  gls_sampler_release(sampler);
  return tear_down(state);
}

#endif /* GLS_TESTS_CAPI_SAMPLER_FIXTURE_H */
