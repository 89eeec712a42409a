// Induced subgraphs: all edges between the nodes of a batch, or of each tree of it, and no others.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr int64_t kNodes = 30'000;
constexpr int64_t kHub = 17;

// 20,000 edges into one node, which is more than is worked off at once, and some into all others.
TestGraph with_hub(bool wide) {
  TestGraph graph;
  graph.wide = wide;
  graph.nodes = {{"node", kNodes}};
  TestEdges& edges = graph.edges.emplace_back();
  edges.name = "node__to__node";
  std::mt19937_64 random(5);
  const auto any = [&] { return static_cast<int64_t>(random() % kNodes); };
  for (int i = 0; i < 20'000; ++i) {
    edges.source.push_back(any());
    edges.target.push_back(kHub);
  }
  for (int i = 0; i < 100'000; ++i) {
    edges.source.push_back(any());
    edges.target.push_back(any());
  }
  return graph;
}

using Edge = std::tuple<int64_t, int64_t, int64_t>;  // target's and source's local id, edge id

std::vector<Edge> edges_of(const Batch& batch) {
  const SampledEdges& edges = batch.edges[0];
  std::vector<Edge> found;
  for (int64_t i = 0; i < edges.row().rows(); ++i) {
    const auto at = [i](const Tensor& ids) {
      return IdSpan(ids.data(), ids.dtype().bits == 64, ids.rows())[i];
    };
    found.emplace_back(at(edges.col()), at(edges.row()), at(edges.edge));
  }
  return found;
}

class Induced
    : public testing::TestWithParam<std::tuple<const char*, bool, bool, bool, bool, bool>> {};

TEST_P(Induced, HasAllEdgesBetweenItsNodesInStoredOrder) {
  const auto& [simd, wide, int32, disjoint, hashed, excludes] = GetParam();
  const TestGraph graph = with_hub(wide);
  const auto context = make_context(1);
  ASSERT_TRUE(context->set("cpu.simd", simd).ok());
  ASSERT_TRUE(context->set("sample.direct_table", hashed ? "0" : "1G").ok());
  SamplerOptions options;
  options.subgraph = Subgraph::kInduced;
  options.edge_ids = true;
  options.int32 = int32;
  options.disjoint = disjoint;
  options.fanouts = {{}};
  if (disjoint) {
    options.num_hops = 1;
    options.fanouts = {{30}};
  }
  auto made = Sampler::create(make_dataset(context, graph), options);
  ASSERT_TRUE(made.ok()) << made.status().message();
  const std::shared_ptr<const Sampler> sampler = made.take();
  std::vector<int64_t> seeds = {kHub};
  std::mt19937_64 random(6);
  for (int i = 1; i < (disjoint ? 60 : 6000); ++i) {
    seeds.push_back(static_cast<int64_t>(random() % kNodes));
  }
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  std::set<int64_t> excluded;
  if (excludes) {  // some of the hub's, and of others
    for (int64_t e = 0; e < 120'000; e += 7) {
      excluded.insert(e < 20'000 ? e : e * 13 % 100'000 + 20'000);
    }
  }
  if (excludes) {
    request.exclude = {
        {0, tensor_of(std::vector<int64_t>(excluded.begin(), excluded.end()), kInt64)}};
  }
  auto sampled = sampler->sample(request);
  ASSERT_TRUE(sampled.ok()) << sampled.status().message();
  const std::shared_ptr<Batch> batch = sampled.take();

  // By tree and node, the local id.
  const Tensor& ids = batch->nodes[0].node;
  std::map<std::pair<int64_t, int64_t>, int64_t> local_of;
  std::vector<std::pair<int64_t, int64_t>> node_of;
  for (int64_t i = 0; i < ids.rows(); ++i) {
    const auto at = [i](const Tensor& values) {
      return IdSpan(values.data(), values.dtype().bits == 64, values.rows())[i];
    };
    node_of.emplace_back(disjoint ? at(batch->nodes[0].tree) : 0, at(ids));
    local_of[node_of.back()] = i;
  }
  std::vector<std::vector<int64_t>> into(kNodes);  // edge ids, which ascend in each row
  for (size_t e = 0; e < graph.edges[0].target.size(); ++e) {
    into[static_cast<size_t>(graph.edges[0].target[e])].push_back(static_cast<int64_t>(e));
  }
  std::vector<Edge> expected;
  for (size_t local = 0; local < node_of.size(); ++local) {
    const auto [tree, node] = node_of[local];
    for (const int64_t e : into[static_cast<size_t>(node)]) {
      const auto other = local_of.find({tree, graph.edges[0].source[static_cast<size_t>(e)]});
      if (other != local_of.end() && excluded.count(e) == 0) {
        expected.emplace_back(static_cast<int64_t>(local), other->second, e);
      }
    }
  }
  EXPECT_GT(expected.size(), disjoint ? 200u : 5000u);
  EXPECT_EQ(edges_of(*batch), expected);
}

INSTANTIATE_TEST_SUITE_P(All, Induced,
                         testing::Combine(testing::Values("plain", "avx2", "avx512"),
                                          testing::Bool(), testing::Bool(), testing::Bool(),
                                          testing::Bool(), testing::Bool()));

}  // namespace
}  // namespace gls::test
