// Importance neighbours on a device: those of a processor.
#include <gtest/gtest.h>

#include <numeric>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

// A path that comes back to where it begins: one type, or to another one and back.
struct Route {
  TestGraph graph;
  std::vector<size_t> path;
};
Route random_route(Numbers* random, Direction direction) {
  Route out;
  const bool two = random->coin();
  const auto nodes = random->one_of<int64_t>({1, 20, 300});
  const int64_t others = two ? random->one_of<int64_t>({3, 40}) : nodes;
  out.graph.nodes = {{"n", nodes}};
  if (two) {
    out.graph.nodes.emplace_back("o", others);
  }
  out.graph.wide = random->coin();
  out.graph.store_ids = random->coin();
  const int64_t count = random->one_of<int64_t>({0, 60, 1500});
  const std::string other = two ? "o" : "n";
  out.graph.edges.push_back({"n__to__" + other,
                             random_numbers(random, count, nodes),
                             random_numbers(random, count, others),
                             {},
                             {}});
  out.graph.edges.push_back({other + "__back__n",
                             random_numbers(random, count, others),
                             random_numbers(random, count, nodes),
                             {},
                             {}});
  out.path = direction == Direction::kOut ? std::vector<size_t>{0, 1} : std::vector<size_t>{1, 0};
  if (!two && random->coin()) {
    out.path = {random->index(2)};
  }
  return out;
}

TEST_F(DeviceSampling, ImportanceNeighbours) {
  int64_t nodes = 0;
  int64_t split = 0;
  int64_t weighted = 0;
  for (uint64_t number = 0; number < 90; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    SamplerOptions options;
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    Route route = random_route(&random, options.direction);
    ImportanceOptions& importance = options.importance.emplace();
    importance.path = route.path;
    importance.hops = 1 + random.index(3);
    importance.walks = random.one_of<size_t>({1, 7, 30, 200});
    importance.traversals = importance.walks > 30 ? 1 : 1 + random.index(3);
    importance.stop = random.one_of({0.0, 0.3});
    importance.neighbors = random.one_of<size_t>({1, 5, 1000});
    options.int32 = random.coin();
    if (random.coin()) {
      for (const size_t type : route.path) {
        TestEdges& edges = route.graph.edges[type];
        if (!edges.source.empty() && edges.weight.empty()) {
          edges.weight = random_weights(&random, edges.source.size());
          options.weight = "weight";
        }
      }
    } else if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, route.graph));
    }
    const auto dataset = make_dataset(any_context(number), route.graph);
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 2; ++batch) {
      Asked asked;
      asked.numbers.reserve(1);
      asked.request.batch = batch;
      if (!random.one_in(5)) {
        const int64_t count = random.one_of<int64_t>({0, 1, 40});
        asked.request.seeds = {
            {0, asked.keep(random_numbers(&random, count, route.graph.nodes[0].second))}};
      }
      if (options.weight.empty() && random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, route.graph));
      }
      both.expect_same(asked.request);
    }
    nodes += both.num_nodes();
    split += both.num_split();
    weighted += options.weight.empty() ? 0 : 1;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, kSanitized ? 300 : 2000);
  EXPECT_GT(split, 5 / kEvery);
  EXPECT_GT(weighted, 20 / kEvery);
}

