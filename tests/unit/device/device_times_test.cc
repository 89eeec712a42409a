// Neighbourhoods in time on a device: as a processor samples them.
#include <gtest/gtest.h>

#include <limits>

#include "device_cases.h"
#include "random_batches.h"
#include "test_device.h"

namespace gls::test {
namespace {

TEST_F(DeviceSampling, GoesByTimes) {
  SampledTotals totals;
  for (uint64_t number = 0; number < 60; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    SamplerOptions options = random_options(&random, graph, number);
    options.negatives = random_negatives(&random);
    options.edge_time = random.coin() && has_edge_times(graph) ? "time" : "";
    options.node_time = random.coin() || options.edge_time.empty() ? "time" : "";
    options.time_strict = random.coin();
    options.time_window = random.one_of<int64_t>({0, 0, 1, 10, INT64_MAX});
    if (random.coin()) {
      options.time_strategy = TimeStrategy::kLast;
      options.replace = Replace::kNever;
    }
    options.exclude_links = random.coin();
    exclude_sometimes(&random, graph, &options);
    expect_same_batches(dataset, options, number, 3, &totals, [&](Asked* asked) {
      if (random.coin()) {
        ask_for_links(&random, *dataset, asked, true);
      } else {
        ask_for_seeds(&random, *dataset, asked, true);
      }
      if (random.coin()) {
        asked->request.exclude.push_back(random_edge_set(&random, graph));
      }
    });
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(totals.edges, 5000 / kEvery);
  EXPECT_GT(totals.split, 5 / kEvery);
}

// Rows that a block reads, with the least and the greatest times there are.
TEST_F(DeviceSampling, GoesByTimesOfHubs) {
  TestGraph graph;
  graph.nodes = {{"n", 500}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}, {}}};
  Numbers random(11);
  std::vector<int64_t> excluded;
  for (int64_t e = 0; e < 8000; ++e) {
    graph.edges[0].source.push_back(random.below(500));
    graph.edges[0].target.push_back(random.below(3));
    graph.edges[0].time.push_back(random.one_of<int64_t>(
        {INT64_MIN, INT64_MAX, -1, 0, random.below(1 << 20), random.below(9) << 40}));
    if (e % 7 == 0) {
      excluded.push_back(e);
    }
  }
  for (const bool ascending : {false, true}) {
    if (ascending) {
      std::sort(graph.edges[0].time.begin(), graph.edges[0].time.end());
    }
    // Some of the three rows are on the device.
    const auto dataset = make_dataset(context_of("30000"), graph);
    for (const TimeStrategy strategy : {TimeStrategy::kUniform, TimeStrategy::kLast}) {
      for (const int64_t fanout : {1, 20, 50, 300, 5000, -1}) {
        SCOPED_TRACE(formatted("ascending {} last {} fanout {}", ascending,
                               strategy == TimeStrategy::kLast, fanout));
        SamplerOptions options;
        options.num_hops = 1;
        options.fanouts = {{fanout}};
        options.edge_ids = true;
        options.edge_time = "time";
        options.time_strategy = strategy;
        options.exclude = {{0, ids_of(excluded, {static_cast<int64_t>(excluded.size())})}};
        Both both(dataset, options);
        const std::vector<int64_t> seeds = {0, 1, 2, 3, 0, 1};
        const std::vector<int64_t> times = {INT64_MAX, 1 << 19, 0, 5, INT64_MIN, -1};
        SampleRequest request;
        request.seeds = {{0, IdSpan(seeds.data(), true, 6), IdSpan(times.data(), true, 6)}};
        both.expect_same(request);
        request.exclude = {{0, ids_of({1, 2, 3, 5000, 7, 8}, {6})}};
        both.expect_same(request);
        EXPECT_GT(both.num_edges(), 5);
        EXPECT_EQ(both.num_split(), 1);
      }
    }
  }
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInRowsInTime) {
  const auto with_times = [](const std::shared_ptr<const Dataset>& dataset) {
    std::vector<NodeType> nodes = dataset->node_types();
    std::vector<EdgeType> edges = dataset->edge_types();
    nodes[0].columns.push_back({"time", GLS_ROLE_TIME, tensor_of<int64_t>({1, 2, 3, 4}, kInt64)});
    edges[0].columns.push_back(
        {"time", GLS_ROLE_TIME, tensor_of<int64_t>({4, 3, 2, 1, 9}, kInt64)});
    return Dataset::create(make_context(1), std::move(nodes), std::move(edges)).take();
  };
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{1}};
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  const std::vector<int64_t> times = {9, 9, 9, 9};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4), IdSpan(times.data(), true, 4)}};
  for (const int64_t wrong : {int64_t{-1}, int64_t{5}, INT64_MAX, INT64_MIN}) {
    options.node_time = "";
    options.edge_time = "time";
    Both of_edges(with_times(damaged({0, 3, 3, 5, 5}, {0, 1, 2, 0, 3},
                                     tensor_of<int64_t>({0, 1, 2, 3, wrong}, kInt64))),
                  options);
    of_edges.expect_same(request);
    of_edges.expect_same(request);
    EXPECT_EQ(of_edges.failures(), 2);
    options.node_time = "time";
    options.edge_time = "";
    Both of_nodes(
        with_times(damaged({0, 3, 3, 5, 5}, {0, 1, static_cast<int32_t>(wrong | 4), 0, 3})),
        options);
    of_nodes.expect_same(request);
    EXPECT_EQ(of_nodes.failures(), 1);
    Both of_rows(with_times(damaged({0, 3, wrong, 5, 5}, {0, 1, 2, 0, 3})), options);
    if (wrong != 5) {
      of_rows.expect_same(request);
      EXPECT_EQ(of_rows.failures(), 1);
    }
  }
}

}  // namespace
}  // namespace gls::test
