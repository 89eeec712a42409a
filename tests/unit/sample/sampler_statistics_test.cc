// Are picks uniform and independent? Tests with stated significance over many batches. Seeds are
// fixed, so a result never changes from run to run; a bound is the quantile that a fair sampler
// exceeds with probability 1e-6.
#include <gtest/gtest.h>

#include <cmath>

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

constexpr int64_t kRows = 4096;

// kRows nodes, each with the same `degree` in-neighbours 0 .. degree-1.
std::shared_ptr<const Dataset> regular_graph(const std::shared_ptr<Context>& context,
                                             int64_t degree) {
  TestGraph graph;
  graph.nodes = {{"node", std::max(kRows, degree)}};
  graph.edges = {{"node__to__node", {}, {}, {}, {}}};
  graph.store_ids = false;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t i = 0; i < degree; ++i) {
      graph.edges[0].source.push_back(i);
      graph.edges[0].target.push_back(row);
    }
  }
  return make_dataset(context, graph);
}

struct Case {
  const char* simd;
  int64_t degree;
  int64_t fanout;
};

class Picks : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    context_ = make_context(1);
    ASSERT_TRUE(context_->set("cpu.simd", GetParam().simd).ok());
    dataset_ = regular_graph(context_, GetParam().degree);
    SamplerOptions options;
    options.seed = 20240607;
    options.num_hops = 1;
    options.fanouts = {{GetParam().fanout}};
    options.edge_ids = true;
    sampler_ = Sampler::create(dataset_, options).take();
    for (int64_t row = 0; row < kRows; ++row) {
      seeds_.push_back(row);
    }
  }

  // Positions inside their rows, fanout for each of the kRows seeds.
  std::vector<int64_t> batch(uint64_t number) {
    SampleRequest request;
    request.batch = number;
    request.seeds = {{0, IdSpan(seeds_.data(), true, kRows)}};
    auto sampled = sampler_->sample(request);
    EXPECT_TRUE(sampled.ok());
    std::vector<int64_t> out = values_of((*sampled)->edges[0].edge);
    for (int64_t& position : out) {
      position %= GetParam().degree;
    }
    return out;
  }

  std::shared_ptr<Context> context_;
  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<const Sampler> sampler_;
  std::vector<int64_t> seeds_;
};

// Every item of a row must be picked equally often, and every pair of items. A weak generator
// passes the first and fails the second: the draws of one row then depend on each other.
TEST_P(Picks, ItemsAndPairsAreUniform) {
  const auto d = static_cast<size_t>(GetParam().degree);
  const auto k = static_cast<size_t>(GetParam().fanout);
  constexpr int kBatches = 150;
  std::vector<double> items(d, 0);
  std::vector<double> pairs(d * d, 0);
  for (int b = 0; b < kBatches; ++b) {
    const std::vector<int64_t> picks = batch(static_cast<uint64_t>(b));
    for (size_t row = 0; row < static_cast<size_t>(kRows); ++row) {
      for (size_t i = 0; i < k; ++i) {
        const auto one = static_cast<size_t>(picks[row * k + i]);
        ++items[one];
        for (size_t j = 0; j < i; ++j) {
          const auto other = static_cast<size_t>(picks[row * k + j]);
          ASSERT_NE(one, other) << "picked twice without replacement";
          ++pairs[std::min(one, other) * d + std::max(one, other)];
        }
      }
    }
  }
  const double rows = static_cast<double>(kBatches) * kRows;
  const auto dd = static_cast<double>(d);
  const auto kk = static_cast<double>(k);
  // Inclusion counts of one row add up to k, hence the factor (d - 1) / d and d - 1 degrees.
  const double p = kk / dd;
  double item_chi = 0;
  for (const double count : items) {
    item_chi += (count - rows * p) * (count - rows * p) / (rows * p * (1 - p)) * (dd - 1) / dd;
  }
  EXPECT_LT(std::abs(chi_square_z(item_chi, dd - 1)), kZ);
  // What remains of the pairs when the items' share is taken out is, for a fair sampler, spread
  // evenly over d (d - 3) / 2 dimensions (the Johnson scheme J(d, 2)), each with the variance
  // below.
  const auto pick_probability = [&](int m) {  // of m given items together
    double probability = 1;
    for (int i = 0; i < m; ++i) {
      probability *= (kk - i) / (dd - i);
    }
    return probability;
  };
  const double p2 = pick_probability(2);
  const double variance =
      (p2 - p2 * p2) - 2 * (pick_probability(3) - p2 * p2) + (pick_probability(4) - p2 * p2);
  const auto deviation = [&](size_t i, size_t j) {
    return pairs[std::min(i, j) * d + std::max(i, j)] - rows * p2;
  };
  std::vector<double> share(d, 0);
  for (size_t i = 0; i < d; ++i) {
    for (size_t j = 0; j < d; ++j) {
      share[i] += i != j ? deviation(i, j) / (dd - 2) : 0;
    }
  }
  double pair_chi = 0;
  for (size_t i = 0; i < d; ++i) {
    for (size_t j = i + 1; j < d; ++j) {
      const double rest = deviation(i, j) - share[i] - share[j];
      pair_chi += rest * rest / (rows * variance);
    }
  }
  EXPECT_LT(std::abs(chi_square_z(pair_chi, dd * (dd - 3) / 2)), kZ)
      << "the draws of one row depend on each other";
}

