// Parts of weights, and tables of them, which change no batch and no error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "base/philox.h"
#include "sample/pick/alias.h"
#include "sample/pick/weight_table.h"
#include "sample/pick/weighted_parts.h"
#include "sample/sampler.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr uint64_t kNoLimit = UINT64_MAX;

class Random {
 public:
  explicit Random(uint64_t seed) : seed_(seed) {}
  uint64_t bits() {
    ++at_;
    return key_of(philox(lo32(at_), hi32(at_), 0, 0, seed_));
  }
  int64_t below(int64_t n) {
    return static_cast<int64_t>(mul_high64(bits(), static_cast<uint64_t>(n)));
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

 private:
  uint64_t seed_;
  uint64_t at_ = 0;
};

// ---- parts -------------------------------------------------------------------------------------

TEST(WeightedParts, EveryPositiveWeightHasOneAndTheyAddUp) {
  WeightedParts list;
  std::vector<int32_t> parts(5);
  const std::vector<double> weights = {1e-300, 0, 1e300, 5e-324, 0};
  const std::vector<double> sums = {1e-300, 1e-300, 1e300, 1e300, 1e300};
  divide(weights, sums, 3, parts.data());
  EXPECT_EQ(parts, (std::vector<int32_t>{1, 1, kAllParts - 1, kAllParts, kAllParts}));
}

TEST(WeightedParts, WhatRemainsIsTheSameForFewAndForMany) {
  // A tree is used beyond 1024 picks: it has to find what going through those taken finds.
  Random random(5);
  std::vector<double> weights;
  std::vector<double> sums;
  double sum = 0;
  int64_t positive = 0;
  for (int64_t i = 0; i < 3000; ++i) {
    weights.push_back(i % 5 == 0 ? 0 : std::exp(15 * random.unit()));
    positive += i % 5 == 0 ? 0 : 1;
    sum += weights.back();
    sums.push_back(sum);
  }
  std::vector<int32_t> parts(weights.size());
  divide(weights, sums, positive, parts.data());
  RemainingParts few;
  RemainingParts many;
  few.start(parts, 1024);
  many.start(parts, 1025);
  for (int64_t taken = 0; taken < 1024; ++taken) {
    const auto draw = static_cast<uint32_t>(random.bits());
    const int64_t i = few.draw(draw);
    ASSERT_EQ(many.draw(draw), i);
    ASSERT_GT(weights[static_cast<size_t>(i)], 0);
    ASSERT_TRUE(few.take(i));
    ASSERT_TRUE(many.take(i));
    ASSERT_FALSE(few.take(i));
    ASSERT_FALSE(many.take(i));
  }
}

TEST(WeightedParts, RefusesSumsAndListsThatAreTooLarge) {
  WeightedParts list;
  list.add(1e308);
  list.add(1e308);
  EXPECT_FALSE(list.divide());
  list.clear();
  list.add(1);
  EXPECT_TRUE(list.divide());
  EXPECT_EQ(list.select(0), 0);
  EXPECT_EQ(list.select(kAllParts - 1), 0);
}

// ---- the table ---------------------------------------------------------------------------------

// One type of nodes and one of edges, rows as given, neighbours anything.
std::shared_ptr<const Dataset> rows_of(const std::vector<int64_t>& indptr, Tensor weights,
                                       Tensor edge_ids = {}) {
  NodeType nodes;
  nodes.name = "node";
  nodes.count = static_cast<int64_t>(indptr.size()) - 1;
  EdgeType edges;
  edges.name = {"node", "to", "node"};
  edges.joined = edges.name.joined();
  edges.count = weights.rows();
  std::vector<int32_t> indices(static_cast<size_t>(edges.count));
  for (size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<int32_t>(i % static_cast<size_t>(nodes.count));
  }
  edges.csc = Topology::make(tensor_of(indptr, kInt64), tensor_of(indices, kInt32),
                             std::move(edge_ids), nodes.count, edges.count, nodes.count, "test")
                  .take();
  edges.columns.push_back({"weight", GLS_ROLE_WEIGHT, std::move(weights)});
  return Dataset::create(make_context(2), {nodes}, {edges}).take();
}

std::shared_ptr<const WeightTable> table_of(const Dataset& dataset, uint64_t most = kNoLimit) {
  return WeightTable::of(dataset, 0, Layout::kCsc, dataset.edge_types()[0].columns[0], most).take();
}

const std::vector<int64_t> kDegrees = {0,   1,   2,    3, 15,  16,   17,   31,   127,   128,
                                       129, 130, 1000, 0, 255, 2047, 2048, 2049, 40000, 70000};

// What a weight of each kind of row is.
double weight_of(size_t kind, int64_t i, Random& random) {
  switch (kind) {
    case 0:
      return random.unit();
    case 1:
      return i % 3 == 0 ? 0 : static_cast<double>(random.below(5));
    case 2:
      return std::exp(20 * random.unit());
    case 3:
      return 1e-290 * random.unit();
    case 4:
      return 1e300 * random.unit();
    default:
      return 1;
  }
}

// The row's weights as parts, of which one at least is positive.
std::vector<int32_t> parts_of_weights(std::span<const double> weights) {
  WeightedParts list;
  for (const double weight : weights) {
    list.add(weight);
  }
  EXPECT_TRUE(list.divide());
  return {list.parts().begin(), list.parts().end()};
}

std::vector<int32_t> parts_of_slots(std::span<const AliasSlot> slots) {
  std::vector<int32_t> parts;
  parts_of(slots, &parts);
  return parts;
}

// That sums say of each slot what a table has.
void expect_same_slots(const std::vector<int32_t>& parts, std::span<const AliasSlot> slots) {
  std::vector<uint64_t> lacks;
  for (size_t i = 0; i < parts.size(); ++i) {
    lacks.push_back((i == 0 ? 0 : lacks.back()) +
                    AliasSums::lack_of(AliasSums::size_of(parts.data(), parts.size(), i)));
  }
  const AliasSums sums = {parts.data(), lacks.data(), parts.size()};
  for (size_t i = 0; i < slots.size(); ++i) {
    const AliasSlot slot = sums[i];
    ASSERT_EQ(slot.share, slots[i].share) << i;
    ASSERT_EQ(slot.other, slots[i].other) << i;
  }
}

TEST(AliasTable, GivesEachEntryItsParts) {
  for (size_t kind = 0; kind < 6; ++kind) {
    Random random(kind);
    std::vector<int64_t> indptr = {0};
    std::vector<double> weights;
    for (const int64_t degree : kDegrees) {
      indptr.push_back(indptr.back() + degree);
      for (int64_t i = 0; i < degree; ++i) {
        weights.push_back(weight_of(kind, i, random));
      }
    }
    const auto dataset = rows_of(indptr, tensor_of(weights, kFloat64));
    const auto table = table_of(*dataset);
    ASSERT_NE(table, nullptr);
    for (size_t node = 0; node < kDegrees.size(); ++node) {
      SCOPED_TRACE(formatted("kind {} degree {}", kind, kDegrees[node]));
      const WeightTable::Row& row = table->rows()[node];
      std::vector<int64_t> positive;
      for (int64_t at = indptr[node]; at < indptr[node + 1]; ++at) {
        if (weights[static_cast<size_t>(at)] > 0) {
          positive.push_back(at);
        }
      }
      ASSERT_EQ(row.begin, indptr[node]);
      ASSERT_EQ(row.degree, kDegrees[node]);
      ASSERT_EQ(row.positive, static_cast<int64_t>(positive.size()));
      std::vector<int64_t> found;
      table->append_positive(row, &found);
      EXPECT_EQ(found, positive);
      if (positive.empty()) {
        continue;
      }
      const std::span<const double> mine(weights.data() + row.begin,
                                         static_cast<size_t>(row.degree));
      const std::span<const AliasSlot> slots = table->slots_of(row);
      EXPECT_EQ(parts_of_slots(slots), parts_of_weights(mine));
      expect_same_slots(parts_of_weights(mine), slots);
      for (size_t i = 0; i < slots.size(); ++i) {
        ASSERT_EQ(slots[i].share % 4, 0u);
        ASSERT_LT(slots[i].other, slots.size());
        ASSERT_GT(mine[slots[i].other], 0) << "a slot's rest belongs to who has parts";
        ASSERT_EQ(slots[i].positive(static_cast<uint32_t>(i)), mine[i] > 0);
      }
    }
  }
}

// All draws of few bits fall on entries as often as their shares say: 2^-16 and no more is lost.
TEST(AliasTable, DrawsFollowTheShares) {
  const std::vector<double> weights = {3, 0, 1, 10, 0.5, 0.25, 7, 7, 0, 1.25};
  const std::vector<int32_t> parts = parts_of_weights(weights);
  std::vector<AliasSlot> slots(parts.size());
  make_alias(parts, slots.data());
  std::vector<double> narrow(slots.size());
  std::vector<double> wide(slots.size());
  constexpr uint32_t kDraws = 1u << 22;
  for (uint32_t i = 0; i < kDraws; ++i) {
    const uint32_t draw = (i << 10) + 512;
    narrow[alias_pick(slots.data(), static_cast<uint32_t>(slots.size()), draw)] += 1.0 / kDraws;
    wide[alias_pick_wide(slots.data(), slots.size(), uint64_t{draw} << 32)] += 1.0 / kDraws;
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(narrow[i], weights[i] / 30, 1e-5) << i;
    EXPECT_NEAR(wide[i], weights[i] / 30, 1e-5) << i;
  }
}

TEST(WeightTable, TakesWeightsOfAnyType) {
  const std::vector<int64_t> indptr = {0, 5};
  for (const Tensor& weights :
       {tensor_of<float>({1, 2, 0, 5, 8}, kFloat32), tensor_of<double>({1, 2, 0, 5, 8}, kFloat64),
        tensor_of<int32_t>({1, 2, 0, 5, 8}, kInt32), tensor_of<int64_t>({1, 2, 0, 5, 8}, kInt64),
        tensor_of<uint8_t>({1, 2, 0, 5, 8}, kUint8)}) {
    const auto dataset = rows_of(indptr, weights);
    const auto table = table_of(*dataset);
    const WeightTable::Row& row = table->rows()[0];
    EXPECT_EQ(row.positive, 4);
    // 4 parts are one for each, the rest are shared by sixteenths.
    const int32_t sixteenth = (kAllParts - 4) / 16;
    EXPECT_EQ(parts_of_slots(table->slots_of(row)),
              (std::vector<int32_t>{1 + sixteenth, 2 + (kAllParts - 4) / 16 * 3 + 2,
                                    2 + (kAllParts - 4) / 16 * 3 + 2, 3 + (kAllParts - 4) / 2,
                                    kAllParts}));
  }
}

TEST(WeightTable, LeavesRowsThatMustBeReadAlone) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  for (const double wrong : {-1.0, -kLeast, kInfinity, -kInfinity, std::nan(""), kMost}) {
    const double other = wrong == kMost ? kMost : 0;  // a sum that is infinite
    const auto dataset =
        rows_of({0, 2, 4, 6}, tensor_of<double>({1, 1, wrong, other, 1, 1}, kFloat64));
    const auto table = table_of(*dataset);
    EXPECT_EQ(table->rows()[0].positive, 2) << wrong;
    EXPECT_EQ(table->rows()[1].positive, WeightTable::kUnknown) << wrong;
    EXPECT_EQ(table->rows()[2].positive, 2) << wrong;
  }
  for (const int64_t wrong : {int64_t{-1}, int64_t{4}, INT64_MAX, INT64_MIN}) {
    const auto dataset = rows_of({0, 2, 4}, tensor_of<double>({1, 1, 1, 1}, kFloat64),
                                 tensor_of<int64_t>({0, 1, wrong, 3}, kInt64));
    const auto table = table_of(*dataset);
    EXPECT_EQ(table->rows()[0].positive, 2) << wrong;
    EXPECT_EQ(table->rows()[1].positive, WeightTable::kUnknown) << wrong;
  }
}

