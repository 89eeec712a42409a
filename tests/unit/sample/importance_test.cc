// Importance neighbours and personalised PageRank: known values, laws, and bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sample/methods/forward_push.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// Wilson and Hilferty's cube-root transformation makes a chi-square nearly normal.
double chi_square_z(double statistic, double freedom) {
  const double spread = 2.0 / (9.0 * freedom);
  return (std::cbrt(statistic / freedom) - (1.0 - spread)) / std::sqrt(spread);
}

using Ends = std::vector<std::pair<int64_t, int64_t>>;

// Each edge both ways.
TestGraph undirected(int64_t nodes, const Ends& ends) {
  TestGraph graph;
  graph.nodes = {{"node", nodes}};
  TestEdges& out = graph.edges.emplace_back();
  out.name = "node__to__node";
  for (const auto& [one, other] : ends) {
    out.source.insert(out.source.end(), {one, other});
    out.target.insert(out.target.end(), {other, one});
  }
  return graph;
}

const Ends kFive = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 4}};

struct Near {
  int64_t seed;
  int64_t node;
  double first;
  double second;
};

Result<std::vector<Near>> sample(const Sampler& sampler, std::vector<int64_t> seeds,
                                 uint64_t number = 0) {
  SampleRequest request;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  GLS_ASSIGN(const std::shared_ptr<Batch> batch, sampler.sample(request));
  const SampledNear& near = batch->near[0];
  const auto* const ids = batch->nodes[0].node.as<int64_t>();
  std::vector<Near> out;
  for (int64_t i = 0; i < near.node.rows(); ++i) {
    out.push_back({ids[near.seed.as<int64_t>()[i]], ids[near.node.as<int64_t>()[i]],
                   near.score.as<float>()[2 * i], near.score.as<float>()[2 * i + 1]});
  }
  return out;
}

std::shared_ptr<const Sampler> ppr_sampler(const TestGraph& graph, const PprOptions& ppr) {
  SamplerOptions options;
  options.ppr = ppr;
  return Sampler::create(make_dataset(make_context(1), graph), options).take();
}

// Of each of `count` nodes; 0 where it is no neighbour.
std::vector<double> scores(const std::vector<Near>& near, size_t count) {
  std::vector<double> out(count);
  for (const Near& row : near) {
    out[static_cast<size_t>(row.node)] = row.first;
  }
  return out;
}

TEST(Ppr, HasTheExactValuesOfASmallGraph) {
  PprOptions ppr;
  ppr.epsilon = 1e-6;
  for (const bool top_up : {false, true}) {
    ppr.top_up = top_up;
    const auto sampler = ppr_sampler(undirected(5, kFive), ppr);
    const std::vector<double> of_0 = {.5625, .1875, .1875, .03125, .03125};
    const std::vector<double> of_3 = {.0625, .3028846, .0721154, .5504808, .0120192};
    for (const auto& [seed, expected] : {std::pair(0, of_0), std::pair(3, of_3)}) {
      const auto got = scores(sample(*sampler, {seed}).take(), 5);
      for (size_t v = 0; v < 5; ++v) {
        EXPECT_NEAR(got[v], expected[v], 2e-6) << seed << " to " << v;
      }
    }
  }
}

TEST(Ppr, CoarseValuesAreThoseOfOnePush) {
  PprOptions ppr;
  ppr.alpha = 0.25;
  ppr.epsilon = 1;
  ppr.top_up = false;
  const auto alone = sample(*ppr_sampler(undirected(5, kFive), ppr), {0}).take();
  ASSERT_EQ(alone.size(), 1);
  EXPECT_EQ(alone[0].first, 0.25);
  EXPECT_EQ(alone[0].second, 1);
  ppr.top_up = true;
  const auto near = sample(*ppr_sampler(undirected(5, kFive), ppr), {0}).take();
  ASSERT_EQ(near.size(), 3);
  for (size_t i = 1; i < 3; ++i) {  // (1 - alpha) * alpha / 2
    EXPECT_EQ(near[i].first, 0.09375);
    EXPECT_EQ(near[i].second, 0.5);
    EXPECT_EQ(near[i].node, static_cast<int64_t>(i));
  }
}

