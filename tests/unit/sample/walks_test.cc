// Random walks: are steps distributed as node2vec says, and does exclusion mean what it should?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sample/methods/walker.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// Wilson and Hilferty's cube-root transformation makes a chi-square nearly normal.
double chi_square_z(double statistic, double freedom) {
  const double spread = 2.0 / (9.0 * freedom);
  return (std::cbrt(statistic / freedom) - (1.0 - spread)) / std::sqrt(spread);
}

struct Edge {
  int64_t source;
  int64_t target;
  float weight;
};

// 12 nodes, each with edges to 2 to 5 others, some of them parallel; `shuffled`: rows do not
// ascend.
std::vector<Edge> some_edges(bool shuffled) {
  std::vector<Edge> edges;
  for (int64_t v = 0; v < 12; ++v) {
    for (int64_t i = 0; i < 2 + v % 4; ++i) {
      edges.push_back({v, (v * 5 + i * i + 1) % 12, 0.5F + static_cast<float>((v + i) % 4)});
      edges.push_back({edges.back().target, v, 1.0F + static_cast<float>(i)});
    }
  }
  const auto by_ends = [](const Edge& a, const Edge& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  };
  std::stable_sort(edges.begin(), edges.end(), by_ends);
  if (shuffled) {
    std::reverse(edges.begin(), edges.end());
  }
  return edges;
}

TestGraph graph_of(const std::vector<Edge>& edges) {
  TestGraph graph;
  graph.nodes = {{"node", 12}};
  TestEdges& out = graph.edges.emplace_back();
  out.name = "node__to__node";
  for (const Edge& edge : edges) {
    out.source.push_back(edge.source);
    out.target.push_back(edge.target);
    out.weight.push_back(edge.weight);
  }
  return graph;
}

struct Way {
  const char* name;
  double p;
  double q;
  bool weighted;
  bool shuffled;
  bool excluded;
  Direction direction;
};

SamplerOptions options_of(const Way& way) {
  SamplerOptions options;
  options.seed = 20250301;
  options.direction = way.direction;
  options.weight = way.weighted ? "weight" : "";
  options.edge_ids = true;
  WalkOptions& walk = options.walk.emplace();
  walk.length = 60;
  walk.walks = 200;
  walk.p = way.p;
  walk.q = way.q;
  return options;
}

// All nodes are seeds; a row of walks of dataset ids for each, and the ids of the edges.
struct Walked {
  std::vector<int64_t> nodes;
  std::vector<int64_t> edges;
};
Walked walk(const Sampler& sampler, uint64_t number) {
  std::vector<int64_t> seeds(12);
  for (int64_t v = 0; v < 12; ++v) {
    seeds[static_cast<size_t>(v)] = v;
  }
  SampleRequest request;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, 12)}};
  auto batch = sampler.sample(request);
  EXPECT_TRUE(batch.ok()) << batch.status().message();
  const std::vector<int64_t> ids = values_of((*batch)->nodes[0].node);
  Walked out;
  const Tensor& local = (*batch)->walks->walk;
  for (int64_t i = 0; i < local.rows() * local.row_elements(); ++i) {
    const int64_t at = local.as<int64_t>()[i];
    out.nodes.push_back(at < 0 ? -1 : ids[static_cast<size_t>(at)]);
  }
  const Tensor& edges = (*batch)->walks->edge;
  out.edges.assign(edges.as<int64_t>(), edges.as<int64_t>() + edges.rows() * edges.row_elements());
  return out;
}

class SecondOrder : public testing::TestWithParam<Way> {};