TEST(WeightTable, IsNotMadeOfRowsThatOverlap) {
  const auto weights = [] { return tensor_of<double>({1, 1, 1, 1, 1, 1, 1, 1}, kFloat64); };
  EXPECT_NE(table_of(*rows_of({0, 5, 5, 8}, weights())), nullptr);
  for (const int64_t wrong : {int64_t{3}, int64_t{-1}, int64_t{9}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(table_of(*rows_of({0, 5, wrong, 8}, weights())), nullptr) << wrong;
  }
}

TEST(WeightTable, IsSharedAndBounded) {
  std::vector<double> weights(1000, 1.0);
  const auto dataset = rows_of({0, 500, 1000}, tensor_of(weights, kFloat64));
  const uint64_t bytes = WeightTable::bytes_for(*dataset->edge_types()[0].csc);
  EXPECT_EQ(table_of(*dataset, bytes - 1), nullptr);
  const auto first = table_of(*dataset, bytes);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(table_of(*dataset, bytes), first);
  // Another column of the same rows has no room left.
  const Column other = {"other", GLS_ROLE_WEIGHT, tensor_of(weights, kFloat64)};
  const auto of_other = [&](uint64_t most) {
    return WeightTable::of(*dataset, 0, Layout::kCsc, other, most).take();
  };
  EXPECT_EQ(of_other(2 * bytes - 1), nullptr);
  const auto second = of_other(2 * bytes);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, first);
}

