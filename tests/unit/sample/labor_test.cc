// Picking by layer: is every neighbour as likely as its row says, do rows pick the same nodes, and
// do numbers last as long as they should?
#include "sample/pick/labor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/philox.h"
#include "sample/pick/labor.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr double kZ = 4.76;  // normal quantile at 1 - 1e-6

// Wilson and Hilferty's cube-root transformation makes a chi-square nearly normal.
double chi_square_z(double statistic, double freedom) {
  const double spread = 2.0 / (9.0 * freedom);
  return (std::cbrt(statistic / freedom) - (1.0 - spread)) / std::sqrt(spread);
}

// Row v of "node__to__node" holds v % 3 + 40 of 64 nodes, so that rows overlap but differ.
TestGraph shared_neighbours(int64_t rows) {
  TestGraph graph;
  graph.nodes = {{"node", rows}};
  TestEdges& edges = graph.edges.emplace_back();
  edges.name = "node__to__node";
  for (int64_t v = 0; v < rows; ++v) {
    for (int64_t i = 0; i < 40 + v % 3; ++i) {
      edges.source.push_back((7 * v + i) % 64);
      edges.target.push_back(v);
      edges.weight.push_back(static_cast<float>(1 + i % 4));
    }
  }
  return graph;
}

SamplerOptions layer_options(std::vector<int64_t> fanouts) {
  SamplerOptions options;
  options.seed = 20250713;
  options.num_hops = fanouts.size();
  options.fanouts = {std::move(fanouts)};
  options.edge_ids = true;
  options.pick = Pick::kLayer;
  return options;
}

std::shared_ptr<Batch> sample(const Sampler& sampler, const std::vector<int64_t>& seeds,
                              uint64_t number, uint64_t epoch = 0) {
  SampleRequest request;
  request.epoch = epoch;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  auto batch = sampler.sample(request);
  EXPECT_TRUE(batch.ok()) << batch.status().message();
  return batch.take();
}

std::vector<int64_t> first_nodes(int64_t count) {
  std::vector<int64_t> out;
  for (int64_t v = 0; v < count; ++v) {
    out.push_back(v);
  }
  return out;
}

// The neighbours (dataset ids) that each seed picked in a batch of one hop.
std::map<int64_t, std::vector<int64_t>> picked(const Batch& batch) {
  const std::vector<int64_t> node = values_of(batch.nodes[0].node);
  const std::vector<int64_t> row = values_of(batch.edges[0].row());
  const std::vector<int64_t> col = values_of(batch.edges[0].col());
  std::map<int64_t, std::vector<int64_t>> out;
  for (size_t e = 0; e < row.size(); ++e) {
    out[node[static_cast<size_t>(col[e])]].push_back(node[static_cast<size_t>(row[e])]);
  }
  return out;
}

struct Way {
  const char* simd;
  int64_t fanout;
  uint32_t batch_dependency;
};

class ByLayer : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    context_ = make_context(1);
    ASSERT_TRUE(context_->set("cpu.simd", GetParam().simd).ok());
  }
  std::shared_ptr<Context> context_;
};