// Rows that are reported, and the nodes that they name, have local ids of 32 bits; here of less.
TEST(Near, MoreNeighboursThanABatchMayHaveAreAnError) {
  const auto dataset = make_dataset(make_context(1), undirected(5, kFive));
  for (const bool importance : {false, true}) {
    SamplerOptions options;
    if (importance) {
      options.importance = ImportanceOptions{};
      options.importance->neighbors = 3;
    } else {
      options.ppr = PprOptions{};
    }
    const auto whole = sample(*Sampler::create(dataset, options).take(), {0, 3}).take();
    options.most.nodes = std::ssize(whole) + 2;  // the seeds count, too
    EXPECT_TRUE(sample(*Sampler::create(dataset, options).take(), {0, 3}).ok());
    options.most.nodes -= 1;
    auto near = sample(*Sampler::create(dataset, options).take(), {0, 3});
    EXPECT_EQ(near.status().code(), GLS_ERR_UNSUPPORTED);
    EXPECT_EQ(near.status().message(), "the batch has more than " +
                                           std::to_string(options.most.nodes) +
                                           " neighbours of type \"node\"; use smaller batches");
  }
}

TEST(Ppr, ScoresAddUpToOneWhereNothingIsLost) {
  Ends ends;
  for (int64_t v = 0; v < 200; ++v) {
    ends.insert(ends.end(), {{v, (v * 7 + 1) % 200}, {v, (v * v + 3) % 200}});
  }
  PprOptions ppr;
  ppr.alpha = 0.2;
  ppr.neighbors = 200;
  for (const auto& near : {sample(*ppr_sampler(undirected(200, ends), ppr), {17}).take()}) {
    const double sum = std::accumulate(near.begin(), near.end(), 0.0,
                                       [](double x, const Near& row) { return x + row.first; });
    EXPECT_LE(sum, 1 + 1e-5);
    EXPECT_GE(sum, 0.95);
  }
}

// A hub among the neighbours is not pushed for nothing, and the bound on edges holds.
TEST(Ppr, HubsAndTinyEpsilonsAreBounded) {
  constexpr int64_t kLeaves = 20000;
  Ends ends;
  for (int64_t v = 1; v <= kLeaves; ++v) {
    ends.emplace_back(0, v);
  }
  ends.emplace_back(1, 2);
  PprOptions ppr;
  ppr.alpha = 0.01;
  ppr.epsilon = 1e-12;
  ppr.max_edges = 1;  // one push, and no more
  EXPECT_EQ(sample(*ppr_sampler(undirected(kLeaves + 1, ends), ppr), {0}).take().size(), 50);
  ppr.max_edges = 100000;
  const auto near = sample(*ppr_sampler(undirected(kLeaves + 1, ends), ppr), {1}).take();
  ASSERT_EQ(near.size(), 50);
  double sum = 0;
  for (const Near& row : near) {
    sum += row.first;
  }
  EXPECT_LE(sum, 1 + 1e-6);
  ppr.row_limit = 5;
  ppr.max_edges = 50;
  EXPECT_LE(sample(*ppr_sampler(undirected(kLeaves + 1, ends), ppr), {0}).take().size(), 50);
}

TEST(Ppr, LongRowsAreSampledEvenly) {
  constexpr int kLeaves = 20;
  constexpr int kBatches = 2000;
  Ends ends;
  for (int64_t v = 1; v <= kLeaves; ++v) {
    ends.emplace_back(0, v);
  }
  PprOptions ppr;
  ppr.epsilon = 1;
  ppr.row_limit = 5;
  const auto sampler = ppr_sampler(undirected(kLeaves + 1, ends), ppr);
  std::vector<double> counts(kLeaves + 1);
  for (uint64_t number = 0; number < kBatches; ++number) {
    const auto near = sample(*sampler, {0}, number).take();
    ASSERT_EQ(near.size(), 6);
    for (size_t i = 1; i < near.size(); ++i) {
      EXPECT_EQ(near[i].first, 0.05F);
      counts[static_cast<size_t>(near[i].node)] += 1;
    }
  }
  // Counts of a sample without replacement vary less than independent ones, by (1 - 5 / 20).
  const double expected = kBatches * 5.0 / kLeaves;
  double statistic = 0;
  for (size_t v = 1; v <= kLeaves; ++v) {
    statistic += (counts[v] - expected) * (counts[v] - expected) / (expected * (1 - 5.0 / kLeaves));
  }
  EXPECT_LT(std::abs(chi_square_z(statistic * (kLeaves - 1) / kLeaves, kLeaves - 1)), 4.76);
}

TEST(PushTable, KeepsEntriesApart) {
  PushTable table;
  for (int round = 0; round < 3; ++round) {
    table.clear();
    for (int64_t node = 0; node < 5000; ++node) {
      for (const uint32_t type : {0U, 3U}) {
        ASSERT_EQ(table.find(type, node * node), PushTable::kNone);
        const uint32_t index = table.add(type, node * node);
        table[index].state.score = static_cast<double>(node) + type;
      }
    }
    for (int64_t node = 0; node < 5000; ++node) {
      for (const uint32_t type : {0U, 3U}) {
        const uint32_t index = table.find(type, node * node);
        ASSERT_NE(index, PushTable::kNone);
        ASSERT_EQ(table[index].state.score, static_cast<double>(node) + type);
      }
    }
    ASSERT_EQ(table.find(1, 4), PushTable::kNone);
  }
}

