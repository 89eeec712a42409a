// Nodes picked by layer on a device: as a processor picks them.
#include <gtest/gtest.h>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

TEST_F(DeviceSampling, PicksByLayer) {
  int64_t edges = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 75; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    SamplerOptions options = random_options(&random, graph, number);
    if (random.coin()) {
      add_weights(&random, &graph, &options);
    }
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    options.pick = Pick::kLayer;
    options.replace = Replace::kNever;
    options.layer_dependent = random.coin();
    options.batch_dependency = random.one_of({0u, 1u, 2u, 7u});
    const bool timed = random.one_in(3);
    if (timed) {
      options.node_time = "time";
      options.edge_time = has_edge_times(graph) ? "time" : "";
      options.disjoint = true;
    }
    options.subgraph = random.one_in(4) ? Subgraph::kInduced : Subgraph::kSampled;
    if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 4; ++batch) {
      Asked asked;
      if (random.coin()) {
        ask_for_seeds(&random, *dataset, &asked, timed);
      } else {
        ask_for_links(&random, *dataset, &asked, timed);
      }
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

// Rows that blocks read, with parallel edges, whose numbers are the same.
TEST_F(DeviceSampling, PicksByLayerFromHubs) {
  for (const int64_t neighbors : {3, 50, 5000}) {
    for (const auto& [timed, weighted] : {std::pair(false, false), std::pair(true, false),
                                          std::pair(false, true), std::pair(true, true)}) {
      Numbers random(static_cast<uint64_t>(neighbors));
      TestGraph graph;
      graph.nodes = {{"n", 5000}};
      graph.edges = {{"n__e__n", random_numbers(&random, 9000, neighbors), {}, {}, {}}};
      for (int64_t e = 0; e < 9000; ++e) {
        graph.edges[0].target.push_back(e % 3 == 0 ? random.below(5000) : e % 2);
      }
      graph.edges[0].time = random_numbers(&random, 9000, kTimes);
      graph.edges[0].weight = random_weights(&random, 9000);
      const auto dataset = make_dataset(context_of("60000"), graph);
      for (const int64_t fanout : {1, 2, 20, 1000, 2900, -1}) {
        SCOPED_TRACE(formatted("neighbors {} fanout {} timed {} weighted {}", neighbors, fanout,
                               timed, weighted));
        SamplerOptions options;
        options.num_hops = 1;
        options.fanouts = {{fanout}};
        options.edge_ids = true;
        options.pick = Pick::kLayer;
        options.edge_time = timed ? "time" : "";
        options.weight = weighted ? "weight" : "";
        options.disjoint = timed;
        options.exclude = {{0, ids_of({2, 4, 7, 8, 10, 4444}, {6})}};
        Both both(dataset, options);
        const std::vector<int64_t> seeds = {0, 1, 2, 3};
        const std::vector<int64_t> times = {kTimes, 20, kTimes, 1};
        SampleRequest request;
        request.seeds = {
            {0, IdSpan(seeds.data(), true, 4), timed ? IdSpan(times.data(), true, 4) : IdSpan()}};
        both.expect_same(request);
        EXPECT_GT(both.num_edges(), 1);
      }
    }
  }
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInRowsByLayer) {
  SamplerOptions options;
  options.num_hops = 1;
  options.edge_ids = true;
  options.pick = Pick::kLayer;
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  for (const int64_t fanout : {1, 2, -1}) {
    options.fanouts = {{fanout}};
    for (const auto& dataset :
         {damaged({0, 1, 3, 2, 3}, {1, 2, 3}), damaged({0, 1, 4, 4, 4}, {1, 2, 7, 1}),
          damaged({0, 1, 4, 4, 4}, {1, 2, -1, 1}),
          damaged({0, 1, 2, 3, 3}, {1, 2, 3}, tensor_of<int64_t>({0, 1, -4}, kInt64))}) {
      Both both(dataset, options);
      both.expect_same(request);
      EXPECT_EQ(both.failures(), 1);
    }
  }
}

}  // namespace
}  // namespace gls::test