// Correlation of "item i was picked" between neighbouring rows, and between consecutive batches of
// one row.
TEST_P(Picks, RowsAndBatchesAreIndependent) {
  const auto d = static_cast<size_t>(GetParam().degree);
  const auto k = static_cast<size_t>(GetParam().fanout);
  constexpr int kBatches = 60;
  std::vector<char> previous;
  double shared_rows = 0;
  double shared_batches = 0;
  double row_pairs = 0;
  double batch_pairs = 0;
  for (int b = 0; b < kBatches; ++b) {
    const std::vector<int64_t> picks = batch(1000 + static_cast<uint64_t>(b));
    std::vector<char> in(static_cast<size_t>(kRows) * d, 0);
    for (size_t e = 0; e < picks.size(); ++e) {
      in[e / k * d + static_cast<size_t>(picks[e])] = 1;
    }
    for (size_t row = 0; row < static_cast<size_t>(kRows); ++row) {
      for (size_t i = 0; i < d; ++i) {
        shared_rows += row > 0 ? in[row * d + i] & in[(row - 1) * d + i] : 0;
        shared_batches += b > 0 ? in[row * d + i] & previous[row * d + i] : 0;
      }
      row_pairs += row > 0 ? 1 : 0;
      batch_pairs += b > 0 ? 1 : 0;
    }
    previous = std::move(in);
  }
  // The overlap of two independent k-subsets of d items is hypergeometric.
  const auto dd = static_cast<double>(d);
  const auto kk = static_cast<double>(k);
  const double mean = kk * kk / dd;
  const double variance = mean * (dd - kk) / dd * (dd - kk) / (dd - 1);
  EXPECT_LT(std::abs(shared_rows - row_pairs * mean) / std::sqrt(row_pairs * variance), kZ);
  EXPECT_LT(std::abs(shared_batches - batch_pairs * mean) / std::sqrt(batch_pairs * variance), kZ);
}

INSTANTIATE_TEST_SUITE_P(
    Uniform, Picks,
    testing::Values(Case{"avx512", 17, 5}, Case{"avx512", 17, 15}, Case{"avx512", 40, 5},
                    Case{"avx512", 40, 10}, Case{"avx512", 40, 25}, Case{"avx512", 200, 15},
                    Case{"avx2", 17, 10}, Case{"avx2", 40, 15}, Case{"avx2", 40, 31},
                    Case{"plain", 17, 10}, Case{"plain", 40, 15}, Case{"plain", 60, 40}),
    [](const auto& tested) {
      return formatted("{}_{}_of_{}", tested.param.simd, tested.param.fanout, tested.param.degree);
    });

