// Batches that are sampled in passes over the topology are those that are sampled one by one, to
// the byte: for every kind of neighbour sampler, and chunks from one row to the whole topology.
#include "loader/replay/pass_sampler.h"

#include <gtest/gtest.h>

#include <atomic>

#include "context/stop_scope.h"
#include "loader/produce/host_producer.h"
#include "loader/replay/row_chunks.h"
#include "planned_cases.h"
#include "sanitized.h"

namespace gls::test {
namespace {

struct Batches {
  std::shared_ptr<const Sampler> sampler;
  std::shared_ptr<const BatchSeeds> seeds;
  EpochPlan plan;
};

Batches batches_of(const std::shared_ptr<const Dataset>& dataset, const AnySampler& chosen,
                   uint64_t batch_size) {
  auto sampler = Sampler::create(dataset, chosen.options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  std::vector<SeedList::Given> given(1);
  given[0].links = chosen.of_links;
  auto sets = SeedSets::create(**sampler, std::move(given));
  EXPECT_TRUE(sets.ok()) << sets.status().message();
  PlanOptions options;
  options.batch_size = batch_size;
  options.shuffle = true;
  auto rule = SeedRule::create(**sampler, *sets, {}, options);
  EXPECT_TRUE(rule.ok()) << rule.status().message();
  options.num_seeds = (*rule)->size();
  auto seeds = std::make_shared<const BatchSeeds>(sets.take(), rule.take());
  return {sampler.take(), std::move(seeds), EpochPlan(options, chosen.options.seed, 2, 0)};
}

AnySampler one_hop(std::vector<std::vector<int64_t>> fanouts) {
  AnySampler out;
  out.options.num_hops = 1;
  out.options.fanouts = std::move(fanouts);
  return out;
}

// A sampler that passes are for, without weights and times of edges.
AnySampler any_frontier_sampler(Numbers* random) {
  AnySampler out;
  SamplerOptions& options = out.options;
  options.seed = static_cast<uint64_t>(random->below(1000));
  options.int32 = random->coin();
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, random->one_in(4) ? -1 : 2}};
  options.direction = random->coin() ? Direction::kIn : Direction::kOut;
  options.replace = random->one_of({Replace::kNever, Replace::kAbove, Replace::kAlways});
  options.disjoint = random->one_in(3);
  options.toward_seeds = random->one_in(4);
  switch (random->below(4)) {
    case 0:
      options.node_time = "time";
      options.time_strategy = random->coin() ? TimeStrategy::kLast : TimeStrategy::kUniform;
      options.replace =
          options.time_strategy == TimeStrategy::kLast ? Replace::kNever : options.replace;
      break;
    case 1:
      out.of_links = true;
      options.negatives.mode = random->coin() ? NegativeMode::kBinary : NegativeMode::kTriplet;
      options.negatives.amount = 2;
      options.negatives.strict = random->coin();
      options.negatives.allow_short = true;
      options.exclude_links = random->coin();
      break;
    case 2:
      options.pick = Pick::kLayer;
      options.replace = Replace::kNever;
      options.disjoint = false;
      options.layer_dependent = random->coin();
      options.batch_dependency = static_cast<uint32_t>(random->below(3));
      break;
    default:
      break;
  }
  options.edge_ids = random->coin();
  return out;
}

class Passes : public PlannedLoader {
 protected:
  static std::shared_ptr<const PassSampler> open(const Batches& of, uint64_t chunk_bytes) {
    auto passes = PassSampler::open(of.sampler, of.seeds, chunk_bytes);
    EXPECT_TRUE(passes.ok()) << passes.status().message();
    return passes.take();
  }
  static Status run(const WindowSampler& passes, size_t batches, const std::string& folder,
                    const WindowSampler::Make& make) {
    int ticks = 0;
    Status status = passes
                        .run(batches, folder, make,
                             [&]() -> Status {
                               ++ticks;
                               return {};
                             })
                        .status()
                        .copy();
    EXPECT_TRUE(ticks > 0 || !status.ok());
    return status;
  }
};

// Without a folder.
void expect_those_of_the_host(const Batches& of, const WindowSampler& passes) {
  const HostProducer host(of.sampler, of.seeds);
  const auto compare = [&](size_t i, const WindowSampler::Sample& sample) -> Status {
    GLS_ASSIGN(const std::shared_ptr<Batch> batch, sample(of.plan, of.plan.batch(i)));
    auto expected = host.make_on_host(of.plan, of.plan.batch(i));
    expect_same(**expected, *batch);
    return {};
  };
  auto ran = passes.run(of.plan.steps(), "", compare, {});
  ASSERT_TRUE(ran.ok()) << ran.status().message();
}

TEST_F(Passes, GiveTheSameBytes) {
  int64_t repeated = 0;
  for (uint64_t number = 0; number < 50; number += kEvery) {
    SCOPED_TRACE(number);
    Numbers random(number);
    const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
    const AnySampler chosen = any_frontier_sampler(&random);
    const Batches of =
        batches_of(dataset, chosen, static_cast<uint64_t>(random.one_of<int64_t>({7, 64, 1000})));
    ASSERT_EQ(PassSampler::why_not(*of.sampler), nullptr);
    const auto passes = open(of, random.one_of<uint64_t>({1, 300, 5000, 1 << 20}));
    std::vector<std::shared_ptr<Batch>> batches(of.plan.steps());
    std::atomic<int64_t> runs = 0;
    const std::string folder = random.coin()
                                   ? std::string()
                                   : std::filesystem::path(folder_.next()).parent_path().string();
    const Status status = run(*passes, batches.size(), folder,
                              [&](size_t i, const WindowSampler::Sample& sample) -> Status {
                                ++runs;
                                GLS_ASSIGN(batches[i], sample(of.plan, of.plan.batch(i)));
                                return {};
                              });
    ASSERT_TRUE(status.ok()) << status.message();
    repeated += runs - static_cast<int64_t>(batches.size());
    const HostProducer host(of.sampler, of.seeds);
    for (size_t i = 0; i < batches.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_EQ(batches[i]->dataset, dataset);
      auto expected = host.make_on_host(of.plan, of.plan.batch(i));
      ASSERT_TRUE(expected.ok()) << expected.status().message();
      ASSERT_NO_FATAL_FAILURE(expect_same(**expected, *batches[i]));
    }
  }
  EXPECT_GT(repeated, 300 / kEvery);  // else nothing was sampled in passes
}

// Edge ids are positions, so columns of edges are in the order of rows.
TEST_F(Passes, OfWeightsAndTimesOfEdges) {
  TestGraph graph;
  graph.nodes = {{"n", 400}};
  graph.edges = {{"n__to__n", {}, {}, {}, {}}};
  graph.store_ids = false;
  for (int64_t i = 0; i < 4000; ++i) {
    graph.edges[0].source.push_back(i * 37 % 400);
    graph.edges[0].target.push_back(i / 10);
    graph.edges[0].weight.push_back(static_cast<float>(i % 7));
    graph.edges[0].time.push_back(i * 31 % 500);
  }
  for (int64_t i = 0; i < 400; ++i) {
    graph.node_times["n"].push_back(i * 13 % 500);
  }
  const auto dataset = make_dataset(context_, graph);
  for (int kind = 0; kind < 3; ++kind) {
    SCOPED_TRACE(kind);
    AnySampler chosen;
    chosen.options.num_hops = 2;
    chosen.options.fanouts = {{4, 3}};
    chosen.options.weight = kind != 1 ? "weight" : "";
    chosen.options.edge_time = kind > 0 ? "time" : "";
    chosen.options.node_time = chosen.options.edge_time;
    const Batches of = batches_of(dataset, chosen, 30);
    ASSERT_EQ(PassSampler::why_not(*of.sampler), nullptr);
    expect_those_of_the_host(of, *open(of, 700));
  }
}

// Rows of a hub exceed a chunk, and chunks between hubs are empty.
TEST_F(Passes, OfHubs) {
  TestGraph graph;
  graph.nodes = {{"n", 3000}};
  graph.edges = {{"n__to__n", {}, {}, {}, {}}};
  for (int64_t i = 0; i < 60000; ++i) {
    graph.edges[0].source.push_back(i * 7 % 3000);
    graph.edges[0].target.push_back(i % 11 == 0 ? i % 3000 : i % 2 * 2999);
  }
  const auto dataset = make_dataset(context_, graph);
  AnySampler chosen;
  chosen.options.num_hops = 3;
  chosen.options.fanouts = {{5, -1, 4}};
  const Batches of = batches_of(dataset, chosen, 500);
  const auto passes = open(of, 1000);
  expect_those_of_the_host(of, *passes);
}

TEST_F(Passes, AreForSamplersThatPickFromRows) {
  Numbers random(3);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto why = [&](SamplerOptions options) {
    auto sampler = Sampler::create(dataset, std::move(options));
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    const char* const found = PassSampler::why_not(**sampler);
    return std::string(found != nullptr ? found : "");
  };
  const SamplerOptions plain = one_hop({{3}, {3}}).options;
  EXPECT_EQ(why(plain), "");
  SamplerOptions options = plain;
  options.subgraph = Subgraph::kInduced;
  EXPECT_NE(why(options).find("whole rows"), std::string::npos);
  options = SamplerOptions();
  options.ppr.emplace();
  EXPECT_NE(why(options).find("whole rows"), std::string::npos);
  options = plain;
  const std::vector<int64_t> edges = {3, 5};
  options.exclude = {{0, Tensor(nullptr, edges.data(), kInt64, {2})}};
  EXPECT_NE(why(options).find("excludes"), std::string::npos);
  options = plain;
  options.negatives.mode = NegativeMode::kBinary;
  EXPECT_EQ(why(options), "");
  options.negatives.degree_quarters = 3;
  EXPECT_NE(why(options).find("degrees"), std::string::npos);
  options = plain;
  options.weight = "weight";
  EXPECT_NE(why(options).find("order of the rows"), std::string::npos);
}

TEST_F(Passes, ReportErrorsOfBatches) {
  const auto dataset = shop(context_);
  const Batches of = batches_of(dataset, one_hop({{3}, {3}}), 10);
  const auto passes = open(of, 500);
  const Status status = run(*passes, of.plan.steps(), "",
                            [&](size_t i, const WindowSampler::Sample& sample) -> Status {
                              GLS_TRY(sample(of.plan, of.plan.batch(i)).status().copy());
                              return i == 3 ? error(GLS_ERR_IO, "a folder is full") : Status();
                            });
  EXPECT_EQ(status.code(), GLS_ERR_IO);
  EXPECT_EQ(status.message(), "a folder is full");
}

TEST_F(Passes, ReportDamagedRows) {
  TestGraph graph;
  graph.nodes = {{"n", 4}};
  graph.edges = {{"n__to__n", {0, 1, 2, 3}, {1, 2, 3, 0}, {}, {}}};
  const auto whole = make_dataset(context_, graph);
  std::vector<EdgeType> edges = whole->edge_types();
  const std::vector<int64_t> bad = {3, 0, 1, 9};
  const Topology& good = *edges[0].csc;
  edges[0].csc = Topology::make(good.indptr_tensor, Tensor(nullptr, bad.data(), kInt64, {4}),
                                good.edge_ids_tensor, 4, 4, 4, "n")
                     .take();
  const auto dataset = Dataset::create(context_, whole->node_types(), std::move(edges)).take();
  const Batches of = batches_of(dataset, one_hop({{-1}}), 4);
  const auto passes = open(of, 1);
  const Status status =
      run(*passes, 1, "", [&](size_t, const WindowSampler::Sample& sample) -> Status {
        return sample(of.plan, 0).status().copy();
      });
  EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA) << status.message();
}

