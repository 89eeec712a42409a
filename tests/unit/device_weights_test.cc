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
    const auto dataset = make_dataset(any_context(number), graph);
    Both both(dataset, options);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      if (random.one_in(4)) {
        ask_for_links(&random, *dataset, &asked);
      } else {
        ask_for_seeds(&random, *dataset, &asked);
      }
      asked.request.batch = batch;
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
  options.exclude = {{0, ids_of({1}, {1})}};
  EXPECT_NE(beyond(with_weights(graph, {1, 2, 0, 1, 1})).find("left out"), std::string::npos);
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
