// The sampler against itself: every instruction set, table and number of threads gives one result,
// and damaged data gives errors.
#include "sample/sampler.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/checksum.h"
#include "sample/batch/relabel.h"
#include "sanitized.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// A power-law graph with two node types, isolated nodes, parallel edges, self-loops and one hub
// with more than 65536 in-edges.
TestGraph mixed_graph() {
  TestGraph graph;
  graph.nodes = {{"a", 30000}, {"b", 80000}};
  graph.edges = {
      {"a__x__a", {}, {}, {}, {}}, {"b__y__a", {}, {}, {}, {}}, {"a__z__b", {}, {}, {}, {}}};
  uint64_t state = 12345;
  const auto below = [&state](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>(((state >> 32) * n) >> 32);
  };
  const auto skewed = [&](uint64_t n) {
    return static_cast<int64_t>(
        (static_cast<uint64_t>(below(n)) * static_cast<uint64_t>(below(n))) / n);
  };
  for (int i = 0; i < 400000; ++i) {
    graph.edges[0].source.push_back(below(30000));
    graph.edges[0].target.push_back(skewed(29000));
    graph.edges[1].source.push_back(below(80000));
    graph.edges[1].target.push_back(i % 5 == 0 ? 7 : skewed(30000));
    graph.edges[2].source.push_back(skewed(30000));
    graph.edges[2].target.push_back(below(80000));
  }
  return graph;
}

std::vector<int64_t> some_seeds(int64_t count, int64_t nodes, int64_t offset) {
  std::vector<int64_t> seeds;
  for (int64_t i = 0; i < count; ++i) {
    seeds.push_back((i * 7919 + offset * 104729) % nodes);
  }
  seeds.push_back(7 % nodes);  // the hub
  return seeds;
}

uint64_t digest(const Batch& batch) {
  Checksum sum;
  const auto add = [&sum](const Tensor& tensor) {
    if (tensor.defined()) {
      for (const int64_t value : values_of(tensor)) {
        sum.update(std::as_bytes(std::span(&value, 1)));
      }
    }
    const int64_t mark = -1;
    sum.update(std::as_bytes(std::span(&mark, 1)));
  };
  for (const SampledNodes& nodes : batch.nodes) {
    add(nodes.node);
    add(nodes.tree);
    add(nodes.seed);
    add(nodes.num_nodes);
  }
  for (const SampledEdges& edges : batch.edges) {
    add(edges.row());
    add(edges.col());
    add(edges.edge);
    add(edges.num_edges);
  }
  return sum.digest();
}

uint64_t sample_digest(const Sampler& sampler, uint64_t number) {
  const std::vector<int64_t> seeds = some_seeds(500, 30000, static_cast<int64_t>(number));
  SampleRequest request;
  request.epoch = 3;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  auto batch = sampler.sample(request);
  EXPECT_TRUE(batch.ok()) << batch.status().message();
  return batch.ok() ? digest(**batch) : 0;
}

SamplerOptions mixed_options(bool disjoint, Direction direction) {
  SamplerOptions options;
  options.seed = 99;
  options.num_hops = 3;
  options.fanouts = {{12, 7, 3}, {25, 9, 4}, {6, 6, 6}};
  options.edge_ids = true;
  options.disjoint = disjoint;
  options.direction = direction;
  return options;
}

TEST(Sampler, SameOnEveryInstructionSetAndTable) {
  const TestGraph narrow = mixed_graph();
  TestGraph wide = narrow;
  wide.wide = true;
  for (const bool disjoint : {false, true}) {
    for (const Direction direction : {Direction::kIn, Direction::kOut}) {
      uint64_t expected = 0;
      for (const char* simd : {"plain", "avx2", "avx512"}) {
        for (const char* table : {"256M", "100K", "0"}) {
          for (const TestGraph* graph : {&narrow, &std::as_const(wide)}) {
            const auto context = make_context(1);
            ASSERT_TRUE(context->set("cpu.simd", simd).ok());
            ASSERT_TRUE(context->set("sample.direct_table", table).ok());
            const auto sampler =
                Sampler::create(make_dataset(context, *graph), mixed_options(disjoint, direction))
                    .take();
            const uint64_t found = sample_digest(*sampler, 5);
            expected = expected == 0 ? found : expected;
            EXPECT_EQ(found, expected) << simd << " table " << table << " disjoint " << disjoint;
          }
        }
      }
    }
  }
}