TEST(WeightTable, IsMadeOnceByThreadsThatAskAtOnce) {
  std::vector<double> weights(100000, 1.0);
  std::vector<int64_t> indptr;
  for (int64_t at = 0; at <= 100000; at += 10) {
    indptr.push_back(at);
  }
  const auto dataset = rows_of(indptr, tensor_of(weights, kFloat64));
  std::vector<std::shared_ptr<const WeightTable>> found(4);
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&] { mine = table_of(*dataset); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_NE(found[0], nullptr);
  for (const auto& table : found) {
    EXPECT_EQ(table, found[0]);
  }
}

// ---- batches -----------------------------------------------------------------------------------

// All arrays of a batch, or the error.
struct Outcome {
  std::string error;
  std::vector<std::vector<int64_t>> arrays;
  bool operator==(const Outcome&) const = default;
};

Outcome sample(const Sampler& sampler, uint64_t number, const std::vector<int64_t>& seeds,
               std::vector<EdgeSet> exclude = {}) {
  SampleRequest request;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  request.exclude = std::move(exclude);
  auto batch = sampler.sample(request);
  Outcome out;
  if (!batch.ok()) {
    out.error = batch.status().message();
    return out;
  }
  for (const SampledNodes& nodes : (*batch)->nodes) {
    out.arrays.push_back(values_of(nodes.node));
    out.arrays.push_back(values_of(nodes.num_nodes));
    if (nodes.tree.defined()) {
      out.arrays.push_back(values_of(nodes.tree));
    }
  }
  for (const SampledEdges& edges : (*batch)->edges) {
    out.arrays.push_back(values_of(edges.row()));
    out.arrays.push_back(values_of(edges.col()));
    out.arrays.push_back(values_of(edges.edge));
  }
  return out;
}