// As many visits as are ranked, and one more, which the processor ranks.
TEST_F(DeviceSampling, RanksManyVisits) {
  Numbers random(1);
  TestGraph graph;
  graph.nodes = {{"n", 700}};
  graph.edges = {{"n__to__n",
                  random_numbers(&random, 20000, 700),
                  random_numbers(&random, 20000, 700),
                  {},
                  {}}};
  const auto dataset = make_dataset(make_context(1), graph);
  SamplerOptions options;
  ImportanceOptions& importance = options.importance.emplace();
  importance.path = {0};
  importance.traversals = 4;
  importance.walks = 512;
  for (const size_t neighbors : {3, 2048, 100000}) {
    importance.neighbors = neighbors;
    Both both(dataset, options);
    Asked asked;
    asked.numbers.reserve(1);
    asked.request.seeds = {{0, asked.keep({5, 6, 5, 699})}};
    both.expect_same(asked.request);
    EXPECT_GT(both.num_nodes(), 8);
  }
  importance.walks = 513;
  const auto sampler = Sampler::create(dataset, options).take();
  EXPECT_EQ(DeviceSampler::beyond(*sampler), "walks of a node visit more than 2048 nodes");
  importance.walks = 1;
  options.subgraph = Subgraph::kInduced;
  EXPECT_EQ(DeviceSampler::beyond(*Sampler::create(dataset, options).take()),
            "importance neighbours have no subgraphs");
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInImportance) {
  SamplerOptions options;
  ImportanceOptions& importance = options.importance.emplace();
  importance.path = {0};
  importance.traversals = 3;
  importance.walks = 100;
  importance.neighbors = 5;
  importance.hops = 2;
  std::vector<int64_t> seeds;
  for (int64_t i = 0; i < 4; ++i) {
    seeds.push_back(3 - i);
  }
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  for (const auto& dataset :
       {damaged({0, 1, 3, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3, 3}, {1, 2, 7}),
        damaged({0, 2, 4, 4, 4}, {1, 2, 9, -5})}) {
    Both both(dataset, options);
    both.expect_same(request);
    EXPECT_EQ(both.failures(), 1);
  }
  const std::vector<int64_t> outside = {4};
  request.seeds = {{0, IdSpan(outside.data(), true, 1)}};
  Both both(damaged({0, 1, 2, 3, 3}, {1, 2, 3}), options);
  both.expect_same(request);
  EXPECT_EQ(both.failures(), 1);
  const std::vector<int64_t> none;
  request.seeds = {{0, IdSpan(none.data(), true, 0)}};
  both.expect_same(request);
}

// More nodes than blocks, so that each ranks several.
TEST_F(DeviceSampling, ImportanceOfManyNodes) {
  constexpr int64_t kNodes = kSanitized ? 4500 : 9000;
  Numbers random(2);
  TestGraph graph;
  graph.nodes = {{"n", kNodes}};
  graph.edges = {{"n__to__n",
                  random_numbers(&random, 30000, kNodes),
                  random_numbers(&random, 30000, kNodes),
                  {},
                  {}}};
  SamplerOptions options;
  ImportanceOptions& importance = options.importance.emplace();
  importance.neighbors = 2;
  importance.walks = 3;
  std::vector<int64_t> seeds(kNodes);
  std::iota(seeds.begin(), seeds.end(), 0);
  for (uint64_t number = kSanitized ? 1 : 0; number < 2; ++number) {
    Both both(make_dataset(make_context(1), graph), options, number);
    SampleRequest request;
    request.seeds = {{0, IdSpan(seeds.data(), true, kNodes)}};
    both.expect_same(request);
    EXPECT_GE(both.num_nodes(), kNodes);
  }
}

// Faults far into a frontier, whose nodes a processor takes in several lists.
TEST_F(DeviceSampling, FindsTheFirstFaultOfImportance) {
  constexpr int64_t kNodes = 20000;
  for (const int64_t bad : {300, 17000, 19000}) {
    if (kSanitized && bad != 17000) {
      continue;
    }
    std::vector<int64_t> indptr(kNodes + 1);
    std::iota(indptr.begin(), indptr.end(), 0);
    std::vector<int32_t> indices(kNodes);  // a ring
    std::iota(indices.begin(), indices.end() - 1, 1);
    for (const int64_t at : {bad, bad + 20, kNodes - 5}) {
      indices[static_cast<size_t>(at)] = static_cast<int32_t>(kNodes + at);
    }
    const auto dataset = damaged(indptr, indices);
    SamplerOptions options;
    ImportanceOptions& importance = options.importance.emplace();
    importance.path = {0};
    importance.traversals = 2;
    importance.walks = 2;
    importance.neighbors = 1;
    std::vector<int64_t> seeds(kNodes);
    std::iota(seeds.begin(), seeds.end(), 0);
    for (uint64_t number = 0; number < (kSanitized ? 1 : 2); ++number) {
      Both both(dataset, options, number);
      SampleRequest request;
      request.seeds = {{0, IdSpan(seeds.data(), true, kNodes)}};
      both.expect_same(request);
      EXPECT_EQ(both.failures(), 1);
    }
  }
}

}  // namespace
}  // namespace gls::test