// Batches `dependency` apart share no number, so their picks are independent: inclusion counts of
// a row are then spread as those of a fair sampler, which a chi-square test exceeds with
// probability 1e-6.
TEST_P(ByLayer, EveryNeighbourIsAsLikely) {
  const auto dataset = make_dataset(context_, shared_neighbours(64));
  SamplerOptions options = layer_options({GetParam().fanout});
  options.batch_dependency = GetParam().batch_dependency;
  const auto sampler = Sampler::create(dataset, options).take();
  const uint64_t step = std::max<uint32_t>(GetParam().batch_dependency, 1);
  constexpr int kBatches = 4000;
  const std::vector<int64_t> seeds = {0, 31, 62};
  std::map<int64_t, std::map<int64_t, double>> counts;
  for (uint64_t b = 0; b < kBatches; ++b) {
    for (const auto& [row, neighbors] : picked(*sample(*sampler, seeds, b * step + 1))) {
      ASSERT_EQ(neighbors.size(), static_cast<size_t>(GetParam().fanout));
      for (const int64_t neighbor : neighbors) {
        ++counts[row][neighbor];
      }
    }
  }
  for (const int64_t row : seeds) {
    const auto d = static_cast<double>(40 + row % 3);
    const double p = static_cast<double>(GetParam().fanout) / d;
    double chi = 0;
    for (int64_t i = 0; i < 40 + row % 3; ++i) {
      const double off = counts[row][(7 * row + i) % 64] - kBatches * p;
      chi += off * off / (kBatches * p * (1 - p)) * (d - 1) / d;
    }
    EXPECT_LT(std::abs(chi_square_z(chi, d - 1)), kZ) << "row " << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ByLayer,
                         testing::Values(Way{"avx512", 5, 0}, Way{"avx512", 15, 3},
                                         Way{"avx2", 5, 3}, Way{"plain", 12, 0}),
                         [](const auto& tested) {
                           return std::string(tested.param.simd) + "_" +
                                  std::to_string(tested.param.fanout) + "_" +
                                  std::to_string(tested.param.batch_dependency);
                         });

// By weight a row takes neighbours about in proportion: of two equal classes, the one of twice the
// weight is taken about twice as often while few are taken.
TEST(Layers, WeightsCount) {
  const auto dataset = make_dataset(make_context(1), shared_neighbours(64));
  SamplerOptions options = layer_options({2});
  options.weight = "weight";
  const auto sampler = Sampler::create(dataset, options).take();
  constexpr int kBatches = 20000;
  double of_weight[5] = {};
  for (uint64_t b = 0; b < kBatches; ++b) {
    for (const auto& [row, neighbors] : picked(*sample(*sampler, {0}, b))) {
      for (const int64_t neighbor : neighbors) {
        ++of_weight[1 + neighbor % 4];
      }
    }
  }
  for (int w = 1; w <= 4; ++w) {
    // Sequential Poisson sampling has the probabilities asked for but for a few percent.
    EXPECT_NEAR(of_weight[w] / (2.0 * kBatches), w / 10.0, 0.02);
  }
}

// If row a takes t and not s, and both rows have both, then t's number is below s's, so row b, if
// it takes s, takes t.
TEST(Layers, RowsAgree) {
  const auto dataset = make_dataset(make_context(1), shared_neighbours(64));
  const auto sampler = Sampler::create(dataset, layer_options({9})).take();
  const auto in_row = [](int64_t row, int64_t node) {
    return ((node - 7 * row) % 64 + 64) % 64 < 40 + row % 3;
  };
  for (uint64_t b = 0; b < 20; ++b) {
    const auto rows = picked(*sample(*sampler, first_nodes(64), b));
    ASSERT_EQ(rows.size(), 64U);
    for (const auto& [one, of_one] : rows) {
      EXPECT_TRUE(std::is_sorted(of_one.begin(), of_one.end(), [&, row = one](auto x, auto y) {
        return (x - 7 * row + 6400) % 64 < (y - 7 * row + 6400) % 64;
      })) << "not in stored order";
      for (const auto& [other, of_other] : rows) {
        for (const int64_t t : of_one) {
          for (const int64_t s : of_other) {
            const bool one_leaves_s =
                in_row(one, s) && std::count(of_one.begin(), of_one.end(), s) == 0;
            const bool other_takes_t = std::count(of_other.begin(), of_other.end(), t) > 0;
            ASSERT_TRUE(!one_leaves_s || !in_row(other, t) || other_takes_t);
          }
        }
      }
    }
  }
}

// The reason for all this.
TEST(Layers, BatchesHaveFewerNodes) {
  const auto dataset = make_dataset(make_context(1), shared_neighbours(4096));
  SamplerOptions options = layer_options({5});
  const auto by_layer = Sampler::create(dataset, options).take();
  options.pick = Pick::kIndependent;
  const auto apart = Sampler::create(dataset, options).take();
  const std::vector<int64_t> seeds = {1000, 1064, 1128, 1192, 1256, 1320};  // rows of one place
  for (uint64_t b = 0; b < 10; ++b) {
    const auto few = sample(*by_layer, seeds, b);
    const auto many = sample(*apart, seeds, b);
    EXPECT_EQ(few->edges[0].row().rows(), many->edges[0].row().rows());
    EXPECT_LE(few->nodes[0].node.rows(), 6 + 5 + 4);
    EXPECT_GE(many->nodes[0].node.rows(), 6 + 14);
  }
}

TEST(Layers, EdgeTypesShareNumbers) {
  TestGraph graph;
  graph.nodes = {{"a", 2}, {"b", 50}, {"c", 2}};
  for (const char* name : {"b__one__a", "b__two__c"}) {
    TestEdges& edges = graph.edges.emplace_back();
    edges.name = name;
    for (int64_t i = 0; i < 50; ++i) {
      edges.source.push_back(i);
      edges.target.push_back(1);
    }
  }
  const auto dataset = make_dataset(make_context(1), graph);
  SamplerOptions options = layer_options({6});
  options.fanouts.push_back({6});
  const auto sampler = Sampler::create(dataset, options).take();
  const std::vector<int64_t> seed = {1};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seed.data(), true, 1)}, {2, IdSpan(seed.data(), true, 1)}};
  const auto batch = sampler->sample(request).take();
  EXPECT_EQ(batch->nodes[1].node.rows(), 6);
  EXPECT_EQ(values_of(batch->edges[0].edge), values_of(batch->edges[1].edge));
}