// A wider set than there is stands for the widest there is, so elsewhere these tests pass without
// having run all kernels. That should be seen.
TEST(Sampler, HereAllInstructionSetsAreThere) {
  if (detect_simd() != Simd::kAvx512) {
    GTEST_SKIP() << "this processor has no AVX-512: those kernels were compiled, but not run";
  }
}

TEST(Sampler, SameForAnyNumberOfThreads) {
  const auto dataset = make_dataset(make_context(1), mixed_graph());
  const auto sampler = Sampler::create(dataset, mixed_options(false, Direction::kIn)).take();
  constexpr size_t kBatches = kSanitized ? 8 : 24;
  std::vector<uint64_t> expected(kBatches);
  for (size_t b = 0; b < kBatches; ++b) {
    expected[b] = sample_digest(*sampler, b);
  }
  for (const size_t threads : {2, 3, 8}) {
    std::vector<uint64_t> found(kBatches);
    std::vector<std::thread> workers;
    for (size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        for (size_t b = t; b < kBatches; b += threads) {
          found[b] = sample_digest(*sampler, b);
        }
      });
    }
    for (std::thread& worker : workers) {
      worker.join();
    }
    EXPECT_EQ(found, expected) << threads << " threads";
  }
}

// The base of a table grows with every batch until it wraps; make that happen.
TEST(Relabel, SurvivesTheWrapOfItsBase) {
  const auto context = make_context(1);
  for (const uint64_t direct : {uint64_t{1} << 20, uint64_t{0}}) {
    Relabel table(1000, false, direct, false);
    const kernels::RelabelFn kernel = kernels::plain_table().relabel[1];
    std::vector<uint32_t> neighbors(2 * kernels::kSlack, 0);
    neighbors[0] = 7;
    neighbors[1] = 900;
    neighbors[2] = 7;
    std::vector<int64_t> nodes(4 * kernels::kSlack);
    std::vector<int64_t> out(4 * kernels::kSlack);
    for (int batch = 0; batch < 9; ++batch) {
      table.begin_batch();
      const uint32_t next =
          table.run(kernel, true, neighbors.data(), 3, 0, nodes.data(), out.data());
      ASSERT_EQ(next, 2u) << batch;
      EXPECT_EQ(std::vector<int64_t>(out.begin(), out.begin() + 3),
                (std::vector<int64_t>{0, 1, 0}));
      table.end_batch(int64_t{1} << 30);  // as if it had been huge
    }
  }
}

// ---- damaged data ------------------------------------------------------------------------------

// Fanout 0: the subgraph that all nodes induce.
Status try_sample(const std::shared_ptr<const Dataset>& dataset, const char* simd, int64_t fanout,
                  bool disjoint, bool edge_ids = false, bool int32 = false) {
  EXPECT_TRUE(dataset->context()->set("cpu.simd", simd).ok());
  SamplerOptions options;
  if (fanout == 0) {
    options.fanouts = {{}};
    options.subgraph = Subgraph::kInduced;
  } else {
    options.num_hops = 2;
    options.fanouts = {{fanout, fanout}};
  }
  options.disjoint = disjoint;
  options.edge_ids = edge_ids;
  options.int32 = int32;
  const auto sampler = Sampler::create(dataset, options).take();
  std::vector<int64_t> seeds;
  for (int64_t v = 0; v < dataset->node_types()[0].count; ++v) {
    seeds.push_back(v);
  }
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  auto batch = sampler->sample(request);
  if (batch.ok()) {
    return {};
  }
  // The same sampler must still be able to serve others.
  const std::vector<int64_t> good = {0};
  request.seeds = {{0, IdSpan(good.data(), true, 1)}};
  EXPECT_TRUE(sampler->sample(request).ok());
  return std::move(batch.status());
}