// Two samplers that differ in the table only.
struct Pair {
  std::shared_ptr<const Sampler> with;
  std::shared_ptr<const Sampler> without;
};

Pair make_pair_of(const std::shared_ptr<const Dataset>& dataset, SamplerOptions options) {
  options.weight = "weight";
  options.edge_ids = true;
  Pair pair;
  EXPECT_TRUE(dataset->context()->set("sample.weight_tables", "4G").ok());
  pair.with = Sampler::create(dataset, options).take();
  EXPECT_TRUE(dataset->context()->set("sample.weight_tables", "0").ok());
  pair.without = Sampler::create(dataset, options).take();
  return pair;
}

// Two types of nodes, zero weights, parallel edges, loops, isolated nodes, heavy edges, and one hub
// with more than 65536 edges; one type of edges has no weights.
TestGraph weighted_graph() {
  TestGraph graph;
  graph.nodes = {{"a", 3000}, {"b", 9000}};
  graph.edges = {
      {"a__x__a", {}, {}, {}, {}}, {"b__y__a", {}, {}, {}, {}}, {"a__z__b", {}, {}, {}, {}}};
  Random random(1);
  for (int i = 0; i < 120000; ++i) {
    graph.edges[0].source.push_back(random.below(3000));
    graph.edges[0].target.push_back(random.below(random.below(2900) + 1));
    graph.edges[0].weight.push_back(i % 7 == 0 ? 0.0f
                                               : static_cast<float>(std::exp(12 * random.unit())));
    graph.edges[1].source.push_back(random.below(9000));
    graph.edges[1].target.push_back(i % 5 != 0 ? 7 : random.below(3000));
    graph.edges[1].weight.push_back(static_cast<float>(random.below(4)));
    graph.edges[2].source.push_back(random.below(50) * 7);
    graph.edges[2].target.push_back(random.below(9000));
  }
  return graph;
}