// The numbers of many nodes in one batch, read through the kernels.
std::vector<uint64_t> numbers(const char* simd, uint32_t dependency, uint64_t batch,
                              uint32_t hop = 0, bool layer_dependent = false) {
  const auto context = make_context(1);
  EXPECT_TRUE(context->set("cpu.simd", simd).ok());
  SamplerOptions options = layer_options({1});
  options.batch_dependency = dependency;
  options.layer_dependent = layer_dependent;
  constexpr int64_t kNodes = 20003;
  const std::vector<int64_t> ids = first_nodes(kNodes);
  std::vector<uint64_t> out(kNodes + kernels::kDrawLanes);
  const auto args = LaborKeys(options, 2, batch).args(1, kNodes, hop);
  const kernels::Table& table = kernels::table_for(static_cast<int>(context->simd()));
  EXPECT_TRUE(table.numbers[1](args, ids.data(), kNodes, out.data()));
  out.resize(kNodes);
  return out;
}
double share_kept(const std::vector<uint64_t>& one, const std::vector<uint64_t>& other) {
  double kept = 0;
  for (size_t v = 0; v < one.size(); ++v) {
    kept += one[v] == other[v] ? 1 : 0;
  }
  return kept / static_cast<double>(one.size());
}

// Between batches i and i + j, 1 - j / K of the nodes keep their numbers; none from K on. The bound
// is the normal quantile at 1 - 1e-6.
TEST(Layers, NumbersLastForKBatches) {
  for (const uint32_t dependency : {2U, 5U, 16U}) {
    for (const uint64_t from : {uint64_t{0}, uint64_t{3}, uint64_t{1} << 40}) {
      const std::vector<uint64_t> first = numbers("avx512", dependency, from);
      for (uint64_t j = 1; j <= dependency + 1; ++j) {
        const double kept = share_kept(first, numbers("avx512", dependency, from + j));
        const double expected =
            std::max(0.0, 1 - static_cast<double>(j) / static_cast<double>(dependency));
        const double spread = std::sqrt(expected * (1 - expected) / 20003);
        EXPECT_NEAR(kept, expected, kZ * spread) << dependency << " " << from << " " << j;
      }
    }
  }
  EXPECT_EQ(share_kept(numbers("avx512", 0, 7), numbers("avx512", 1, 7)), 1);
  EXPECT_EQ(share_kept(numbers("avx512", 1, 7), numbers("avx512", 1, 8)), 0);
}

