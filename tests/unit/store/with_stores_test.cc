// Batches are the same bytes, whether columns and neighbours are in arrays or in stores.
#include "store/with_stores.h"

#include <gtest/gtest.h>

#include <tuple>

#include "batch_equal.h"
#include "both_graphs.h"
#include "graph/dataset/topology_query.h"
#include "hop_client.h"
#include "loader/columns/column_rows.h"
#include "loader/pipeline/loader.h"
#include "query/graph_query.h"
#include "row_cases.h"
#include "sample/sampler.h"
#include "stored_graph.h"

namespace gls::test {
namespace {

constexpr size_t kAll = ~size_t{0};

struct Place {
  std::string name;
  InStores what;
  Manner manner;
};

std::vector<Place> places() {
  return {{"features", {1, 2, kAll}, {}},
          {"all_columns", {0, 0, kAll}, {true, 0, 16, 0}},
          {"neighbors", {kAll, kAll, 0}, {false, 0, 16, 0}},
          {"all_later", {0, 0, 0}, {true, 37, 3, 0}},
          {"all_cached", {0, 0, 0}, {false, 0, 16, 1 << 20}},
          {"one_edge_type", {2, 1, 2}, {true, 100, 2, 1 << 14}}};
}

const std::shared_ptr<const Dataset>& whole() {
  static const auto kContext = make_context(2);
  static const auto kGraph = graph_for_stores(kContext);
  return kGraph;
}

// Made once for each place.
const std::shared_ptr<const Dataset>& stored(const Place& place) {
  static std::map<std::string, std::shared_ptr<const Dataset>> made;
  std::shared_ptr<const Dataset>& out = made[place.name];
  if (out == nullptr) {
    out = in_stores(whole(), place.what, place.manner);
  }
  return out;
}

std::string name_of(const testing::TestParamInfo<std::tuple<RowCase, Place>>& given) {
  return std::get<0>(given.param).name + "_" + std::get<1>(given.param).name;
}

// Neighbourhoods, and the methods that read whole rows.
std::vector<RowCase> all_cases() {
  std::vector<RowCase> out = row_cases();
  for (const HopCase& given : hop_cases()) {
    out.push_back({"hops_" + given.name, [given](SamplerOptions* o) {
                     o->num_hops = 3;
                     o->fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
                     given.set(o);
                   }});
  }
  return out;
}

class WithStores : public testing::TestWithParam<std::tuple<RowCase, Place>> {};

TEST_P(WithStores, GivesTheSameBatches) {
  const auto& [given, place] = GetParam();
  const std::shared_ptr<const Dataset>& dataset = stored(place);
  ASSERT_NE(dataset, nullptr);
  const LeftOut left_out(*whole());
  for (const bool excluding : {false, true}) {
    SCOPED_TRACE(excluding);
    SamplerOptions options;
    options.seed = 9;
    given.set(&options);
    options.edge_ids = !options.importance && !options.ppr;
    SampleRequest request = request_of(given, options);
    if (excluding) {
      options.exclude = {left_out.by_pair()};
      request.exclude = {left_out.by_id()};
    }
    auto expected = Sampler::create(whole(), options);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    auto sampler = Sampler::create(dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    auto a = (*expected)->sample(request);
    auto b = (*sampler)->sample(request);
    ASSERT_TRUE(a.ok()) << a.status().message();
    ASSERT_TRUE(b.ok()) << b.status().message();
    EXPECT_EQ((*b)->dataset, dataset);
    expect_same(**a, **b);
  }
}

TEST_P(WithStores, LoadsTheSameColumns) {
  const auto& [given, place] = GetParam();
  SamplerOptions shown;
  given.set(&shown);
  if (shown.temporal() && shown.node_time.empty()) {
    return;  // then seeds have no times of their own
  }
  const auto load = [&, &set = given.set,
                     type = given.seed_type](const std::shared_ptr<const Dataset>& dataset) {
    SamplerOptions options;
    options.seed = 2;
    set(&options);
    options.edge_ids = !options.importance && !options.ppr;
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    std::vector<int64_t> seeds;
    for (int64_t node = 1400; node >= 0; node -= 90) {
      seeds.push_back(node);
    }
    LoaderOptions loading;
    loading.plan.batch_size = 5;
    loading.plan.shuffle = true;
    loading.node_type = type;
    loading.columns = default_columns(**sampler);
    auto loader = Loader::create(*sampler, ids64(seeds), std::move(loading));
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    return loader.take();
  };
  const auto expected = load(whole());
  const auto loader = load(stored(place));
  EXPECT_EQ(expected->save(), loader->save());
  for (uint64_t i = 0; i < expected->counts().batches; ++i) {
    std::shared_ptr<Batch> a, b;
    ASSERT_EQ(*expected->next(-1, &a), BatchSource::Next::kBatch);
    auto next = loader->next(-1, &b);
    ASSERT_TRUE(next.ok()) << next.status().message();
    ASSERT_GT(a->columns.size(), 5u);
    expect_same(*a, *b);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WithStores,
                         testing::Combine(testing::ValuesIn(all_cases()),
                                          testing::ValuesIn(places())),
                         name_of);

class StoredPlace : public testing::TestWithParam<Place> {};

TEST_P(StoredPlace, TakesLinksAndDrawsNegatives) {
  for (const bool strict : {false, true}) {
    const auto load = [&](const std::shared_ptr<const Dataset>& dataset) {
      SamplerOptions options;
      options.seed = 5;
      options.num_hops = 2;
      options.fanouts = {{9, 4}, {5, 2}, {7, 3}};
      options.negatives.mode = NegativeMode::kBinary;
      options.negatives.amount = 2;
      options.negatives.strict = strict;
      options.exclude_links = true;
      auto sampler = Sampler::create(dataset, options);
      EXPECT_TRUE(sampler.ok()) << sampler.status().message();
      const std::vector<int64_t> pairs = {3, 4, 5, 6, 1000, 8, 9, 10, 11, 12};
      SampleRequest request;
      request.links.emplace_back();
      request.links[0].edge_type = 2;
      request.links[0].links = Tensor(nullptr, pairs.data(), kInt64, {2, 5});
      auto batch = (*sampler)->sample(request);
      EXPECT_TRUE(batch.ok()) << batch.status().message();
      return batch.take();
    };
    const auto a = load(whole());
    const auto b = load(stored(GetParam()));
    EXPECT_FALSE(b->links.empty());
    expect_same(*a, *b);
  }
}

TEST_P(StoredPlace, AnswersQuestions) {
  const std::shared_ptr<const Dataset>& dataset = stored(GetParam());
  std::vector<int64_t> from, to;
  for (int64_t i = 0; i < 400; ++i) {
    from.push_back(i * 7 % 1500);
    to.push_back(i % 3 == 0 ? 11 : i * 13 % 1500);
  }
  for (size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(*find_edges_between(*dataset, t, span_of(from), span_of(to)),
              *has_edges(*whole(), t, span_of(from), span_of(to)));
    EXPECT_EQ(*find_degrees(*dataset, t, Layout::kCsc, span_of(to)),
              *degrees(*whole(), t, Layout::kCsc, span_of(to)));
    EXPECT_EQ(*find_all_degrees(*dataset, t, Layout::kCsr),
              *all_degrees(*whole(), t, Layout::kCsr));
  }
  // Repeated ids, widened to float32.
  const auto rows = [&](const Dataset& of) {
    ColumnToGather wanted;
    wanted.column = of.node_types()[1].find_column("half");
    wanted.type = 1;
    wanted.dtype = kFloat32;
    auto found = find_rows(of, wanted, span_of(to), "ids", "columns");
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.take();
  };
  expect_same(rows(*whole()), rows(*dataset), "rows");
  EXPECT_EQ(*find_owners(*dataset, {true, 0}, span_of(from), "ids"),
            std::vector<int32_t>(from.size()));
  EXPECT_EQ(parts_of_graph(*dataset).count, 1u);
}

TEST_P(StoredPlace, RefusesWhatNeedsArrays) {
  const Status refused = stored(GetParam())->need_arrays("save");
  EXPECT_EQ(refused.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_NE(refused.message().find("stores"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Places, StoredPlace, testing::ValuesIn(places()),
                         [](const auto& given) { return given.param.name; });

// A graph in parts has columns of stores beside its own.
TEST(StoresOfParts, GiveTheSameBatches) {
  const Both& graph = Both::of(4);
  ASSERT_NE(graph.in_parts, nullptr);
  const Tensor extra = rows_tensor<float>(kUsers, 5, kFloat32);
  const auto add = [&](const std::shared_ptr<const Dataset>& dataset) {
    return with_stores(dataset, {column_store("user", {"extra", GLS_ROLE_FEATURE, extra},
                                              {true, 50, 4, 1 << 16})})
        .take();
  };
  const auto load = [](const std::shared_ptr<const Dataset>& dataset) {
    SamplerOptions options;
    options.num_hops = 2;
    options.fanouts = {{5, 3}, {4, 2}, {6, 0}};
    options.weight = "weight";
    options.edge_ids = true;
    auto sampler = Sampler::create(dataset, options).take();
    LoaderOptions loading;
    loading.plan.batch_size = 64;
    loading.columns = default_columns(*sampler);
    return Loader::create(sampler, ids64({1, 2, 3, 500, 700, 1999}), std::move(loading)).take();
  };
  const auto expected = load(add(graph.whole));
  const auto loader = load(add(graph.in_parts));
  std::shared_ptr<Batch> a, b;
  ASSERT_EQ(*expected->next(-1, &a), BatchSource::Next::kBatch);
  auto next = loader->next(-1, &b);
  ASSERT_TRUE(next.ok()) << next.status().message();
  expect_same(*a, *b);
}

// Stores may lack edge ids.
TEST(StoresWithoutEdgeIds, SampleNodesAndRefuseIds) {
  const Dataset& of = *whole();
  std::vector<std::shared_ptr<Store>> stores;
  for (const EdgeType& type : of.edge_types()) {
    stores.push_back(neighbor_store(type, Layout::kCsc, {}, false));
  }
  auto base = Dataset::create(of.context(), of.node_types(), {});
  const auto dataset = with_stores(base.take(), stores).take();
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts = {{5, 3}, {4, 2}, {6, 0}};
  SampleRequest request;
  const std::vector<int64_t> seeds = {11, 5, 1499};
  request.seeds = {{0, span_of(seeds), {}}};
  const auto sample = [&](const std::shared_ptr<const Dataset>& from) {
    return Sampler::create(from, options).take()->sample(request).take();
  };
  expect_same(*sample(whole()), *sample(dataset));
  options.edge_ids = true;
  const auto refused = Sampler::create(dataset, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(const_cast<Result<std::shared_ptr<const Sampler>>&>(refused).status().has("argument",
                                                                                        "flags"));
}

TEST(WithStoresErrors, NameWhatIsWrong) {
  const auto refuse = [](std::vector<std::shared_ptr<Store>> stores, gls_status_t code,
                         const char* words) {
    auto made = with_stores(whole(), stores);
    ASSERT_FALSE(made.ok()) << words;
    EXPECT_EQ(made.status().code(), code) << made.status().message();
    EXPECT_NE(made.status().message().find(words), std::string::npos) << made.status().message();
  };
  const Column column = {"new", GLS_ROLE_FEATURE, rows_tensor<float>(kUsers, 5, kFloat32)};
  refuse({column_store("nobody", column, {})}, GLS_ERR_NOT_FOUND, "nobody");
  refuse({column_store("user__none__item", column, {})}, GLS_ERR_NOT_FOUND, "user__none__item");
  refuse({column_store("", column, {})}, GLS_ERR_INVALID_ARGUMENT, "no node type was named");
  refuse({column_store("user", column, {}), column_store("user", column, {})},
         GLS_ERR_ALREADY_EXISTS, "column \"new\" of \"user\"");
  refuse({neighbor_store(whole()->edge_types()[0], Layout::kCsc, {})}, GLS_ERR_ALREADY_EXISTS,
         "neighbours of \"user__knows__user\"");
  auto other = NeighborStore::create({{"user", "new", "user"}, 5, Layout::kCsc, true}, {}).take();
  auto more = NeighborStore::create({{"user", "new", "user"}, 6, Layout::kCsr, true}, {}).take();
  refuse({other, more}, GLS_ERR_INVALID_ARGUMENT, "5 edges in one store and 6 in another");
}

}  // namespace
}  // namespace gls::test
