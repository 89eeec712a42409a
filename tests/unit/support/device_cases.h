// Random graphs, requests and options, and a sampler beside what a device makes of it: for tests
// that the two give the same, to the byte, on the emulated runtime or on a GPU (test_device.h).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <numeric>

#include "batch_equal.h"
#include "loader/columns/device_delivery.h"
#include "random_numbers.h"
#include "random_types.h"
#include "sample/device/device_sampler.h"
#include "sanitized.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {

class DeviceSampling : public testing::Test {
 protected:
  static void SetUpTestSuite() { choose_device_plugin(); }
  void SetUp() override { GLS_NEEDS_DEVICE(); }
};

inline std::shared_ptr<Device> device_of_tests() {
  auto device = Device::open(0);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device.take();
}

// No more memory of the device than this, while it lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(const char* bytes) { setenv("CUDA_ON_HOST_MEMORY", bytes, 1); }
  ~MemoryLimit() { unsetenv("CUDA_ON_HOST_MEMORY"); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

// With so much room for topology on the device.
inline std::shared_ptr<Context> context_of(const char* room) {
  auto context = make_context(1);
  EXPECT_TRUE(context->set("device.graph_memory", room).ok());
  return context;
}
// With room for all of a topology, for some of its rows, or for none.
inline std::shared_ptr<Context> any_context(uint64_t number) {
  const char* const rooms[] = {"0", "4000", "9000", "1"};
  return context_of(rooms[number % 4]);
}

// A sampler, and what a device makes of it.
class Both {
 public:
  // Of every third number, a batch may take so little memory that sizes are waited for.
  explicit Both(std::shared_ptr<const Sampler> sampler, uint64_t number = 1)
      : sampler_(std::move(sampler)), graph_(DeviceGraph::of(sampler_->dataset(), device_)) {
    const MemoryLimit limit(number % 3 == 0 ? "2000000" : "100000000");
    EXPECT_EQ(DeviceSampler::beyond(*sampler_), "");
    auto made = DeviceSampler::create(sampler_, device_);
    EXPECT_TRUE(made.ok()) << made.status().message();
    device_sampler_ = made.take();
  }
  Both(const std::shared_ptr<const Dataset>& dataset, const SamplerOptions& options,
       uint64_t number = 1)
      : Both(make(dataset, options), number) {}

  void expect_same(const SampleRequest& request) {
    auto expected = sampler_->sample(request);
    const DeviceStream stream = device_->stream().take();
    auto found = device_sampler_->sample(request, stream);
    ASSERT_EQ(found.ok(), expected.ok())
        << (found.ok() ? expected.status() : found.status()).message();
    if (!found.ok()) {
      EXPECT_EQ(found.status().code(), expected.status().code());
      EXPECT_EQ(found.status().message(), expected.status().message());
      ++failures_;
      return;
    }
    ASSERT_TRUE(stream.finish().ok());
    for (size_t t = 0; t < (*found)->edges.size(); ++t) {
      EXPECT_EQ((*found)->edges[t].row().on_host(), false);
    }
    auto copy = copy_to_host(**found);
    ASSERT_TRUE(copy.ok()) << copy.status().message();
    test::expect_same(**expected, **copy);
    EXPECT_EQ((*expected)->frontier, (*copy)->frontier);
    EXPECT_EQ((*expected)->frontier_is_target, (*copy)->frontier_is_target);
    EXPECT_EQ((*expected)->num_hops, (*copy)->num_hops);
    num_edges_ += (*expected)->num_edges();
    num_nodes_ += (*expected)->num_nodes();
  }
  // That the device refuses a batch which the sampler makes.
  std::string why_not(const SampleRequest& request) {
    const DeviceStream stream = device_->stream().take();
    EXPECT_TRUE(sampler_->sample(request).ok());
    auto found = device_sampler_->sample(request, stream);
    EXPECT_TRUE(found.ok() || found.status().code() == GLS_ERR_UNSUPPORTED);
    return found.ok() ? "" : found.status().message();
  }
  int64_t num_nodes() const { return num_nodes_; }
  int64_t num_edges() const { return num_edges_; }
  int64_t failures() const { return failures_; }
  // Edge types of which some rows are on the device, and others are not.
  int64_t num_split() const {
    const Layout layout =
        sampler_->options().direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
    int64_t split = 0;
    for (size_t t = 0; t < sampler_->dataset()->edge_types().size(); ++t) {
      const EdgeType& type = sampler_->dataset()->edge_types()[t];
      if (!type.stores(layout)) {
        continue;
      }
      const DeviceGraph::Rows rows = graph_->get(t, layout).take();
      split += rows.hot != nullptr && rows.hot->size() < type.topology(layout)->num_rows ? 1 : 0;
    }
    return split;
  }

 private:
  static std::shared_ptr<const Sampler> make(const std::shared_ptr<const Dataset>& dataset,
                                             const SamplerOptions& options) {
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    return sampler.take();
  }

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<Device> device_ = device_of_tests();
  std::shared_ptr<DeviceGraph> graph_;
  std::shared_ptr<const DeviceSampler> device_sampler_;
  int64_t num_edges_ = 0;
  int64_t num_nodes_ = 0;
  int64_t failures_ = 0;
};

// ---- random cases ------------------------------------------------------------------------------

// Rows of all lengths: half of all edges are of few nodes.
inline void add_edges(Numbers* random, TestGraph* graph, int64_t count) {
  const auto types = graph->nodes.size();
  const auto& [source, sources] = graph->nodes[random->index(types)];
  const auto& [target, targets] = graph->nodes[random->index(types)];
  TestEdges edges{formatted("{}__r{}__{}", source, graph->edges.size(), target), {}, {}, {}, {}};
  const bool sorted = random->coin();  // then ids are positions
  for (int64_t e = 0; e < count; ++e) {
    edges.source.push_back(random->below(random->below(sources) + 1));
    edges.target.push_back(sorted ? e * targets / count
                                  : random->below(random->below(targets) + 1));
  }
  graph->edges.push_back(std::move(edges));
}

inline TestGraph random_graph(Numbers* random) {
  TestGraph graph;
  for (int64_t t = random->below(3); t >= 0; --t) {
    graph.nodes.emplace_back(formatted("n{}", t), random->one_of<int64_t>({1, 20, 300}));
  }
  graph.wide = random->coin();
  graph.store_ids = random->coin();
  for (int64_t e = random->below(4); e >= 0; --e) {
    add_edges(random, &graph, random->one_of<int64_t>({0, 30, 400, 3000}));
  }
  return graph;
}

inline SamplerOptions random_options(Numbers* random, const TestGraph& graph, uint64_t seed) {
  SamplerOptions options;
  options.seed = seed;
  options.disjoint = random->one_in(3);
  options.num_hops = 1 + random->index(3);
  for (size_t t = 0; t < graph.edges.size(); ++t) {
    std::vector<int64_t>& fanouts = options.fanouts.emplace_back();
    for (size_t hop = 0; hop < options.num_hops; ++hop) {
      // What is not folded grows beyond reason.
      fanouts.push_back(hop > 0 ? random->one_of<int64_t>({0, 1, 2, 3})
                                : random->one_of<int64_t>({0, 1, 2, 5, 15, 33, 64, 65, 200, -1}));
    }
  }
  options.direction = random->coin() ? Direction::kIn : Direction::kOut;
  options.replace = random->one_of({Replace::kNever, Replace::kAbove, Replace::kAlways});
  options.edge_ids = random->coin();
  options.int32 = random->coin();
  options.toward_seeds = random->coin();
  return options;
}

template <typename T>
Tensor shaped(std::vector<T> values, DLDataType dtype, std::vector<int64_t> shape) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  return Tensor(std::move(owner), data, dtype, std::move(shape), false);
}

