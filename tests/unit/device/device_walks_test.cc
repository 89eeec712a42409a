// Walks on a device: those of a processor.
#include <gtest/gtest.h>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

// Types in a ring, so that paths may go round; the last has one more edge type to itself.
TestGraph ring(Numbers* random) {
  TestGraph graph;
  const auto types = static_cast<size_t>(1 + random->below(3));
  for (size_t t = 0; t < types; ++t) {
    graph.nodes.emplace_back(formatted("n{}", t), random->one_of<int64_t>({1, 20, 300}));
  }
  graph.wide = random->coin();
  graph.store_ids = random->coin();
  for (size_t t = 0; t <= types; ++t) {
    const auto& [source, sources] = graph.nodes[t % types];
    const auto& [target, targets] = graph.nodes[t == types ? 0 : (t + 1) % types];
    if (t == types && types > 1) {
      break;
    }
    const int64_t count = random->one_of<int64_t>({0, 30, 1000});
    graph.edges.push_back({formatted("{}__r{}__{}", source, t, target),
                           random_numbers(random, count, sources),
                           random_numbers(random, count, targets),
                           {},
                           {}});
  }
  return graph;
}

WalkOptions random_walks(Numbers* random, const TestGraph& graph, Direction direction) {
  WalkOptions out;
  const size_t types = graph.nodes.size();
  const size_t begin = random->index(types);
  const size_t steps = types == 1 ? 1 + random->index(3) : types;
  for (size_t i = 0; i < steps; ++i) {
    const size_t at = (begin + i) % types;
    out.path.push_back(types == 1                    ? random->index(2)
                       : direction == Direction::kIn ? (types - 1 - at)
                                                     : at);
  }
  out.length = 1 + random->index(7);
  out.walks = 1 + random->index(4);
  out.stop = random->one_of({0.0, 0.1});
  out.restart = types == 1 ? random->one_of({0.0, 0.3}) : 0.0;
  return out;
}

size_t type_of_walks(const TestGraph& graph, const SamplerOptions& options) {
  const auto name = *parse_edge_type(graph.edges[options.walk->path[0]].name);
  const std::string& type = options.direction == Direction::kIn ? name.target : name.source;
  size_t at = 0;
  while (graph.nodes[at].first != type) {
    ++at;
  }
  return at;
}

TEST_F(DeviceSampling, Walks) {
  int64_t nodes = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 60; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = ring(&random);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    SamplerOptions options;
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.walk = random_walks(&random, graph, options.direction);
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    const size_t type = type_of_walks(graph, options);
    for (uint64_t batch = 0; batch < 2; ++batch) {
      Asked asked;
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      if (!random.one_in(5)) {
        const int64_t count = random.one_of<int64_t>({0, 5, 200});
        asked.request.seeds = {
            {type, asked.keep(random_numbers(&random, count, graph.nodes[type].second))}};
      }
      if (random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      both.expect_same(asked.request);
    }
    nodes += both.num_nodes();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, 2000);
  EXPECT_GT(split, 5);
}

TEST_F(DeviceSampling, WalksByWeight) {
  int64_t nodes = 0;
  int64_t split = 0;
  int64_t weighted = 0;
  for (uint64_t number = 0; number < 90; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = ring(&random);
    SamplerOptions options;
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.walk = random_walks(&random, graph, options.direction);
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    if (random.one_in(3)) {
      options.subgraph = Subgraph::kInduced;
    }
    for (const size_t type : options.walk->path) {
      TestEdges& edges = graph.edges[type];
      if (!edges.source.empty() && edges.weight.empty() && !random.one_in(4)) {
        edges.weight = random_weights(&random, edges.source.size());
        options.weight = "weight";
      }
    }
    Both both(make_any_dataset(any_context(number), graph, number), options, number);
    const size_t type = type_of_walks(graph, options);
    for (uint64_t batch = 0; batch < 2; ++batch) {
      Asked asked;
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      const int64_t count = random.one_of<int64_t>({0, 5, 200});
      asked.request.seeds = {
          {type, asked.keep(random_numbers(&random, count, graph.nodes[type].second))}};
      both.expect_same(asked.request);
    }
    nodes += both.num_nodes();
    split += both.num_split();
    weighted += options.weight.empty() ? 0 : 1;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, kSanitized ? 300 : 1000);
  EXPECT_GT(split, 5 / kEvery);
  EXPECT_GT(weighted, 40 / kEvery);
}

// What is damaged behind rows that have a table, and what is left to the processor.
TEST_F(DeviceSampling, WalksByWeightThatGoWrongOrElsewhere) {
  SamplerOptions options;
  options.walk.emplace();
  options.walk->path = {0};
  options.walk->length = 3;
  options.edge_ids = true;
  options.weight = "weight";
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  Both both(with_weights(damaged({0, 1, 2, 3, 3}, {1, 2, 7}), {1, 2, 3}), options);
  both.expect_same(request);
  EXPECT_EQ(both.failures(), 1);
  expect_weights_left_to_the_processor(options);
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInWalks) {
  const auto made = std::make_unique<SamplerOptions>();
  SamplerOptions& options = *made;
  options.walk.emplace();
  options.walk->path = {0};
  options.walk->length = 3;
  options.walk->restart = 0.2;
  options.edge_ids = true;
  std::vector<int64_t> seeds;
  for (int64_t i = 0; i < 600; ++i) {
    seeds.push_back(i % 3);
  }
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 600)}};
  for (const auto& dataset :
       {damaged({0, 1, 3, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3, 3}, {1, 2, 7}),
        damaged({0, 1, 2, 3, 3}, {1, 2, 3}, tensor_of<int64_t>({0, 1, -4}, kInt64))}) {
    for (const double p : {1.0, 1e-4}) {
      options.walk->p = p;
      Both both(dataset, options);
      both.expect_same(request);
      EXPECT_EQ(both.failures(), 1);
    }
  }
}

}  // namespace
}  // namespace gls::test
