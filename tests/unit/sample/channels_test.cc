// Personalised PageRank by channels: places, and who is chosen for them.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "sample/methods/channel_merge.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

using Places = std::vector<size_t>;

Places places_of(const std::vector<double>& shares, size_t neighbors) {
  std::vector<PprChannel> channels;
  for (const double share : shares) {
    channels.push_back({{0}, share});
  }
  return share_places(channels, neighbors);
}

TEST(Channels, PlacesGoByLargestRemainder) {
  EXPECT_EQ(places_of({1}, 50), Places({50}));
  EXPECT_EQ(places_of({0.6, 0.4}, 200), Places({120, 80}));
  EXPECT_EQ(places_of({0.3, 0.3, 0.4}, 4), Places({1, 1, 2}));  // 1.2, 1.2, 1.6
  EXPECT_EQ(places_of({0.25, 0.35, 0.4}, 3), Places({1, 1, 1}));
  EXPECT_EQ(places_of({0.5, 0.5}, 5), Places({3, 2}));  // ties to the first
  EXPECT_EQ(places_of({0.5, 0.5}, 1), Places({1, 0}));
  EXPECT_EQ(places_of({0.1, 0.1, 0.8}, 1), Places({0, 0, 1}));
  EXPECT_EQ(places_of({1e-9, 1}, 50), Places({0, 50}));
}

TEST(Channels, PlacesAreAllGivenAway) {
  std::mt19937_64 random(20250301);
  std::uniform_real_distribution<double> uniform(1e-6, 1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> shares(1 + random() % 64);
    for (double& share : shares) {
      share = round % 3 == 0 ? 1 : uniform(random);
    }
    // Sums may miss 1.
    const double sum =
        std::accumulate(shares.begin(), shares.end(), 0.0) * (1 + 1e-6 * (uniform(random) - 0.5));
    for (double& share : shares) {
      share /= sum;
    }
    const size_t neighbors = round % 2 == 0 ? 1 + random() % 100 : 0xffffffffU - random() % 1000;
    const Places places = places_of(shares, neighbors);
    ASSERT_EQ(std::accumulate(places.begin(), places.end(), size_t{0}), neighbors);
    for (size_t c = 0; c < shares.size(); ++c) {
      const double exact = shares[c] * static_cast<double>(neighbors);
      ASSERT_NEAR(static_cast<double>(places[c]), exact, 1.01 + 2e-6 * exact);
    }
  }
}

// Node, value and hop of what a channel found.
using Found = std::vector<PushedNode>;
PushedNode pushed(int64_t node, double value, int32_t hop = 1) { return {value, value, node, hop}; }

ImportanceRows merged(const Places& places, const std::vector<Found>& found) {
  ChannelMerge merge(places, std::accumulate(places.begin(), places.end(), size_t{0}));
  ImportanceRows rows;
  for (int round = 0; round < 2; ++round) {  // nothing is left of the seed before
    rows.clear();
    for (size_t c = 0; c < found.size(); ++c) {
      merge.add(c, found[c]);
    }
    merge.finish(7, &rows);
  }
  for (const int64_t seed : rows.seed) {
    EXPECT_EQ(seed, 7);
  }
  return rows;
}

using Nodes = std::vector<int64_t>;

TEST(Channels, EachChoosesItsBest) {
  const Found one = {pushed(1, 0.9), pushed(2, 0.8), pushed(3, 0.7), pushed(4, 0.6)};
  const Found other = {pushed(5, 0.3), pushed(6, 0.2), pushed(7, 0.1)};
  EXPECT_EQ(merged({2, 1}, {one, other}).node, Nodes({1, 2, 5}));
  EXPECT_EQ(merged({1, 2}, {one, other}).node, Nodes({1, 5, 6}));
  EXPECT_EQ(merged({0, 3}, {one, other}).node, Nodes({5, 6, 7}));
  EXPECT_EQ(merged({3, 0}, {one, other}).node, Nodes({1, 2, 3}));
}

