// Edges between many pairs of nodes: the same as looking at every edge for every pair, and a hub is
// not read once for each of its pairs.
#include "graph/dataset/pair_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <tuple>

#include "sample/pick/excluded_edges.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr int64_t kNodes = 3000;

// Hubs at both ends, parallel edges, self-loops and empty rows.
TestGraph hubs(bool wide) {
  TestGraph graph;
  graph.nodes = {{"a", kNodes}};
  graph.edges = {{"a__x__a", {}, {}, {}, {}}};
  graph.wide = wide;
  TestEdges& edges = graph.edges[0];
  uint64_t state = 99;
  const auto below = [&state](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>(((state >> 32) * n) >> 32);
  };
  for (int64_t e = 0; e < 20000; ++e) {
    edges.source.push_back(e % 4 == 1 ? 5 : below(kNodes - 100));
    edges.target.push_back(e % 4 == 2 ? 7 : below(kNodes - 100));
    edges.reverse.push_back(19999 - e);
  }
  return graph;
}

// Pairs of the hubs, and others; edges, and no edges; some more than once.
void some_pairs(const TestEdges& edges, size_t count, std::vector<int64_t>* sources,
                std::vector<int64_t>* targets) {
  for (size_t i = 0; i < count; ++i) {
    const size_t e = i * 7919 % edges.source.size();
    sources->push_back(i % 5 == 0 ? static_cast<int64_t>(i * 31 % kNodes) : edges.source[e]);
    targets->push_back(i % 7 == 0 ? 7 : edges.target[e]);
  }
  sources->push_back(sources->front());
  targets->push_back(targets->front());
}

Tensor pairs_tensor(const std::vector<int64_t>& sources, const std::vector<int64_t>& targets) {
  std::vector<int64_t> both = sources;
  both.insert(both.end(), targets.begin(), targets.end());
  const Tensor flat = tensor_of(both, kInt64);
  auto owner = std::make_shared<Tensor>(flat);
  return Tensor(owner, owner->data(), kInt64, {2, static_cast<int64_t>(sources.size())});
}

TEST(PairSearch, FindsWhatLookingAtEveryEdgeFinds) {
  for (const bool wide : {false, true}) {
    const TestGraph graph = hubs(wide);
    const auto dataset = make_dataset(make_context(1), graph);
    const EdgeType& type = dataset->edge_types()[0];
    for (const size_t count : {1, 6, 3000}) {  // one at a time, and many
      std::vector<int64_t> rows;
      std::vector<int64_t> neighbors;
      some_pairs(graph.edges[0], count, &neighbors, &rows);
      using Found = std::tuple<size_t, int64_t>;  // a pair's number and a position
      std::vector<Found> expected;
      std::vector<NodePair> pairs;
      for (size_t i = 0; i < rows.size(); ++i) {
        pairs.push_back({rows[i], neighbors[i], i});
        for (int64_t at = type.csc->indptr[rows[i]]; at < type.csc->indptr[rows[i] + 1]; ++at) {
          if (type.csc->neighbor(at) == neighbors[i]) {
            expected.emplace_back(i, at);
          }
        }
      }
      std::vector<Found> found;
      ASSERT_TRUE(
          find_pairs(type, *type.csc, pairs, [&](int64_t at, std::span<const NodePair> same) {
            for (const NodePair& pair : same) {
              found.emplace_back(pair.tag, at);
            }
            return Status();
          }).ok());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
      EXPECT_TRUE(count < 3000 || expected.size() > 3000) << expected.size();
    }
  }
}

TEST(PairSearch, AnErrorOfTheCallerEndsIt) {
  const auto dataset = make_dataset(make_context(1), hubs(false));
  const EdgeType& type = dataset->edge_types()[0];
  for (const size_t more : {0, 20}) {
    std::vector<NodePair> pairs = {{7, type.csc->neighbor(type.csc->indptr[7]), 0}};
    for (size_t i = 0; i < more; ++i) {
      pairs.push_back({7, type.csc->neighbor(type.csc->indptr[7] + static_cast<int64_t>(i)), 0});
    }
    int calls = 0;
    const Status status =
        find_pairs(type, *type.csc, pairs, [&](int64_t, std::span<const NodePair>) {
          ++calls;
          return invalid("enough");
        });
    EXPECT_EQ(status.message(), "enough");
    EXPECT_EQ(calls, 1);
  }
}

TEST(PairSearch, ANeighbourBeyondNarrowIndicesIsNotFound) {
  // 2^32 + 1 is 1 in the lower 32 bits.
  const auto dataset = damaged({0, 2, 2}, {1, 1});
  const EdgeType& type = dataset->edge_types()[0];
  for (const size_t count : {1, 20}) {
    std::vector<NodePair> pairs;
    for (size_t i = 0; i < count; ++i) {
      pairs.push_back({0, (int64_t{1} << 32) + 1 + static_cast<int64_t>(i), i});
    }
    EXPECT_TRUE(find_pairs(type, *type.csc, pairs, [](int64_t, std::span<const NodePair>) {
                  return invalid("found");
                }).ok());
  }
}