std::shared_ptr<const Sampler> importance_sampler(const TestGraph& graph,
                                                  const ImportanceOptions& importance) {
  SamplerOptions options;
  options.seed = 20250301;
  options.importance = importance;
  return Sampler::create(make_dataset(make_context(1), graph), options).take();
}

TEST(Importance, VisitsOfAStar) {
  Ends ends;
  for (int64_t v = 1; v <= 6; ++v) {
    ends.emplace_back(0, v);
  }
  ImportanceOptions importance;
  importance.neighbors = 10;
  importance.walks = 30;
  importance.traversals = 4;  // a leaf, the middle, a leaf, the middle
  const auto sampler = importance_sampler(undirected(7, ends), importance);
  const auto near = sample(*sampler, {0}).take();
  ASSERT_EQ(near.size(), 7);
  EXPECT_EQ(near[0].node, 0);  // it counts as any other
  EXPECT_EQ(near[0].second, 60);
  EXPECT_EQ(near[0].first, 0.5);
  double visits = 0;
  for (size_t i = 1; i < near.size(); ++i) {
    visits += near[i].second;
    EXPECT_EQ(near[i].first, static_cast<float>(near[i].second / 120));
    EXPECT_LE(near[i].second, near[i - 1].second);
  }
  EXPECT_EQ(visits, 60);
}

// The visits of a walk with stops are those of a Markov chain: E[visits of x] is the sum over
// traversals of the probability of being at x then and not having stopped. A chi-square by the
// first visits, which are independent.
TEST(Importance, FirstVisitsHaveTheExactProbabilities) {
  ImportanceOptions importance;
  importance.neighbors = 5;
  importance.walks = 2000;
  importance.traversals = 1;
  const auto sampler = importance_sampler(undirected(5, kFive), importance);
  std::vector<double> counts(5);
  for (uint64_t number = 0; number < 20; ++number) {
    for (const Near& row : sample(*sampler, {1}, number).take()) {
      counts[static_cast<size_t>(row.node)] += row.second;
    }
  }
  const double expected = 20 * 2000 / 3.0;  // to 0, 2 and 3
  EXPECT_EQ(counts[1] + counts[4], 0);
  double statistic = 0;
  for (const size_t v : {0, 2, 3}) {
    statistic += (counts[v] - expected) * (counts[v] - expected) / expected;
  }
  EXPECT_LT(chi_square_z(statistic, 2), 4.76);
}

TEST(Importance, StopsBetweenTraversalsOnly) {
  ImportanceOptions importance;
  importance.neighbors = 5;
  importance.walks = 4000;
  importance.traversals = 3;
  importance.stop = 0.25;
  const auto sampler = importance_sampler(undirected(5, kFive), importance);
  double visits = 0;
  for (const Near& row : sample(*sampler, {0}).take()) {
    visits += row.second;
  }
  // 1 + 0.75 + 0.75^2 of each walk; its standard deviation is below 0.85.
  const double deviation = 0.85 * std::sqrt(4000.0);
  EXPECT_NEAR(visits, 4000 * 2.3125, 5 * deviation);
  importance.stop = 1;
  visits = 0;
  for (const Near& row :
       sample(*importance_sampler(undirected(5, kFive), importance), {0}).take()) {
    visits += row.second;
  }
  EXPECT_EQ(visits, 4000);
}

// A node's neighbours do not depend on who else is in the batch.
TEST(Importance, NodesAreIndependentOfTheirPlace) {
  Ends ends;
  for (int64_t v = 0; v < 300; ++v) {
    ends.insert(ends.end(), {{v, (v * 7 + 1) % 300}, {v, (v * v + 3) % 300}});
  }
  ImportanceOptions importance;
  importance.neighbors = 4;
  const auto sampler = importance_sampler(undirected(300, ends), importance);
  std::vector<int64_t> all(300);
  std::iota(all.begin(), all.end(), 0);
  const auto together = sample(*sampler, all).take();
  for (const int64_t v : {0, 77, 299}) {
    const auto alone = sample(*sampler, {v}).take();
    std::vector<Near> own;
    for (const Near& row : together) {
      if (row.seed == v) {
        own.push_back(row);
      }
    }
    ASSERT_EQ(alone.size(), own.size());
    for (size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(alone[i].node, own[i].node);
      EXPECT_EQ(alone[i].second, own[i].second);
    }
  }
}

}  // namespace
}  // namespace gls::test
