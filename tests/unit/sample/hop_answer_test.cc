// Hops answered by parts of a graph, put together, against the whole.
#include <gtest/gtest.h>

#include <map>

#include "hop_client.h"
#include "sample/answer_hop.h"

namespace gls::test {
namespace {

constexpr int64_t kNodes = 3000;
constexpr int64_t kParts = 3;

struct Edges {
  std::vector<int64_t> source, target, time;
  std::vector<float> weight;
};

uint64_t next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

Edges some_edges() {
  Edges out;
  uint64_t state = 4;
  for (int i = 0; i < 40000; ++i) {
    out.source.push_back(static_cast<int64_t>(next(&state) % kNodes));
    out.target.push_back(i % 9 == 0 ? 11 : static_cast<int64_t>(next(&state) % kNodes));
    out.time.push_back(static_cast<int64_t>(next(&state) % 1000));
    out.weight.push_back(static_cast<float>(next(&state) % 16) / 4);
  }
  return out;
}

std::vector<int64_t> node_times() {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < kNodes; ++i) {
    out.push_back(i * 37 % 900);
  }
  return out;
}

int64_t owner_of(int64_t node) { return node * node % 7 % kParts; }

// The rows of the nodes of one part, and what its edges are in the whole.
struct Part {
  std::shared_ptr<const Dataset> dataset;
  std::vector<int64_t> edge_ids;
  std::map<int64_t, int64_t> rows;
};

Part make_part(const std::shared_ptr<Context>& context, const Edges& all, int64_t number, bool in) {
  Part part;
  for (int64_t node = 0; node < kNodes; ++node) {
    if (owner_of(node) == number) {
      part.rows.emplace(node, static_cast<int64_t>(part.rows.size()));
    }
  }
  TestGraph graph;
  graph.nodes = {{"a", kNodes}, {"mine", static_cast<int64_t>(part.rows.size())}};
  graph.node_times["a"] = node_times();
  graph.edges.push_back({in ? "a__x__mine" : "mine__x__a", {}, {}, {}, {}});
  TestEdges& edges = graph.edges[0];
  for (size_t e = 0; e < all.source.size(); ++e) {
    const auto row = part.rows.find(in ? all.target[e] : all.source[e]);
    if (row != part.rows.end()) {
      part.edge_ids.push_back(static_cast<int64_t>(e));
      edges.source.push_back(in ? all.source[e] : row->second);
      edges.target.push_back(in ? row->second : all.target[e]);
      edges.weight.push_back(all.weight[e]);
      edges.time.push_back(all.time[e]);
    }
  }
  part.dataset = make_dataset(context, graph);
  return part;
}

class Parts : public testing::TestWithParam<HopCase> {};

TEST_P(Parts, AnswerAsTheWholeSamples) {
  SamplerOptions options;
  options.seed = 17;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}};
  options.edge_ids = true;
  GetParam().set(&options);
  const std::shared_ptr<Context> context = make_context();
  const Edges all = some_edges();
  TestGraph graph;
  graph.nodes = {{"a", kNodes}};
  graph.node_times["a"] = node_times();
  graph.edges.push_back({"a__x__a", all.source, all.target, all.weight, {}, all.time});
  const auto dataset = make_dataset(context, graph);
  auto whole = Sampler::create(dataset, options);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  std::vector<Part> parts;
  std::vector<std::shared_ptr<const Sampler>> samplers;
  for (int64_t p = 0; p < kParts; ++p) {
    parts.push_back(make_part(context, all, p, options.direction == Direction::kIn));
    auto sampler = Sampler::create(parts.back().dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    samplers.push_back(sampler.take());
  }
  const std::vector<int64_t> seeds = {11, 5, 2999, 0, 5, 700, 701, 702, 1400, 2222};
  const std::vector<int64_t> times = {300, 360, 420, 480, 540, 600, 660, 720, 780, 840};
  SampleRequest request;
  request.epoch = 2;
  request.batch = 6;
  request.seeds = {{0, span_of(seeds), options.temporal() ? span_of(times) : IdSpan()}};
  auto batch = (*whole)->sample(request);
  ASSERT_TRUE(batch.ok()) << batch.status().message();

  HopClient client = {*dataset, (*whole)->options(), kParts,
                      [](size_t, int64_t node) { return static_cast<size_t>(owner_of(node)); },
                      [&](size_t p, HopQuestion question) -> Result<HopPicks> {
                        std::vector<int64_t> rows;
                        for (int64_t i = 0; i < question.nodes.size(); ++i) {
                          rows.push_back(parts[p].rows.at(question.nodes[i]));
                        }
                        question.rows = span_of(rows);
                        GLS_ASSIGN(HopPicks picks, answer_hop(*samplers[p], question));
                        std::vector<int64_t> ids = values_of(picks.edge_ids);
                        for (int64_t& id : ids) {
                          id = parts[p].edge_ids[static_cast<size_t>(id)];
                        }
                        picks.edge_ids = tensor_of(std::move(ids), kInt64);
                        return picks;
                      }};
  ASSERT_NO_FATAL_FAILURE(client.sample(0, seeds, times, request.epoch, request.batch));
  client.expect_same(**batch);
}

INSTANTIATE_TEST_SUITE_P(Options, Parts, testing::ValuesIn(hop_cases()),
                         [](const auto& given) { return given.param.name; });

TEST(Hop, BadQuestionsAreErrors) {
  TestGraph graph;
  graph.nodes = {{"a", 3}};
  graph.edges.push_back({"a__x__a", {0, 1}, {1, 2}, {}, {}});
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  options.disjoint = true;
  auto sampler = Sampler::create(make_dataset(make_context(1), graph), options).take();
  const std::vector<int64_t> two = {1, 2};
  const std::vector<int64_t> three = {1, 2, 3};
  const auto message = [&](HopQuestion question) {
    auto picks = answer_hop(*sampler, question);
    return picks.ok() ? std::string("no error") : picks.status().message();
  };
  EXPECT_EQ(message({0, 0, 0, 0, span_of(two), span_of(two), span_of(two)}), "no error");
  EXPECT_EQ(message({1, 0, 0, 0, span_of(two), span_of(two), span_of(two)}),
            "hop: edge type number 1 in hop 0, of 1 types and 1 hops");
  EXPECT_EQ(message({0, 1, 0, 0, span_of(two), span_of(two), span_of(two)}),
            "hop: edge type number 0 in hop 1, of 1 types and 1 hops");
  EXPECT_EQ(message({0, 0, 0, 0, span_of(three), span_of(three), span_of(three)}),
            "hop: 3 at index 2 of rows is outside 0 .. 2");
  EXPECT_EQ(message({0, 0, 0, 0, span_of(two), span_of(three), span_of(three)}),
            "hop: 2 rows for 3 nodes");
  EXPECT_EQ(message({0, 0, 0, 0, span_of(two), span_of(two)}), "hop: 0 trees for 2 nodes");
  EXPECT_EQ(message({0, 0, 0, 0, span_of(two), span_of(two), span_of(two), span_of(two)}),
            "hop: 2 times for 2 nodes");
}

}  // namespace
}  // namespace gls::test
