// Sampling by a GPU against sampling by a processor: batches are equal to the byte, and errors to
// the word. Kernels run on this processor, see tests/cuda_on_host, or on a GPU, see
// tests/cuda_on_gpu.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "cuda/plugin/cuda_gpu.h"
#include "cuda/plugin/sampler.h"
#include "random_types.h"
#if defined(GLS_CUDA_ON_HOST)
#include "cuda_on_host/memory_on_host.h"
#endif
#include "random_numbers.h"
#include "sample/sampler.h"
#include "sanitized.h"
#include "test_graph.h"

namespace gls::test {
namespace {

using device::GpuError;
using device::Stream;

struct Destroyer {
  void operator()(device::Gpu* gpu) const { gpu->destroy(); }
  void operator()(device::GpuSampler* sampler) const { sampler->destroy(); }
};

std::unique_ptr<cuda::CudaGpu, Destroyer> open_gpu() {
  setenv("CUDA_ON_HOST_PROTECT", "1", 1);
  GpuError error;
  std::unique_ptr<cuda::CudaGpu, Destroyer> gpu(cuda::CudaGpu::open(0, &error));
  EXPECT_NE(gpu, nullptr) << error.text;
  return gpu;
}

// On a GPU, what was given back stays with its pool, and nothing can be told of it.
uint64_t free_memory(device::Gpu* gpu) {
  uint64_t bytes = 0;
#if !defined(GLS_CUDA_ON_HOST)
  return bytes;
#endif
  GpuError error;
  EXPECT_TRUE(gpu->free_memory(&bytes, &error)) << error.text;
  return bytes;
}

// Nobody counts how often the host waits for a GPU.
uint64_t host_waits() {
#if defined(GLS_CUDA_ON_HOST)
  return cuda_on_host::host_waits();
#else
  return 0;
#endif
}

// No more memory than this, while it lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) {
    setenv("CUDA_ON_HOST_MEMORY", std::to_string(bytes).c_str(), 1);
  }
  ~MemoryLimit() { unsetenv("CUDA_ON_HOST_MEMORY"); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

// The plan for what a sampler is asked to do.
struct PlanOf {
  PlanOf(const Dataset& dataset, const SamplerOptions& options) {
    const bool in = options.direction == Direction::kIn;
    for (const NodeType& type : dataset.node_types()) {
      counts.push_back(type.count);
    }
    for (size_t t = 0; t < dataset.edge_types().size(); ++t) {
      const EdgeType& type = dataset.edge_types()[t];
      const Topology& rows = in ? *type.csc : *type.csr;
      edges.push_back({rows.indptr, rows.indices, rows.edge_ids, rows.wide_indices,
                       rows.wide_edge_ids, static_cast<uint64_t>(rows.num_rows),
                       static_cast<uint64_t>(rows.num_edges),
                       static_cast<uint64_t>(rows.num_neighbors),
                       static_cast<uint32_t>(in ? type.target : type.source),
                       static_cast<uint32_t>(in ? type.source : type.target),
                       options.fanouts[t].data(), type.joined.c_str()});
      add_hot_rows(rows, options.disjoint ? 2 : 0);
    }
    plan = {static_cast<uint32_t>(counts.size()),
            counts.data(),
            static_cast<uint32_t>(edges.size()),
            edges.data(),
            static_cast<uint32_t>(options.num_hops),
            static_cast<uint32_t>(options.replace),
            !options.int32,
            options.disjoint,
            options.edge_ids};
  }
  std::vector<int64_t> counts;
  std::vector<device::EdgePlan> edges;
  device::SamplerPlan plan{};

 private:
  struct Hot {
    std::vector<int32_t> slots;
    std::vector<device::HotRow> rows;
    std::vector<std::byte> indices;
    std::vector<std::byte> edge_ids;
  };

  // Every third row also lies elsewhere, in another order.
  void add_hot_rows(const Topology& rows, int64_t which) {
    auto made = std::make_unique<Hot>();
    made->slots.assign(static_cast<size_t>(rows.num_rows), -1);
    const auto append = [](std::vector<std::byte>* to, const void* from, bool wide, int64_t begin,
                           int64_t end) {
      const int64_t width = wide ? 8 : 4;
      const auto* const bytes = static_cast<const std::byte*>(from);
      to->insert(to->end(), bytes + begin * width, bytes + end * width);
    };
    int64_t place = 0;
    for (int64_t row = rows.num_rows - 1; row >= 0; --row) {
      const int64_t begin = rows.indptr[row];
      const int64_t end = rows.indptr[row + 1];
      if (row % 3 != which || begin < 0 || begin > end || end > rows.num_edges) {
        continue;
      }
      made->slots[static_cast<size_t>(row)] = static_cast<int32_t>(made->rows.size());
      made->rows.push_back({begin, end, place});
      place += end - begin;
      append(&made->indices, rows.indices, rows.wide_indices, begin, end);
      if (rows.edge_ids != nullptr) {
        append(&made->edge_ids, rows.edge_ids, rows.wide_edge_ids, begin, end);
      }
    }
    device::EdgePlan& plan_of_type = edges.back();
    plan_of_type.hot_slots = made->slots.data();
    plan_of_type.hot_rows = made->rows.data();
    plan_of_type.hot_indices = made->indices.data();
    plan_of_type.hot_edge_ids = made->edge_ids.empty() ? nullptr : made->edge_ids.data();
    hot_.push_back(std::move(made));
  }

  std::vector<std::unique_ptr<Hot>> hot_;
};

struct SeedList {
  size_t node_type;
  std::vector<int64_t> ids;
};

class BothSamplers {
 public:
  BothSamplers(const std::shared_ptr<const Dataset>& dataset, const SamplerOptions& options,
               uint64_t most_bytes = 0, uint64_t told_edges = 0, int64_t told_nodes = 0)
      : options_(options), dataset_(dataset) {
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    host_ = sampler.take();
    plan_ = std::make_unique<PlanOf>(*dataset, options);
    for (device::EdgePlan& edges : plan_->edges) {
      edges.num_edges = std::max(edges.num_edges, told_edges);
    }
    for (int64_t& count : plan_->counts) {
      count = std::max(count, told_nodes);
    }
    GpuError error;
    gpu_sampler_.reset(cuda::make_sampler(*gpu_, plan_->plan, &error, most_bytes));
    EXPECT_NE(gpu_sampler_, nullptr) << error.text;
  }

  void expect_same(const std::vector<SeedList>& lists, uint64_t number) {
    SampleRequest request;
    request.batch = number;
    request.epoch = number;
    std::vector<device::SeedsOfType> seeds;
    for (const SeedList& list : lists) {
      const auto count = static_cast<int64_t>(list.ids.size());
      request.seeds.push_back({list.node_type, IdSpan(list.ids.data(), true, count)});
      seeds.push_back({static_cast<uint32_t>(list.node_type), list.ids.data(), count});
    }
    auto expected = host_->sample(request);
    const size_t hops = options_.num_hops;
    std::vector<std::vector<int64_t>> node_counts(dataset_->node_types().size(),
                                                  std::vector<int64_t>(hops + 1, -1));
    std::vector<std::vector<int64_t>> edge_counts(dataset_->edge_types().size(),
                                                  std::vector<int64_t>(hops, -1));
    std::vector<device::NodeArrays> nodes(node_counts.size());
    std::vector<device::EdgeArrays> edges(edge_counts.size());
    for (size_t t = 0; t < nodes.size(); ++t) {
      nodes[t].per_hop = node_counts[t].data();
    }
    for (size_t t = 0; t < edges.size(); ++t) {
      edges[t].per_hop = edge_counts[t].data();
    }
    device::SampleAnswer answer;
    answer.nodes = nodes.data();
    answer.edges = edges.data();
    GpuError error;
    const uint64_t before = free_memory(gpu_.get());
#if defined(GLS_CUDA_ON_HOST)
    const cuda_on_host::Calls calls = cuda_on_host::calls();
#endif
    const uint64_t waited = host_waits();
    const bool done =
        gpu_sampler_->sample({batch_key(options_.seed, number, number), seeds.data(), seeds.size()},
                             nullptr, &answer, &error);
    waits_ = host_waits() - waited;
#if defined(GLS_CUDA_ON_HOST)
    calls_ = cuda_on_host::calls() - calls;
#endif
    if (!done) {
      EXPECT_EQ(free_memory(gpu_.get()), before);
    }
    if (!done && error.code == GLS_ERR_OUT_OF_MEMORY) {
      lacks_memory_ = true;
      return;
    }
    ASSERT_EQ(done, expected.ok()) << (done ? expected.status().message() : error.text);
    if (!done) {
      EXPECT_EQ(error.code, expected.status().code());
      EXPECT_EQ(error.text, expected.status().message());
      return;
    }
    const Batch& batch = **expected;
    for (size_t t = 0; t < nodes.size(); ++t) {
      SCOPED_TRACE(formatted("node type {}", t));
      EXPECT_EQ(node_counts[t], values_of(batch.nodes[t].num_nodes));
      expect_array(batch.nodes[t].node, nodes[t].ids, answer, "node");
      expect_array(batch.nodes[t].seed, nodes[t].seed, answer, "seed");
      EXPECT_EQ(nodes[t].num_seeds, batch.nodes[t].seed.rows());
      if (options_.disjoint) {
        expect_array(batch.nodes[t].tree, nodes[t].trees, answer, "tree");
      }
    }
    const bool in = options_.direction == Direction::kIn;
    for (size_t t = 0; t < edges.size(); ++t) {
      SCOPED_TRACE(formatted("edge type {}", t));
      const SampledEdges& picked = batch.edges[t];
      EXPECT_EQ(edge_counts[t], values_of(picked.num_edges));
      expect_array(picked.row(), in ? edges[t].neighbors : edges[t].anchors, answer, "row");
      expect_array(picked.col(), in ? edges[t].anchors : edges[t].neighbors, answer, "col");
      if (options_.edge_ids) {
        expect_array(picked.edge, edges[t].edge_ids, answer, "edge");
      }
      num_edges_ += picked.row().rows();
    }
    gpu_->release(answer.block, nullptr);
    EXPECT_EQ(free_memory(gpu_.get()), before);
  }
  int64_t num_edges() const { return num_edges_; }
#if defined(GLS_CUDA_ON_HOST)
  // Of the last batch.
  const cuda_on_host::Calls& calls() const { return calls_; }
#endif
  // How often the host waited while the last batch was made.
  uint64_t waits() const { return waits_; }
  // Whether the last batch did not become one for that.
  bool lacked_memory() { return std::exchange(lacks_memory_, false); }

 private:
  void expect_array(const Tensor& expected, const void* found, const device::SampleAnswer& answer,
                    const char* what) const {
    if (expected.rows() == 0) {
      return;
    }
    ASSERT_NE(found, nullptr) << what;
    const auto* const begin = static_cast<const char*>(answer.block);
    const auto* const at = static_cast<const char*>(found);
    ASSERT_TRUE(at >= begin && at + expected.span_bytes() <= begin + answer.bytes) << what;
    std::vector<std::byte> copy(expected.span_bytes());
    GpuError error;
    EXPECT_TRUE(gpu_->copy_out(copy.data(), found, copy.size(), nullptr, &error)) << error.text;
    EXPECT_TRUE(gpu_->finish(nullptr, &error)) << error.text;
    EXPECT_EQ(std::memcmp(expected.data(), copy.data(), copy.size()), 0) << what;
  }

  SamplerOptions options_;
  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<const Sampler> host_;
  std::unique_ptr<cuda::CudaGpu, Destroyer> gpu_ = open_gpu();
  std::unique_ptr<PlanOf> plan_;  // has the hot rows
  std::unique_ptr<device::GpuSampler, Destroyer> gpu_sampler_;
#if defined(GLS_CUDA_ON_HOST)
  cuda_on_host::Calls calls_;
#endif
  bool lacks_memory_ = false;
  uint64_t waits_ = 0;
  int64_t num_edges_ = 0;
};

TestEdges random_edges(Numbers* random, const TestGraph& graph, size_t number) {
  const auto types = static_cast<int64_t>(graph.nodes.size());
  const auto& [source, sources] = graph.nodes[static_cast<size_t>(random->below(types))];
  const auto& [target, targets] = graph.nodes[static_cast<size_t>(random->below(types))];
  TestEdges edges{formatted("{}__r{}__{}", source, number, target), {}, {}, {}, {}};
  const int64_t count = random->one_of<int64_t>({0, 30, 400, 3000});
  const bool sorted = random->coin();  // then ids are positions
  for (int64_t e = 0; e < count; ++e) {
    edges.source.push_back(random->below(sources));
    edges.target.push_back(sorted ? e * targets / count
                                  : random->below(random->below(targets) + 1));
  }
  return edges;
}

// As small as can be, and large enough that nothing is expected of memory.
uint64_t random_bound(Numbers* random) {
  return random->one_of<uint64_t>({0, 1, 1 << 16, 1 << 20});
}

TEST(CudaSampler, MakesTheBatchesOfAProcessor) {
  int64_t edges = 0;
  for (uint64_t number = 0; number < 100; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph;
    const int64_t types = 1 + random.below(3);
    for (int64_t t = 0; t < types; ++t) {
      graph.nodes.emplace_back(formatted("n{}", t), random.one_of<int64_t>({1, 20, 300}));
    }
    graph.wide = random.coin();
    graph.store_ids = random.coin();
    SamplerOptions options;
    options.seed = number;
    options.disjoint = random.below(3) == 0;
    options.num_hops = static_cast<size_t>(1 + random.below(3));
    for (int64_t e = 1 + random.below(4); e > 0; --e) {
      graph.edges.push_back(random_edges(&random, graph, graph.edges.size()));
      std::vector<int64_t>& fanouts = options.fanouts.emplace_back();
      for (size_t hop = 0; hop < options.num_hops; ++hop) {
        // What is not folded grows beyond reason.
        fanouts.push_back(options.disjoint && hop > 0
                              ? random.one_of<int64_t>({0, 1, 2, 3})
                              : random.one_of<int64_t>({0, 1, 2, 5, 8, 15, 33, 64, 65, 300, -1}));
      }
    }
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.replace = random.one_of({Replace::kNever, Replace::kAbove, Replace::kAlways});
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    BothSamplers both(make_any_dataset(make_context(1), graph, number), options,
                      random_bound(&random));
    for (uint64_t batch = 0; batch < 2; ++batch) {
      std::vector<SeedList> lists;
      for (int64_t l = random.below(4); l > 0; --l) {
        const auto type = static_cast<size_t>(random.below(types));
        SeedList& list = lists.emplace_back(SeedList{type, {}});
        for (int64_t i = random.below(20); i > 0; --i) {
          list.ids.push_back(random.below(graph.nodes[type].second));
        }
      }
      both.expect_same(lists, batch);
    }
    edges += both.num_edges();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 40000 / kEvery);  // else these were no cases
}

// Two nodes of more than 65536 in-edges, which need wider draws, and others beside them.
TestGraph with_hubs() {
  TestGraph graph;
  graph.nodes = {{"n", 1000}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  Numbers random(1);
  for (int64_t i = 0; i < 160000; ++i) {
    graph.edges[0].source.push_back(random.below(1000));
    graph.edges[0].target.push_back(i < 140000 ? 3 + i % 2 : random.below(1000));
  }
  return graph;
}

TEST(CudaSampler, DrawsFromHubs) {
  const auto dataset = make_dataset(make_context(1), with_hubs());
  for (const Replace replace : {Replace::kNever, Replace::kAbove, Replace::kAlways}) {
    for (const int64_t fanout : {1, 10, 32, 40, 64, 65, 1000}) {
      SCOPED_TRACE(formatted("fanout {} replace {}", fanout, static_cast<int>(replace)));
      SamplerOptions options;
      options.num_hops = 1;
      options.fanouts = {{fanout}};
      options.edge_ids = true;
      options.replace = replace;
      BothSamplers both(dataset, options);
      both.expect_same({{0, {1, 3, 500, 4}}}, 7);
    }
  }
}

// Entries of rows need more than 32 bits where a type has so many edges: here it is only said.
TEST(CudaSampler, DrawsFromRowsThatMayBeLong) {
  const auto dataset = make_dataset(make_context(1), with_hubs());
  for (const int64_t fanout : {3, 20, 50}) {
    SamplerOptions options;
    options.num_hops = 2;
    options.fanouts = {{fanout, fanout}};
    BothSamplers both(dataset, options, 0, uint64_t{1} << 33);
    both.expect_same({{0, {1, 3, 500, 4}}}, 7);
  }
}

// Keys of nodes have more than 32 bits where a type has so many: here it is only said. So have
// those of 40 trees over a type of fewer, but not those of two.
TEST(CudaSampler, NumbersNodesOfLargeTypes) {
  const auto dataset = make_dataset(make_context(1), with_hubs());
  for (const int64_t told_nodes : {int64_t{1} << 28, int64_t{1} << 33}) {
    for (const bool disjoint : {false, true}) {
      SCOPED_TRACE(formatted("{} nodes, disjoint {}", told_nodes, disjoint));
      SamplerOptions options;
      options.num_hops = 2;
      options.fanouts = {{5, 10}};
      options.disjoint = disjoint;
      for (const uint64_t most_bytes : {uint64_t{0}, uint64_t{1}}) {
        BothSamplers both(dataset, options, most_bytes, 0, told_nodes);
        for (const int64_t count : {2, 40}) {
          std::vector<int64_t> seeds(static_cast<size_t>(count), 3);
          std::iota(seeds.begin() + 1, seeds.end(), 0);
          both.expect_same({{0, seeds}}, static_cast<uint64_t>(count));
        }
      }
    }
  }
}

// Rows that are hardly longer than the fanout: most draws are of what was picked before, and tops
// of draws are drawn again.
TEST(CudaSampler, ReplacesWhatWasDrawnBefore) {
  TestGraph graph;
  graph.nodes = {{"n", 400}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  for (int64_t v = 0; v < 400; ++v) {
    for (int64_t i = 0; i <= v; ++i) {
      graph.edges[0].source.push_back((v + 7 * i) % 400);
      graph.edges[0].target.push_back(v);
    }
  }
  const auto dataset = make_dataset(make_context(1), graph);
  for (const int64_t fanout : {2, 3, 4, 7, 31, 32, 33, 63, 64, 65, 128, 390}) {
    for (const bool disjoint : {false, true}) {
      SCOPED_TRACE(formatted("fanout {} disjoint {}", fanout, disjoint));
      SamplerOptions options;
      options.num_hops = 1;
      options.fanouts = {{fanout}};
      options.edge_ids = true;
      options.disjoint = disjoint;
      BothSamplers both(dataset, options);
      std::vector<int64_t> seeds;  // node v has v + 1 edges
      for (int64_t v = std::max<int64_t>(0, fanout - 3); v < fanout + 5; ++v) {
        seeds.push_back(v);
      }
      for (uint64_t batch = 0; batch < 4; ++batch) {
        both.expect_same({{0, seeds}}, batch);
      }
    }
  }
}

// The host waits for a batch once; by true sizes, which are asked for where memory is little, also
// for each edge type of each hop, and for the hop (decision 0056).
TEST(CudaSampler, WaitsOncePerBatch) {
#if !defined(GLS_CUDA_ON_HOST)
  GTEST_SKIP() << "waits are counted by the emulated runtime alone";
#endif
  TestGraph graph = with_hubs();
  graph.edges.push_back(graph.edges[0]);
  graph.edges[1].name = "n__f__n";
  const auto dataset = make_dataset(make_context(1), graph);
  for (const size_t hops : {size_t{1}, size_t{2}, size_t{4}}) {
    for (const bool disjoint : {false, true}) {
      SCOPED_TRACE(formatted("hops {} disjoint {}", hops, disjoint));
      SamplerOptions options;
      options.num_hops = hops;
      options.fanouts.assign(2, std::vector<int64_t>(hops, 3));
      options.edge_ids = true;
      options.disjoint = disjoint;
      BothSamplers roomy(dataset, options);
      BothSamplers tight(dataset, options, 1);
      for (uint64_t batch = 0; batch < 3; ++batch) {
        roomy.expect_same({{0, {1, 3, 500, 4}}}, batch);
        EXPECT_EQ(roomy.waits(), 1u);
        tight.expect_same({{0, {1, 3, 500, 4}}}, batch);
        EXPECT_EQ(tight.waits(), (2 + 1) * hops + 1);
      }
    }
  }
}

// What a batch could become is out of all proportion to what it becomes.
TEST(CudaSampler, TakesMemoryByTrueSizes) {
  TestGraph graph;
  graph.nodes = {{"n", 100000}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  for (int64_t v = 0; v < 100000; ++v) {
    graph.edges[0].source.push_back((v + 1) % 100000);
    graph.edges[0].target.push_back(v);
  }
  const MemoryLimit limit(uint64_t{3} << 20);
  for (const bool disjoint : {false, true}) {
    SamplerOptions options;
    options.num_hops = 6;
    options.fanouts = {{1000, 1000, -1, 1000, 1000, 1000}};
    options.disjoint = disjoint;
    BothSamplers both(make_dataset(make_context(1), graph), options, 1 << 20);
    both.expect_same({{0, {5, 9, 5, 77}}}, 1);
    EXPECT_FALSE(both.lacked_memory());
    EXPECT_GT(both.num_edges(), 10);
  }
}

// Of what was free when the sampler was made, others have taken most: there is room for what a
// batch is, and not for what it could become.
TEST(CudaSampler, GoesByTrueSizesWhereOthersTookTheRoom) {
#if !defined(GLS_CUDA_ON_HOST)
  GTEST_SKIP() << "how much memory is left is chosen, which is for the emulated runtime alone";
#endif
  TestGraph graph;
  graph.nodes = {{"n", 100000}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  for (int64_t v = 0; v < 100000; ++v) {
    graph.edges[0].source.push_back((v + 1) % 100000);
    graph.edges[0].target.push_back(v);
  }
  SamplerOptions options;
  options.num_hops = 3;
  options.fanouts = {{30, 30, 30}};
  BothSamplers both(make_dataset(make_context(1), graph), options);
  both.expect_same({{0, {5, 9, 5, 77}}}, 0);
  const MemoryLimit limit(uint64_t{1} << 20);
  for (uint64_t batch = 1; batch < 20; ++batch) {
    both.expect_same({{0, {5, 9, 5, 77}}}, batch);
    ASSERT_FALSE(both.lacked_memory()) << batch;
  }
}

// Wherever memory ends, it is said, all is given back, and the next batch is as ever.
TEST(CudaSampler, SurvivesTheEndOfMemory) {
#if !defined(GLS_CUDA_ON_HOST)
  GTEST_SKIP() << "where memory ends is chosen, which is for the emulated runtime alone";
#endif
  TestGraph graph = with_hubs();
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts = {{5, 70}};
  options.disjoint = true;
  options.edge_ids = true;
  for (const uint64_t most_bytes : {uint64_t{0}, uint64_t{1}}) {
    BothSamplers both(make_dataset(make_context(1), graph), options, most_bytes);
    int failures = 0;
    for (uint64_t bytes = 100;; bytes += bytes / 4) {
      {
        const MemoryLimit limit(bytes);
        both.expect_same({{0, {1, 2, 3, 4}}}, 1);
      }
      if (!both.lacked_memory()) {
        break;
      }
      ++failures;
      both.expect_same({{0, {9}}}, 1);
      ASSERT_FALSE(both.lacked_memory());
    }
    EXPECT_GT(failures, 10);
  }
}

// Small batches take as long as what is asked of the GPU, whatever that does.
TEST(CudaSampler, AsksForFewThings) {
#if !defined(GLS_CUDA_ON_HOST)
  GTEST_SKIP() << "calls are counted, which is for the emulated runtime alone";
#else
  TestGraph graph;
  graph.nodes = {{"n", 20000}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  Numbers random(1);
  for (int64_t i = 0; i < 200000; ++i) {
    graph.edges[0].source.push_back(random.below(20000));
    graph.edges[0].target.push_back(random.below(20000));
  }
  SamplerOptions options;
  options.num_hops = 3;
  options.fanouts = {{15, 10, 5}};
  std::vector<int64_t> seeds;
  for (int64_t i = 0; i < 1024; ++i) {
    seeds.push_back(random.below(20000));
  }
  BothSamplers both(make_dataset(make_context(1), graph), options);
  both.expect_same({{0, seeds}}, 0);
  const cuda_on_host::Calls calls = both.calls();
  EXPECT_EQ(calls.kernels, 23);
  EXPECT_EQ(calls.copies, 2);
  EXPECT_EQ(calls.sets, 5);
  EXPECT_EQ(calls.pool, 5);  // and the block of the answer is given back by whoever has it
#endif
}

// ---- damaged data ------------------------------------------------------------------------------

// As a processor says it, and then it serves others still.
void expect_same_fault(const std::shared_ptr<const Dataset>& dataset,
                       const SamplerOptions& options) {
  BothSamplers both(dataset, options, options.disjoint ? 1 : 0);
  both.expect_same({{0, {0, 1, 2, 3}}}, 0);
  EXPECT_EQ(both.num_edges(), 0);
  both.expect_same({{0, {0}}}, 0);
  EXPECT_GT(both.num_edges(), 0);
}

TEST(CudaSampler, SaysWhatIsDamaged) {
  for (const int64_t fanout : {1, 12, 50, 100, -1}) {
    for (const bool disjoint : {false, true}) {
      SCOPED_TRACE(formatted("fanout {} disjoint {}", fanout, disjoint));
      SamplerOptions options;
      options.num_hops = 2;
      options.fanouts = {{fanout, fanout}};
      options.disjoint = disjoint;
      options.edge_ids = true;
      for (const int32_t wrong : {4, -1, INT32_MAX, INT32_MIN}) {
        expect_same_fault(damaged({0, 1, 2, 3, 4}, {0, 1, wrong, 0}), options);
      }
      for (const int64_t wrong : {int64_t{-5}, int64_t{9}, INT64_MAX, INT64_MIN}) {
        expect_same_fault(damaged({0, 1, 2, wrong, 4}, {0, 1, 2, 3}), options);
      }
      for (const int64_t wrong : {int64_t{-1}, int64_t{4}, INT64_MAX, INT64_MIN}) {
        expect_same_fault(
            damaged({0, 1, 2, 3, 4}, {0, 1, 2, 0}, tensor_of<int64_t>({0, 1, wrong, 3}, kInt64)),
            options);
      }
    }
  }
}

TEST(CudaSampler, RefusesTreesThatCannotBeToldApart) {
  const auto dataset = damaged({0, 0, 0}, {});
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{1}};
  options.disjoint = true;
  PlanOf plan(*dataset, options);
  plan.counts[0] = int64_t{1} << 62;
  const auto gpu = open_gpu();
  GpuError error;
  const std::unique_ptr<device::GpuSampler, Destroyer> sampler(
      cuda::make_sampler(*gpu, plan.plan, &error));
  const std::vector<int64_t> ids = {0, 1, 0, 1, 0};
  const device::SeedsOfType seeds = {0, ids.data(), 5};
  device::SampleAnswer answer;
  EXPECT_FALSE(sampler->sample({1, &seeds, 1}, nullptr, &answer, &error));
  EXPECT_EQ(error.code, GLS_ERR_UNSUPPORTED);
  EXPECT_NE(std::string(error.text).find("disjoint trees of 5 seeds"), std::string::npos);
}

}  // namespace
}  // namespace gls::test
