// Neighbourhoods by weight on a device: as a processor samples them.
#include <gtest/gtest.h>

#include <limits>

#include "device_cases.h"
#include "test_device.h"

namespace gls::test {
namespace {

TEST_F(DeviceSampling, PicksByWeight) {
  int64_t edges = 0;
  int64_t split = 0;
  int64_t weighted = 0;
  for (uint64_t number = 0; number < 240; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    SamplerOptions options = random_options(&random, graph, number);
    add_weights(&random, &graph, &options);
    for (std::vector<int64_t>& fanouts : options.fanouts) {
      if (random.coin()) {
        fanouts[0] = 1 + random.below(70);
      }
    }
    if (random.one_in(4)) {
      options.subgraph = Subgraph::kInduced;
    }
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    Both both(dataset, options);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      if (random.one_in(4)) {
        ask_for_links(&random, *dataset, &asked);
      } else {
        ask_for_seeds(&random, *dataset, &asked);
      }
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    weighted += options.weight.empty() ? 0 : 1;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 5000 / kEvery);
  EXPECT_GT(split, 20 / kEvery);
  EXPECT_GT(weighted, 200 / kEvery);
}

// Rows on either side of where draws become wider. Of some, draws find one entry only.
TEST_F(DeviceSampling, PicksByWeightFromHubs) {
  for (const int64_t degree : {65536, 65537, 70000}) {
    for (const bool skewed : {false, true}) {
      TestGraph graph;
      graph.nodes = {{"n", 100}};
      graph.edges = {{"n__e__n", {}, {}, {}, {}}};
      Numbers random(static_cast<uint64_t>(degree));
      for (int64_t e = 0; e < degree + 500; ++e) {
        graph.edges[0].source.push_back(random.below(100));
        graph.edges[0].target.push_back(e < degree ? 5 : 6);
        graph.edges[0].weight.push_back(skewed ? (e == 777 || e == degree + 77 ? 1e30F : 1e-9F)
                                               : static_cast<float>(random.below(5)));
      }
      const auto dataset = make_dataset(context_of(skewed ? "0" : "330000"), graph);
      for (const Replace replace : {Replace::kNever, Replace::kAbove, Replace::kAlways}) {
        for (const int64_t fanout : {1, 9, 70, 600, -1}) {
          SCOPED_TRACE(formatted("degree {} skewed {} replace {} fanout {}", degree, skewed,
                                 static_cast<int>(replace), fanout));
          if (skewed && fanout > 9 && degree != 70000) {
            continue;  // these take long
          }
          SamplerOptions options;
          options.num_hops = 1;
          options.edge_ids = true;
          options.weight = "weight";
          options.replace = replace;
          options.fanouts = {{fanout}};
          Both both(dataset, options);
          SampleRequest request;
          const std::vector<int64_t> seeds = {4, 5, 6};
          request.seeds = {{0, IdSpan(seeds.data(), true, 3)}};
          both.expect_same(request);
          EXPECT_GT(both.num_edges(), 0);
        }
      }
    }
  }
}

// Rows of all lengths, some of each, of which draws find five entries: a warp finds the rest, or
// one of many blocks, or one of few. Once by tables, once weighed anew.
TEST_F(DeviceSampling, DrawsWhatRemainsOfManyRows) {
  constexpr int64_t kOfEach = 2;
  std::vector<int64_t> degrees = {7, 15, 16, 17, 255, 256, 257, 2048, 2049};
  if (!kSanitized) {
    degrees.insert(degrees.end(), {16384, 16385, 20000});
  }
  TestGraph graph;
  graph.nodes = {{"n", 100}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}, {}}};
  Numbers random(11);
  std::vector<int64_t> excluded;
  std::vector<int64_t> seeds;
  for (int64_t of_each = 0; of_each < kOfEach; ++of_each) {
    for (const int64_t degree : degrees) {
      const auto row = static_cast<int64_t>(seeds.size());
      seeds.push_back(row);
      excluded.push_back(static_cast<int64_t>(graph.edges[0].source.size()));
      for (int64_t e = 0; e <= degree; ++e) {
        graph.edges[0].source.push_back(random.below(100));
        graph.edges[0].target.push_back(row);
        graph.edges[0].weight.push_back(e % (degree / 5) == 1 ? 1e30F : 1e-9F);
      }
    }
  }
  const auto dataset = make_dataset(context_of("30000"), graph);
  const auto count = static_cast<int64_t>(seeds.size());
  for (const bool anew : {false, true}) {
    for (const int64_t fanout : {6, 15, 40}) {
      SCOPED_TRACE(formatted("anew {} fanout {}", anew, fanout));
      SamplerOptions options;
      options.num_hops = 1;
      options.edge_ids = true;
      options.weight = "weight";
      options.fanouts = {{fanout}};
      if (anew) {
        options.exclude = {{0, ids_of(excluded, {count})}};
      }
      Both both(dataset, options);
      SampleRequest request;
      request.seeds = {{0, IdSpan(seeds.data(), true, count)}};
      both.expect_same(request);
      EXPECT_GE(both.num_edges(), 6 * count);
    }
  }
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInRowsByWeight) {
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  for (const int64_t fanout : {1, 2, 60, -1}) {
    for (const Replace replace : {Replace::kNever, Replace::kAlways}) {
      for (const int32_t wrong : {4, -1, INT32_MAX, INT32_MIN}) {
        SamplerOptions options;
        options.num_hops = 1;
        options.fanouts = {{fanout}};
        options.replace = replace;
        options.weight = "weight";
        Both both(with_weights(damaged({0, 3, 3, 5, 6}, {0, wrong, 2, wrong, wrong, 3}),
                               {0, 2, 0, 1, 1, 3}),
                  options);
        both.expect_same(request);
        EXPECT_EQ(both.failures(), 1);
      }
    }
  }
}