TEST(PairSearch, DamagedRowsAreErrors) {
  const auto dataset = damaged({0, 1, 9, 3, 4}, {0, 1, 2, 3});
  const EdgeType& type = dataset->edge_types()[0];
  const auto none = [](int64_t, std::span<const NodePair>) { return Status(); };
  for (const int64_t row : {1, 2}) {
    EXPECT_EQ(find_pairs(type, *type.csc, {{row, 0, 0}}, none).code(), GLS_ERR_CORRUPT_DATA);
    SamplerOptions options;
    EXPECT_EQ(find_excluded(*dataset, options, std::vector<EdgeSet>{{0, pairs_tensor({0}, {row})}})
                  .status()
                  .code(),
              GLS_ERR_CORRUPT_DATA);
  }
  EXPECT_TRUE(find_pairs(type, *type.csc, {{3, 0, 0}}, none).ok());
}

// ---- what is built on it -----------------------------------------------------------------------

TEST(PairSearch, ExcludedPairsAreThoseOfEveryEdge) {
  for (const bool wide : {false, true}) {
    const TestGraph graph = hubs(wide);
    const TestEdges& edges = graph.edges[0];
    const auto dataset = make_dataset(make_context(1), graph);
    std::vector<int64_t> sources;
    std::vector<int64_t> targets;
    some_pairs(edges, 500, &sources, &targets);
    const std::vector<EdgeSet> sets = {{0, pairs_tensor(sources, targets)}};
    for (const Direction direction : {Direction::kIn, Direction::kOut}) {
      for (const ExcludeMode mode : {ExcludeMode::kSelf, ExcludeMode::kReverseId}) {
        SamplerOptions options;
        options.direction = direction;
        options.exclude_mode = mode;
        options.reverse_column = "reverse";
        const Topology& topology = *dataset->edge_types()[0].topology(
            direction == Direction::kIn ? Layout::kCsc : Layout::kCsr);
        std::vector<bool> out(edges.source.size(), false);  // by edge id
        for (size_t e = 0; e < out.size(); ++e) {
          for (size_t i = 0; i < sources.size(); ++i) {
            if (edges.source[e] == sources[i] && edges.target[e] == targets[i]) {
              out[e] = true;
              out[mode == ExcludeMode::kSelf ? e : out.size() - 1 - e] = true;
            }
          }
        }
        std::vector<int64_t> expected;
        for (int64_t at = 0; at < topology.num_edges; ++at) {
          if (out[static_cast<size_t>(topology.edge_id(at))]) {
            expected.push_back(at);
          }
        }
        const auto excluded = find_excluded(*dataset, options, sets).take();
        const auto found = excluded[0].within(0, topology.num_edges);
        EXPECT_EQ(std::vector<int64_t>(found.begin(), found.end()), expected);
        EXPECT_GT(expected.size(), 500u);
      }
    }
  }
}

TEST(PairSearch, EdgesOfHubsAreFoundForEveryPair) {
  for (const bool wide : {false, true}) {
    const TestGraph graph = hubs(wide);
    const TestEdges& edges = graph.edges[0];
    const auto both = make_dataset(make_context(1), graph);
    std::vector<int64_t> sources;
    std::vector<int64_t> targets;
    some_pairs(edges, 500, &sources, &targets);
    std::vector<uint8_t> expected(sources.size(), 0);
    for (size_t i = 0; i < sources.size(); ++i) {
      for (size_t e = 0; e < edges.source.size() && expected[i] == 0; ++e) {
        expected[i] = edges.source[e] == sources[i] && edges.target[e] == targets[i] ? 1 : 0;
      }
    }
    ASSERT_GT(std::count(expected.begin(), expected.end(), 0), 30);
    for (const bool csc : {true, false}) {
      std::vector<EdgeType> types = both->edge_types();
      (csc ? types[0].csr : types[0].csc).reset();
      const auto dataset = Dataset::create(both->context(), both->node_types(), types).take();
      const auto count = static_cast<int64_t>(sources.size());
      EXPECT_EQ(has_edges(*dataset, 0, {sources.data(), true, count}, {targets.data(), true, count})
                    .take(),
                expected);
    }
  }
}

// A hub of a million neighbours and many pairs of it: read once for each pair, this takes 20 s.
TEST(PairSearch, AHubIsNotReadForEachPair) {
  constexpr int64_t kNeighbors = 1000000;
  constexpr int64_t kPairs = 20000;
  TestGraph graph;
  graph.nodes = {{"a", kNeighbors}};
  graph.edges = {{"a__x__a", {}, {}, {}, {}}};
  for (int64_t i = 0; i < kNeighbors; ++i) {
    graph.edges[0].source.push_back(i * 7919 % kNeighbors);
    graph.edges[0].target.push_back(0);
  }
  const auto both = make_dataset(make_context(1), graph);
  std::vector<EdgeType> types = both->edge_types();
  types[0].csr.reset();  // no way around the hub's row
  const auto dataset = Dataset::create(both->context(), both->node_types(), types).take();
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < kPairs; ++i) {
    sources.push_back(i * 3 % kNeighbors);
  }
  const std::vector<int64_t> targets(sources.size(), 0);
  const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
  const auto excluded = find_excluded(*dataset, SamplerOptions(),
                                      std::vector<EdgeSet>{{0, pairs_tensor(sources, targets)}})
                            .take();
  const auto found =
      has_edges(*dataset, 0, {sources.data(), true, kPairs}, {targets.data(), true, kPairs}).take();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(excluded[0].within(0, kNeighbors).size(), static_cast<size_t>(kPairs));
  EXPECT_EQ(std::count(found.begin(), found.end(), 1), kPairs);
  EXPECT_LT(seconds, 5);
}

}  // namespace
}  // namespace gls::test