// For every pair (previous, current) the law of the next edge is known exactly: a chi-square test
// for each, summed over all pairs. The bound is the quantile that a right sampler exceeds with
// probability 1e-6; the seed is fixed.
TEST_P(SecondOrder, StepsHaveTheExactProbabilities) {
  constexpr double kZ = 4.76;
  constexpr int kBatches = 20;
  const Way& way = GetParam();
  const std::vector<Edge> edges = some_edges(way.shuffled);
  const auto context = make_context(1);
  const auto dataset = make_dataset(context, graph_of(edges));
  SamplerOptions options = options_of(way);
  std::vector<bool> gone(edges.size());
  std::vector<int64_t> excluded;
  for (size_t e = 0; way.excluded && e < edges.size(); e += 7) {
    gone[e] = true;
    excluded.push_back(static_cast<int64_t>(e));
  }
  options.exclude = {{0, tensor_of(excluded, kInt64)}};
  const auto sampler = Sampler::create(dataset, options).take();
  const bool in = way.direction == Direction::kIn;
  const auto near = [&](size_t e) { return in ? edges[e].target : edges[e].source; };
  const auto far = [&](size_t e) { return in ? edges[e].source : edges[e].target; };
  const auto leads = [&](int64_t from, int64_t to) {
    for (size_t e = 0; e < edges.size(); ++e) {
      if (!gone[e] && near(e) == from && far(e) == to) {
        return true;
      }
    }
    return false;
  };
  // [previous][current][edge]
  std::map<std::pair<int64_t, int64_t>, std::map<size_t, double>> taken;
  const size_t length = options.walk->length;
  for (uint64_t number = 0; number < kBatches; ++number) {
    const Walked walked = walk(*sampler, number);
    for (size_t w = 0; w < walked.edges.size() / length; ++w) {
      for (size_t s = 1; s < length; ++s) {
        const int64_t* const at = &walked.nodes[w * (length + 1) + s];
        const int64_t edge = walked.edges[w * length + s];
        ASSERT_GE(edge, 0);
        ASSERT_EQ(near(static_cast<size_t>(edge)), at[0]);
        ASSERT_EQ(far(static_cast<size_t>(edge)), at[1]);
        ASSERT_FALSE(gone[static_cast<size_t>(edge)]);
        taken[{at[-1], at[0]}][static_cast<size_t>(edge)] += 1;
      }
    }
  }
  double statistic = 0;
  double freedom = 0;
  for (const auto& [pair, counts] : taken) {
    std::map<size_t, double> weights;
    double sum = 0;
    double total = 0;
    for (size_t e = 0; e < edges.size(); ++e) {
      if (near(e) == pair.second && !gone[e]) {
        const double bias = far(e) == pair.first        ? 1 / way.p
                            : leads(pair.first, far(e)) ? 1
                                                        : 1 / way.q;
        weights[e] = bias * (way.weighted ? static_cast<double>(edges[e].weight) : 1.0);
        sum += weights[e];
      }
    }
    for (const auto& [edge, count] : counts) {
      ASSERT_TRUE(weights.contains(edge));
      total += count;
    }
    double own = 0;
    bool enough = true;
    for (const auto& [edge, weight] : weights) {
      const double expected = total * weight / sum;
      enough = enough && expected >= 5;
      const auto found = counts.find(edge);
      const double difference = (found == counts.end() ? 0 : found->second) - expected;
      own += difference * difference / expected;
    }
    if (enough) {
      statistic += own;
      freedom += static_cast<double>(weights.size() - 1);
    }
  }
  ASSERT_GT(freedom, 50);
  EXPECT_LT(std::abs(chi_square_z(statistic, freedom)), kZ);
}