// Of 32 bits, or of 64: as good as any of them decides.
inline Tensor ids_of(std::vector<int64_t> ids, std::vector<int64_t> shape) {
  if (std::accumulate(ids.begin(), ids.end(), int64_t{0}) % 2 == 0) {
    return shaped(std::vector<int32_t>(ids.begin(), ids.end()), kInt32, std::move(shape));
  }
  return shaped(std::move(ids), kInt64, std::move(shape));
}

// What a request views.
struct Asked {
  std::vector<Tensor> numbers;
  SampleRequest request;

  IdSpan keep(std::vector<int64_t> values) {
    const auto count = static_cast<int64_t>(values.size());
    const Tensor& kept = numbers.emplace_back(ids_of(std::move(values), {count}));
    return {kept.data(), same_dtype(kept.dtype(), kInt64), count};
  }
};

// Below this in all random times, so that many are the same.
inline constexpr int64_t kTimes = 40;

std::vector<int64_t> random_numbers(Numbers* random, int64_t count, int64_t below) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(random->below(below));
  }
  return out;
}

inline void ask_for_seeds(Numbers* random, const Dataset& dataset, Asked* asked,
                          bool timed = false) {
  for (int64_t l = random->below(4); l > 0; --l) {
    const size_t type = random->index(dataset.node_types().size());
    const int64_t count = random->below(20);
    SeedSet set = {type,
                   asked->keep(random_numbers(random, count, dataset.node_types()[type].count))};
    if (timed) {
      set.times = asked->keep(random_numbers(random, count, kTimes));
    }
    asked->request.seeds.push_back(set);
  }
}

