// Samplers that read whole rows give the same batches where the rows are in parts.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "batch_equal.h"
#include "both_graphs.h"
#include "graph/dataset/topology_query.h"
#include "hop_client.h"
#include "loader/pipeline/loader.h"
#include "row_cases.h"
#include "sample/sampler.h"

namespace gls::test {
namespace {

class WholeByRows : public testing::TestWithParam<RowCase> {};

TEST_P(WholeByRows, GivesTheSameBatches) {
  const Both& graph = Both::of(4);
  ASSERT_NE(graph.in_parts, nullptr);
  // Edges to be left out, by their ids and as pairs, of the sampler and of a batch.
  const LeftOut left_out(*graph.whole);
  for (const int excluding : {0, 1, 2}) {
    SCOPED_TRACE("excluding " + std::to_string(excluding));
    SamplerOptions options;
    options.seed = 9;
    GetParam().set(&options);
    options.edge_ids = !options.importance && !options.ppr;
    SampleRequest request = request_of(GetParam(), options);
    if (excluding > 0) {
      options.exclude = {left_out.by_pair()};
    }
    if (excluding > 1) {
      request.exclude = {left_out.by_id()};
    }
    auto expected = Sampler::create(graph.whole, options);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    auto sampler = Sampler::create(graph.in_parts, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    auto a = (*expected)->sample(request);
    auto b = (*sampler)->sample(request);
    ASSERT_TRUE(a.ok()) << a.status().message();
    ASSERT_TRUE(b.ok()) << b.status().message();
    EXPECT_GT((*a)->num_nodes(), 10);
    EXPECT_EQ((*b)->dataset, graph.in_parts);
    expect_same(**a, **b);
  }
}

TEST_P(WholeByRows, LoadsTheSameColumns) {
  const Both& graph = Both::of(4);
  ASSERT_NE(graph.in_parts, nullptr);
  SamplerOptions given;
  GetParam().set(&given);
  if (given.temporal() && given.node_time.empty()) {
    return;  // then seeds have no times of their own
  }
  const auto load = [&](const std::shared_ptr<const Dataset>& dataset) {
    SamplerOptions options;
    options.seed = 2;
    GetParam().set(&options);
    options.edge_ids = !options.importance && !options.ppr;  // they have no edges
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    std::vector<int64_t> seeds;
    for (int64_t node = 1400; node >= 0; node -= 90) {
      seeds.push_back(node);
    }
    LoaderOptions loading;
    loading.plan.batch_size = 5;
    loading.plan.shuffle = true;
    loading.node_type = GetParam().seed_type;
    loading.columns = default_columns(**sampler);
    auto loader = Loader::create(*sampler, ids64(seeds), std::move(loading));
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    return loader.take();
  };
  const auto expected = load(graph.whole);
  const auto loader = load(graph.in_parts);
  for (uint64_t i = 0; i < expected->counts().batches; ++i) {
    std::shared_ptr<Batch> a, b;
    ASSERT_EQ(*expected->next(-1, &a), BatchSource::Next::kBatch);
    auto next = loader->next(-1, &b);
    ASSERT_TRUE(next.ok()) << next.status().message();
    ASSERT_GT(a->columns.size(), 5u);
    expect_same(*a, *b);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WholeByRows, testing::ValuesIn(row_cases()),
                         [](const auto& given) { return given.param.name; });

TEST(WholeByRowsErrors, AreThoseOfTheWhole) {
  const Both& graph = Both::of(4);
  ASSERT_NE(graph.in_parts, nullptr);
  const auto same_error = [&](const std::function<void(SamplerOptions*)>& set,
                              std::vector<int64_t> seeds, bool at_once) {
    SamplerOptions options;
    set(&options);
    auto a = Sampler::create(graph.whole, options);
    auto b = Sampler::create(graph.in_parts, options);
    ASSERT_EQ(a.ok(), !at_once);
    ASSERT_EQ(b.ok(), !at_once);
    SampleRequest request;
    request.seeds = {{0, span_of(seeds)}};
    const Status x = at_once ? a.status().copy() : (*a)->sample(request).status().copy();
    const Status y = at_once ? b.status().copy() : (*b)->sample(request).status().copy();
    EXPECT_FALSE(x.ok());
    EXPECT_EQ(x.code(), y.code());
    // Which columns there are, only the whole knows.
    const auto without_names = [](const std::string& text) {
      return text.substr(0, text.find("; there are: "));
    };
    EXPECT_EQ(without_names(x.message()), without_names(y.message()));
  };
  same_error([](SamplerOptions* o) { o->walk = walks({1, 0}, 3); }, {}, true);
  same_error([](SamplerOptions* o) { o->walk = walks({0}, size_t{1} << 30); }, {}, true);
  same_error(
      [](SamplerOptions* o) {
        o->walk = walks({0}, 3);
        o->weight = "nothing";
      },
      {}, true);
  same_error([](SamplerOptions* o) { o->walk = walks({0}, 3); }, {1, kUsers}, false);
  same_error(
      [](SamplerOptions* o) {
        o->ppr = ppr();
        o->ppr->alpha = 2;
      },
      {}, true);
}

}  // namespace
}  // namespace gls::test
