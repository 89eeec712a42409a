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
  for (uint64_t number = 0; number < 60; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = random_graph(&random);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
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
      asked.request.epoch = number % 3;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 10000 / kEvery);
  EXPECT_GT(split, 5 / kEvery);
}

HgtOptions budgets(std::vector<std::vector<int64_t>> samples, int64_t most_neighbors = 50) {
  HgtOptions out;
  out.num_hops = samples[0].size();
  out.samples = std::move(samples);
  out.most_neighbors = most_neighbors;
  return out;
}

// More candidates than a draw of 32 bits is for. One of them is what nearly all draws hit, so that
// the others are found in what remains.
TEST_F(DeviceSampling, BudgetsOfHubs) {
  constexpr int64_t kNodes = 70000;
  TestGraph graph;
  graph.nodes = {{"n", kNodes}};
  graph.edges = {{"n__e__n", {5}, {1}, {}, {}}};
  for (int64_t v = 2; v < kNodes; ++v) {
    graph.edges[0].source.push_back(v);
    graph.edges[0].target.push_back(0);
  }
  const auto dataset = make_dataset(make_context(1), graph);
  const std::vector<int64_t> seeds = {0, 1};
  SampleRequest request;
  for (const auto& [wanted, num_seeds] : {std::pair<int64_t, int64_t>{25, 2}, {9000, 1}}) {
    SamplerOptions options;
    options.hgt = budgets({{wanted}}, 1 << 20);
    Both both(dataset, options);
    request.seeds = {{0, IdSpan(seeds.data(), true, num_seeds)}};
    both.expect_same(request);
    EXPECT_EQ(both.num_nodes(), wanted + num_seeds);
    EXPECT_EQ(both.num_edges(), wanted + num_seeds - 1);  // 5 is next to both
  }
}

// Hubs that get shares of nearly every node. Of so many nodes shares and edges are done in halves
// where there is little memory.
TEST_F(DeviceSampling, BudgetsInHalves) {
  constexpr int64_t kNodes = 600;
  Numbers random(3);
  TestGraph graph;
  graph.nodes = {{"a", kNodes}, {"b", 40}};
  graph.edges = {{"b__r__a", {}, {}, {}, {}}, {"b__s__a", {}, {}, {}, {}}};
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int64_t e = random.below(120); e >= 0; --e) {
      TestEdges& edges = graph.edges[random.index(2)];
      edges.source.push_back(random.below(random.below(40) + 1));
      edges.target.push_back(v);
    }
  }
  const auto dataset = make_dataset(make_context(1), graph);
  SamplerOptions options;
  options.hgt = budgets({{0, 0, 0, 0}, {1, 3, 9, 20}}, 40);
  std::vector<int64_t> seeds(kNodes);
  std::iota(seeds.begin(), seeds.end(), 0);
  std::reverse(seeds.begin(), seeds.end());
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, kNodes)}};
  for (uint64_t number = 0; number < (kSanitized ? 1 : 2); ++number) {
    Both both(dataset, options, number);
    for (request.batch = 0; request.batch < 2; ++request.batch) {
      both.expect_same(request);
    }
    EXPECT_GT(both.num_edges(), 10000);
  }
}

// ---- faults ------------------------------------------------------------------------------------

// Two node types and three edge types, of which some rows and neighbours are none.
std::shared_ptr<const Dataset> damaged_in_places(Numbers* random, int64_t one_in) {
  const std::vector<int64_t> counts = {30, 12};
  std::vector<NodeType> nodes(2);
  std::vector<EdgeType> edges(3);
  for (size_t t = 0; t < 2; ++t) {
    nodes[t].name = t == 0 ? "a" : "b";
    nodes[t].count = counts[t];
  }
  const std::pair<size_t, size_t> ends[] = {{0, 0}, {1, 0}, {0, 1}};
  for (size_t t = 0; t < 3; ++t) {
    EdgeType& type = edges[t];
    type.source = ends[t].first;
    type.target = ends[t].second;
    type.name = {nodes[type.source].name, formatted("r{}", t), nodes[type.target].name};
    type.joined = type.name.joined();
    std::vector<int64_t> indptr = {0};
    for (int64_t v = 0; v < counts[type.target]; ++v) {
      indptr.push_back(indptr.back() + random->below(9));
    }
    type.count = indptr.back();
    std::vector<int64_t> ids = random_numbers(random, type.count, type.count);
    std::vector<int32_t> indices;
    for (int64_t e = 0; e < type.count; ++e) {
      const bool bad = random->one_in(one_in);
      indices.push_back(static_cast<int32_t>(bad ? counts[type.source] + random->below(2)
                                                 : random->below(counts[type.source])));
    }
    if (random->coin()) {
      indptr[1 + random->index(indptr.size() - 2)] = type.count + 1;
    }
    type.csc = Topology::make(tensor_of(indptr, kInt64), tensor_of(indices, kInt32),
                              tensor_of(ids, kInt64), counts[type.target], type.count,
                              counts[type.source], "test")
                   .take();
  }
  return Dataset::create(make_context(1), nodes, edges).take();
}

