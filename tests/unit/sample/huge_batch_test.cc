// Batches of a million seeds: every node has one local id and every local id one node, edges are
// edges of the graph, counts are exact, and none of it takes long. Then what is too much.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <unordered_set>

#include "loader/pipeline/loader.h"
#include "sample/sampler.h"
#include "sanitized.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// A tenth where every access is checked; there is no bound on time there.
constexpr int64_t kSeeds = kSanitized ? 100000 : 1000000;
constexpr int64_t kNodes = kSeeds / 2 * 3;
constexpr int64_t kEdges = 2 * kNodes;

// Of all threads: others may keep this process waiting.
void expect_soon(std::clock_t begin) {
  if (!kSanitized) {
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10);
  }
}

const TestEdges& edges() {
  static const TestEdges made = [] {
    TestEdges out{"a__x__a", {}, {}, {}, {}};
    uint64_t state = 77;
    const auto below = [&state](uint64_t n) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<int64_t>(((state >> 32) * n) >> 32);
    };
    for (int64_t e = 0; e < kEdges; ++e) {
      out.source.push_back(below(kNodes));
      // A quarter of the edges go to a thousandth of the nodes.
      out.target.push_back(below(e % 4 == 0 ? kNodes / 1000 : kNodes));
    }
    return out;
  }();
  return made;
}

std::shared_ptr<const Dataset> dataset(const char* direct_table = "256M") {
  const auto context = make_context(2);
  EXPECT_TRUE(context->set("sample.direct_table", direct_table).ok());
  static const std::shared_ptr<const Dataset> made = [] {
    TestGraph graph;
    graph.nodes = {{"a", kNodes}};
    graph.edges = {edges()};
    return make_dataset(make_context(2), graph);
  }();
  return Dataset::create(context, made->node_types(), made->edge_types()).take();
}

// Distinct, in no order; 7 and `kNodes` have no common factor but in the sanitized size, where 7
// has none either.
std::vector<int64_t> some_seeds() {
  static_assert(kNodes % 7 != 0);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < kSeeds; ++i) {
    out.push_back((i * 7 + 3) % kNodes);
  }
  return out;
}

IdSpan span_of(const std::vector<int64_t>& ids) {
  return {ids.data(), true, static_cast<int64_t>(ids.size())};
}

std::shared_ptr<Batch> sample(const Sampler& sampler, const SampleRequest& request) {
  const std::clock_t begin = std::clock();
  auto batch = sampler.sample(request);
  expect_soon(begin);
  EXPECT_TRUE(batch.ok()) << batch.status().message();
  return batch.take();
}

// Every node once (in one tree), and all edges between the nodes that their ids say.
void expect_sound(const Batch& batch) {
  const std::vector<int64_t> nodes = values_of(batch.nodes[0].node);
  const std::vector<int64_t> rows = values_of(batch.edges[0].row());
  const std::vector<int64_t> cols = values_of(batch.edges[0].col());
  const std::vector<int64_t> ids = values_of(batch.edges[0].edge);
  ASSERT_EQ(rows.size(), ids.size());
  ASSERT_EQ(cols.size(), ids.size());
  ASSERT_EQ(sum_of_counts(batch.nodes[0].num_nodes), static_cast<int64_t>(nodes.size()));
  ASSERT_EQ(sum_of_counts(batch.edges[0].num_edges), static_cast<int64_t>(ids.size()));
  if (!batch.nodes[0].tree.defined()) {
    std::vector<bool> met(kNodes, false);
    for (const int64_t node : nodes) {
      ASSERT_TRUE(node >= 0 && node < kNodes && !met[static_cast<size_t>(node)]) << node;
      met[static_cast<size_t>(node)] = true;
    }
  }
  std::vector<bool> taken(kEdges, false);
  size_t wrong = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    const auto col = static_cast<size_t>(cols[i]);
    const auto id = static_cast<size_t>(ids[i]);
    ASSERT_TRUE(row < nodes.size() && col < nodes.size() && id < kEdges);
    wrong += nodes[row] != edges().source[id] || nodes[col] != edges().target[id] ? 1 : 0;
    wrong += !batch.nodes[0].tree.defined() && taken[id] ? 1 : 0;
    taken[id] = true;
  }
  EXPECT_EQ(wrong, 0u);
}

std::vector<int64_t> in_degrees() {
  std::vector<int64_t> out(kNodes, 0);
  for (const int64_t node : edges().target) {
    ++out[static_cast<size_t>(node)];
  }
  return out;
}

