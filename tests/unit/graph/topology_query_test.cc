// Questions about single edges and nodes: both layouts give one answer, and damaged data gives
// errors.
#include "graph/dataset/topology_query.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "test_graph.h"

namespace gls::test {
namespace {

IdSpan span_of(const std::vector<int64_t>& ids) {
  return {ids.data(), true, static_cast<int64_t>(ids.size())};
}

// Parallel edges, self-loops, nodes without edges, and more targets than sources.
TestGraph two_types(bool wide) {
  TestGraph graph;
  graph.nodes = {{"a", 40}, {"b", 90}};
  graph.edges = {{"a__x__b", {}, {}, {}, {}}};
  graph.wide = wide;
  uint64_t state = 7;
  for (int e = 0; e < 400; ++e) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    graph.edges[0].source.push_back(static_cast<int64_t>((state >> 33) % 35));
    graph.edges[0].target.push_back(static_cast<int64_t>((state >> 45) % 80));
  }
  return graph;
}

// The dataset as it is, and with one of its two layouts only.
std::vector<std::shared_ptr<const Dataset>> variants(const TestGraph& graph) {
  const auto both = make_dataset(make_context(1), graph);
  std::vector<EdgeType> csc = both->edge_types();
  std::vector<EdgeType> csr = both->edge_types();
  csc[0].csr.reset();
  csr[0].csc.reset();
  return {both, Dataset::create(both->context(), both->node_types(), csc).take(),
          Dataset::create(both->context(), both->node_types(), csr).take()};
}

TEST(TopologyQuery, EveryLayoutAnswersAsTheListOfEdges) {
  for (const bool wide : {false, true}) {
    const TestGraph graph = two_types(wide);
    const TestEdges& edges = graph.edges[0];
    std::vector<int64_t> ids;
    std::vector<int64_t> left;
    std::vector<int64_t> right;
    std::vector<uint8_t> expected;
    for (int64_t u = 0; u < 40; ++u) {
      for (int64_t v = 0; v < 90; ++v) {
        left.push_back(u);
        right.push_back(v);
        expected.push_back(0);
        for (size_t e = 0; e < edges.source.size(); ++e) {
          expected.back() |= static_cast<uint8_t>(edges.source[e] == u && edges.target[e] == v);
        }
      }
    }
    for (int64_t e = 399; e >= 0; --e) {
      ids.push_back(e);
    }
    ASSERT_GT(std::count(expected.begin(), expected.end(), 1), 300);
    for (const auto& dataset : variants(graph)) {
      EXPECT_EQ(has_edges(*dataset, 0, span_of(left), span_of(right)).take(), expected);
      std::vector<int64_t> sources;
      std::vector<int64_t> targets;
      ASSERT_TRUE(edge_ends(*dataset, 0, span_of(ids), "edges", &sources, &targets).ok());
      std::reverse(sources.begin(), sources.end());
      std::reverse(targets.begin(), targets.end());
      EXPECT_EQ(sources, edges.source);
      EXPECT_EQ(targets, edges.target);
      for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
        const bool in = layout == Layout::kCsc;
        std::vector<int64_t> counts(in ? 90 : 40, 0);
        for (const int64_t node : in ? edges.target : edges.source) {
          ++counts[static_cast<size_t>(node)];
        }
        EXPECT_EQ(all_degrees(*dataset, 0, layout).take(), counts);
        const std::vector<int64_t> some = {39, 0, 3, 3};
        const std::vector<int64_t> of_some = {counts[39], counts[0], counts[3], counts[3]};
        EXPECT_EQ(degrees(*dataset, 0, layout, span_of(some)).take(), of_some);
      }
    }
  }
}

TEST(TopologyQuery, NodesAndEdgesOutOfRangeAreNamed) {
  const auto dataset = make_dataset(make_context(1), two_types(false));
  const std::vector<int64_t> fine = {3, 4};
  for (const int64_t wrong : {int64_t{-1}, int64_t{40}, int64_t{1} << 40}) {
    const std::vector<int64_t> ids = {3, wrong};
    auto found = has_edges(*dataset, 0, span_of(ids), span_of(fine));
    const Status& status = found.status();
    EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(*status.detail("argument"), "source");
    EXPECT_NE(status.message().find(formatted("node {} at index 1", wrong)), std::string::npos);
    EXPECT_EQ(degrees(*dataset, 0, Layout::kCsr, span_of(ids)).status().code(),
              GLS_ERR_INVALID_ARGUMENT);
  }
  const std::vector<int64_t> beyond = {3, 90};  // of the sources' type it would be wrong before
  EXPECT_EQ(*has_edges(*dataset, 0, span_of(fine), span_of(beyond)).status().detail("argument"),
            "target");
  EXPECT_EQ(*has_edges(*dataset, 0, span_of(fine), span_of({1})).status().detail("argument"),
            "target");
  std::vector<int64_t> out;
  EXPECT_EQ(*edge_ends(*dataset, 0, span_of({400}), "edges", &out, &out).detail("argument"),
            "edges");
}

void expect_corrupt(const Status& status, const std::string& text) {
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

TEST(TopologyQuery, DamagedDataIsFound) {
  const std::vector<int64_t> zero = {0};
  const std::vector<int64_t> two = {2};
  for (const int64_t wrong : {int64_t{-5}, int64_t{9}, INT64_MAX, INT64_MIN}) {
    const auto dataset = damaged({0, 1, 2, wrong, 4}, {0, 1, 2, 3});
    const std::string text = "indptr of node 2";
    expect_corrupt(has_edges(*dataset, 0, span_of(zero), span_of(two)).status(), text);
    expect_corrupt(degrees(*dataset, 0, Layout::kCsc, span_of(two)).status(), text);
    // Where nothing else is asked for, the first row that shows it is named.
    expect_corrupt(all_degrees(*dataset, 0, Layout::kCsc).status(), "indptr of node");
  }
  for (const int32_t wrong : {4, -1, INT32_MAX, INT32_MIN}) {
    const auto dataset = damaged({0, 1, 2, 3, 4}, {0, 1, wrong, 0});
    const std::string text = formatted("position 2 is {}", wrong);
    std::vector<int64_t> sources;
    std::vector<int64_t> targets;
    expect_corrupt(edge_ends(*dataset, 0, span_of(two), "edges", &sources, &targets), text);
    expect_corrupt(degrees(*dataset, 0, Layout::kCsr, span_of(two)).status(), text);
    expect_corrupt(all_degrees(*dataset, 0, Layout::kCsr).status(), text);
    // A comparison of ids is all that is done with them.
    EXPECT_FALSE(has_edges(*dataset, 0, span_of(zero), span_of(two)).take()[0]);
  }
  // Whatever an indptr that does not ascend makes of a search in it, the ends are nodes, or it
  // fails.
  for (const int64_t wrong : {int64_t{-5}, int64_t{9}, INT64_MAX, INT64_MIN}) {
    for (const size_t at : {1, 2, 3}) {
      std::vector<int64_t> indptr = {0, 1, 2, 3, 4};
      indptr[at] = wrong;
      const auto dataset = damaged(indptr, {0, 1, 2, 3});
      for (const int64_t e : {0, 1, 2, 3}) {
        std::vector<int64_t> sources;
        std::vector<int64_t> targets;
        const Status status = edge_ends(*dataset, 0, span_of({e}), "edges", &sources, &targets);
        EXPECT_TRUE(status.ok() ? targets[0] >= 0 && targets[0] < 4
                                : status.code() == GLS_ERR_CORRUPT_DATA);
      }
    }
  }
}

}  // namespace
}  // namespace gls::test
