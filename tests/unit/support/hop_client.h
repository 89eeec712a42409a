// Samples from parts of a graph the obvious way: splits every frontier by owner, asks the parts,
// and numbers the nodes as docs/contract.md section 3 says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "query/hop_query.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {

inline IdSpan span_of(const std::vector<int64_t>& values) {
  return {values.data(), true, static_cast<int64_t>(values.size())};
}

struct HopClient {
  const Dataset& whole;
  SamplerOptions options;  // as samplers have them: disjoint where they go by times
  size_t parts;
  std::function<size_t(size_t node_type, int64_t node)> owner_of;
  // Picks in ids of the whole.
  std::function<Result<HopPicks>(size_t part, const HopQuestion& question)> ask;

  struct Nodes {
    std::map<std::pair<int64_t, int64_t>, int64_t> local;  // by tree and node
    std::vector<int64_t> nodes, trees;
    size_t begin = 0, end = 0;  // of the frontier
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
  struct Edges {
    std::vector<int64_t> anchors, neighbors, edge_ids;
  };
  std::vector<Nodes> nodes{};
  std::vector<Edges> edges{};

  void sample(size_t seed_type, const std::vector<int64_t>& seeds,
              const std::vector<int64_t>& times, uint64_t epoch, uint64_t batch) {
    nodes.assign(whole.node_types().size(), {});
    edges.assign(whole.edge_types().size(), {});
    for (size_t i = 0; i < seeds.size(); ++i) {
      nodes[seed_type].of(options.disjoint ? static_cast<int64_t>(i) : 0, seeds[i]);
    }
    for (size_t hop = 0; hop < options.num_hops; ++hop) {
      for (Nodes& type : nodes) {
        type.begin = type.end;
        type.end = type.nodes.size();
      }
      for (size_t t = 0; t < edges.size(); ++t) {
        HopQuestion question;
        question.edge_type = t;
        question.hop = hop;
        question.epoch = epoch;
        question.batch = batch;
        ASSERT_NO_FATAL_FAILURE(expand(question, times));
      }
    }
  }

  void expand(HopQuestion question, const std::vector<int64_t>& seed_times) {
    const EdgeType& type = whole.edge_types()[question.edge_type];
    const bool in = options.direction == Direction::kIn;
    const size_t anchor_type = in ? type.target : type.source;
    Nodes& neighbor = nodes[in ? type.source : type.target];
    const size_t begin = nodes[anchor_type].begin;
    const size_t end = nodes[anchor_type].end;
    struct Answered {
      HopPicks picks;
      int64_t node = 0;
      int64_t pick = 0;
    };
    std::vector<Answered> answers(parts);
    for (size_t p = 0; p < parts; ++p) {
      std::vector<int64_t> ids, trees, times;
      for (size_t i = begin; i < end; ++i) {
        const Nodes& anchor = nodes[anchor_type];
        if (owner_of(anchor_type, anchor.nodes[i]) == p) {
          ids.push_back(anchor.nodes[i]);
          if (options.disjoint) {
            trees.push_back(anchor.trees[i]);
          }
          if (options.temporal()) {
            times.push_back(seed_times[static_cast<size_t>(anchor.trees[i])]);
          }
        }
      }
      question.nodes = span_of(ids);
      question.trees = span_of(trees);
      question.times = span_of(times);
      auto picks = ask(p, question);
      ASSERT_TRUE(picks.ok()) << picks.status().message();
      answers[p].picks = picks.take();
    }
    for (size_t i = begin; i < end; ++i) {
      Answered& answer = answers[owner_of(anchor_type, nodes[anchor_type].nodes[i])];
      const IdSpan found = IdSpan::of(answer.picks.neighbors, "neighbors").take();
      const IdSpan ids = IdSpan::of(answer.picks.edge_ids, "edge_ids").take();
      const int32_t count = answer.picks.counts.as<int32_t>()[answer.node++];
      for (int32_t j = 0; j < count; ++j, ++answer.pick) {
        Edges& out = edges[question.edge_type];
        out.anchors.push_back(static_cast<int64_t>(i));
        out.neighbors.push_back(neighbor.of(nodes[anchor_type].trees[i], found[answer.pick]));
        out.edge_ids.push_back(ids[answer.pick]);
      }
    }
  }

  void expect_same(const Batch& batch) const {
    const bool in = options.direction == Direction::kIn;
    for (size_t t = 0; t < nodes.size(); ++t) {
      EXPECT_EQ(values_of(batch.nodes[t].node), nodes[t].nodes);
    }
    for (size_t t = 0; t < edges.size(); ++t) {
      EXPECT_EQ(values_of(batch.edges[t].row()), in ? edges[t].neighbors : edges[t].anchors);
      EXPECT_EQ(values_of(batch.edges[t].col()), in ? edges[t].anchors : edges[t].neighbors);
      EXPECT_EQ(values_of(batch.edges[t].edge), edges[t].edge_ids);
      EXPECT_GT(edges[t].edge_ids.size(), 80u);
    }
  }
};

// Options that neighbour samplers have; edge columns "weight" and "time", node column "time".
struct HopCase {
  std::string name;
  std::function<void(SamplerOptions*)> set;
};

inline std::vector<HopCase> hop_cases() {
  return {
      {"uniform", [](SamplerOptions*) {}},
      {"int32", [](SamplerOptions* o) { o->int32 = true; }},
      {"out", [](SamplerOptions* o) { o->direction = Direction::kOut; }},
      {"all",
       [](SamplerOptions* o) {
         o->fanouts.assign(o->fanouts.size(), {-1, 2, -1});
       }},
      {"wide_fanout",
       [](SamplerOptions* o) {
         o->fanouts.assign(o->fanouts.size(), {40, 33, 0});
       }},
      {"replaced", [](SamplerOptions* o) { o->replace = Replace::kAlways; }},
      {"replaced_above", [](SamplerOptions* o) { o->replace = Replace::kAbove; }},
      {"disjoint", [](SamplerOptions* o) { o->disjoint = true; }},
      {"weighted", [](SamplerOptions* o) { o->weight = "weight"; }},
      {"weighted_out",
       [](SamplerOptions* o) {
         o->weight = "weight";
         o->direction = Direction::kOut;
       }},
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
}

}  // namespace gls::test
