// Labels of anchors: are those of more than there may be drawn evenly, and independently of
// anchors, batches and supervisions?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// Wilson and Hilferty's cube-root transformation makes a chi-square nearly normal.
double chi_square_z(const std::vector<int64_t>& counts) {
  int64_t sum = 0;
  for (const int64_t count : counts) {
    sum += count;
  }
  const double expected = static_cast<double>(sum) / static_cast<double>(counts.size());
  double statistic = 0;
  for (const int64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    statistic += difference * difference / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  const double spread = 2.0 / (9.0 * freedom);
  return (std::cbrt(statistic / freedom) - (1.0 - spread)) / std::sqrt(spread);
}
// One of 3.5 million tests passes this by chance.
constexpr double kMostZ = 5;

// Anchor v has `degree` labels, the nodes of the other type.
std::shared_ptr<const Dataset> star(int64_t anchors, int64_t degree) {
  TestGraph graph;
  graph.nodes = {{"anchor", anchors}, {"label", degree}};
  TestEdges& edges = graph.edges.emplace_back();
  edges.name = "anchor__to__label";
  for (int64_t v = 0; v < anchors; ++v) {
    for (int64_t i = 0; i < degree; ++i) {
      edges.source.push_back(v);
      edges.target.push_back(i);
    }
  }
  return make_dataset(make_context(), graph);
}

std::shared_ptr<const Sampler> sampler_of(const std::shared_ptr<const Dataset>& dataset,
                                          int64_t most) {
  SamplerOptions options;
  options.seed = 20261122;
  options.num_hops = 1;
  options.fanouts = {{0}};
  options.supervisions = {{0, 1, "first", false, false, most}, {0, 1, "second", true, true, most}};
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  return sampler.take();
}

// Labels of each anchor in turn, as dataset ids: of the first supervision, and of the second.
std::array<std::vector<int64_t>, 2> labels_of(const Sampler& sampler,
                                              const std::vector<int64_t>& anchors, uint64_t batch) {
  const Tensor ids = tensor_of(anchors, kInt64);
  SampleRequest request;
  request.batch = batch;
  request.seeds = {{0, *IdSpan::of(ids, "seeds"), {}}};
  auto made = sampler.sample(request);
  EXPECT_TRUE(made.ok()) << made.status().message();
  std::array<std::vector<int64_t>, 2> out;
  for (size_t s = 0; s < 2; ++s) {
    const Tensor& labels = (*made)->labels[s].label;
    for (int64_t i = 0; i < labels.rows() * labels.row_elements(); ++i) {
      out[s].push_back((*made)->nodes[1].node.as<int64_t>()[labels.as<int64_t>()[i]]);
    }
  }
  return out;
}

TEST(Anchors, EverySetOfLabelsIsAsLikely) {
  const auto dataset = star(3, 6);
  const auto sampler = sampler_of(dataset, 3);
  std::vector<int64_t> sets(64);
  std::vector<int64_t> pairs(36);  // first labels of two anchors
  std::vector<int64_t> batches(36);
  int64_t before = 0;
  for (uint64_t batch = 0; batch < 20000; ++batch) {
    const auto [first, second] = labels_of(*sampler, {0, 1, 2}, batch);
    EXPECT_EQ(first, second);  // the same edge type, anchors and batch
    for (size_t i = 0; i < 9; i += 3) {
      ++sets[size_t{1} << first[i] | size_t{1} << first[i + 1] | size_t{1} << first[i + 2]];
    }
    const int64_t least = *std::min_element(first.begin(), first.begin() + 3);
    EXPECT_LT(least, 4);
    ++pairs[static_cast<size_t>(6 * first[2] + first[5])];
    ++batches[static_cast<size_t>(6 * before + first[2])];
    before = first[2];
  }
  std::erase(sets, 0);
  EXPECT_EQ(sets.size(), 20U);
  EXPECT_LT(chi_square_z(sets), kMostZ);
  // Independence, whatever the distribution of the third label is: Floyd's is not even.
  for (const std::vector<int64_t>& table : {pairs, batches}) {
    std::array<double, 6> rows{};
    std::array<double, 6> columns{};
    double sum = 0;
    for (size_t i = 0; i < 36; ++i) {
      rows[i / 6] += static_cast<double>(table[i]);
      columns[i % 6] += static_cast<double>(table[i]);
      sum += static_cast<double>(table[i]);
    }
    double statistic = 0;
    for (size_t i = 0; i < 36; ++i) {
      const double expected = rows[i / 6] * columns[i % 6] / sum;
      const double difference = static_cast<double>(table[i]) - expected;
      statistic += difference * difference / expected;
    }
    const double spread = 2.0 / (9.0 * 25);
    EXPECT_LT((std::cbrt(statistic / 25) - (1.0 - spread)) / std::sqrt(spread), kMostZ);
  }
}

TEST(Anchors, LargeRowsAreDrawnFromEvenly) {
  constexpr int64_t kDegree = 70000;  // 64-bit draws
  const auto dataset = star(1, kDegree);
  const auto sampler = sampler_of(dataset, 50);
  std::vector<int64_t> bins(70);
  for (uint64_t batch = 0; batch < 400; ++batch) {
    const auto labels = labels_of(*sampler, {0}, batch);
    for (const int64_t label : labels[0]) {
      ++bins[static_cast<size_t>(label / 1000)];
    }
  }
  EXPECT_LT(chi_square_z(bins), kMostZ);
}

TEST(Anchors, RowsThatWouldBeTooLongAreRefused) {
  const auto dataset = star(1, 70000);
  const auto sampler = sampler_of(dataset, 0);
  const Tensor ids = tensor_of(std::vector<int64_t>(40000), kInt64);  // 2.8e9 labels
  SampleRequest request;
  request.seeds = {{0, *IdSpan::of(ids, "seeds"), {}}};
  EXPECT_EQ(sampler->sample(request).status().code(), GLS_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gls::test