// The last hop draws nothing, so that all rows are read when shares are given: what is told is the
// first that a processor meets, of many.
TEST_F(DeviceSampling, FindsTheFirstFaultOfBudgets) {
  int64_t failures = 0;
  for (uint64_t number = 0; number < 150; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const auto dataset = damaged_in_places(&random, random.one_of<int64_t>({10, 60, 400}));
    SamplerOptions options;
    options.seed = number;
    options.hgt = budgets({{3, 4, 0}, {-1, 2, 0}}, random.one_of<int64_t>({2, 4, 70}));
    options.edge_ids = true;
    Both both(dataset, options, number);
    Asked asked;
    ask_for_seeds(&random, *dataset, &asked);
    both.expect_same(asked.request);
    failures += both.failures();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(failures, 60 / kEvery);
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInBudgets) {
  SamplerOptions options;
  options.hgt = budgets({{2}});
  options.edge_ids = true;
  const std::vector<int64_t> seeds = {1};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1)}};
  for (const Subgraph subgraph : {Subgraph::kSampled, Subgraph::kInduced}) {
    options.subgraph = subgraph;
    // In the row of the seed, or of what is drawn; of ids only those of the batch are looked at.
    for (const auto& dataset :
         {damaged({0, 1, 5, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3, 3}, {1, 9, 3}),
          damaged({0, 0, 2, 9, 3}, {2, 3, 1}), damaged({0, 0, 2, 3, 3}, {2, 3, -1}),
          damaged({0, 0, 2, 3, 3}, {2, 3, 1}, tensor_of<int64_t>({0, 1, -4}, kInt64))}) {
      Both both(dataset, options);
      both.expect_same(request);
      EXPECT_EQ(both.failures(), 1);
    }
    Both sound(damaged({0, 0, 2, 3, 3}, {2, 3, 0}, tensor_of<int64_t>({0, 1, -4}, kInt64)),
               options);
    sound.expect_same(request);
    EXPECT_EQ(sound.failures(), 0);
  }
}

TEST_F(DeviceSampling, RefusesRequestsOfBudgetsAsTheProcessorDoes) {
  const auto dataset = damaged({0, 1, 2, 3, 3}, {1, 2, 3});
  SamplerOptions options;
  options.hgt = budgets({{2}});
  Both both(dataset, options);
  const std::vector<int64_t> seeds = {3, 4};
  const std::vector<int64_t> times = {0};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1)}, {0, IdSpan(seeds.data(), true, 2)}};
  both.expect_same(request);
  request.seeds = {{0, IdSpan(seeds.data(), true, 1), IdSpan(times.data(), true, 1)}};
  both.expect_same(request);
  request.seeds = {};
  request.links = {LinkSet{0, ids_of({1}, {1}), {}, {}}};
  both.expect_same(request);
  EXPECT_EQ(both.failures(), 3);
  options.disjoint = true;
  EXPECT_FALSE(DeviceSampler::beyond(*Sampler::create(dataset, options).take()).empty());
}

// Sets of so many picks take too much memory; where no row is longer there are none.
TEST_F(DeviceSampling, LeavesManyPicksOfLongRowsToTheProcessor) {
  constexpr int64_t kMost = int64_t{1} << 22;
  TestGraph graph;
  graph.nodes = {{"n", 2}};
  const std::vector<int64_t> ends(kMost + 2, 1);
  graph.edges = {{"n__e__n", ends, ends, {}, {}}};
  const auto dataset = make_dataset(context_of("1"), graph);
  for (const int64_t most : {kMost, kMost + 1, kMost + 2}) {
    SCOPED_TRACE(most);
    SamplerOptions budgets;
    budgets.hgt.emplace();
    budgets.hgt->num_hops = 1;
    budgets.hgt->samples = {{1}};
    budgets.hgt->most_neighbors = most;
    SamplerOptions pushes;
    pushes.ppr.emplace();
    pushes.ppr->row_limit = most;
    for (const SamplerOptions& options : {budgets, pushes}) {
      auto sampler = Sampler::create(dataset, options);
      ASSERT_TRUE(sampler.ok()) << sampler.status().message();
      EXPECT_EQ(DeviceSampler::beyond(**sampler).find("more than 2^22") == std::string_view::npos,
                most != kMost + 1);
    }
  }
}

// What has no room is an error of that batch, and the next is made.
TEST_F(DeviceSampling, BudgetsWithoutMemory) {
  Numbers random(5);
  TestGraph graph;
  graph.nodes = {{"a", 400}, {"b", 300}};
  for (int64_t e = 0; e < 4; ++e) {
    add_edges(&random, &graph, 3000);
  }
  const auto dataset = make_dataset(make_context(1), graph);
  SamplerOptions options;
  options.hgt = budgets({{50, 20}, {40, 60}});
  const auto sampler = Sampler::create(dataset, options).take();
  const auto device = device_of_tests();
  const auto there = DeviceSampler::create(sampler, device).take();
  const std::vector<int64_t> seeds = {5, 6, 100, 5};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}, {1, IdSpan(seeds.data(), true, 2)}};
  const auto expected = sampler->sample(request).take();
  const DeviceStream stream = device->stream().take();
  int64_t lacking = 0;
  int64_t made = 0;
  for (int64_t bytes = 200000; bytes < 2000000; bytes += kSanitized ? 300000 : 45000) {
    const MemoryLimit limit(std::to_string(bytes).c_str());
    auto found = there->sample(request, stream);
    if (!found.ok()) {
      ASSERT_EQ(found.status().code(), GLS_ERR_OUT_OF_MEMORY) << found.status().message();
      ++lacking;
      continue;
    }
    ASSERT_TRUE(stream.finish().ok());
    auto copy = copy_to_host(**found);
    if (copy.ok()) {
      expect_same(*expected, **copy);
      ++made;
    }
  }
  EXPECT_TRUE(lacking > 0 || on_gpu());
  EXPECT_GT(made, 0);
}

}  // namespace
}  // namespace gls::test