TEST(HugeBatch, OfNodes) {
  const std::vector<int64_t> seeds = some_seeds();
  const std::vector<int64_t> degrees = in_degrees();
  int64_t expected_edges = 0;
  for (const int64_t seed : seeds) {
    expected_edges += std::min<int64_t>(3, degrees[static_cast<size_t>(seed)]);
  }
  struct Way {
    const char* table;  // of all nodes, or of those met
    bool int32;
    bool disjoint;
  };
  for (const auto& [table, int32, disjoint] :
       {Way{"256M", false, false}, Way{"0", true, false}, Way{"256M", false, true}}) {
    SamplerOptions options;
    options.num_hops = 2;
    options.fanouts = {{3, disjoint ? 0 : 2}};
    options.edge_ids = true;
    options.int32 = int32;
    options.disjoint = disjoint;
    const auto sampler = Sampler::create(dataset(table), options).take();
    SampleRequest request;
    request.seeds = {{0, span_of(seeds)}};
    const auto batch = sample(*sampler, request);
    expect_sound(*batch);
    const int64_t* const per_hop = batch->nodes[0].num_nodes.as<int64_t>();
    EXPECT_EQ(per_hop[0], kSeeds);
    EXPECT_EQ(batch->edges[0].num_edges.as<int64_t>()[0], expected_edges);
    const std::vector<int64_t> nodes = values_of(batch->nodes[0].node);
    const std::vector<int64_t> local = values_of(batch->nodes[0].seed);
    ASSERT_EQ(local.size(), seeds.size());
    for (size_t i = 0; i < local.size(); ++i) {
      ASSERT_EQ(nodes[static_cast<size_t>(local[i])], seeds[i]);
    }
    if (disjoint) {
      // Each tree is a seed and its own neighbours: as many nodes as edges and seeds, less
      // those met twice.
      EXPECT_GT(per_hop[1], expected_edges / 10 * 9);
      EXPECT_LE(per_hop[1], expected_edges);
      const std::vector<int64_t> trees = values_of(batch->nodes[0].tree);
      const std::vector<int64_t> rows = values_of(batch->edges[0].row());
      const std::vector<int64_t> cols = values_of(batch->edges[0].col());
      for (size_t e = 0; e < rows.size(); ++e) {
        ASSERT_EQ(trees[static_cast<size_t>(rows[e])], trees[static_cast<size_t>(cols[e])]);
      }
    }
  }
}

TEST(HugeBatch, SeedsThatRepeatAreOneNode) {
  std::vector<int64_t> seeds(kSeeds);
  for (int64_t i = 0; i < kSeeds; ++i) {
    seeds[static_cast<size_t>(i)] = i % 10;
  }
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{5}};
  options.edge_ids = true;
  const auto sampler = Sampler::create(dataset(), options).take();
  SampleRequest request;
  request.seeds = {{0, span_of(seeds)}};
  const auto batch = sample(*sampler, request);
  expect_sound(*batch);
  EXPECT_EQ(batch->nodes[0].num_seeds(), 10);
  EXPECT_EQ(batch->nodes[0].seed.rows(), kSeeds);
  EXPECT_EQ(batch->edges[0].edge.rows(), 50);
}

TEST(HugeBatch, OfLinksWithNegatives) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < kSeeds; ++i) {
    ids.push_back((i * 7 + 5) % kEdges);
  }
  std::unordered_set<int64_t> all;  // pairs of nodes
  all.reserve(static_cast<size_t>(kEdges));
  for (size_t e = 0; e < edges().source.size(); ++e) {
    all.insert(edges().source[e] * kNodes + edges().target[e]);
  }
  for (const NegativeMode mode : {NegativeMode::kBinary, NegativeMode::kTriplet}) {
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{1}};
    options.edge_ids = true;
    options.exclude_links = true;
    options.negatives.mode = mode;
    options.negatives.strict = true;
    const auto sampler = Sampler::create(dataset(), options).take();
    SampleRequest request;
    request.links = {LinkSet{0, tensor_of(ids, kInt64), {}, {}}};
    const auto batch = sample(*sampler, request);
    expect_sound(*batch);
    const std::vector<int64_t> nodes = values_of(batch->nodes[0].node);
    const std::vector<int64_t> sources = values_of(batch->links[0].source);
    const std::vector<int64_t> targets = values_of(batch->links[0].target);
    const bool binary = mode == NegativeMode::kBinary;
    ASSERT_EQ(sources.size(), static_cast<size_t>(binary ? 2 * kSeeds : kSeeds));
    ASSERT_EQ(targets.size(), sources.size());
    const auto node = [&](const std::vector<int64_t>& local, size_t i) {
      return nodes[static_cast<size_t>(local[i])];
    };
    std::vector<bool> met(kNodes, false);
    std::vector<bool> is_seed(kEdges, false);
    for (size_t i = 0; i < static_cast<size_t>(kSeeds); ++i) {
      const auto id = static_cast<size_t>(ids[i]);
      is_seed[id] = true;
      ASSERT_EQ(node(sources, i), edges().source[id]);
      ASSERT_EQ(node(targets, i), edges().target[id]);
      const size_t drawn = i + static_cast<size_t>(kSeeds);
      const int64_t source = binary ? node(sources, drawn) : node(sources, i);
      const int64_t target =
          binary ? node(targets, drawn)
                 : nodes[static_cast<size_t>(IdSpan(batch->links[0].negative.data(), true,
                                                    kSeeds)[static_cast<int64_t>(i)])];
      ASSERT_EQ(all.count(source * kNodes + target), 0u);
      for (const int64_t end : {node(sources, i), node(targets, i), source, target}) {
        met[static_cast<size_t>(end)] = true;
      }
    }
    EXPECT_EQ(batch->nodes[0].num_seeds(), std::count(met.begin(), met.end(), true));
    for (const int64_t id : values_of(batch->edges[0].edge)) {
      ASSERT_FALSE(is_seed[static_cast<size_t>(id)]);
    }
  }
}