TEST(Layers, HopsShareNumbersWhenAsked) {
  EXPECT_EQ(share_kept(numbers("plain", 3, 7, 0), numbers("plain", 3, 7, 1)), 0);
  EXPECT_EQ(share_kept(numbers("plain", 3, 7, 0, true), numbers("plain", 3, 7, 1, true)), 1);
  EXPECT_EQ(share_kept(numbers("plain", 3, 7, 0, true), numbers("plain", 3, 7, 0)), 0);
}

TEST(Layers, InstructionSetsAgree) {
  for (const uint32_t dependency : {1U, 7U, 0xffffffffU}) {
    const std::vector<uint64_t> plain = numbers("plain", dependency, 0xfffffffcU);
    EXPECT_EQ(plain, numbers("avx2", dependency, 0xfffffffcU));
    EXPECT_EQ(plain, numbers("avx512", dependency, 0xfffffffcU));
  }
}

// Kernels on their own: any count up to the most, equal numbers, small and large ones.
TEST(Layers, KernelsAgree) {
  uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state;
  };
  for (int64_t count = 1; count <= kernels::kMaxRanked; ++count) {
    for (const uint64_t distinct : {uint64_t{3}, uint64_t{1} << 20, ~uint64_t{0}}) {
      std::vector<uint64_t> given;
      for (int64_t i = 0; i < count; ++i) {
        given.push_back(distinct == ~uint64_t{0} ? next() : next() % distinct);
      }
      given.resize(static_cast<size_t>(count + kernels::kDrawLanes), 0);
      const uint64_t bound = given[0];
      std::vector<std::vector<int64_t>> results;
      for (int level = 0; level < 3; ++level) {
        const auto context = make_context(1);
        const int usable = std::min(level, static_cast<int>(context->simd()));
        const kernels::Table& table = kernels::table_for(usable);
        const auto room = static_cast<size_t>(count + kernels::kDrawLanes);
        std::vector<uint64_t> kept(room);
        std::vector<int64_t> places(room);
        std::vector<int64_t> out(room);
        const int64_t below =
            table.numbers_below(given.data(), count, bound, 100, kept.data(), places.data());
        std::vector<int64_t>& result = results.emplace_back(places.begin(), places.begin() + below);
        for (int64_t i = 0; i < below; ++i) {
          const auto at = static_cast<size_t>(i);
          EXPECT_EQ(kept[at], given[static_cast<size_t>(places[at] - 100)]);
          EXPECT_LE(kept[at], bound);
        }
        for (int64_t i = 0; i < count; ++i) {
          places[static_cast<size_t>(i)] = 10 * i;
        }
        const int64_t k = (count + 1) / 2;
        const int64_t taken = table.smallest(given.data(), places.data(), count, k, out.data());
        EXPECT_GE(taken, k);
        result.insert(result.end(), out.begin(), out.begin() + taken);
      }
      EXPECT_EQ(results[0], results[1]);
      EXPECT_EQ(results[0], results[2]);
    }
  }
}

// Ids that are stored wrongly are found where numbers are made of them.
TEST(Layers, DamagedIndices) {
  std::vector<int64_t> indptr(41, 0);
  indptr[1] = 30;
  std::fill(indptr.begin() + 2, indptr.end(), 30);
  for (const int32_t wrong : {-1, 40, 0x7fffffff}) {
    std::vector<int32_t> indices(30, 3);
    indices[29] = wrong;
    const auto sampler = Sampler::create(damaged(indptr, indices), layer_options({2})).take();
    const std::vector<int64_t> seed = {0};
    SampleRequest request;
    request.seeds = {{0, IdSpan(seed.data(), true, 1)}};
    auto batch = sampler->sample(request);
    ASSERT_FALSE(batch.ok());
    EXPECT_EQ(batch.status().code(), GLS_ERR_CORRUPT_DATA);
    EXPECT_EQ(*batch.status().detail("offset"), "29");
  }
}

}  // namespace
}  // namespace gls::test
