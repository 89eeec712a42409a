// Hops answered by parts of a graph, put together, against the whole.
#include "sample/hop_answer.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "sample/sampler.h"
#include "test_graph.h"

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

struct Case {
  std::string name;
  std::function<void(SamplerOptions*)> set;
};

class Parts : public testing::TestWithParam<Case> {};

// Numbers the nodes as docs/contract.md section 3 says, the obvious way.
struct Numbering {
  std::map<std::pair<int64_t, int64_t>, int64_t> local;  // by tree and node
  std::vector<int64_t> nodes, trees;
  int64_t of(int64_t tree, int64_t node) {
    const auto [at, is_new] =
        local.emplace(std::pair(tree, node), static_cast<int64_t>(nodes.size()));
    if (is_new) {
      nodes.push_back(node);
      trees.push_back(tree);
    }
    return at->second;
  }
};

TEST_P(Parts, AnswerAsTheWholeSamples) {
  SamplerOptions options;
  options.seed = 17;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}};
  options.edge_ids = true;
  GetParam().set(&options);
  const bool in = options.direction == Direction::kIn;
  const std::shared_ptr<Context> context = make_context();
  const Edges all = some_edges();

  TestGraph graph;
  graph.nodes = {{"a", kNodes}};
  graph.node_times["a"] = node_times();
  graph.edges.push_back({"a__x__a", all.source, all.target, all.weight, {}, all.time});
  auto whole = Sampler::create(make_dataset(context, graph), options);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  std::vector<Part> parts;
  std::vector<std::shared_ptr<const Sampler>> samplers;
  for (int64_t p = 0; p < kParts; ++p) {
    parts.push_back(make_part(context, all, p, in));
    auto sampler = Sampler::create(parts.back().dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    samplers.push_back(sampler.take());
  }

  const bool temporal = options.temporal();
  const bool disjoint = options.disjoint || temporal;
  const std::vector<int64_t> seeds = {11, 5, 2999, 0, 5, 700, 701, 702, 1400, 2222};
  std::vector<int64_t> times;
  for (size_t i = 0; i < seeds.size(); ++i) {
    times.push_back(300 + static_cast<int64_t>(i) * 60);
  }
  const auto span = [](const std::vector<int64_t>& values) {
    return IdSpan(values.data(), true, static_cast<int64_t>(values.size()));
  };
  SampleRequest request;
  request.epoch = 2;
  request.batch = 6;
  request.seeds = {{0, span(seeds), temporal ? span(times) : IdSpan()}};
  auto batch = (*whole)->sample(request);
  ASSERT_TRUE(batch.ok()) << batch.status().message();

  Numbering numbering;
  for (size_t i = 0; i < seeds.size(); ++i) {
    numbering.of(disjoint ? static_cast<int64_t>(i) : 0, seeds[i]);
  }
  std::vector<int64_t> anchors, neighbors, edge_ids;
  size_t begin = 0;
  for (size_t hop = 0; hop < options.num_hops; ++hop) {
    const size_t end = numbering.nodes.size();
    struct Answered {
      HopPicks picks;
      int64_t node = 0;
      int64_t pick = 0;
    };
    std::vector<Answered> answers(kParts);
    for (size_t p = 0; p < kParts; ++p) {
      std::vector<int64_t> rows, nodes, trees, their_times;
      for (size_t i = begin; i < end; ++i) {
        if (owner_of(numbering.nodes[i]) == static_cast<int64_t>(p)) {
          nodes.push_back(numbering.nodes[i]);
          rows.push_back(parts[p].rows.at(nodes.back()));
          if (disjoint) {
            trees.push_back(numbering.trees[i]);
          }
          if (temporal) {
            their_times.push_back(times[static_cast<size_t>(numbering.trees[i])]);
          }
        }
      }
      HopQuestion question;
      question.hop = hop;
      question.epoch = request.epoch;
      question.batch = request.batch;
      question.rows = span(rows);
      question.nodes = span(nodes);
      question.trees = span(trees);
      question.times = span(their_times);
      auto picks = answer_hop(*samplers[p], question);
      ASSERT_TRUE(picks.ok()) << picks.status().message();
      answers[p].picks = picks.take();
    }
    for (size_t i = begin; i < end; ++i) {
      const auto p = static_cast<size_t>(owner_of(numbering.nodes[i]));
      Answered& answer = answers[p];
      const int32_t count = answer.picks.counts.as<int32_t>()[answer.node++];
      for (int32_t j = 0; j < count; ++j, ++answer.pick) {
        const IdSpan found = IdSpan::of(answer.picks.neighbors, "neighbors").take();
        const IdSpan ids = IdSpan::of(answer.picks.edge_ids, "edge_ids").take();
        anchors.push_back(static_cast<int64_t>(i));
        neighbors.push_back(numbering.of(numbering.trees[i], found[answer.pick]));
        edge_ids.push_back(parts[p].edge_ids[static_cast<size_t>(ids[answer.pick])]);
      }
    }
    begin = end;
  }

  EXPECT_EQ(values_of((*batch)->nodes[0].node), numbering.nodes);
  EXPECT_EQ(values_of((*batch)->edges[0].row), in ? neighbors : anchors);
  EXPECT_EQ(values_of((*batch)->edges[0].col), in ? anchors : neighbors);
  EXPECT_EQ(values_of((*batch)->edges[0].edge), edge_ids);
  EXPECT_GT(edge_ids.size(), 100u);
}