TEST(HugeBatch, OfALoader) {
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  options.edge_ids = true;
  const auto sampler = Sampler::create(dataset(), options).take();
  LoaderOptions loading;
  loading.plan.batch_size = kSeeds;
  loading.plan.shuffle = true;
  const auto loader = Loader::create(sampler, Tensor(), loading).take();
  const std::clock_t begin = std::clock();
  std::vector<bool> met(kNodes, false);
  for (const int64_t expected : {kSeeds, kNodes - kSeeds}) {
    std::shared_ptr<Batch> batch;
    auto next = loader->next(-1, &batch);
    ASSERT_TRUE(next.ok() && *next == Loader::Next::kBatch);
    expect_sound(*batch);
    ASSERT_EQ(batch->inputs[0].positions.rows(), expected);
    for (const int64_t position : values_of(batch->inputs[0].positions)) {
      ASSERT_FALSE(met[static_cast<size_t>(position)]);
      met[static_cast<size_t>(position)] = true;
    }
  }
  expect_soon(begin);
  EXPECT_EQ(std::count(met.begin(), met.end(), true), kNodes);
}

// ---- too much ----------------------------------------------------------------------------------

void expect_refused(const Status& status, gls_status_t code, const std::string& text) {
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

TEST(HugeBatch, WhatIsTooMuchIsSaid) {
  const std::vector<int64_t> seeds = some_seeds();
  SampleRequest of_nodes;
  of_nodes.seeds = {{0, span_of(seeds)}};
  SampleRequest of_links;
  of_links.links = {LinkSet{0, tensor_of(seeds, kInt64), {}, {}}};
  const std::clock_t begin = std::clock();
  for (const NegativeMode mode : {NegativeMode::kBinary, NegativeMode::kTriplet}) {
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{1}};
    options.negatives.mode = mode;
    options.negatives.amount = kSanitized ? 30000 : 3000;
    expect_refused(Sampler::create(dataset(), options).take()->sample(of_links).status(),
                   GLS_ERR_UNSUPPORTED, "negatives are more than 2147483647 seeds");
  }
  SamplerOptions walks;
  walks.walk.emplace();
  walks.walk->length = 1000;
  walks.walk->walks = 100;
  expect_refused(Sampler::create(dataset(), walks).take()->sample(of_nodes).status(),
                 GLS_ERR_UNSUPPORTED, "more than 2147483647 nodes; use smaller batches");
  expect_soon(begin);
}

TEST(HugeBatch, TypesThatAreTooLargeAreNamed) {
  TestGraph graph;
  graph.nodes = {{"a", 100}};
  graph.edges = {{"a__x__a", {0, 1}, {1, 2}, {}, {}}};
  const auto small = make_dataset(make_context(1), graph);
  const auto with = [&](int64_t nodes) {
    std::vector<NodeType> types = small->node_types();
    types.emplace_back();
    types.back().name = "many";
    types.back().count = nodes;
    return Dataset::create(small->context(), types, small->edge_types()).take();
  };
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  options.int32 = true;
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  EXPECT_TRUE(Sampler::create(with(kMost), options).ok());
  auto refused = Sampler::create(with(kMost + 2), options);
  ASSERT_FALSE(refused.ok());
  expect_refused(refused.status(), GLS_ERR_INVALID_ARGUMENT, "\"many\"");
  EXPECT_NE(refused.status().message().find("2147483649"), std::string::npos)
      << refused.status().message();

  // Trees are told apart by numbers of 64 bits.
  options.int32 = false;
  options.disjoint = true;
  const std::vector<int64_t> seeds(5000, 1);
  SampleRequest request;
  request.seeds = {{0, span_of(seeds)}};
  EXPECT_TRUE(Sampler::create(with(int64_t{1} << 51), options).take()->sample(request).ok());
  expect_refused(Sampler::create(with(int64_t{1} << 52), options).take()->sample(request).status(),
                 GLS_ERR_UNSUPPORTED,
                 "disjoint trees of 5000 seeds over the 4503599627370496 nodes");
}

}  // namespace
}  // namespace gls::test