// ---- rows that are weighed anew ----------------------------------------------------------------

// In time, without the links of the batch, or without some edges of all batches.
TEST_F(DeviceSampling, WeighsRowsAnew) {
  int64_t edges = 0;
  int64_t split = 0;
  int64_t timed = 0;
  for (uint64_t number = 0; number < 75; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    add_reverses(&random, &graph);
    SamplerOptions options = random_options(&random, graph, number);
    add_weights(&random, &graph, &options);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    options.negatives = random_negatives(&random);
    const bool in_time = random.coin();
    if (in_time) {
      options.edge_time = random.coin() && has_edge_times(graph) ? "time" : "";
      options.node_time = random.coin() || options.edge_time.empty() ? "time" : "";
      options.time_window = random.one_of<int64_t>({0, 0, 10});
    }
    options.exclude_links = random.coin();
    if (random.coin()) {
      options.exclude_mode = ExcludeMode::kReverseTypes;
      options.reverse_types = {{graph.edges.size() - 2, graph.edges.size() - 1}};
    }
    if (random.coin() || !(in_time || options.exclude_links)) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    options.subgraph = random.one_in(5) ? Subgraph::kInduced : Subgraph::kSampled;
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      if (random.one_in(3)) {
        ask_for_seeds(&random, *dataset, &asked, in_time);
      } else {
        ask_for_links(&random, *dataset, &asked, in_time);
      }
      if (options.exclude_links && random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      asked.request.batch = batch;
      asked.request.epoch = number % 3;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    timed += in_time && !options.weight.empty() ? 1 : 0;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 10000 / kEvery);
  EXPECT_GT(split, 5 / kEvery);
  EXPECT_GT(timed, 20 / kEvery);
}

// Rows that a warp and a block read, on either side of where draws become wider. Of some, draws
// find one entry only, and what remains has as good as no weight, or none.
TEST_F(DeviceSampling, WeighsRowsOfHubsAnew) {
  constexpr int64_t kRows = 4;
  for (const int64_t kind : {0, 1, 2}) {
    Numbers random(static_cast<uint64_t>(kind));
    TestGraph graph;
    graph.nodes = {{"n", 100}};
    graph.edges = {{"n__e__n", {}, {}, {}, {}, {}}};
    std::vector<int64_t> excluded;
    const int64_t degrees[kRows] = {kSanitized ? 3000 : 66000, 5000, 2048, 300};
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t e = 0; e < degrees[row]; ++e) {
        if (e % 9 == 0 || (row == 3 && e % 2 == 0)) {
          excluded.push_back(static_cast<int64_t>(graph.edges[0].source.size()));
        }
        graph.edges[0].source.push_back(random.below(100));
        graph.edges[0].target.push_back(row);
        graph.edges[0].time.push_back(random.below(kTimes));
        const float few = e % 777 == 5 ? 1e30F : kind == 1 ? 1e-9F : 0.0F;
        graph.edges[0].weight.push_back(kind == 0 ? static_cast<float>(random.below(5)) : few);
      }
    }
    const auto dataset = make_dataset(context_of(kind == 1 ? "0" : "30000"), graph);
    for (const bool timed : {false, true}) {
      for (const Replace replace : {Replace::kNever, Replace::kAbove, Replace::kAlways}) {
        for (const int64_t fanout : {1, 9, kind == 1 ? 40 : 200, -1}) {
          if (fanout > 9 && (kSanitized || replace == Replace::kAbove || (kind == 1 && timed))) {
            continue;  // these take long
          }
          SCOPED_TRACE(formatted("kind {} timed {} replace {} fanout {}", kind, timed,
                                 static_cast<int>(replace), fanout));
          SamplerOptions options;
          options.num_hops = 1;
          options.edge_ids = true;
          options.weight = "weight";
          options.replace = replace;
          options.fanouts = {{fanout}};
          options.edge_time = timed ? "time" : "";
          options.disjoint = timed;
          if (!timed || fanout == 9) {
            options.exclude = {{0, ids_of(excluded, {static_cast<int64_t>(excluded.size())})}};
          }
          Both both(dataset, options);
          SampleRequest request;
          const int64_t count = fanout == 9 ? 4 : 3;  // the longest takes long
          const std::vector<int64_t> seeds = {3, 2, 1, 0};
          const std::vector<int64_t> times = {kTimes, 20, kTimes - 1, kTimes};
          request.seeds = {{0, IdSpan(seeds.data(), true, count),
                            timed ? IdSpan(times.data(), true, count) : IdSpan()}};
          both.expect_same(request);
          EXPECT_GT(both.num_edges(), 0);
        }
      }
    }
  }
}