std::vector<int64_t> some_seeds() {
  std::vector<int64_t> seeds = {7, 0};
  for (int64_t i = 0; i < 150; ++i) {
    seeds.push_back((i * 7919 + 11) % 3000);
  }
  return seeds;
}

TEST(WeightedSampling, IsTheSameWithAndWithoutTables) {
  TestGraph graph = weighted_graph();
  for (const bool wide : {false, true}) {
    graph.wide = wide;
    const auto dataset = make_dataset(make_context(2), graph);
    for (const Replace replace : {Replace::kNever, Replace::kAbove, Replace::kAlways}) {
      for (const bool disjoint : {false, true}) {
        for (const Direction direction : {Direction::kIn, Direction::kOut}) {
          for (const int64_t fanout : {1, 5, 16, 33, 1025, -1}) {
            if (fanout < 0 && disjoint) {
              continue;  // too many edges
            }
            SCOPED_TRACE(formatted("wide {} replace {} disjoint {} direction {} fanout {}", wide,
                                   static_cast<int>(replace), disjoint, static_cast<int>(direction),
                                   fanout));
            SamplerOptions options;
            const bool wild = fanout < 0 || fanout > 100;
            options.num_hops = wild ? 1 : 2;
            options.fanouts.assign(
                3, wild ? std::vector<int64_t>{fanout} : std::vector<int64_t>{fanout, 3});
            options.replace = replace;
            options.disjoint = disjoint;
            options.direction = direction;
            options.int32 = wide;
            const Pair pair = make_pair_of(dataset, options);
            const Outcome expected = sample(*pair.without, 3, some_seeds());
            ASSERT_EQ(expected.error, "");
            EXPECT_TRUE(sample(*pair.with, 3, some_seeds()) == expected);
          }
        }
      }
    }
  }
}

TEST(WeightedSampling, LeavesOutExcludedEdgesAsWithoutTables) {
  const auto dataset = make_dataset(make_context(2), weighted_graph());
  std::vector<int64_t> always;
  std::vector<int64_t> now;
  for (int64_t id = 0; id < 120000; ++id) {
    if (id % 11 == 0) {
      always.push_back(id);
    } else if (id % 1000 == 1) {
      now.push_back(id);
    }
  }
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts.assign(3, {9, 4});
  for (const bool lasting : {false, true}) {
    if (lasting) {
      options.exclude = {{0, tensor_of(always, kInt64)}};
    }
    const Pair pair = make_pair_of(dataset, options);
    const std::vector<EdgeSet> exclude = {{1, tensor_of(now, kInt64)}};
    const Outcome expected = sample(*pair.without, 0, some_seeds(), exclude);
    ASSERT_EQ(expected.error, "");
    EXPECT_FALSE(expected == sample(*pair.without, 0, some_seeds()));
    EXPECT_TRUE(sample(*pair.with, 0, some_seeds(), exclude) == expected);
  }
}