const Case kCases[] = {
    {"uniform", [](SamplerOptions*) {}},
    {"int32", [](SamplerOptions* o) { o->int32 = true; }},
    {"out", [](SamplerOptions* o) { o->direction = Direction::kOut; }},
    {"all",
     [](SamplerOptions* o) {
       o->fanouts = {{-1, 2, -1}};
     }},
    {"wide_fanout",
     [](SamplerOptions* o) {
       o->fanouts = {{40, 33, 0}};
     }},
    {"replaced", [](SamplerOptions* o) { o->replace = Replace::kAlways; }},
    {"replaced_above", [](SamplerOptions* o) { o->replace = Replace::kAbove; }},
    {"disjoint", [](SamplerOptions* o) { o->disjoint = true; }},
    {"weighted", [](SamplerOptions* o) { o->weight = "weight"; }},
    {"weighted_replaced",
     [](SamplerOptions* o) {
       o->weight = "weight";
       o->replace = Replace::kAlways;
     }},
    {"edge_time", [](SamplerOptions* o) { o->edge_time = "time"; }},
    {"node_time_last",
     [](SamplerOptions* o) {
       o->node_time = "time";
       o->time_strategy = TimeStrategy::kLast;
       o->time_window = 400;
     }},
    {"time_weighted",
     [](SamplerOptions* o) {
       o->edge_time = "time";
       o->weight = "weight";
       o->time_strict = true;
     }},
    {"layer", [](SamplerOptions* o) { o->pick = Pick::kLayer; }},
    {"layer_dependent",
     [](SamplerOptions* o) {
       o->pick = Pick::kLayer;
       o->layer_dependent = true;
       o->batch_dependency = 4;
     }},
    {"layer_weighted",
     [](SamplerOptions* o) {
       o->pick = Pick::kLayer;
       o->weight = "weight";
     }},
};

INSTANTIATE_TEST_SUITE_P(Options, Parts, testing::ValuesIn(kCases),
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
  const auto span = [](const std::vector<int64_t>& v) {
    return IdSpan(v.data(), true, static_cast<int64_t>(v.size()));
  };
  const auto message = [&](HopQuestion question) {
    auto picks = answer_hop(*sampler, question);
    return picks.ok() ? std::string("no error") : picks.status().message();
  };
  EXPECT_EQ(message({0, 0, 0, 0, span(two), span(two), span(two)}), "no error");
  EXPECT_EQ(message({1, 0, 0, 0, span(two), span(two), span(two)}),
            "hop: edge type number 1 in hop 0, of 1 types and 1 hops");
  EXPECT_EQ(message({0, 1, 0, 0, span(two), span(two), span(two)}),
            "hop: edge type number 0 in hop 1, of 1 types and 1 hops");
  EXPECT_EQ(message({0, 0, 0, 0, span(three), span(three), span(three)}),
            "hop: 3 at index 2 of rows is outside 0 .. 2");
  EXPECT_EQ(message({0, 0, 0, 0, span(two), span(three), span(three)}), "hop: 2 rows for 3 nodes");
  EXPECT_EQ(message({0, 0, 0, 0, span(two), span(two)}), "hop: 0 trees for 2 nodes");
  EXPECT_EQ(message({0, 0, 0, 0, span(two), span(two), span(two), span(two)}),
            "hop: 2 times for 2 nodes");
}

}  // namespace
}  // namespace gls::test
