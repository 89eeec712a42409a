// Edges between the nodes of a batch, on a device: as a processor finds them.
#include <gtest/gtest.h>

#include "device_cases.h"
#include "random_batches.h"
#include "test_device.h"

namespace gls::test {
namespace {

TEST_F(DeviceSampling, InducesSubgraphs) {
  SampledTotals totals;
  for (uint64_t number = 0; number < 45; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    SamplerOptions options = random_options(&random, graph, number);
    options.subgraph = Subgraph::kInduced;
    const bool timed = random.one_in(3);
    if (timed) {
      options.node_time = "time";
      options.edge_time = has_edge_times(graph) ? "time" : "";
    }
    if (random.one_in(4)) {
      options.num_hops = 0;
      options.replace = Replace::kNever;
      options.fanouts.assign(graph.edges.size(), {});
    }
    exclude_sometimes(&random, graph, &options);
    expect_same_batches(dataset, options, number, 3, &totals, [&](Asked* asked) {
      ask_for_seeds(&random, *dataset, asked, timed);
      if (random.coin()) {
        asked->request.exclude.push_back(random_edge_set(&random, graph));
      }
    });
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(totals.edges, 5000 / kEvery);
  EXPECT_GT(totals.split, kSanitized ? 0 : 5);
}

TEST_F(DeviceSampling, InducesSubgraphsOfHubsAndWalks) {
  TestGraph graph;
  graph.nodes = {{"n", 500}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  Numbers random(11);
  for (int64_t e = 0; e < 8000; ++e) {
    graph.edges[0].source.push_back(random.below(500));
    graph.edges[0].target.push_back(e % 2 == 0 ? 1 : random.below(500));
  }
  const auto dataset = make_dataset(context_of("40000"), graph);
  const std::vector<int64_t> seeds = {1, 20, 300, 1, 4};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 5)}};
  for (const bool walks : {false, true}) {
    SamplerOptions options;
    options.subgraph = Subgraph::kInduced;
    options.edge_ids = true;
    if (walks) {
      options.walk.emplace();
      options.walk->length = 5;
      options.walk->walks = 4;
    } else {
      options.num_hops = 1;
      options.fanouts = {{20}};
    }
    Both both(dataset, options);
    both.expect_same(request);
    request.exclude = {{0, ids_of({0, 2, 4, 6, 8, 1, 3, 5}, {8})}};
    both.expect_same(request);
    EXPECT_GT(both.num_edges(), 100);
    EXPECT_EQ(both.num_split(), 1);
  }
}

// Edges of some types once more the other way round, which are pairs; and of types whose ends are
// of one type.
TEST_F(DeviceSampling, JoinsBothWays) {
  SampledTotals totals;
  int64_t paired = 0;
  int64_t weighted = 0;
  int64_t by_layer = 0;
  for (uint64_t number = 0; number < 60; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    SamplerOptions options;
    if (random.coin()) {
      add_reverses(&random, &graph);
      options.reverse_types = {{graph.edges.size() - 2, graph.edges.size() - 1}};
      ++paired;
    }
    if (random.one_in(3)) {
      add_weights(&random, &graph, &options);
    }
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    const auto pairs = options.reverse_types;
    const std::string weight = options.weight;
    options = random_options(&random, graph, number);
    options.reverse_types = pairs;
    options.weight = weight;
    weighted += weight.empty() ? 0 : 1;
    if (random.one_in(3)) {
      options.pick = Pick::kLayer;
      options.replace = Replace::kNever;
      ++by_layer;
    }
    options.negatives = random_negatives(&random);
    options.subgraph = Subgraph::kBidirectional;
    const bool timed = random.one_in(3);
    if (timed) {
      options.node_time = "time";
      options.disjoint = true;
    }
    exclude_sometimes(&random, graph, &options);
    expect_same_batches(dataset, options, number, 3, &totals, [&](Asked* asked) {
      if (random.coin()) {
        ask_for_seeds(&random, *dataset, asked, timed);
      } else {
        ask_for_links(&random, *dataset, asked, timed);
      }
    });
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(totals.edges, kSanitized ? 300 : 10000);
  EXPECT_GT(paired, 20 / kEvery);
  EXPECT_GT(weighted, 10 / kEvery);
  EXPECT_GT(by_layer, 10 / kEvery);
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInSubgraphs) {
  SamplerOptions options;
  options.subgraph = Subgraph::kInduced;
  options.fanouts = {{}};
  options.edge_ids = true;
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  for (const auto& dataset :
       {damaged({0, 1, 3, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3, 3}, {1, 2, 7}),
        damaged({0, 1, 2, 3, 3}, {1, 2, 3}, tensor_of<int64_t>({0, 1, -4}, kInt64))}) {
    Both both(dataset, options);
    both.expect_same(request);
    EXPECT_EQ(both.failures(), 1);
    SamplerOptions both_ways = options;
    both_ways.subgraph = Subgraph::kBidirectional;
    both_ways.num_hops = 1;
    both_ways.fanouts = {{-1}};
    Both joined(dataset, both_ways);
    joined.expect_same(request);
    EXPECT_EQ(joined.failures(), 1);
  }
}

}  // namespace
}  // namespace gls::test