TEST(WeightedSampling, IsTheSameForAnyNumberOfThreads) {
  const auto dataset = make_dataset(make_context(2), weighted_graph());
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts.assign(3, {8, 4});
  constexpr size_t kBatches = 12;
  const Pair pair = make_pair_of(dataset, options);
  std::vector<Outcome> expected(kBatches);
  for (size_t b = 0; b < kBatches; ++b) {
    expected[b] = sample(*pair.without, b, some_seeds());
  }
  std::vector<Outcome> found(kBatches);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (size_t b = t; b < kBatches; b += 3) {
        found[b] = sample(*pair.with, b, some_seeds());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(found == expected);
}

// One heavy edge swallows the draws, so that the rest is drawn from what remains.
TEST(WeightedSampling, DrawsFromTheRestAsWithoutTables) {
  std::vector<double> weights(100, 1e-9);
  weights[40] = 1e9;
  for (const int64_t fanout : {3, 40}) {
    const auto dataset = rows_of({0, 100}, tensor_of(weights, kFloat64));
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{fanout}};
    const Pair pair = make_pair_of(dataset, options);
    for (uint64_t b = 0; b < 10; ++b) {
      const Outcome expected = sample(*pair.without, b, {0});
      EXPECT_EQ(expected.arrays.back().size(), static_cast<size_t>(fanout));
      EXPECT_TRUE(sample(*pair.with, b, {0}) == expected);
    }
  }
}

// Rows of every length about those at which kernels do something else, some with so much weight in
// one place that draws do not suffice, by the kernels of each instruction set.
TEST(WeightedSampling, OfRowsOfAnyLengthIsTheSameByAllKernels) {
  std::vector<int64_t> indptr = {0};
  std::vector<double> weights;
  std::vector<int64_t> seeds;
  Random random(9);
  for (int64_t degree = 0; degree < 150; ++degree) {
    for (const size_t kind : {size_t{0}, size_t{1}, size_t{2}, size_t{5}}) {
      for (int64_t i = 0; i < degree; ++i) {
        weights.push_back(weight_of(kind, i, random));
      }
      if (kind == 5 && degree % 2 == 0 && degree > 0) {
        weights.back() = 1e9;
      }
      seeds.push_back(static_cast<int64_t>(indptr.size()) - 1);
      indptr.push_back(indptr.back() + degree);
    }
  }
  const auto dataset = rows_of(indptr, tensor_of(weights, kFloat64));
  for (const Replace replace : {Replace::kNever, Replace::kAbove, Replace::kAlways}) {
    for (int64_t fanout = 1; fanout <= 40; fanout += fanout < 18 ? 1 : 5) {
      SCOPED_TRACE(formatted("replace {} fanout {}", static_cast<int>(replace), fanout));
      SamplerOptions options;
      options.num_hops = 1;
      options.fanouts = {{fanout}};
      options.replace = replace;
      options.weight = "weight";
      options.edge_ids = true;
      EXPECT_TRUE(dataset->context()->set("sample.weight_tables", "0").ok());
      const Outcome expected = sample(*Sampler::create(dataset, options).take(), 3, seeds);
      ASSERT_EQ(expected.error, "");
      EXPECT_TRUE(dataset->context()->set("sample.weight_tables", "4G").ok());
      for (const char* kernels : {"plain", "avx2", "avx512"}) {
        for (const bool narrow : {false, true}) {
          options.int32 = narrow;
          EXPECT_TRUE(dataset->context()->set("cpu.simd", kernels).ok());
          EXPECT_TRUE(sample(*Sampler::create(dataset, options).take(), 3, seeds) == expected)
              << kernels;
        }
      }
    }
  }
}

// ---- bad data ----------------------------------------------------------------------------------

