// Neighbourhoods of links, and with edges left out, on a device: as a processor samples them.
#include <gtest/gtest.h>

#include "device_cases.h"
#include "random_batches.h"
#include "test_device.h"

namespace gls::test {
namespace {

TEST_F(DeviceSampling, SamplesForLinks) {
  SampledTotals totals;
  for (uint64_t number = 0; number < 60; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = random_graph(&random);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    SamplerOptions options = random_options(&random, graph, number);
    options.negatives = random_negatives(&random);
    expect_same_batches(dataset, options, number, 3, &totals, [&](Asked* asked) {
      if (asked->request.batch < 2) {
        ask_for_links(&random, *dataset, asked);
      } else {
        ask_for_seeds(&random, *dataset, asked);
      }
    });
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(totals.edges, 5000 / kEvery);  // else these were no cases
  EXPECT_GT(totals.split, 5 / kEvery);
}

TEST_F(DeviceSampling, LeavesOutEdges) {
  SampledTotals totals;
  for (uint64_t number = 0; number < 45; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_reverses(&random, &graph);
    const auto dataset = make_any_dataset(any_context(number), graph, number);
    SamplerOptions options = random_options(&random, graph, number);
    options.negatives = random_negatives(&random);
    options.exclude_mode =
        random.one_of({ExcludeMode::kSelf, ExcludeMode::kReverseId, ExcludeMode::kReverseTypes});
    if (options.exclude_mode == ExcludeMode::kReverseId && graph.edges.back().reverse.empty()) {
      options.exclude_mode = ExcludeMode::kSelf;  // the column may be nowhere
    }
    options.reverse_column = options.exclude_mode == ExcludeMode::kReverseId ? "reverse" : "";
    if (options.exclude_mode == ExcludeMode::kReverseTypes) {
      options.reverse_types = {{graph.edges.size() - 2, graph.edges.size() - 1}};
    }
    options.exclude_links = random.coin();
    for (int64_t i = random.below(3); i > 0; --i) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    expect_same_batches(dataset, options, number, 3, &totals, [&](Asked* asked) {
      if (random.coin()) {
        ask_for_links(&random, *dataset, asked);
      } else {
        ask_for_seeds(&random, *dataset, asked);
      }
      for (int64_t i = random.below(3); i > 0; --i) {
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

// A node of 70000 in-edges, of which so many are left out that its draws become narrower, or all.
TEST_F(DeviceSampling, LeavesOutEdgesOfHubs) {
  TestGraph graph;
  graph.nodes = {{"n", 1000}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  Numbers random(3);
  constexpr int64_t kEdges = 80000;
  for (int64_t e = 0; e < kEdges; ++e) {
    graph.edges[0].source.push_back(random.below(1000));
    graph.edges[0].target.push_back(e < 70000 ? 5 : random.below(1000));
  }
  const auto whole = make_dataset(make_context(1), graph);
  const auto split = make_dataset(context_of("350000"), graph);
  for (const int64_t gone : {1, 5000, 69990, 80000}) {
    SCOPED_TRACE(gone);
    const auto dataset = gone == 5000 ? whole : split;
    std::vector<int64_t> always;
    std::vector<int64_t> now;
    for (int64_t e = 0; e < kEdges; ++e) {
      if (e * gone / kEdges != (e + 1) * gone / kEdges) {
        (e % 3 == 0 ? always : now).push_back(e);
        now.resize(now.size() + (e % 9 == 0 ? 1 : 0), e);  // of both
      }
    }
    SamplerOptions options;
    options.num_hops = 1;
    options.edge_ids = true;
    for (const int64_t fanout : {10, 300, -1}) {
      options.fanouts = {{fanout}};
      options.exclude = {{0, ids_of(always, {static_cast<int64_t>(always.size())})}};
      Both both(dataset, options);
      SampleRequest request;
      const std::vector<int64_t> seeds = {4, 5, 6};
      request.seeds = {{0, IdSpan(seeds.data(), true, 3)}};
      both.expect_same(request);
      request.exclude = {{0, ids_of(now, {static_cast<int64_t>(now.size())})}};
      both.expect_same(request);
      EXPECT_EQ(both.num_split(), gone == 5000 ? 0 : 1);
    }
  }
}

// The entry that is found is the one that counting finds.
TEST(ExclusionFilter, EntriesStandBetweenGaps) {
  for (uint64_t number = 0; number < 200; ++number) {
    Numbers random(number);
    std::vector<int64_t> gaps[2];
    std::vector<int64_t> kept;
    const int64_t begin = 100;
    const int64_t end = begin + random.below(40);
    const int64_t share = 1 + random.below(4);
    for (int64_t at = begin; at < end; ++at) {
      if (random.one_in(share)) {
        gaps[random.index(2)].push_back(at);
      } else {
        kept.push_back(at);
      }
    }
    const auto of = [](const std::vector<int64_t>& list) {
      return Gaps{list.data(), static_cast<int64_t>(list.size())};
    };
    for (size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(kept_position(begin, static_cast<int64_t>(i), of(gaps[0]), of(gaps[1])), kept[i]);
      EXPECT_FALSE(is_gap(of(gaps[0]), kept[i]) || is_gap(of(gaps[1]), kept[i]));
    }
    for (const int64_t gap : gaps[1]) {
      EXPECT_TRUE(is_gap(of(gaps[1]), gap));
    }
  }
}

TEST_F(DeviceSampling, SaysWhatIsWrongWithLinks) {
  TestGraph graph;
  graph.nodes = {{"n", 5}};
  graph.edges = {{"n__e__n", {0, 1, 2}, {1, 2, 3}, {}, {}}};
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  Both both(make_dataset(make_context(1), graph), options);
  for (const Tensor& links : {ids_of({0, 3}, {2}), ids_of({0, 5}, {2, 1}), ids_of({1}, {1, 1})}) {
    SampleRequest request;
    request.links.emplace_back().links = links;
    both.expect_same(request);
  }
  EXPECT_EQ(both.failures(), 3);
}

}  // namespace
}  // namespace gls::test
