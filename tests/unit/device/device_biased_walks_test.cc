// Walks of the second order on a device: those of a processor.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

// Some hubs, some parallel edges, and rows that ascend, or do not.
TestGraph linked_graph(Numbers* random) {
  TestGraph graph;
  const auto nodes = random->one_of<int64_t>({2, 30, 200});
  graph.nodes = {{"n", nodes}};
  graph.wide = random->coin();
  graph.store_ids = random->coin();
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t e = random->one_of<int64_t>({10, 400, 2000}); e > 0; --e) {
    pairs.emplace_back(random->below(random->below(nodes) + 1), random->below(nodes));
    if (random->coin()) {
      pairs.emplace_back(pairs.back().second, pairs.back().first);
    }
  }
  if (random->coin()) {
    std::sort(pairs.begin(), pairs.end());
  }
  TestEdges& edges = graph.edges.emplace_back(TestEdges{"n__e__n", {}, {}, {}, {}});
  for (const auto& [source, target] : pairs) {
    edges.source.push_back(source);
    edges.target.push_back(target);
  }
  return graph;
}

// Two batches from some nodes, maybe with edges that they leave out.
void ask_for_batches(Both* both, Numbers* random, const TestGraph& graph, bool leaves_out) {
  for (uint64_t batch = 0; batch < 2; ++batch) {
    Asked asked;
    asked.request.batch = batch;
    const int64_t count = random->one_of<int64_t>({0, 5, 100});
    asked.request.seeds = {{0, asked.keep(random_numbers(random, count, graph.nodes[0].second))}};
    if (leaves_out && random->one_in(3)) {
      asked.request.exclude.push_back(random_edge_set(random, graph));
    }
    both->expect_same(asked.request);
  }
}

TEST_F(DeviceSampling, WalksOfTheSecondOrder) {
  int64_t nodes = 0;
  int64_t split = 0;
  int64_t infinite = 0;
  for (uint64_t number = 0; number < 90; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = linked_graph(&random);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    SamplerOptions options;
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.walk.emplace();
    options.walk->path.assign(1 + random.index(2), 0);
    options.walk->length = 1 + random.index(9);
    options.walk->walks = 1 + random.index(4);
    options.walk->stop = random.one_of({0.0, 0.1});
    options.walk->restart = random.one_of({0.0, 0.2});
    // Far from 1, tries are refused until a row is read as a whole.
    options.walk->p = random.one_of({1e-308, 1e-5, 0.25, 1.0, 4.0, 1e6});
    options.walk->q = random.one_of({1e-5, 0.3, 1.0, 2.0, 1e6});
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    ask_for_batches(&both, &random, graph, true);
    nodes += both.num_nodes();
    split += both.num_split();
    infinite += both.failures();
    EXPECT_TRUE(both.failures() == 0 || options.walk->p == 1e-308);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, 3000 / kEvery);
  EXPECT_GT(split, 5 / kEvery);
  EXPECT_TRUE(kSanitized || infinite > 0);
}

// ---- by weight ---------------------------------------------------------------------------------

SamplerOptions biased(double p, double q, size_t length) {
  SamplerOptions options;
  options.walk.emplace();
  options.walk->path = {0};
  options.walk->length = length;
  options.walk->p = p;
  options.walk->q = q;
  options.weight = "weight";
  options.edge_ids = true;
  return options;
}

TEST_F(DeviceSampling, WalksOfTheSecondOrderByWeight) {
  int64_t nodes = 0;
  int64_t split = 0;
  int64_t infinite = 0;
  constexpr int kEach = 4 * kEvery - 3;  // reading whole rows takes long, where that is checked
  for (uint64_t number = 0; number < 120; number += kEach) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = linked_graph(&random);
    const auto context = any_context(number);
    const auto edges = static_cast<int64_t>(graph.edges[0].source.size());
    const auto dataset =
        weighing(make_dataset(context, graph), context, any_weights(&random, edges));
    SamplerOptions options =
        biased(random.one_of({1e-308, 1e-5, 0.25, 1.0, 4.0, 1e6, 1e300}),
               random.one_of({1e-5, 0.3, 1.0, 2.0, 1e6, 1e300}), 1 + random.index(9));
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.walk->path.assign(1 + random.index(2), 0);
    options.walk->walks = 1 + random.index(4);
    options.walk->stop = random.one_of({0.0, 0.1});
    options.walk->restart = random.one_of({0.0, 0.2});
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    if (random.one_in(4)) {
      options.subgraph = Subgraph::kInduced;
    }
    Both both(dataset, options, number);
    ask_for_batches(&both, &random, graph, false);
    nodes += both.num_nodes();
    split += both.num_split();
    infinite += both.failures();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, 3000 / kEach);
  EXPECT_GE(split, 10 / kEach);
  EXPECT_TRUE(kSanitized || infinite > 0);
}