TEST(Damage, IsAnErrorAndNeverAWildRead) {
  for (const char* simd : {"plain", "avx2", "avx512"}) {
    for (const int64_t fanout : {0, 1, 3, 12, 30, 50, -1}) {
      for (const bool disjoint : {false, true}) {
        SCOPED_TRACE(formatted("{} fanout {} disjoint {}", simd, fanout, disjoint));
        for (const int32_t wrong : {4, -1, INT32_MAX, INT32_MIN}) {
          const Status status =
              try_sample(damaged({0, 1, 2, 3, 4}, {0, 1, wrong, 0}), simd, fanout, disjoint);
          EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
          EXPECT_NE(status.message().find("position 2"), std::string::npos) << status.message();
          EXPECT_NE(status.message().find(std::to_string(wrong)), std::string::npos);
        }
        for (const int64_t wrong : {int64_t{-5}, int64_t{9}, INT64_MAX, INT64_MIN}) {
          const Status status =
              try_sample(damaged({0, 1, 2, wrong, 4}, {0, 1, 2, 3}), simd, fanout, disjoint);
          EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
          EXPECT_NE(status.message().find("indptr of node"), std::string::npos) << status.message();
        }
      }
    }
  }
}

TEST(Damage, EdgeIdsOutOfRangeAreNotHandedOut) {
  constexpr int64_t kTruncated = (int64_t{1} << 32) + 1;  // as int32 it would be edge 1
  for (const char* simd : {"plain", "avx2", "avx512"}) {
    for (const int64_t fanout : {0, 1, 12, 50, -1}) {
      for (const bool int32 : {false, true}) {
        for (const int64_t wrong :
             {int64_t{-1}, int64_t{4}, int64_t{INT32_MAX}, kTruncated, INT64_MAX, INT64_MIN}) {
          SCOPED_TRACE(formatted("{} fanout {} int32 {} id {}", simd, fanout, int32, wrong));
          const auto expect_found = [&](Tensor ids) {
            const auto dataset = damaged({0, 1, 2, 3, 4}, {0, 1, 2, 0}, std::move(ids));
            EXPECT_TRUE(try_sample(dataset, simd, fanout, false).ok());  // nobody asks for them
            const Status status = try_sample(dataset, simd, fanout, false, true, int32);
            ASSERT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
            EXPECT_EQ(status.message(),
                      formatted("edge type \"node__to__node\": edge id at position 2 is {}, "
                                "expected 0 .. 3",
                                wrong));
            EXPECT_EQ(*status.detail("type"), "node__to__node");
            EXPECT_EQ(*status.detail("offset"), "2");
          };
          expect_found(tensor_of<int64_t>({0, 1, wrong, 3}, kInt64));
          if (wrong == static_cast<int32_t>(wrong)) {
            expect_found(tensor_of<int32_t>({0, 1, static_cast<int32_t>(wrong), 3}, kInt32));
          }
        }
      }
    }
  }
}

// Edge 3 is missing: whatever would be left out instead of it is the wrong one.
TEST(Damage, ExclusionNeedsEveryIdOnce) {
  const std::vector<int64_t> excluded = {3};
  for (const std::vector<int64_t>& ids :
       {std::vector<int64_t>{0, 2, 2, 1}, {0, 2, 4, 1}, {0, 2, -1, 1}}) {
    const auto dataset = damaged({0, 1, 2, 3, 4}, {0, 1, 2, 0}, tensor_of(ids, kInt64));
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{5}};
    options.exclude = {{0, tensor_of(excluded, kInt64)}};
    auto sampler = Sampler::create(dataset, options);
    ASSERT_FALSE(sampler.ok());
    const Status& status = sampler.status();
    EXPECT_EQ(status.code(), GLS_ERR_CORRUPT_DATA);
    EXPECT_NE(status.message().find(formatted("edge id at position 2 is {}, ", ids[2])),
              std::string::npos)
        << status.message();
    EXPECT_EQ(*status.detail("offset"), "2");
  }
}

