// A graph that is opened as a folder of parts gives the batches of the whole.
#include <gtest/gtest.h>

#include <tuple>

#include "batch_equal.h"
#include "both_graphs.h"
#include "graph/dataset/node_keys.h"
#include "graph/dataset/topology_query.h"
#include "hop_client.h"
#include "loader/pipeline/loader.h"

namespace gls::test {
namespace {

SamplerOptions three_hops() {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
  options.edge_ids = true;
  return options;
}

class WholeOfParts : public testing::TestWithParam<std::tuple<HopCase, size_t>> {};

TEST_P(WholeOfParts, GivesTheSameBatches) {
  const auto& [given, num_parts] = GetParam();
  const Both& graph = Both::of(num_parts);
  ASSERT_NE(graph.in_parts, nullptr);
  SamplerOptions options = three_hops();
  given.set(&options);
  auto expected = Sampler::create(graph.whole, options);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  auto sampler = Sampler::create(graph.in_parts, options);
  ASSERT_TRUE(sampler.ok()) << sampler.status().message();

  const std::vector<int64_t> seeds = {11, 5, 1999, 0, 5, 700, 701, 702, 1400, 1222};
  const std::vector<int64_t> times = {300, 360, 420, 480, 540, 600, 660, 720, 780, 840};
  SampleRequest request;
  request.epoch = 2;
  request.batch = 6;
  request.seeds = {{0, span_of(seeds), options.temporal() ? span_of(times) : IdSpan()}};
  auto a = (*expected)->sample(request);
  auto b = (*sampler)->sample(request);
  ASSERT_TRUE(a.ok()) << a.status().message();
  ASSERT_TRUE(b.ok()) << b.status().message();
  expect_same(**a, **b);

  // Through loaders, with all columns and the seeds' own times.
  std::vector<int64_t> some;
  for (int64_t i = kUsers - 1; i >= 0; i -= 3) {
    some.push_back(i);
  }
  LoaderOptions loading;
  loading.plan.batch_size = 150;
  loading.plan.shuffle = true;
  const auto load = [&](const std::shared_ptr<const Sampler>& from) {
    LoaderOptions its = loading;
    its.columns = default_columns(*from);
    return Loader::create(from, ids64(some), std::move(its));
  };
  if (options.temporal() && options.node_time.empty()) {
    return;  // then seeds have no times of their own
  }
  auto first = load(*expected);
  auto second = load(*sampler);
  ASSERT_TRUE(first.ok()) << first.status().message();
  ASSERT_TRUE(second.ok()) << second.status().message();
  for (uint64_t batch = 0; batch < (*first)->counts().batches; ++batch) {
    auto x = (*first)->sample(1, batch);
    auto y = (*second)->sample(1, batch);
    ASSERT_TRUE(x.ok()) << x.status().message();
    ASSERT_TRUE(y.ok()) << y.status().message();
    ASSERT_GE((*x)->columns.size(), 15u);
    expect_same(**x, **y);
  }
}

INSTANTIATE_TEST_SUITE_P(Options, WholeOfParts,
                         testing::Combine(testing::ValuesIn(hop_cases()),
                                          testing::Values(size_t{1}, size_t{5})),
                         [](const auto& given) {
                           return std::get<0>(given.param).name + "_" +
                                  std::to_string(std::get<1>(given.param));
                         });

TEST(WholeOfPartsLoader, IsOrderedResumableAndKnowsItsState) {
  const Both& graph = Both::of(4);
  ASSERT_NE(graph.in_parts, nullptr);
  const auto make = [&](const std::shared_ptr<const Dataset>& dataset) {
    auto sampler = Sampler::create(dataset, three_hops()).take();
    LoaderOptions options;
    options.plan.batch_size = 100;
    options.plan.shuffle = true;
    options.columns = default_columns(*sampler);
    return Loader::create(sampler, Tensor(), std::move(options)).take();
  };
  const auto expected = make(graph.whole);
  const auto loader = make(graph.in_parts);
  for (int i = 0; i < 7; ++i) {
    std::shared_ptr<Batch> a, b;
    ASSERT_EQ(*expected->next(-1, &a), BatchSource::Next::kBatch);
    ASSERT_EQ(*loader->next(-1, &b), BatchSource::Next::kBatch);
    expect_same(*a, *b);
  }
  // A state is of the graph, not of where it lies.
  EXPECT_EQ(expected->save(), loader->save());
  const auto other = make(graph.in_parts);
  ASSERT_TRUE(other->restore(expected->save()).ok());
  std::shared_ptr<Batch> a, b;
  ASSERT_EQ(*expected->next(-1, &a), BatchSource::Next::kBatch);
  ASSERT_EQ(*other->next(-1, &b), BatchSource::Next::kBatch);
  expect_same(*a, *b);
}

TEST(WholeOfPartsLoader, TakesLinksAndDrawsNegatives) {
  const Both& graph = Both::of(3);
  ASSERT_NE(graph.in_parts, nullptr);
  const auto make = [&](const std::shared_ptr<const Dataset>& dataset) {
    SamplerOptions options = three_hops();
    options.negatives.mode = NegativeMode::kBinary;
    options.negatives.amount = 2;
    options.exclude_links = true;
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok());
    return sampler.take();
  };
  const std::vector<int64_t> pairs = {3, 4, 5, 6, 1000, 8, 9, 10, 11, 12};
  SampleRequest request;
  request.links.emplace_back();
  request.links[0].edge_type = 2;
  request.links[0].links = Tensor(nullptr, pairs.data(), kInt64, {2, 5});
  auto a = make(graph.whole)->sample(request);
  auto b = make(graph.in_parts)->sample(request);
  ASSERT_TRUE(a.ok()) << a.status().message();
  ASSERT_TRUE(b.ok()) << b.status().message();
  expect_same(**a, **b);
  EXPECT_FALSE((*b)->links.empty());
}

// By ids and pairs, of a sampler and of a batch; parallel edges and edges that no part's row has.
TEST(WholeOfParts, LeavesOutTheSameEdges) {
  const Both& graph = Both::of(3);
  ASSERT_NE(graph.in_parts, nullptr);
  const std::vector<int64_t> seeds = {11, 5, 1999, 0, 700};
  std::vector<int64_t> always;
  for (int64_t id = 0; id < 20000; id += 3) {
    always.push_back(id);
  }
  const IdSpan all = span_of(always);
  std::vector<int64_t> sources, targets;
  ASSERT_TRUE(edge_ends(*graph.whole, 1, all, "ids", &sources, &targets).ok());
  std::vector<int64_t> pairs(sources.begin(), sources.begin() + 5000);
  pairs.insert(pairs.end(), targets.begin(), targets.begin() + 5000);
  for (const Direction direction : {Direction::kIn, Direction::kOut}) {
    for (const bool of_batch : {false, true}) {
      SamplerOptions options = three_hops();
      options.direction = direction;
      SampleRequest request;
      request.seeds = {{0, span_of(seeds)}};
      const std::vector<EdgeSet> sets = {{0, Tensor(nullptr, always.data(), kInt64, {all.size()})},
                                         {1, Tensor(nullptr, pairs.data(), kInt64, {2, 5000})}};
      (of_batch ? request.exclude : options.exclude) = sets;
      auto expected = Sampler::create(graph.whole, options);
      auto sampler = Sampler::create(graph.in_parts, options);
      ASSERT_TRUE(expected.ok()) << expected.status().message();
      ASSERT_TRUE(sampler.ok()) << sampler.status().message();
      auto a = (*expected)->sample(request);
      auto b = (*sampler)->sample(request);
      ASSERT_TRUE(a.ok()) << a.status().message();
      ASSERT_TRUE(b.ok()) << b.status().message();
      ASSERT_GT((*a)->num_edges(), 100);
      expect_same(**a, **b);
    }
  }
}

TEST(WholeOfParts, DescribesItselfAndRefusesWhatItCannotRead) {
  const Both& graph = Both::of(2);
  ASSERT_NE(graph.in_parts, nullptr);
  EXPECT_EQ(graph.in_parts->fingerprint(), graph.whole->fingerprint());
  expect_same(*find_id_set(graph.in_parts->node_types()[0], "train", "seeds"),
              *find_id_set(graph.whole->node_types()[0], "train", "seeds"), "train");
  EXPECT_EQ(*node_key(graph.in_parts->node_types()[1], 7), "1007");
  const EdgeType& type = graph.in_parts->edge_types()[0];
  EXPECT_TRUE(type.stores(Layout::kCsc));
  EXPECT_TRUE(type.stores(Layout::kCsr));
  EXPECT_FALSE(type.wide_indices());

  const auto refused = [](const Status& status, const std::string& begins) {
    EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
    EXPECT_TRUE(status.message().starts_with(begins)) << status.message();
  };
  const std::vector<int64_t> ids = {1, 2};
  std::vector<int64_t> sources, targets;
  const Dataset& dataset = *graph.in_parts;
  refused(edge_ends(dataset, 0, span_of(ids), "ids", &sources, &targets), "ids: the edges of");
  refused(has_edges(dataset, 0, span_of(ids), span_of(ids)).status(), "has_edge: the edges of");
  refused(all_degrees(dataset, 0, Layout::kCsc).status(), "degrees: the edges of");
  refused(degrees(dataset, 0, Layout::kCsr, span_of(ids)).status(), "degrees: the edges of");
  refused(dataset.edge_positions(0, Layout::kCsc).status(), "edge ids: the edges of");
  refused(dataset.need_arrays("save"), "save: arrays of this dataset");
}

TEST(WholeOfParts, SaysWhatIsWrongWithOptionsAsTheWholeDoes) {
  const Both& graph = Both::of(2);
  ASSERT_NE(graph.in_parts, nullptr);
  const auto same_error = [&](const std::function<void(SamplerOptions*)>& set) {
    SamplerOptions options = three_hops();
    set(&options);
    auto a = Sampler::create(graph.whole, options);
    auto b = Sampler::create(graph.in_parts, options);
    ASSERT_FALSE(a.ok());
    ASSERT_FALSE(b.ok());
    EXPECT_EQ(a.status().code(), b.status().code());
    EXPECT_EQ(a.status().message(), b.status().message());
  };
  same_error([](SamplerOptions* o) { o->weight = "nothing"; });
  same_error([](SamplerOptions* o) { o->edge_time = "nothing"; });
  same_error([](SamplerOptions* o) { o->node_time = "x"; });
  same_error([](SamplerOptions* o) { o->fanouts[0][0] = -2; });
  const std::vector<int64_t> ids = {0, 70000};
  same_error([&](SamplerOptions* o) {
    o->exclude = {{0, Tensor(nullptr, ids.data(), kInt64, {2})}};
  });
}

}  // namespace
}  // namespace gls::test