TEST(Channels, WhatIsLeftGoesToTheBestOfAll) {
  const Found one = {pushed(1, 0.9), pushed(2, 0.8), pushed(3, 0.7), pushed(4, 0.6)};
  EXPECT_EQ(merged({1, 3}, {one, {pushed(5, 0.1)}}).node, Nodes({1, 2, 3, 5}));
  EXPECT_EQ(merged({1, 2, 1}, {one, {}, {pushed(8, 0.75), pushed(9, 0.65)}}).node,
            Nodes({1, 2, 8, 3}));
  EXPECT_EQ(merged({5, 5}, {one, {}}).node, Nodes({1, 2, 3, 4}));
  EXPECT_EQ(merged({5, 5}, {{}, {}}).node, Nodes());
}

// Node 2 is better in the other channel, so it takes one of that one's places.
TEST(Channels, NodesOfSeveralTakeOnePlace) {
  const Found one = {pushed(1, 0.5, 0), pushed(2, 0.25, 3), pushed(3, 0.125, 2)};
  const Found other = {pushed(1, 0.5, 0), pushed(2, 0.375, 1), pushed(4, 0.0625, 2)};
  EXPECT_EQ(merged({2, 1}, {one, other}).node, Nodes({1, 2, 3}));
  const ImportanceRows rows = merged({1, 2}, {one, other});
  EXPECT_EQ(rows.node, Nodes({1, 2, 4}));
  const auto third = static_cast<float>(1.0 / 3);
  EXPECT_EQ(rows.score, std::vector<float>({0.5,    1,     0.5,  1,    1, 0.5,    1,     1,  //
                                            0.375,  0.5,   0.25, 0.25, 1, 0.375,  0.5,   1,  //
                                            0.0625, third, 0,    0,    0, 0.0625, third, 1}));
}

TEST(Channels, TiesGoToTheFirstChannelAndTheLowerId) {
  const Found one = {pushed(8, 0.5), pushed(9, 0.5)};
  const Found other = {pushed(3, 0.5), pushed(9, 0.5)};
  EXPECT_EQ(merged({1, 1}, {one, other}).node, Nodes({3, 8}));
  EXPECT_EQ(merged({2, 0}, {one, other}).node, Nodes({8, 9}));
  EXPECT_EQ(merged({0, 2}, {one, other}).node, Nodes({3, 8}));  // 9 is of the first
}

// Two triangles share the seed, each of an edge type of its own.
TEST(Channels, PushAlongTheirOwnEdges) {
  TestGraph graph;
  graph.nodes = {{"node", 5}};
  graph.edges.resize(2);
  graph.edges[0].name = "node__a__node";
  graph.edges[0].source = {0, 1, 1, 2, 2, 0};
  graph.edges[0].target = {1, 0, 2, 1, 0, 2};
  graph.edges[1].name = "node__b__node";
  graph.edges[1].source = {0, 3, 3, 4, 4, 0};
  graph.edges[1].target = {3, 0, 4, 3, 0, 4};
  SamplerOptions options;
  options.ppr.emplace();
  options.ppr->neighbors = 4;
  options.ppr->channels = {{{0}, 0.75}, {{1}, 0.25}};
  const auto sampler = Sampler::create(make_dataset(make_context(1), graph), options).take();
  const std::vector<int64_t> seeds = {0};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1)}};
  const std::shared_ptr<Batch> batch = sampler->sample(request).take();
  const Tensor& score = batch->near[0].score;
  ASSERT_EQ(score.shape()[0], 4);
  ASSERT_EQ(score.shape()[1], 8);
  const auto* const nodes = batch->nodes[0].node.as<int64_t>();
  const auto* const near = batch->near[0].node.as<int64_t>();
  const auto* const values = score.as<float>();
  int64_t of_first = 0;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t node = nodes[near[i]];
    const float* const row = values + 8 * i;
    EXPECT_EQ(row[4], node <= 2 ? 1 : 0);
    EXPECT_EQ(row[7], node == 0 || node >= 3 ? 1 : 0);
    EXPECT_EQ(row[0], std::max(row[2], row[5]));
    EXPECT_NEAR(row[0], node == 0 ? 0.6 : 0.2, 1e-4);
    EXPECT_EQ(row[1], node == 0 ? 1 : 0.5F);
    EXPECT_EQ(node == 0, i == 0);
    of_first += node <= 2 ? 1 : 0;
  }
  EXPECT_EQ(of_first, 3);  // with the seed, which is as good in both
}

}  // namespace
}  // namespace gls::test