TEST(WeightedSampling, ReportsBadWeightsOfRowsThatAreLookedAt) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float wrong : {-1.0f, infinity, -infinity, std::nanf("")}) {
    // Rows of 8; the bad weight is that of edge 12, in row 1.
    std::vector<float> weights(32, 1.0f);
    weights[12] = wrong;
    for (const int64_t fanout : {3, 8, -1}) {
      SCOPED_TRACE(formatted("{} fanout {}", wrong, fanout));
      const auto dataset = rows_of({0, 8, 16, 24, 32}, tensor_of(weights, kFloat32));
      SamplerOptions options;
      options.num_hops = 1;
      options.fanouts = {{fanout}};
      const Pair pair = make_pair_of(dataset, options);
      const Outcome expected = sample(*pair.without, 0, {0, 1, 2, 3});
      EXPECT_NE(expected.error.find("weight of edge 12"), std::string::npos) << expected.error;
      EXPECT_EQ(sample(*pair.with, 0, {0, 1, 2, 3}).error, expected.error);
      EXPECT_EQ(sample(*pair.with, 0, {0, 2, 3}).error, "");
      EXPECT_TRUE(sample(*pair.with, 0, {0, 2, 3}) == sample(*pair.without, 0, {0, 2, 3}));
      const std::vector<EdgeSet> exclude = {{0, tensor_of<int64_t>({12}, kInt64)}};
      EXPECT_EQ(sample(*pair.with, 0, {0, 1, 2, 3}, exclude).error, "");
      EXPECT_TRUE(sample(*pair.with, 0, {0, 1, 2, 3}, exclude) ==
                  sample(*pair.without, 0, {0, 1, 2, 3}, exclude));
    }
  }
}

TEST(WeightedSampling, ReportsInfiniteSumsWhereTheyAreDrawnFrom) {
  const std::vector<double> weights(8, std::numeric_limits<double>::max());
  for (const int64_t fanout : {3, 8}) {
    const auto dataset = rows_of({0, 8}, tensor_of(weights, kFloat64));
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{fanout}};
    const Pair pair = make_pair_of(dataset, options);
    const Outcome expected = sample(*pair.without, 0, {0});
    EXPECT_EQ(expected.error.empty(), fanout == 8) << expected.error;
    EXPECT_TRUE(sample(*pair.with, 0, {0}) == expected);
  }
}

TEST(WeightedSampling, OfDamagedDataIsTheSameWithAndWithoutTables) {
  SamplerOptions options;
  options.num_hops = 2;
  const std::vector<int64_t> all = {0, 1, 2, 3};
  const auto check = [&](const std::shared_ptr<const Dataset>& dataset, const char* expected) {
    for (const int64_t fanout : {1, 2, -1}) {
      options.fanouts = {{fanout, fanout}};
      const Pair pair = make_pair_of(dataset, options);
      const std::string error = sample(*pair.without, 0, all).error;
      EXPECT_NE(error.find(expected), std::string::npos) << error;
      EXPECT_EQ(sample(*pair.with, 0, all).error, error);
      for (const int64_t seed : all) {
        EXPECT_TRUE(sample(*pair.with, 0, {seed}) == sample(*pair.without, 0, {seed})) << seed;
      }
    }
  };
  const auto weights = [] { return tensor_of<float>({1, 2, 3, 4, 5, 6, 7, 8}, kFloat32); };
  for (const int64_t wrong : {int64_t{-5}, int64_t{1}, int64_t{9}, INT64_MAX, INT64_MIN}) {
    SCOPED_TRACE(wrong);
    check(rows_of({0, 2, 4, wrong, 8}, weights()), "indptr of node");
  }
  for (const int64_t wrong : {int64_t{-1}, int64_t{8}, INT64_MAX, INT64_MIN}) {
    SCOPED_TRACE(wrong);
    check(rows_of({0, 2, 4, 6, 8}, weights(),
                  tensor_of<int64_t>({0, 1, 2, 3, wrong, 5, 6, 7}, kInt64)),
          "edge id at position 4");
  }
}

}  // namespace
}  // namespace gls::test