// Rows beyond 65536 entries draw with 64-bit words.
TEST(LongRow, IsUniform) {
  constexpr int64_t kDegree = 70001;
  TestGraph graph;
  graph.nodes = {{"node", kDegree}};
  graph.edges = {{"node__to__node", {}, {}, {}, {}}};
  graph.store_ids = false;
  for (int64_t i = 0; i < kDegree; ++i) {
    graph.edges[0].source.push_back(i);
    graph.edges[0].target.push_back(0);
  }
  const auto dataset = make_dataset(make_context(1), graph);
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{15}};
  const auto sampler = Sampler::create(dataset, options).take();
  constexpr size_t kBins = 1000;
  constexpr int kBatches = 20000;
  std::vector<double> counts(kBins, 0);
  const std::vector<int64_t> seed = {0};
  for (int b = 0; b < kBatches; ++b) {
    SampleRequest request;
    request.batch = static_cast<uint64_t>(b);
    request.seeds = {{0, IdSpan(seed.data(), true, 1)}};
    auto batch = sampler->sample(request);
    ASSERT_TRUE(batch.ok());
    const std::vector<int64_t> nodes = values_of((*batch)->nodes[0].node);
    for (const int64_t local : values_of((*batch)->edges[0].row())) {
      const int64_t node = nodes[static_cast<size_t>(local)];
      ++counts[static_cast<size_t>(node) * kBins / kDegree];
    }
  }
  double chi = 0;
  for (size_t bin = 0; bin < kBins; ++bin) {
    const auto edge = [](size_t i) { return (i * kDegree + kBins - 1) / kBins; };
    const double expected = 15.0 * kBatches * static_cast<double>(edge(bin + 1) - edge(bin)) /
                            static_cast<double>(kDegree);
    chi += (counts[bin] - expected) * (counts[bin] - expected) / expected;
  }
  EXPECT_LT(std::abs(chi_square_z(chi, kBins - 1)), kZ);
}

// Weighted picks: one draw follows the weights; without replacement the second follows what
// remains.
TEST(Weighted, FollowsTheWeights) {
  const std::vector<float> weights = {1, 0, 2, 4, 0.5F, 8, 1, 3};
  TestGraph graph;
  graph.nodes = {{"node", 8}};
  graph.edges = {
      {"node__to__node", {0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 0, 0, 0, 0, 0, 0}, weights, {}}};
  const auto dataset = make_dataset(make_context(1), graph);
  double total = 0;
  for (const float w : weights) {
    total += w;
  }
  for (const int64_t fanout : {1, 2}) {
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{fanout}};
    options.weight = "weight";
    options.edge_ids = true;
    const auto sampler = Sampler::create(dataset, options).take();
    constexpr int kBatches = 200000;
    std::vector<double> counts(64, 0);
    const std::vector<int64_t> seed = {0};
    for (int b = 0; b < kBatches; ++b) {
      SampleRequest request;
      request.batch = static_cast<uint64_t>(b);
      request.seeds = {{0, IdSpan(seed.data(), true, 1)}};
      const std::vector<int64_t> edges = values_of((*sampler->sample(request))->edges[0].edge);
      const size_t second = fanout == 2 ? static_cast<size_t>(edges[1]) : 0;
      ++counts[static_cast<size_t>(edges[0]) * 8 + second];
    }
    double chi = 0;
    double cells = 0;
    for (size_t i = 0; i < 8; ++i) {
      for (size_t j = 0; j < 8; ++j) {
        double p = weights[i] / total;
        if (fanout == 2) {
          p = i == j ? 0 : p * weights[j] / (total - weights[i]);
        } else if (j != 0) {
          continue;
        }
        if (p == 0) {
          EXPECT_EQ(counts[i * 8 + j], 0) << "picked an edge of weight 0, or one edge twice";
          continue;
        }
        chi += (counts[i * 8 + j] - kBatches * p) * (counts[i * 8 + j] - kBatches * p) /
               (kBatches * p);
        ++cells;
      }
    }
    EXPECT_LT(std::abs(chi_square_z(chi, cells - 1)), kZ) << "fanout " << fanout;
  }
}

}  // namespace
}  // namespace gls::test
