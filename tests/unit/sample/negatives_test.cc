// Strict negatives next to hubs: whichever layout is stored, the same are drawn, and the row of a
// hub is not read once for each of them, nor for each try.
#include "sample/links/negatives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "test_graph.h"

namespace gls::test {
namespace {

constexpr int64_t kNodes = 50000;
constexpr int64_t kFrom = 5;  // has edges to nearly all nodes
constexpr int64_t kTo = 7;    // has edges from nearly all nodes
constexpr uint32_t kTries = 64;
constexpr int64_t kRounds = 7;  // 1, 1, 2, 4, 8, 16 and 32 tries

// Which node neither hub is linked with; all others are.
bool is_excluded(int64_t node) { return node % 1000 == 11; }

std::shared_ptr<const Dataset> hubs(bool full) {
  TestGraph graph;
  graph.nodes = {{"a", kNodes}};
  graph.edges = {{"a__x__a", {}, {}, {}, {}}};
  for (int64_t v = kNodes; v-- > 0;) {  // so that rows do not ascend
    if (full || !is_excluded(v)) {
      graph.edges[0].source.insert(graph.edges[0].source.end(), {kFrom, v});
      graph.edges[0].target.insert(graph.edges[0].target.end(), {v, kTo});
    }
  }
  // Only the hub is drawn, by this weight.
  graph.node_weights["a"].resize(kNodes);
  graph.node_weights["a"][kTo] = 1;
  return make_dataset(make_context(1), graph);
}

std::shared_ptr<const Dataset> with_one_layout(const Dataset& both, Layout layout) {
  std::vector<EdgeType> types = both.edge_types();
  (layout == Layout::kCsc ? types[0].csr : types[0].csc).reset();
  return Dataset::create(both.context(), both.node_types(), types).take();
}

NegativeOptions strict(NegativeMode mode, double amount) {
  NegativeOptions options;
  options.mode = mode;
  options.strict = true;
  options.allow_short = true;
  options.amount = amount;
  options.tries = kTries;
  return options;
}

struct Drawn {
  Status status;
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  int64_t looked_at = 0;
};

// Of links that all begin at the hub.
Drawn draw(const std::shared_ptr<const Dataset>& dataset, size_t links,
           const NegativeOptions& options) {
  Drawn out;
  const std::vector<int64_t> sources(links, kFrom);
  const auto sampler = NegativeSampler::create(dataset, 0, options).take();
  auto drawn = sampler->draw(99, sources, {}, &out.looked_at);
  out.status = std::move(drawn.status());
  if (drawn.ok()) {
    out.sources = std::move(drawn->sources);
    out.targets = std::move(drawn->targets);
  }
  return out;
}

// Pairs whose target is the hub.
Drawn pairs(const std::shared_ptr<const Dataset>& dataset, size_t links, NegativeOptions options) {
  options.target_weight = "weight";
  return draw(dataset, links, options);
}

int64_t degree(const Topology& topology, int64_t node) {
  return topology.indptr[node + 1] - topology.indptr[node];
}

int64_t count_found(const std::vector<int64_t>& nodes) {
  return static_cast<int64_t>(nodes.size()) - std::count(nodes.begin(), nodes.end(), -1);
}

TEST(Negatives, AHubThatIsASourceIsReadAFewTimes) {
  const auto both = hubs(false);
  const int64_t of_hub = degree(*both->edge_types()[0].csr, kFrom);
  const NegativeOptions options = strict(NegativeMode::kTriplet, 3);
  const Drawn expected = draw(both, 200, options);
  ASSERT_TRUE(expected.status.ok());
  ASSERT_EQ(expected.targets.size(), 600u);
  EXPECT_GT(count_found(expected.targets), 5);
  EXPECT_LT(count_found(expected.targets), 300);
  for (const int64_t target : expected.targets) {
    EXPECT_TRUE(target == -1 || is_excluded(target)) << target;
  }
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    const Drawn drawn = draw(with_one_layout(*both, layout), 200, options);
    ASSERT_TRUE(drawn.status.ok());
    EXPECT_EQ(drawn.targets, expected.targets);
    if (layout == Layout::kCsr) {  // where the row of each pair is the hub's
      EXPECT_GE(drawn.looked_at, of_hub);
      EXPECT_LE(drawn.looked_at, kRounds * of_hub);
    } else {  // those of others have two edges, but for that of the other hub
      EXPECT_LE(drawn.looked_at, 600 * kTries * 2 + kRounds * kNodes);
    }
  }
}

TEST(Negatives, AHubThatIsATargetIsReadAFewTimes) {
  const auto both = hubs(false);
  const int64_t of_hub = degree(*both->edge_types()[0].csc, kTo);
  const NegativeOptions options = strict(NegativeMode::kBinary, 1.5);
  const Drawn expected = pairs(both, 400, options);
  ASSERT_TRUE(expected.status.ok());
  EXPECT_GT(count_found(expected.sources), 5);
  for (const int64_t source : expected.sources) {
    EXPECT_TRUE(source == -1 || is_excluded(source)) << source;
  }
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    const Drawn drawn = pairs(with_one_layout(*both, layout), 400, options);
    ASSERT_TRUE(drawn.status.ok());
    EXPECT_EQ(drawn.sources, expected.sources);
    EXPECT_EQ(drawn.targets, expected.targets);
    if (layout == Layout::kCsc) {
      EXPECT_GE(drawn.looked_at, of_hub);
      EXPECT_LE(drawn.looked_at, kRounds * of_hub);
    } else {
      EXPECT_LE(drawn.looked_at, 600 * kTries * 2 + kRounds * kNodes);
    }
  }
}

