// Samples by budget on a device: those of a processor.
#include <gtest/gtest.h>

#include <numeric>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

HgtOptions random_budgets(Numbers* random, size_t node_types) {
  HgtOptions out;
  out.num_hops = 1 + random->index(3);
  for (size_t t = 0; t < node_types; ++t) {
    std::vector<int64_t>& samples = out.samples.emplace_back();
    for (size_t hop = 0; hop < out.num_hops; ++hop) {
      samples.push_back(random->one_of<int64_t>({0, 1, 5, 20, 60, 1000, hop == 0 ? -1 : 7}));
    }
  }
  out.most_neighbors = random->one_of<int64_t>({1, 3, 50, 64, 65, 100, 100000});
  return out;
}

TEST_F(DeviceSampling, Budgets) {
  int64_t edges = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 120; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = random_graph(&random);
    const auto dataset = make_dataset(any_context(number), graph);
    SamplerOptions options;
    options.seed = number;
    options.hgt = random_budgets(&random, graph.nodes.size());
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    options.subgraph = random.one_in(4) ? Subgraph::kInduced : Subgraph::kSampled;
    if (random.one_in(3)) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      ask_for_seeds(&random, *dataset, &asked);
      if (random.one_in(3)) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      asked.request.batch = batch;
      asked.request.epoch = number % 2;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 20000 / kEvery);
  EXPECT_GT(split, 5 / kEvery);
}

}  // namespace
}  // namespace gls::test