// ---- the caller's floating-point mode ----------------------------------------------------------

class FloatMode {
 public:
  FloatMode() { std::fegetenv(&saved_); }
  ~FloatMode() { std::fesetenv(&saved_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  std::fenv_t saved_;
};

TEST(Sampler, WeightedPicksDoNotDependOnTheFloatingPointMode) {
  const FloatMode restored;
  for (const float unit : {1e-40f, 0.1f}) {  // denormal; sums that are rounded
    TestGraph graph;
    graph.nodes = {{"a", 2000}};
    graph.edges = {{"a__x__a", {}, {}, {}, {}}};
    for (int i = 0; i < 100000; ++i) {
      graph.edges[0].source.push_back(i * int64_t{7919} % 2000);
      graph.edges[0].target.push_back(i % 50);
      graph.edges[0].weight.push_back(unit * static_cast<float>(1 + i % 7));
    }
    SamplerOptions options;
    options.num_hops = 2;
    options.fanouts = {{40, 40}};
    options.edge_ids = true;
    options.weight = "weight";
    const auto sampler = Sampler::create(make_dataset(make_context(1), graph), options).take();
    const std::vector<int64_t> seeds = some_seeds(60, 50, 1);
    const auto sampled = [&](uint64_t number) {
      SampleRequest request;
      request.batch = number;
      request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
      return digest(**sampler->sample(request));
    };
    std::vector<uint64_t> expected;
    for (uint64_t b = 0; b < 4; ++b) {
      expected.push_back(sampled(b));
    }
    for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      ASSERT_EQ(std::fesetround(rounding), 0);
      for (uint64_t b = 0; b < 4; ++b) {
        EXPECT_EQ(sampled(b), expected[b]) << "rounding " << rounding;
      }
      EXPECT_EQ(std::fegetround(), rounding);
    }
    std::fesetround(FE_TONEAREST);
#if defined(__x86_64__)
    const unsigned flushing = _mm_getcsr() | 0x8040;  // FTZ and DAZ
    _mm_setcsr(flushing);
    for (uint64_t b = 0; b < 4; ++b) {
      EXPECT_EQ(sampled(b), expected[b]) << "denormals flushed";
    }
    EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u);
    _mm_setcsr(flushing & ~0x8040u);
#endif
  }
}

// Local ids have 32 bits; here there are less of them.
TEST(Sampler, MoreNodesThanABatchMayHaveAreAnError) {
  TestGraph graph;
  graph.nodes = {{"node", 6}};
  graph.edges = {{"node__to__node", {1, 2, 3, 4, 5}, {0, 0, 0, 0, 0}, {}, {}}};
  const auto dataset = make_dataset(make_context(1), graph);
  const std::vector<int64_t> seeds = {0};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1)}};
  for (const bool disjoint : {false, true}) {
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{-1}};
    options.disjoint = disjoint;
    options.most.nodes = 6;
    EXPECT_TRUE(Sampler::create(dataset, options).take()->sample(request).ok());
    options.most.nodes = 5;
    auto batch = Sampler::create(dataset, options).take()->sample(request);
    EXPECT_EQ(batch.status().code(), GLS_ERR_UNSUPPORTED);
    EXPECT_EQ(batch.status().message(),
              "a batch of more than 5 nodes of one type; use smaller batches or fanouts");
  }
}

TEST(Sampler, EmptyAndIsolated) {
  const auto dataset = damaged({0, 0, 0}, {});
  EXPECT_TRUE(try_sample(dataset, "avx512", 5, false).ok());
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts = {{5, 5}};
  const auto sampler = Sampler::create(dataset, options).take();
  auto batch = sampler->sample({});
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(values_of((*batch)->nodes[0].num_nodes), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ((*batch)->edges[0].row().rows(), 0);
}

}  // namespace
}  // namespace gls::test