TEST_F(Passes, AreCancelled) {
  const Batches of = batches_of(shop(context_), one_hop({{3}, {3}}), 10);
  const auto passes = open(of, 500);
  std::stop_source stop;
  const StopScope scope(stop.get_token());
  const Status status =
      run(*passes, of.plan.steps(), "", [&](size_t, const WindowSampler::Sample& sample) -> Status {
        stop.request_stop();
        return sample(of.plan, 0).status().copy();
      });
  EXPECT_EQ(status.code(), GLS_ERR_CANCELED);
}

TEST(RowChunks, CoverAllRowsOnce) {
  for (uint64_t number = 0; number < 200; number += kEvery) {
    SCOPED_TRACE(number);
    Numbers random(number);
    const int64_t rows = random.one_of<int64_t>({0, 1, 2, 100, 70000});
    std::vector<int64_t> indptr = {0};
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t degree = random.one_in(50) ? random.below(2000) : random.below(5);
      indptr.push_back(indptr.back() + degree);
    }
    const std::vector<int32_t> indices(static_cast<size_t>(indptr.back()));
    auto topology = Topology::make(Tensor(nullptr, indptr.data(), kInt64, {rows + 1}),
                                   Tensor(nullptr, indices.data(), kInt32, {indptr.back()}),
                                   Tensor(), rows, indptr.back(), 1, "n");
    ASSERT_TRUE(topology.ok()) << topology.status().message();
    const auto bytes = random.one_of<uint64_t>({1, 4096, 100000, 1 << 30});
    const RowChunks chunks(*topology, {}, random.coin(), bytes);
    size_t before = 0;
    uint64_t in_chunk = 0;
    uint64_t longest = 0;
    for (int64_t row = 0; row < rows; ++row) {
      const size_t chunk = chunks.chunk_of(row);
      ASSERT_TRUE(chunk == before || chunk == before + 1);
      in_chunk = chunk == before ? in_chunk : 0;
      const auto size = static_cast<uint64_t>(
          8 + 4 * (indptr[static_cast<size_t>(row) + 1] - indptr[static_cast<size_t>(row)]));
      in_chunk += size;
      longest = std::max(longest, size);
      if (chunks.size() < 2048) {  // the most there are
        ASSERT_LE(in_chunk, 2 * bytes + longest);
      }
      before = chunk;
    }
    EXPECT_EQ(before + 1, chunks.size());
    EXPECT_EQ(chunks.chunk_of(-1), 0u);
    EXPECT_EQ(chunks.chunk_of(rows + 5), chunks.size() - 1);
  }
}

}  // namespace
}  // namespace gls::test
