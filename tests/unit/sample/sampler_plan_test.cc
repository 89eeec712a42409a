// A sampler's plan never changes and is shared, and its options choose the method once.
#include "sample/plan/sampler_plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "batch_equal.h"
#include "both_graphs.h"
#include "sample/drivers/hgt_method.h"
#include "sample/drivers/importance_method.h"
#include "sample/drivers/neighbor_method.h"
#include "sample/drivers/ppr_method.h"
#include "sample/drivers/walk_method.h"
#include "sample/remote/fetched_rows_method.h"
#include "sample/remote/remote_neighbor_method.h"
#include "sample/sampler.h"

namespace gls::test {
namespace {

static_assert(!std::is_copy_assignable_v<SamplerPlan> && !std::is_move_assignable_v<SamplerPlan>);
static_assert(std::is_const_v<std::remove_reference_t<decltype(std::declval<Sampler>().plan())>>);

// Edge types: 0 of users, 1 from items to users, 2 from users to items.
struct MethodCase {
  std::string name;
  std::function<void(SamplerOptions*)> set;
  Method method;
  size_t num_hops;
  const std::type_info& local;
  const std::type_info& remote;
};

void neighborhoods(SamplerOptions* o) {
  o->num_hops = 2;
  o->fanouts = {{5, 3}, {4, 2}, {6, 0}};
}

std::vector<MethodCase> method_cases() {
  return {
      {"neighbors", neighborhoods, Method::kNeighbors, 2, typeid(NeighborMethod),
       typeid(RemoteNeighborMethod)},
      {"labor",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->pick = Pick::kLayer;
       },
       Method::kNeighbors, 2, typeid(NeighborMethod), typeid(RemoteNeighborMethod)},
      {"induced",
       [](SamplerOptions* o) {
         neighborhoods(o);
         o->subgraph = Subgraph::kInduced;
       },
       Method::kNeighbors, 2, typeid(NeighborMethod), typeid(FetchedRowsMethod)},
      {"walks",
       [](SamplerOptions* o) {
         o->walk.emplace();
         o->walk->length = 4;
         o->walk->path = {0};
       },
       Method::kWalks, 1, typeid(WalkMethod), typeid(FetchedRowsMethod)},
      {"importance",
       [](SamplerOptions* o) {
         o->importance.emplace();
         o->importance->neighbors = 5;
         o->importance->hops = 2;
         o->importance->path = {0};
       },
       Method::kImportance, 2, typeid(ImportanceMethod), typeid(FetchedRowsMethod)},
      {"ppr",
       [](SamplerOptions* o) {
         o->ppr.emplace();
         o->ppr->neighbors = 12;
         o->ppr->epsilon = 1e-3;
       },
       Method::kPpr, 1, typeid(PprMethod), typeid(FetchedRowsMethod)},
      {"hgt",
       [](SamplerOptions* o) {
         o->hgt.emplace();
         o->hgt->num_hops = 2;
         o->hgt->samples = {{8, 4}, {8, 4}};
       },
       Method::kHgt, 2, typeid(HgtMethod), typeid(FetchedRowsMethod)},
  };
}

class SamplerMethods : public testing::TestWithParam<MethodCase> {
 protected:
  static std::shared_ptr<const Sampler> make(const std::shared_ptr<const Dataset>& dataset) {
    SamplerOptions options;
    options.seed = 7;
    GetParam().set(&options);
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    return sampler.ok() ? sampler.take() : nullptr;
  }

  static std::shared_ptr<Batch> sample(const Sampler& sampler, uint64_t number) {
    const std::vector<int64_t> seeds = {11, 5, 1499, 0, static_cast<int64_t>(700 + number)};
    SampleRequest request;
    request.batch = number;
    request.seeds = {{0, span_of(seeds)}};
    auto batch = sampler.sample(request);
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    return batch.ok() ? batch.take() : nullptr;
  }
};

TEST_P(SamplerMethods, FollowFromTheOptions) {
  const Both& graph = Both::of(3);
  for (const bool remote : {false, true}) {
    SCOPED_TRACE(remote ? "remote" : "local");
    const auto sampler = make(remote ? graph.in_parts : graph.whole);
    ASSERT_NE(sampler, nullptr);
    const SamplingMethod& method = sampler->method();
    EXPECT_EQ(typeid(method), remote ? GetParam().remote : GetParam().local);
    EXPECT_EQ(&method.plan(), &sampler->plan());
    EXPECT_EQ(sampler->plan().method(), GetParam().method);
    EXPECT_EQ(sampler->plan().num_hops(), GetParam().num_hops);
    const auto batch = sample(*sampler, 0);
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(batch->num_hops, GetParam().num_hops);
  }
}

TEST_P(SamplerMethods, ShareThePlanBetweenThreads) {
  constexpr uint64_t kBatches = 24;
  constexpr uint64_t kThreads = 4;
  const Both& graph = Both::of(3);
  for (const bool remote : {false, true}) {
    SCOPED_TRACE(remote ? "remote" : "local");
    const auto sampler = make(remote ? graph.in_parts : graph.whole);
    ASSERT_NE(sampler, nullptr);
    std::vector<std::shared_ptr<Batch>> batches(kBatches);
    std::vector<std::thread> threads;
    for (uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (uint64_t number = thread; number < kBatches; number += kThreads) {
          batches[number] = sample(*sampler, number);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    const auto again = make(graph.whole);
    for (uint64_t number = 0; number < kBatches; ++number) {
      ASSERT_NE(batches[number], nullptr);
      expect_same(*batches[number], *sample(*again, number));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SamplerMethods, testing::ValuesIn(method_cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace gls::test