// A hub, and leaves that know it alone: so there are no links, and no try is accepted.
std::shared_ptr<const Dataset> star(int64_t leaves, Tensor weights, bool ascending) {
  TestGraph graph;
  graph.nodes = {{"n", leaves + 1}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  for (int64_t i = 1; i <= leaves; ++i) {
    const int64_t leaf = ascending ? i : leaves + 1 - i;
    graph.edges[0].source.insert(graph.edges[0].source.end(), {0, leaf});
    graph.edges[0].target.insert(graph.edges[0].target.end(), {leaf, 0});
  }
  const auto context = context_of("0");
  return weighing(make_dataset(context, graph), context, std::move(weights));
}

std::vector<int64_t> leaves_of(int64_t count) {
  std::vector<int64_t> out;
  for (int64_t i = 1; i <= count; ++i) {
    out.push_back(i);
  }
  return out;
}

SampleRequest from_nodes(const std::vector<int64_t>& nodes) {
  SampleRequest request;
  request.seeds = {{0, IdSpan(nodes.data(), true, static_cast<int64_t>(nodes.size()))}};
  return request;
}

// Rows of one entry, and on either side of what a warp has lanes.
TEST_F(DeviceSampling, PicksExactlyByWeight) {
  for (const bool ascending : {true, false}) {
    for (const int64_t leaves : {1, 2, 31, 33, 300}) {
      Numbers random(static_cast<uint64_t>(leaves));
      std::vector<double> weights;
      for (int64_t i = 0; i < 2 * leaves; ++i) {
        weights.push_back(random.one_in(5) ? 0.0
                                           : std::ldexp(0.1 + static_cast<double>(i),
                                                        static_cast<int>(random.below(40))));
      }
      SamplerOptions options = biased(1e7, 3e6, 4);
      options.walk->walks = 3;
      Both both(star(leaves, tensor_of(weights, kFloat64), ascending), options);
      const std::vector<int64_t> seeds = leaves_of(std::min<int64_t>(leaves, kSanitized ? 10 : 60));
      both.expect_same(from_nodes(seeds));
      EXPECT_EQ(both.failures(), 0);
    }
  }
}

// Of the ways on from the hub one weighs nearly all there is.
TEST_F(DeviceSampling, PicksExactlyWhatWeighsMost) {
  constexpr int64_t kLeaves = 50;
  std::vector<float> weights(2 * kLeaves, 1);
  weights[2 * 20] = 1e9F;  // of the way from the hub to leaf 21
  const auto dataset = star(kLeaves, tensor_of(weights, kFloat32), true);
  SamplerOptions options = biased(1e12, 1e6, 2);
  options.direction = Direction::kOut;
  Both both(dataset, options);
  const std::vector<int64_t> seeds = {1, 2, 3};
  both.expect_same(from_nodes(seeds));
  EXPECT_EQ(both.num_nodes(), 5);  // these, the hub and leaf 21
}

// Products that are 0, or whose sum is infinite.
TEST_F(DeviceSampling, EndsWalksWhoseWeightsVanishAndSaysWhichAreInfinite) {
  constexpr int64_t kLeaves = 400;
  const std::vector<int64_t> seeds = {5, 6};
  const auto weighing_all = [&](double weight) {
    return star(kLeaves, tensor_of(std::vector<double>(2 * kLeaves, weight), kFloat64), true);
  };
  Both vanish(weighing_all(1e-30), biased(1e300, 1e300, 3));
  vanish.expect_same(from_nodes(seeds));
  EXPECT_EQ(vanish.num_nodes(), 3);  // the seeds and the hub
  SamplerOptions options = biased(1e-308, 1, 3);
  Both finite(weighing_all(0.001), options);
  finite.expect_same(from_nodes(seeds));
  EXPECT_EQ(finite.failures(), 0);
  Both infinite(weighing_all(2), options);
  infinite.expect_same(from_nodes(seeds));
  EXPECT_EQ(infinite.failures(), 1);
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInWalksOfTheSecondOrderByWeight) {
  int64_t failures = 0;
  int64_t walked = 0;
  for (uint64_t number = 0; number < 60; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const int64_t nodes = random.one_of<int64_t>({4, 30});
    std::vector<int64_t> indptr = {0};
    std::vector<int32_t> indices;
    std::vector<float> weights;
    for (int64_t node = 0; node < nodes; ++node) {
      const int64_t degree = random.one_of<int64_t>({0, 1, 3, 20});
      for (int64_t i = 0; i < degree; ++i) {
        indices.push_back(random.one_in(nodes * 20)
                              ? random.one_of({-1, static_cast<int32_t>(nodes), INT32_MAX})
                              : static_cast<int32_t>(random.below(nodes)));
        weights.push_back(random.one_in(3) ? 0.0F : static_cast<float>(1 + random.below(9)));
      }
      indptr.push_back(static_cast<int64_t>(indices.size()));
    }
    if (indices.empty()) {
      continue;
    }
    SamplerOptions options =
        biased(random.one_of({1e-308, 1e-4, 1.0, 1e6}), random.one_of({1e-4, 1.0, 0.5, 1e6}), 6);
    options.walk->restart = random.one_of({0.0, 0.2});
    Both both(with_weights(damaged(indptr, indices), weights), options, number);
    const std::vector<int64_t> seeds = random_numbers(&random, 300, nodes);
    both.expect_same(from_nodes(seeds));
    failures += both.failures();
    walked += 1 - both.failures();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(failures, 15 / kEvery);
  EXPECT_GT(walked, 6 / kEvery);
}

TEST_F(DeviceSampling, LeavesWalksOfTheSecondOrderToTheProcessor) {
  expect_weights_left_to_the_processor(biased(2, 1, 3));
}

}  // namespace
}  // namespace gls::test