INSTANTIATE_TEST_SUITE_P(
    Walks, SecondOrder,
    testing::Values(Way{"first_order", 1, 1, false, false, false, Direction::kOut},
                    Way{"return", 0.25, 1, false, false, false, Direction::kOut},
                    Way{"no_return", 8, 1, false, false, false, Direction::kIn},
                    Way{"outward", 1, 0.25, false, false, false, Direction::kIn},
                    Way{"inward", 1, 4, false, true, false, Direction::kOut},
                    Way{"both", 4, 0.5, false, true, false, Direction::kIn},
                    Way{"exact", 0.001, 0.5, false, false, false, Direction::kOut},
                    Way{"weighted", 0.5, 2, true, false, false, Direction::kOut},
                    Way{"weighted_first_order", 1, 1, true, false, false, Direction::kIn},
                    Way{"excluded", 0.5, 4, false, false, true, Direction::kOut},
                    Way{"excluded_weighted", 2, 0.25, true, true, true, Direction::kIn}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Products of weights and biases may be too small for a number, of all edges of a row.
TEST(Walks, EndWhereNoEdgeWeighsAnything) {
  const auto context = make_context(1);
  const std::vector<Edge> edges = {{0, 1, 1}, {1, 2, 1e-30F}, {1, 3, 1e-30F}};
  const auto dataset = make_dataset(context, graph_of(edges));
  for (const bool weighted : {false, true}) {
    for (const bool excluded : {false, true}) {
      SamplerOptions options =
          options_of({"", 1, 1e300, weighted, false, excluded, Direction::kOut});
      if (excluded) {
        options.exclude = {{0, tensor_of(std::vector<int64_t>{2}, kInt64)}};
      }
      const Walked walked = walk(*Sampler::create(dataset, options).take(), 0);
      EXPECT_EQ(walked.nodes[0], 0);
      EXPECT_EQ(walked.nodes[1], 1);
      if (weighted) {
        EXPECT_EQ(walked.nodes[2], -1);
        EXPECT_EQ(walked.edges[1], -1);
      } else {
        EXPECT_GE(walked.nodes[2], 2);
      }
    }
  }
}

// Walks with excluded edges are those of the graph without them.
TEST(Walks, ExcludedEdgesAreAsIfTheyWereNotThere) {
  const auto context = make_context(1);
  for (const bool shuffled : {false, true}) {
    for (const bool weighted : {false, true}) {
      for (const Direction direction : {Direction::kIn, Direction::kOut}) {
        const std::vector<Edge> edges = some_edges(shuffled);
        std::vector<Edge> left;
        std::vector<int64_t> kept;
        std::vector<int64_t> excluded;
        for (size_t e = 0; e < edges.size(); ++e) {
          if (e % 5 == 2) {
            excluded.push_back(static_cast<int64_t>(e));
          } else {
            left.push_back(edges[e]);
            kept.push_back(static_cast<int64_t>(e));
          }
        }
        SamplerOptions options = options_of({"", 0.5, 3, weighted, shuffled, true, direction});
        const auto fewer = Sampler::create(make_dataset(context, graph_of(left)), options).take();
        options.exclude = {{0, tensor_of(excluded, kInt64)}};
        const auto sampler =
            Sampler::create(make_dataset(context, graph_of(edges)), options).take();
        const Walked one = walk(*sampler, 3);
        Walked other = walk(*fewer, 3);
        EXPECT_EQ(one.nodes, other.nodes);
        for (int64_t& edge : other.edges) {
          edge = edge < 0 ? edge : kept[static_cast<size_t>(edge)];
        }
        EXPECT_EQ(one.edges, other.edges);
      }
    }
  }
}

// Restart and stop happen as often as they should: binomial counts, bounds of 1e-6.
TEST(Walks, RestartAndStop) {
  constexpr double kZ = 4.9;  // two-sided
  const auto dataset = make_dataset(make_context(1), graph_of(some_edges(false)));
  SamplerOptions options = options_of({"", 1, 1, false, false, false, Direction::kOut});
  options.walk->restart = 0.2;
  options.walk->stop = 0.03;
  const auto sampler = Sampler::create(dataset, options).take();
  double steps = 0;
  double restarts = 0;
  double stops = 0;
  for (uint64_t number = 0; number < 10; ++number) {
    const Walked walked = walk(*sampler, number);
    for (size_t w = 0; w < walked.edges.size() / 60; ++w) {
      for (size_t s = 0; s < 60; ++s) {
        ++steps;
        const int64_t next = walked.nodes[w * 61 + s + 1];
        if (next < 0) {
          ++stops;
          break;
        }
        if (walked.edges[w * 60 + s] < 0) {
          ++restarts;
          ASSERT_EQ(next, walked.nodes[w * 61]);
        }
      }
    }
  }
  const auto z = [](double count, double of, double probability) {
    return (count - of * probability) / std::sqrt(of * probability * (1 - probability));
  };
  EXPECT_LT(std::abs(z(stops, steps, 0.03)), kZ);
  EXPECT_LT(std::abs(z(restarts, steps - stops, 0.2)), kZ);
}

// What a walk is does not depend on the walks around it.
TEST(Walks, AWalkIsAFunctionOfItsNumber) {
  const auto dataset = make_dataset(make_context(1), graph_of(some_edges(true)));
  SamplerOptions options = options_of({"", 0.5, 2, false, true, false, Direction::kOut});
  const auto many = Sampler::create(dataset, options).take();
  options.walk->walks = 5;
  const auto few = Sampler::create(dataset, options).take();
  const Walked all = walk(*many, 1);
  const Walked some = walk(*few, 1);
  // Walks 0 to 4 are of seed 0 in both.
  for (size_t i = 0; i < size_t{5} * 61; ++i) {
    ASSERT_EQ(all.nodes[i], some.nodes[i]);
  }
}

}  // namespace
}  // namespace gls::test