// Of an edge type with edges, as ids or as pairs, which need be no edges.
inline void ask_for_links(Numbers* random, const Dataset& dataset, Asked* asked,
                          bool timed = false) {
  const size_t number = random->index(dataset.edge_types().size());
  const EdgeType& type = dataset.edge_types()[number];
  const int64_t count = random->one_in(8) ? 0 : 1 + random->below(12);
  LinkSet& links = asked->request.links.emplace();
  links.edge_type = number;
  if (random->coin() && type.count > 0) {
    links.links = ids_of(random_numbers(random, count, type.count), {count});
  } else {
    std::vector<int64_t> pairs =
        random_numbers(random, count, dataset.node_types()[type.source].count);
    const auto targets = random_numbers(random, count, dataset.node_types()[type.target].count);
    pairs.insert(pairs.end(), targets.begin(), targets.end());
    links.links = ids_of(std::move(pairs), {2, count});
  }
  if (timed) {
    links.times = asked->keep(random_numbers(random, count, kTimes));
  }
  if (random->coin()) {
    links.labels = ids_of(random_numbers(random, 2 * count, 9), {count, 2});
  }
}

// Some edges, or nearly all of a type: as ids, or as pairs with all that are parallel.
inline EdgeSet random_edge_set(Numbers* random, const TestGraph& graph) {
  EdgeSet out;
  out.edge_type = random->index(graph.edges.size());
  const TestEdges& edges = graph.edges[out.edge_type];
  const auto all = static_cast<int64_t>(edges.source.size());
  const int64_t count = all == 0 ? 0 : random->one_of<int64_t>({1, 10, all / 2, 3 * all});
  std::vector<int64_t> ids = random_numbers(random, count, all);
  if (random->coin()) {
    out.edges = ids_of(std::move(ids), {count});
    return out;
  }
  std::vector<int64_t> pairs;
  for (const std::vector<int64_t>* const ends : {&edges.source, &edges.target}) {
    for (const int64_t id : ids) {
      pairs.push_back((*ends)[static_cast<size_t>(id)]);
    }
  }
  out.edges = ids_of(std::move(pairs), {2, count});
  return out;
}

// With a column of reverse edges, and the last edge type once more the other way round.
inline void add_reverses(Numbers* random, TestGraph* graph) {
  TestEdges back = graph->edges.back();
  std::swap(back.source, back.target);
  const auto name = *parse_edge_type(back.name);
  back.name = formatted("{}__back__{}", name.target, name.source);
  graph->edges.push_back(std::move(back));
  for (TestEdges& edges : graph->edges) {
    const auto count = static_cast<int64_t>(edges.source.size());
    edges.reverse = random_numbers(random, count, count);
  }
}