// A few pairs of a row are compared one after the other, which is no more than reading it eight
// times.
TEST(Negatives, OneNegativeReadsAHubLessOftenThanItTries) {
  const auto full = hubs(true);
  for (const size_t links : {1, 2, 5}) {
    const auto csr = with_one_layout(*full, Layout::kCsr);
    const Drawn drawn = draw(csr, links, strict(NegativeMode::kTriplet, 1));
    ASSERT_TRUE(drawn.status.ok());
    EXPECT_EQ(drawn.targets, std::vector<int64_t>(links, -1));
    const int64_t of_hub = degree(*csr->edge_types()[0].csr, kFrom);
    EXPECT_LE(drawn.looked_at, (links == 1 ? 18 : 8 * kRounds) * of_hub);
  }
}

TEST(Negatives, WhereThereIsNoneItIsSaid) {
  const auto full = hubs(true);
  for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
    const auto dataset = with_one_layout(*full, layout);
    NegativeOptions options = strict(NegativeMode::kTriplet, 2);
    EXPECT_EQ(count_found(draw(dataset, 30, options).targets), 0);
    options.allow_short = false;
    const Status status = draw(dataset, 30, options).status;
    EXPECT_EQ(status.code(), GLS_ERR_NOT_FOUND);
    EXPECT_NE(status.message().find("64 tries found no node for source 5"), std::string::npos)
        << status.message();
    options = strict(NegativeMode::kBinary, 1);
    EXPECT_EQ(count_found(pairs(dataset, 30, options).sources), 0);
    options.allow_short = false;
    EXPECT_EQ(pairs(dataset, 30, options).status.code(), GLS_ERR_NOT_FOUND);
  }
}

// The first good try counts, however many are looked at together.
TEST(Negatives, MoreTriesChangeNothingThatWasFound) {
  const auto csr = with_one_layout(*hubs(false), Layout::kCsr);
  NegativeOptions options = strict(NegativeMode::kBinary, 1);
  std::vector<int64_t> before;
  for (const uint32_t tries : {1u, 2u, 3u, 7u, 8u, 9u, 200u, 2048u}) {
    options.tries = tries;
    const Drawn drawn = pairs(csr, 300, options);
    ASSERT_TRUE(drawn.status.ok());
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(before[i] == -1 || drawn.sources[i] == before[i]) << tries;
    }
    EXPECT_GE(count_found(drawn.sources), before.empty() ? 0 : count_found(before));
    before = drawn.sources;
  }
  EXPECT_GT(count_found(before), 200);
}

}  // namespace
}  // namespace gls::test
