// Budgets: laws of what is drawn, and what is reported.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "sample/methods/hgt_budget.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// Wilson and Hilferty's cube-root transformation makes a chi-square nearly normal.
double chi_square_z(double statistic, double freedom) {
  const double spread = 2.0 / (9.0 * freedom);
  return (std::cbrt(statistic / freedom) - (1.0 - spread)) / std::sqrt(spread);
}

// Neighbours 2, 3, 4, 5 of the seeds 0 and 1 have scores 1/4, 1/4 + 1/2, 1/4 + 1/2 and 1/4.
TestGraph small() {
  TestGraph graph;
  graph.nodes = {{"node", 6}};
  TestEdges& out = graph.edges.emplace_back();
  out.name = "node__to__node";
  out.source = {2, 3, 4, 5, 3, 4, 0};
  out.target = {0, 0, 0, 0, 1, 1, 2};
  return graph;
}

std::shared_ptr<const Sampler> sampler_of(const TestGraph& graph, const HgtOptions& hgt,
                                          Subgraph subgraph = Subgraph::kSampled) {
  SamplerOptions options;
  options.seed = 20251122;
  options.hgt = hgt;
  options.subgraph = subgraph;
  return Sampler::create(make_dataset(make_context(1), graph), options).take();
}

std::shared_ptr<Batch> sample(const Sampler& sampler, std::vector<int64_t> seeds,
                              uint64_t number = 0) {
  SampleRequest request;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  return sampler.sample(request).take();
}

// The first node is drawn in proportion to 1 : 9 : 9 : 1, the second from what remains.
TEST(Hgt, DrawsInProportionToSquaresOfScores) {
  constexpr int kBatches = 20000;
  HgtOptions hgt;
  hgt.num_hops = 1;
  hgt.samples = {{2}};
  const auto sampler = sampler_of(small(), hgt);
  std::vector<std::vector<double>> counts(6, std::vector<double>(6));
  for (uint64_t number = 0; number < kBatches; ++number) {
    const auto batch = sample(*sampler, {0, 1}, number);
    const auto* const ids = batch->nodes[0].node.as<int64_t>();
    ASSERT_EQ(batch->nodes[0].node.rows(), 4);
    counts[static_cast<size_t>(ids[2])][static_cast<size_t>(ids[3])] += 1;
  }
  const std::vector<double> weight = {0, 0, 1, 9, 9, 1};
  double statistic = 0;
  for (size_t a = 2; a < 6; ++a) {
    for (size_t b = 2; b < 6; ++b) {
      const double expected = a == b ? 0 : kBatches * weight[a] / 20 * weight[b] / (20 - weight[a]);
      if (a == b) {
        EXPECT_EQ(counts[a][b], 0);
      } else {
        statistic += (counts[a][b] - expected) * (counts[a][b] - expected) / expected;
      }
    }
  }
  EXPECT_LT(chi_square_z(statistic, 11), 4.76);
}

// Of a hub, those considered are the same for scores and edges: every node drawn has its edge.
TEST(Hgt, EdgesAreThoseThatGaveScores) {
  constexpr int64_t kLeaves = 1000;
  TestGraph graph;
  graph.nodes = {{"node", kLeaves + 1}};
  TestEdges& out = graph.edges.emplace_back();
  out.name = "node__to__node";
  for (int64_t v = 1; v <= kLeaves; ++v) {
    out.source.push_back(v);
    out.target.push_back(0);
  }
  HgtOptions hgt;
  hgt.num_hops = 2;
  hgt.samples = {{20, 40}};
  const auto sampler = sampler_of(graph, hgt);
  std::set<int64_t> seen;
  for (uint64_t number = 0; number < 100; ++number) {
    const auto batch = sample(*sampler, {0}, number);
    EXPECT_EQ(batch->nodes[0].node.rows(), 51);  // the budget holds no more than 50
    ASSERT_EQ(batch->edges[0].row().rows(), 50);
    const auto* const row = batch->edges[0].row().as<int64_t>();
    EXPECT_EQ(std::set<int64_t>(row, row + 50).size(), 50);
    const auto* const ids = batch->nodes[0].node.as<int64_t>();
    seen.insert(ids, ids + 51);
  }
  EXPECT_GT(seen.size(), 980);  // of 1001, each being left out with probability 0.95^100
}

TEST(Hgt, InducedSubgraphsHaveAllEdges) {
  TestGraph graph;
  graph.nodes = {{"node", 80}};
  TestEdges& out = graph.edges.emplace_back();
  out.name = "node__to__node";
  for (int64_t s = 0; s < 80; ++s) {
    for (int64_t t = 0; t < 80; ++t) {
      out.source.push_back(s);
      out.target.push_back(t);
    }
  }
  HgtOptions hgt;
  hgt.num_hops = 2;
  hgt.samples = {{5, 4}};
  hgt.most_neighbors = 10;
  const auto all = sample(*sampler_of(graph, hgt, Subgraph::kInduced), {3});
  EXPECT_EQ(all->edges[0].row().rows(), 100);
  const auto considered = sample(*sampler_of(graph, hgt), {3});
  EXPECT_LT(considered->edges[0].row().rows(), 60);
  EXPECT_GE(considered->edges[0].row().rows(), 5);
}

TEST(HgtBudget, KeepsTheOrderOfFirstScores) {
  HgtBudget budget;
  RowDraws draws(1, 0, 0);
  for (int round = 0; round < 2; ++round) {
    budget.start(2);
    EXPECT_TRUE(budget.take(0, 7));
    EXPECT_FALSE(budget.take(0, 7));
    EXPECT_TRUE(budget.take(1, 7));
    budget.add(0, 7, 1);  // it is of the batch
    budget.add(0, 9, 0.5);
    budget.add(0, 3, 0.5);
    budget.add(1, 3, 0.5);
    budget.add(0, 9, 0.5);
    std::vector<int64_t> out;
    budget.draw(0, draws, 0, &out);
    EXPECT_TRUE(out.empty());
    budget.draw(0, draws, -1, &out);
    EXPECT_EQ(out, (std::vector<int64_t>{9, 3}));
    budget.add(0, 9, 1);
    budget.add(0, 2, 1);
    budget.draw(0, draws, 5, &out);
    EXPECT_EQ(out, (std::vector<int64_t>{9, 3, 2}));
    budget.draw(1, draws, 5, &out);
    EXPECT_EQ(out.back(), 3);
    EXPECT_EQ(out.size(), 4);
  }
}

TEST(Hgt, RefusesWhatOptionsCannotSay) {
  HgtOptions hgt;
  hgt.num_hops = 1;
  hgt.samples = {{2}};
  const auto make = [&] {
    SamplerOptions options;
    options.hgt = hgt;
    return Sampler::create(make_dataset(make_context(1), small()), options).ok();
  };
  EXPECT_TRUE(make());
  hgt.samples = {};
  EXPECT_FALSE(make());
  hgt.samples = {{1, 2}};
  EXPECT_FALSE(make());
  hgt.samples = {{2}};
  hgt.most_neighbors = 0;
  EXPECT_FALSE(make());
}

}  // namespace
}  // namespace gls::test