inline NegativeOptions random_negatives(Numbers* random) {
  NegativeOptions out;
  out.mode = random->one_of({NegativeMode::kNone, NegativeMode::kBinary, NegativeMode::kTriplet});
  out.amount = out.mode == NegativeMode::kTriplet ? 3 : random->one_of({0.5, 1.0, 2.5});
  out.degree_quarters = random->one_of({0u, 3u});
  out.strict = random->coin();
  out.allow_short = true;
  out.tries = 5;
  return out;
}

// Of some node types and edge types. Rows ascend in edge ids, and so in the times of some types.
inline void add_times(Numbers* random, TestGraph* graph) {
  for (const auto& [name, count] : graph->nodes) {
    if (random->coin() || name == "n0") {
      graph->node_times[name] = random_numbers(random, count, kTimes);
    }
  }
  for (TestEdges& edges : graph->edges) {
    if (random->one_in(4)) {
      continue;
    }
    edges.time = random_numbers(random, static_cast<int64_t>(edges.source.size()), kTimes);
    if (random->coin()) {
      std::sort(edges.time.begin(), edges.time.end());
    }
  }
}

inline bool has_edge_times(const TestGraph& graph) {
  return std::any_of(graph.edges.begin(), graph.edges.end(),
                     [](const TestEdges& edges) { return !edges.time.empty(); });
}

// ---- weights ----

// Of a few sizes, all the same, some nearly all there is, or of all sizes; some may be 0.
inline std::vector<float> random_weights(Numbers* random, size_t count) {
  std::vector<float> out;
  const int64_t kind = random->below(4);
  for (size_t i = 0; i < count; ++i) {
    switch (kind) {
      case 0:
        out.push_back(static_cast<float>(random->below(3)));
        break;
      case 1:
        out.push_back(0.7F);
        break;
      case 2:
        out.push_back(random->one_in(12) ? 1e30F : 1e-30F);
        break;
      default:
        out.push_back(
            random->one_in(3) ? 0.0F : std::ldexp(1.0F, static_cast<int>(random->below(60)) - 30));
    }
  }
  return out;
}

// Some edge types have weights; so has the first that has edges.
inline void add_weights(Numbers* random, TestGraph* graph, SamplerOptions* options) {
  for (TestEdges& edges : graph->edges) {
    if (!edges.source.empty() && (options->weight.empty() || random->coin())) {
      edges.weight = random_weights(random, edges.source.size());
      options->weight = "weight";
    }
  }
}

inline std::shared_ptr<const Dataset> weighing(const std::shared_ptr<const Dataset>& dataset,
                                               const std::shared_ptr<Context>& context,
                                               Tensor weights) {
  std::vector<EdgeType> edges = dataset->edge_types();
  edges[0].columns.push_back({"weight", GLS_ROLE_WEIGHT, std::move(weights)});
  return Dataset::create(context, dataset->node_types(), std::move(edges)).take();
}
inline std::shared_ptr<const Dataset> with_weights(const std::shared_ptr<const Dataset>& dataset,
                                                   const std::vector<float>& weights) {
  return weighing(dataset, make_context(1), tensor_of(weights, kFloat32));
}

// Of walks along edge type 0 by its column "weight".
inline void expect_weights_left_to_the_processor(SamplerOptions options) {
  const auto graph = damaged({0, 3, 3, 5, 5}, {0, 1, 2, 0, 3});
  const auto beyond = [&](const std::vector<float>& weights) {
    return std::string(
        DeviceSampler::beyond(**Sampler::create(with_weights(graph, weights), options)));
  };
  EXPECT_EQ(beyond({1, 2, 0, 1, 1}), "");
  EXPECT_NE(beyond({1, 2, -1, 1, 1}).find("do not fit"), std::string::npos);
  options.exclude = {{0, ids_of({1}, {1})}};
  EXPECT_NE(beyond({1, 2, 0, 1, 1}).find("left out"), std::string::npos);
}

}  // namespace gls::test
