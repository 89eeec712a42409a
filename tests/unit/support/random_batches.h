// Several batches of one random case, sampled by the processor and by the device (device_cases.h).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "device_cases.h"

namespace gls::test {

// What all cases of a test sampled: whether they tested anything.
struct SampledTotals {
  int64_t edges = 0;
  int64_t split = 0;  // see Both::num_split()
};

// Expects the same `count` batches on both sides. `fill` adds seeds or links to each request, whose
// batch number is already set.
template <typename Fill>
void expect_same_batches(const std::shared_ptr<const Dataset>& dataset,
                         const SamplerOptions& options, uint64_t number, uint64_t count,
                         SampledTotals* totals, const Fill& fill) {
  Both both(dataset, options, number);
  for (uint64_t batch = 0; batch < count; ++batch) {
    Asked asked;
    asked.request.batch = batch;
    asked.request.epoch = number % 3;
    fill(&asked);
    both.expect_same(asked.request);
  }
  totals->edges += both.num_edges();
  totals->split += both.num_split();
}

// In half of all cases, an edge set that the options exclude.
inline void exclude_sometimes(Numbers* random, const TestGraph& graph, SamplerOptions* options) {
  if (random->coin()) {
    options->exclude.push_back(random_edge_set(random, graph));
  }
}

}  // namespace gls::test
