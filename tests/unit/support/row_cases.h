// Samplers that read whole rows of the graph of part_graph.h.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/dataset/topology_query.h"
#include "query/sampler_options.h"
#include "sample/sampler.h"

namespace gls::test {

// Edge types: 0 of users, 1 from items to users, 2 from users to items.
struct RowCase {
  std::string name;
  std::function<void(SamplerOptions*)> set;
  size_t seed_type = 0;
};

inline WalkOptions walks(std::vector<size_t> path, size_t length) {
  WalkOptions out;
  out.path = std::move(path);
  out.length = length;
  out.walks = 3;
  return out;
}

inline PprOptions ppr() {
  PprOptions out;
  out.neighbors = 12;
  out.epsilon = 1e-3;
  return out;
}

inline void neighborhoods(SamplerOptions* o) {
  o->num_hops = 2;
  o->fanouts = {{5, 3}, {4, 2}, {6, 0}};
}

inline std::vector<RowCase> row_cases() {
  return {
      {"walks", [](SamplerOptions* o) { o->walk = walks({0}, 6); }},
      {"walks_out",
       [](SamplerOptions* o) {
         o->walk = walks({0}, 5);
         o->direction = Direction::kOut;
       }},
      {"walks_by_weight",
       [](SamplerOptions* o) {
         o->walk = walks({0}, 5);
         o->weight = "weight";
       }},
      {"walks_metapath",
       [](SamplerOptions* o) {
         o->walk = walks({1, 2}, 7);
       }},
      {"walks_that_end",
       [](SamplerOptions* o) {
         o->walk = walks({0}, 8);
         o->walk->restart = 0.2;
         o->walk->stop = 0.1;
       }},
      {"node2vec",
       [](SamplerOptions* o) {
         o->walk = walks({0}, 6);
         o->walk->p = 0.25;
         o->walk->q = 4;
       }},
      {"node2vec_out_by_weight",
       [](SamplerOptions* o) {
         o->walk = walks({0}, 4);
         o->walk->p = 4;
         o->walk->q = 0.25;
         o->weight = "weight";
         o->direction = Direction::kOut;
       }},
      {"walks_induced",
       [](SamplerOptions* o) {
         o->walk = walks({0}, 4);
         o->subgraph = Subgraph::kInduced;
       }},
      {"importance",
       [](SamplerOptions* o) {
         o->importance.emplace();
         o->importance->neighbors = 5;
         o->importance->hops = 2;
         o->importance->path = {0};
       }},
      {"ppr", [](SamplerOptions* o) { o->ppr = ppr(); }},
      {"ppr_of_items", [](SamplerOptions* o) { o->ppr = ppr(); }, 1},
      {"ppr_limited",
       [](SamplerOptions* o) {
         o->ppr = ppr();
         o->ppr->row_limit = 7;
         o->ppr->top_up = false;
         o->direction = Direction::kOut;
       }},
      {"hgt",
       [](SamplerOptions* o) {
         o->hgt.emplace();
         o->hgt->num_hops = 2;
         o->hgt->samples = {{30, 20}, {25, 25}};
       }},
      {"hgt_induced",
       [](SamplerOptions* o) {
         o->hgt.emplace();
         o->hgt->num_hops = 2;
         o->hgt->samples = {{10, 10}, {8, 8}};
         o->hgt->most_neighbors = 5;
         o->subgraph = Subgraph::kInduced;
       }},
      {"induced",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
       }},
      {"induced_disjoint_by_weight",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
         o->disjoint = true;
         o->weight = "weight";
         o->replace = Replace::kAlways;
       }},
      {"induced_out_int32",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
         o->direction = Direction::kOut;
         o->int32 = true;
       }},
      {"induced_by_layer",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
         o->pick = Pick::kLayer;
         o->layer_dependent = true;
       }},
      {"induced_by_layer_and_weight",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
         o->pick = Pick::kLayer;
         o->weight = "weight";
       }},
      {"induced_by_times_of_nodes",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
         o->node_time = "time";
       }},
      {"induced_by_times_of_edges",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
         o->edge_time = "time";
         o->time_window = 500;
         o->time_strict = true;
         o->weight = "weight";
       }},
      {"induced_out_last_of_both_times",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
         o->direction = Direction::kOut;
         o->node_time = "time";
         o->edge_time = "time";
         o->time_strategy = TimeStrategy::kLast;
       }},
      {"bidirectional",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kBidirectional;
       }},
  };
}

// Every seventh edge of the graph, to be left out: by ids of edge type 1, and as pairs of type 0.
struct LeftOut {
  explicit LeftOut(const Dataset& graph) {
    for (int64_t id = 0; id < 20000; id += 7) {
      ids.push_back(id);
    }
    std::vector<int64_t> targets;
    EXPECT_TRUE(edge_ends(graph, 0, span_of(ids), "ids", &pairs, &targets).ok());
    pairs.insert(pairs.end(), targets.begin(), targets.end());
  }
  EdgeSet by_id() const {
    return {1, Tensor(nullptr, ids.data(), kInt64, {static_cast<int64_t>(ids.size())})};
  }
  EdgeSet by_pair() const {
    return {0, Tensor(nullptr, pairs.data(), kInt64, {2, static_cast<int64_t>(ids.size())})};
  }

  std::vector<int64_t> ids;
  std::vector<int64_t> pairs;  // sources, then targets
};

// The request of a case: ten seeds, with times where the sampler has times.
inline SampleRequest request_of(const RowCase& given, const SamplerOptions& options) {
  static const std::vector<int64_t> kSeeds = {11, 5, 1499, 0, 5, 700, 701, 702, 1400, 1222};
  static const std::vector<int64_t> kTimes = {900, 300, 420, 880, 540, 600, 660, 720, 780, 840};
  SampleRequest out;
  out.epoch = 1;
  out.batch = 3;
  out.seeds = {{given.seed_type, span_of(kSeeds), options.temporal() ? span_of(kTimes) : IdSpan()}};
  return out;
}

}  // namespace gls::test