// Beside weights that fit: a row, a neighbour, an id that says where a time is.
TEST_F(DeviceSampling, SaysWhatIsDamagedInRowsWeighedAnew) {
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  const std::vector<int64_t> times = {9, 9, 9, 9};
  for (const int64_t fanout : {1, 60, -1}) {
    for (const bool by_layer : {false, true}) {
      for (const int32_t wrong : {4, -1, INT32_MAX, INT32_MIN}) {
        SamplerOptions options;
        options.num_hops = 1;
        options.fanouts = {{fanout}};
        options.weight = "weight";
        options.pick = by_layer ? Pick::kLayer : Pick::kIndependent;
        options.exclude = {{0, ids_of({0}, {1})}};
        SampleRequest request;
        request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
        const auto dataset =
            with_weights(damaged({0, 3, 3, 5, 6}, {0, wrong, 2, wrong, 2, 3}), {1, 2, 0, 2, 0, 3});
        Both both(dataset, options);
        both.expect_same(request);
        EXPECT_EQ(both.failures(), 1);
        // In time the neighbour is needed before anything is weighed.
        std::vector<NodeType> nodes = dataset->node_types();
        nodes[0].columns.push_back(
            {"time", GLS_ROLE_TIME, tensor_of<int64_t>({1, 2, 3, 4}, kInt64)});
        options.node_time = "time";
        options.disjoint = true;
        request.seeds[0].times = IdSpan(times.data(), true, 4);
        Both timed(Dataset::create(make_context(1), std::move(nodes), dataset->edge_types()).take(),
                   options);
        timed.expect_same(request);
        EXPECT_EQ(timed.failures(), 1);
      }
    }
  }
}

// ---- what is left to the processor -------------------------------------------------------------

// What the processor has to say, or to do.
TEST_F(DeviceSampling, LeavesSomeWeightsToTheProcessor) {
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{1}};
  options.weight = "weight";
  const auto graph = damaged({0, 3, 3, 5, 5}, {0, 1, 2, 0, 3});
  const auto beyond = [&](const std::shared_ptr<const Dataset>& dataset) {
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    return std::string(DeviceSampler::beyond(**sampler));
  };
  EXPECT_EQ(beyond(with_weights(graph, {1, 2, 0, 1, 1})), "");
  const float infinite = std::numeric_limits<float>::infinity();
  const float none = std::numeric_limits<float>::quiet_NaN();
  for (const float weight : {-1.0F, infinite, none}) {
    EXPECT_NE(beyond(with_weights(graph, {1, 2, weight, 1, 1})).find("do not fit"),
              std::string::npos);
  }
  EXPECT_NE(beyond(with_weights(damaged({0, 3, 9, 5, 5}, {0, 1, 2, 0, 3}), {1, 1, 1, 1, 1}))
                .find("tables"),
            std::string::npos);
  // What is in time or goes by layer is read, with or without a table.
  for (const bool by_layer : {false, true}) {
    options.pick = by_layer ? Pick::kLayer : Pick::kIndependent;
    options.edge_time = by_layer ? "" : "time";
    options.disjoint = !by_layer;
    const auto timed = [&](const std::vector<int64_t>& indptr, const std::vector<float>& weights) {
      const auto whole = with_weights(damaged(indptr, {0, 1, 2, 0, 3}), weights);
      std::vector<EdgeType> edges = whole->edge_types();
      edges[0].columns.push_back(
          {"time", GLS_ROLE_TIME, tensor_of<int64_t>({4, 3, 2, 1, 9}, kInt64)});
      return beyond(Dataset::create(make_context(1), whole->node_types(), std::move(edges)).take());
    };
    EXPECT_EQ(timed({0, 3, 3, 5, 5}, {1, 2, 0, 1, 1}), "");
    for (const float weight : {-1.0F, infinite, none}) {
      EXPECT_NE(timed({0, 3, 3, 5, 5}, {1, 2, weight, 1, 1}).find("do not fit"), std::string::npos);
    }
    EXPECT_NE(timed({0, 3, 9, 5, 5}, {1, 2, 0, 1, 1}).find("do not fit"), std::string::npos);
  }
  options.pick = Pick::kIndependent;
  options.edge_time = "";
  options.disjoint = false;
  options.exclude = {{0, ids_of({1}, {1})}};
  EXPECT_EQ(beyond(with_weights(graph, {1, 2, 0, 1, 1})), "");
  options.exclude.clear();
  Both both(with_weights(graph, {1, 2, 0, 1, 1}), options);
  const std::vector<int64_t> seeds = {0};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1)}};
  both.expect_same(request);
  EXPECT_EQ(both.why_not(request), "");
  request.exclude = {{0, ids_of({1}, {1})}};
  EXPECT_NE(both.why_not(request).find("\"node__to__node\" are left out"), std::string::npos);
}

}  // namespace
}  // namespace gls::test
