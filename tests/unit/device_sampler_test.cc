// What a device samples is what a processor does, to the byte, over random graphs, requests and
// options: on the emulated runtime, or on a GPU (test_device.h).
#include "sample/device_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <memory>

#include "batch_equal.h"
#include "loader/device_batch.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {
namespace {

class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  int64_t below(int64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>(((state_ >> 32) * static_cast<uint64_t>(n)) >> 32);
  }
  size_t index(size_t n) { return static_cast<size_t>(below(static_cast<int64_t>(n))); }
  bool coin() { return below(2) == 0; }
  bool one_in(int64_t n) { return below(n) == 0; }
  template <typename T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[index(choices.size())];
  }

 private:
  uint64_t state_;
};

class DeviceSampling : public testing::Test {
 protected:
  static void SetUpTestSuite() { choose_device_plugin(); }
  void SetUp() override { GLS_NEEDS_DEVICE(); }
};

std::shared_ptr<Device> device_of_tests() {
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
std::shared_ptr<Context> context_of(const char* room) {
  auto context = make_context(1);
  EXPECT_TRUE(context->set("device.graph_memory", room).ok());
  return context;
}
// With room for all of a topology, for some of its rows, or for none.
std::shared_ptr<Context> any_context(uint64_t number) {
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
      EXPECT_EQ((*found)->edges[t].row.on_host(), false);
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
void add_edges(Numbers* random, TestGraph* graph, int64_t count) {
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

TestGraph random_graph(Numbers* random) {
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

SamplerOptions random_options(Numbers* random, const TestGraph& graph, uint64_t seed) {
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

Tensor ids_of(std::vector<int64_t> ids, std::vector<int64_t> shape) {
  auto owner = std::make_shared<std::vector<int64_t>>(std::move(ids));
  const int64_t* const data = owner->data();
  return Tensor(std::move(owner), data, kInt64, std::move(shape), false);
}

// What a request views.
struct Asked {
  std::vector<std::vector<int64_t>> numbers;
  SampleRequest request;

  IdSpan keep(std::vector<int64_t> values) {
    const std::vector<int64_t>& kept = numbers.emplace_back(std::move(values));
    return {kept.data(), true, static_cast<int64_t>(kept.size())};
  }
};

// Below this in all random times, so that many are the same.
constexpr int64_t kTimes = 40;

std::vector<int64_t> random_numbers(Numbers* random, int64_t count, int64_t below) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(random->below(below));
  }
  return out;
}

void ask_for_seeds(Numbers* random, const Dataset& dataset, Asked* asked, bool timed = false) {
  asked->numbers.reserve(32);
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
void ask_for_links(Numbers* random, const Dataset& dataset, Asked* asked, bool timed = false) {
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
    asked->numbers.reserve(32);
    links.times = asked->keep(random_numbers(random, count, kTimes));
  }
  if (random->coin()) {
    links.labels = ids_of(random_numbers(random, 2 * count, 9), {count, 2});
  }
}

// Some edges, or nearly all of a type: as ids, or as pairs with all that are parallel.
EdgeSet random_edge_set(Numbers* random, const TestGraph& graph) {
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
void add_reverses(Numbers* random, TestGraph* graph) {
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

NegativeOptions random_negatives(Numbers* random) {
  NegativeOptions out;
  out.mode = random->one_of({NegativeMode::kNone, NegativeMode::kBinary, NegativeMode::kTriplet});
  out.amount = out.mode == NegativeMode::kTriplet ? 3 : random->one_of({0.5, 1.0, 2.5});
  out.degree_quarters = random->one_of({0u, 3u});
  out.strict = random->coin();
  out.allow_short = true;
  out.tries = 5;
  return out;
}

TEST_F(DeviceSampling, SamplesForLinks) {
  int64_t edges = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 60; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = random_graph(&random);
    const auto dataset = make_dataset(any_context(number), graph);
    SamplerOptions options = random_options(&random, graph, number);
    options.negatives = random_negatives(&random);
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      if (batch < 2) {
        ask_for_links(&random, *dataset, &asked);
      } else {
        ask_for_seeds(&random, *dataset, &asked);
      }
      asked.request.batch = batch;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 5000);  // else these were no cases
  EXPECT_GT(split, 5);
}

TEST_F(DeviceSampling, LeavesOutEdges) {
  int64_t edges = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 45; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_reverses(&random, &graph);
    const auto dataset = make_dataset(any_context(number), graph);
    SamplerOptions options = random_options(&random, graph, number);
    options.negatives = random_negatives(&random);
    options.exclude_mode =
        random.one_of({ExcludeMode::kSelf, ExcludeMode::kReverseId, ExcludeMode::kReverseTypes});
    if (options.exclude_mode == ExcludeMode::kReverseId && graph.edges.back().reverse.empty()) {
      options.exclude_mode = ExcludeMode::kSelf;  // the column may be nowhere
    }
    options.reverse_column = options.exclude_mode == ExcludeMode::kReverseId ? "reverse" : "";
    if (options.exclude_mode == ExcludeMode::kReverseTypes) {
      options.reverse_types = {{graph.edges.size() - 2, graph.edges.size() - 1}};
    }
    options.exclude_links = random.coin();
    for (int64_t i = random.below(3); i > 0; --i) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      if (random.coin()) {
        ask_for_links(&random, *dataset, &asked);
      } else {
        ask_for_seeds(&random, *dataset, &asked);
      }
      for (int64_t i = random.below(3); i > 0; --i) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      asked.request.batch = batch;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 5000);
  EXPECT_GT(split, 5);
}

// A node of 70000 in-edges, of which so many are left out that its draws become narrower, or all.
TEST_F(DeviceSampling, LeavesOutEdgesOfHubs) {
  TestGraph graph;
  graph.nodes = {{"n", 1000}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  Numbers random(3);
  constexpr int64_t kEdges = 80000;
  for (int64_t e = 0; e < kEdges; ++e) {
    graph.edges[0].source.push_back(random.below(1000));
    graph.edges[0].target.push_back(e < 70000 ? 5 : random.below(1000));
  }
  const auto whole = make_dataset(make_context(1), graph);
  const auto split = make_dataset(context_of("350000"), graph);
  for (const int64_t gone : {1, 5000, 69990, 80000}) {
    SCOPED_TRACE(gone);
    const auto dataset = gone == 5000 ? whole : split;
    std::vector<int64_t> always;
    std::vector<int64_t> now;
    for (int64_t e = 0; e < kEdges; ++e) {
      if (e * gone / kEdges != (e + 1) * gone / kEdges) {
        (e % 3 == 0 ? always : now).push_back(e);
        now.resize(now.size() + (e % 9 == 0 ? 1 : 0), e);  // of both
      }
    }
    SamplerOptions options;
    options.num_hops = 1;
    options.edge_ids = true;
    for (const int64_t fanout : {10, 300, -1}) {
      options.fanouts = {{fanout}};
      options.exclude = {{0, ids_of(always, {static_cast<int64_t>(always.size())})}};
      Both both(dataset, options);
      SampleRequest request;
      const std::vector<int64_t> seeds = {4, 5, 6};
      request.seeds = {{0, IdSpan(seeds.data(), true, 3)}};
      both.expect_same(request);
      request.exclude = {{0, ids_of(now, {static_cast<int64_t>(now.size())})}};
      both.expect_same(request);
      EXPECT_EQ(both.num_split(), gone == 5000 ? 0 : 1);
    }
  }
}

// ---- times -------------------------------------------------------------------------------------

// Of some node types and edge types. Rows ascend in edge ids, and so in the times of some types.
void add_times(Numbers* random, TestGraph* graph) {
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

template <typename T>
Tensor narrowed(const Tensor& times, DLDataType dtype) {
  std::vector<T> values;
  for (const int64_t time : values_of(times)) {
    values.push_back(static_cast<T>(time));
  }
  return tensor_of(std::move(values), dtype);
}

// The same with columns of times of other widths.
std::shared_ptr<const Dataset> with_narrow_times(Numbers* random, const Dataset& dataset) {
  std::vector<NodeType> nodes = dataset.node_types();
  std::vector<EdgeType> edges = dataset.edge_types();
  const auto change = [&](auto* types) {
    for (auto& type : *types) {
      for (Column& column : type.columns) {
        if (column.name != "time") {
          continue;
        }
        switch (random->below(7)) {
          case 0:
            column.data = narrowed<int32_t>(column.data, kInt32);
            break;
          case 1:
            column.data = narrowed<int16_t>(column.data, {kDLInt, 16, 1});
            break;
          case 2:
            column.data = narrowed<int8_t>(column.data, {kDLInt, 8, 1});
            break;
          case 3:
            column.data = narrowed<uint32_t>(column.data, {kDLUInt, 32, 1});
            break;
          case 4:
            column.data = narrowed<uint16_t>(column.data, {kDLUInt, 16, 1});
            break;
          case 5:
            column.data = narrowed<uint8_t>(column.data, kUint8);
            break;
          default:
            break;
        }
      }
    }
  };
  change(&nodes);
  change(&edges);
  return Dataset::create(dataset.context(), std::move(nodes), std::move(edges)).take();
}

bool has_edge_times(const TestGraph& graph) {
  return std::any_of(graph.edges.begin(), graph.edges.end(),
                     [](const TestEdges& edges) { return !edges.time.empty(); });
}

TEST_F(DeviceSampling, GoesByTimes) {
  int64_t edges = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 60; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    const auto dataset = with_narrow_times(&random, *make_dataset(any_context(number), graph));
    SamplerOptions options = random_options(&random, graph, number);
    options.negatives = random_negatives(&random);
    options.edge_time = random.coin() && has_edge_times(graph) ? "time" : "";
    options.node_time = random.coin() || options.edge_time.empty() ? "time" : "";
    options.time_strict = random.coin();
    options.time_window = random.one_of<int64_t>({0, 0, 1, 10, INT64_MAX});
    if (random.coin()) {
      options.time_strategy = TimeStrategy::kLast;
      options.replace = Replace::kNever;
    }
    options.exclude_links = random.coin();
    if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      if (random.coin()) {
        ask_for_links(&random, *dataset, &asked, true);
      } else {
        ask_for_seeds(&random, *dataset, &asked, true);
      }
      if (random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      asked.request.batch = batch;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 5000);
  EXPECT_GT(split, 5);
}

// Rows that a block reads, with the least and the greatest times there are.
TEST_F(DeviceSampling, GoesByTimesOfHubs) {
  TestGraph graph;
  graph.nodes = {{"n", 500}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}, {}}};
  Numbers random(11);
  std::vector<int64_t> left_out;
  for (int64_t e = 0; e < 8000; ++e) {
    graph.edges[0].source.push_back(random.below(500));
    graph.edges[0].target.push_back(random.below(3));
    graph.edges[0].time.push_back(random.one_of<int64_t>(
        {INT64_MIN, INT64_MAX, -1, 0, random.below(1 << 20), random.below(9) << 40}));
    if (e % 7 == 0) {
      left_out.push_back(e);
    }
  }
  for (const bool ascending : {false, true}) {
    if (ascending) {
      std::sort(graph.edges[0].time.begin(), graph.edges[0].time.end());
    }
    // Some of the three rows are on the device.
    const auto dataset = make_dataset(context_of("30000"), graph);
    for (const TimeStrategy strategy : {TimeStrategy::kUniform, TimeStrategy::kLast}) {
      for (const int64_t fanout : {1, 20, 50, 300, 5000, -1}) {
        SCOPED_TRACE(formatted("ascending {} last {} fanout {}", ascending,
                               strategy == TimeStrategy::kLast, fanout));
        SamplerOptions options;
        options.num_hops = 1;
        options.fanouts = {{fanout}};
        options.edge_ids = true;
        options.edge_time = "time";
        options.time_strategy = strategy;
        options.exclude = {{0, ids_of(left_out, {static_cast<int64_t>(left_out.size())})}};
        Both both(dataset, options);
        const std::vector<int64_t> seeds = {0, 1, 2, 3, 0, 1};
        const std::vector<int64_t> times = {INT64_MAX, 1 << 19, 0, 5, INT64_MIN, -1};
        SampleRequest request;
        request.seeds = {{0, IdSpan(seeds.data(), true, 6), IdSpan(times.data(), true, 6)}};
        both.expect_same(request);
        request.exclude = {{0, ids_of({1, 2, 3, 5000, 7, 8}, {6})}};
        both.expect_same(request);
        EXPECT_GT(both.num_edges(), 5);
        EXPECT_EQ(both.num_split(), 1);
      }
    }
  }
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInRowsInTime) {
  const auto with_times = [](const std::shared_ptr<const Dataset>& dataset) {
    std::vector<NodeType> nodes = dataset->node_types();
    std::vector<EdgeType> edges = dataset->edge_types();
    nodes[0].columns.push_back({"time", GLS_ROLE_TIME, tensor_of<int64_t>({1, 2, 3, 4}, kInt64)});
    edges[0].columns.push_back(
        {"time", GLS_ROLE_TIME, tensor_of<int64_t>({4, 3, 2, 1, 9}, kInt64)});
    return Dataset::create(make_context(1), std::move(nodes), std::move(edges)).take();
  };
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{1}};
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  const std::vector<int64_t> times = {9, 9, 9, 9};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4), IdSpan(times.data(), true, 4)}};
  for (const int64_t wrong : {int64_t{-1}, int64_t{5}, INT64_MAX, INT64_MIN}) {
    options.node_time = "";
    options.edge_time = "time";
    Both of_edges(with_times(damaged({0, 3, 3, 5, 5}, {0, 1, 2, 0, 3},
                                     tensor_of<int64_t>({0, 1, 2, 3, wrong}, kInt64))),
                  options);
    of_edges.expect_same(request);
    of_edges.expect_same(request);
    EXPECT_EQ(of_edges.failures(), 2);
    options.node_time = "time";
    options.edge_time = "";
    Both of_nodes(
        with_times(damaged({0, 3, 3, 5, 5}, {0, 1, static_cast<int32_t>(wrong | 4), 0, 3})),
        options);
    of_nodes.expect_same(request);
    EXPECT_EQ(of_nodes.failures(), 1);
    Both of_rows(with_times(damaged({0, 3, wrong, 5, 5}, {0, 1, 2, 0, 3})), options);
    if (wrong != 5) {
      of_rows.expect_same(request);
      EXPECT_EQ(of_rows.failures(), 1);
    }
  }
}

// ---- weights -----------------------------------------------------------------------------------

// Of a few sizes, all the same, some nearly all there is, or of all sizes; some may be 0.
std::vector<float> random_weights(Numbers* random, size_t count) {
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
void add_weights(Numbers* random, TestGraph* graph, SamplerOptions* options) {
  for (TestEdges& edges : graph->edges) {
    if (!edges.source.empty() && (options->weight.empty() || random->coin())) {
      edges.weight = random_weights(random, edges.source.size());
      options->weight = "weight";
    }
  }
}

TEST_F(DeviceSampling, PicksByWeight) {
  int64_t edges = 0;
  int64_t split = 0;
  int64_t weighted = 0;
  for (uint64_t number = 0; number < 240; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    SamplerOptions options = random_options(&random, graph, number);
    add_weights(&random, &graph, &options);
    for (std::vector<int64_t>& fanouts : options.fanouts) {
      if (random.coin()) {
        fanouts[0] = 1 + random.below(70);
      }
    }
    if (random.one_in(4)) {
      options.subgraph = Subgraph::kInduced;
    }
    const auto dataset = make_dataset(any_context(number), graph);
    Both both(dataset, options);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      if (random.one_in(4)) {
        ask_for_links(&random, *dataset, &asked);
      } else {
        ask_for_seeds(&random, *dataset, &asked);
      }
      asked.request.batch = batch;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    weighted += options.weight.empty() ? 0 : 1;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 5000);
  EXPECT_GT(split, 20);
  EXPECT_GT(weighted, 200);
}

// Rows on either side of where draws become wider. Of some, draws find one entry only.
TEST_F(DeviceSampling, PicksByWeightFromHubs) {
  for (const int64_t degree : {65536, 65537, 70000}) {
    for (const bool skewed : {false, true}) {
      TestGraph graph;
      graph.nodes = {{"n", 100}};
      graph.edges = {{"n__e__n", {}, {}, {}, {}}};
      Numbers random(static_cast<uint64_t>(degree));
      for (int64_t e = 0; e < degree + 500; ++e) {
        graph.edges[0].source.push_back(random.below(100));
        graph.edges[0].target.push_back(e < degree ? 5 : 6);
        graph.edges[0].weight.push_back(skewed ? (e == 777 || e == degree + 77 ? 1e30F : 1e-9F)
                                               : static_cast<float>(random.below(5)));
      }
      const auto dataset = make_dataset(context_of(skewed ? "0" : "330000"), graph);
      for (const Replace replace : {Replace::kNever, Replace::kAbove, Replace::kAlways}) {
        for (const int64_t fanout : {1, 9, 70, 600, -1}) {
          SCOPED_TRACE(formatted("degree {} skewed {} replace {} fanout {}", degree, skewed,
                                 static_cast<int>(replace), fanout));
          if (skewed && fanout > 9 && degree != 70000) {
            continue;  // these take long
          }
          SamplerOptions options;
          options.num_hops = 1;
          options.edge_ids = true;
          options.weight = "weight";
          options.replace = replace;
          options.fanouts = {{fanout}};
          Both both(dataset, options);
          SampleRequest request;
          const std::vector<int64_t> seeds = {4, 5, 6};
          request.seeds = {{0, IdSpan(seeds.data(), true, 3)}};
          both.expect_same(request);
          EXPECT_GT(both.num_edges(), 0);
        }
      }
    }
  }
}

std::shared_ptr<const Dataset> with_weights(const std::shared_ptr<const Dataset>& dataset,
                                            std::vector<float> weights) {
  std::vector<EdgeType> edges = dataset->edge_types();
  edges[0].columns.push_back({"weight", GLS_ROLE_WEIGHT, tensor_of(weights, kFloat32)});
  return Dataset::create(make_context(1), dataset->node_types(), std::move(edges)).take();
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInRowsByWeight) {
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  for (const int64_t fanout : {1, 2, 60, -1}) {
    for (const Replace replace : {Replace::kNever, Replace::kAlways}) {
      for (const int32_t wrong : {4, -1, INT32_MAX, INT32_MIN}) {
        SamplerOptions options;
        options.num_hops = 1;
        options.fanouts = {{fanout}};
        options.replace = replace;
        options.weight = "weight";
        Both both(with_weights(damaged({0, 3, 3, 5, 6}, {0, wrong, 2, wrong, wrong, 3}),
                               {0, 2, 0, 1, 1, 3}),
                  options);
        both.expect_same(request);
        EXPECT_EQ(both.failures(), 1);
      }
    }
  }
}

// What the processor has to say, or to do.
TEST_F(DeviceSampling, LeavesSomeWeightsToTheProcessor) {
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{1}};
  options.weight = "weight";
  const auto graph = damaged({0, 3, 3, 5, 5}, {0, 1, 2, 0, 3});
  const auto beyond = [&](const std::shared_ptr<const Dataset>& dataset) {
    auto sampler = Sampler::create(dataset, options);
    EXPECT_TRUE(sampler.ok()) << sampler.status().message();
    return std::string(DeviceSampler::beyond(**sampler));
  };
  EXPECT_EQ(beyond(with_weights(graph, {1, 2, 0, 1, 1})), "");
  const float infinite = std::numeric_limits<float>::infinity();
  const float none = std::numeric_limits<float>::quiet_NaN();
  for (const float weight : {-1.0F, infinite, none}) {
    EXPECT_NE(beyond(with_weights(graph, {1, 2, weight, 1, 1})).find("do not fit"),
              std::string::npos);
  }
  EXPECT_NE(beyond(with_weights(damaged({0, 3, 9, 5, 5}, {0, 1, 2, 0, 3}), {1, 1, 1, 1, 1}))
                .find("tables"),
            std::string::npos);
  options.exclude = {{0, ids_of({1}, {1})}};
  EXPECT_NE(beyond(with_weights(graph, {1, 2, 0, 1, 1})).find("left out"), std::string::npos);
  options.exclude.clear();
  Both both(with_weights(graph, {1, 2, 0, 1, 1}), options);
  const std::vector<int64_t> seeds = {0};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 1)}};
  both.expect_same(request);
  EXPECT_EQ(both.why_not(request), "");
  request.exclude = {{0, ids_of({1}, {1})}};
  EXPECT_NE(both.why_not(request).find("\"node__to__node\" are left out"), std::string::npos);
}

// ---- walks -------------------------------------------------------------------------------------

// Types in a ring, so that paths may go round; the last has one more edge type to itself.
TestGraph ring(Numbers* random) {
  TestGraph graph;
  const auto types = static_cast<size_t>(1 + random->below(3));
  for (size_t t = 0; t < types; ++t) {
    graph.nodes.emplace_back(formatted("n{}", t), random->one_of<int64_t>({1, 20, 300}));
  }
  graph.wide = random->coin();
  graph.store_ids = random->coin();
  for (size_t t = 0; t <= types; ++t) {
    const auto& [source, sources] = graph.nodes[t % types];
    const auto& [target, targets] = graph.nodes[t == types ? 0 : (t + 1) % types];
    if (t == types && types > 1) {
      break;
    }
    const int64_t count = random->one_of<int64_t>({0, 30, 1000});
    graph.edges.push_back({formatted("{}__r{}__{}", source, t, target),
                           random_numbers(random, count, sources),
                           random_numbers(random, count, targets),
                           {},
                           {}});
  }
  return graph;
}

WalkOptions random_walks(Numbers* random, const TestGraph& graph, Direction direction) {
  WalkOptions out;
  const size_t types = graph.nodes.size();
  const size_t begin = random->index(types);
  const size_t steps = types == 1 ? 1 + random->index(3) : types;
  for (size_t i = 0; i < steps; ++i) {
    const size_t at = (begin + i) % types;
    out.path.push_back(types == 1                    ? random->index(2)
                       : direction == Direction::kIn ? (types - 1 - at)
                                                     : at);
  }
  out.length = 1 + random->index(7);
  out.walks = 1 + random->index(4);
  out.stop = random->one_of({0.0, 0.1});
  out.restart = types == 1 ? random->one_of({0.0, 0.3}) : 0.0;
  return out;
}

size_t type_of_walks(const TestGraph& graph, const SamplerOptions& options) {
  const auto name = *parse_edge_type(graph.edges[options.walk->path[0]].name);
  const std::string& type = options.direction == Direction::kIn ? name.target : name.source;
  size_t at = 0;
  while (graph.nodes[at].first != type) {
    ++at;
  }
  return at;
}

TEST_F(DeviceSampling, Walks) {
  int64_t nodes = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 60; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    const TestGraph graph = ring(&random);
    const auto dataset = make_dataset(any_context(number), graph);
    SamplerOptions options;
    options.seed = number;
    options.direction = random.coin() ? Direction::kIn : Direction::kOut;
    options.walk = random_walks(&random, graph, options.direction);
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    const size_t type = type_of_walks(graph, options);
    for (uint64_t batch = 0; batch < 2; ++batch) {
      Asked asked;
      asked.numbers.reserve(1);
      asked.request.batch = batch;
      if (!random.one_in(5)) {
        const int64_t count = random.one_of<int64_t>({0, 5, 200});
        asked.request.seeds = {
            {type, asked.keep(random_numbers(&random, count, graph.nodes[type].second))}};
      }
      if (random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      both.expect_same(asked.request);
    }
    nodes += both.num_nodes();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(nodes, 2000);
  EXPECT_GT(split, 5);
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInWalks) {
  const auto made = std::make_unique<SamplerOptions>();
  SamplerOptions& options = *made;
  options.walk.emplace();
  options.walk->path = {0};
  options.walk->length = 3;
  options.walk->restart = 0.2;
  options.edge_ids = true;
  std::vector<int64_t> seeds;
  for (int64_t i = 0; i < 600; ++i) {
    seeds.push_back(i % 3);
  }
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 600)}};
  for (const auto& dataset :
       {damaged({0, 1, 3, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3, 3}, {1, 2, 7}),
        damaged({0, 1, 2, 3, 3}, {1, 2, 3}, tensor_of<int64_t>({0, 1, -4}, kInt64))}) {
    Both both(dataset, options);
    both.expect_same(request);
    EXPECT_EQ(both.failures(), 1);
  }
}

// ---- induced subgraphs --------------------------------------------------------------------------

TEST_F(DeviceSampling, InducesSubgraphs) {
  int64_t edges = 0;
  int64_t split = 0;
  for (uint64_t number = 0; number < 45; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    const auto dataset = make_dataset(any_context(number), graph);
    SamplerOptions options = random_options(&random, graph, number);
    options.subgraph = Subgraph::kInduced;
    const bool timed = random.one_in(3);
    if (timed) {
      options.node_time = "time";
      options.edge_time = has_edge_times(graph) ? "time" : "";
    }
    if (random.one_in(4)) {
      options.num_hops = 0;
      options.fanouts.assign(graph.edges.size(), {});
    }
    if (random.coin()) {
      options.exclude.push_back(random_edge_set(&random, graph));
    }
    Both both(dataset, options, number);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      Asked asked;
      ask_for_seeds(&random, *dataset, &asked, timed);
      if (random.coin()) {
        asked.request.exclude.push_back(random_edge_set(&random, graph));
      }
      asked.request.batch = batch;
      both.expect_same(asked.request);
    }
    edges += both.num_edges();
    split += both.num_split();
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 5000);
  EXPECT_GT(split, 5);
}

TEST_F(DeviceSampling, InducesSubgraphsOfHubsAndWalks) {
  TestGraph graph;
  graph.nodes = {{"n", 500}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}}};
  Numbers random(11);
  for (int64_t e = 0; e < 8000; ++e) {
    graph.edges[0].source.push_back(random.below(500));
    graph.edges[0].target.push_back(e % 2 == 0 ? 1 : random.below(500));
  }
  const auto dataset = make_dataset(context_of("40000"), graph);
  const std::vector<int64_t> seeds = {1, 20, 300, 1, 4};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 5)}};
  for (const bool walks : {false, true}) {
    SamplerOptions options;
    options.subgraph = Subgraph::kInduced;
    options.edge_ids = true;
    if (walks) {
      options.walk.emplace();
      options.walk->length = 5;
      options.walk->walks = 4;
    } else {
      options.num_hops = 1;
      options.fanouts = {{20}};
    }
    Both both(dataset, options);
    both.expect_same(request);
    request.exclude = {{0, ids_of({0, 2, 4, 6, 8, 1, 3, 5}, {8})}};
    both.expect_same(request);
    EXPECT_GT(both.num_edges(), 100);
    EXPECT_EQ(both.num_split(), 1);
  }
}

TEST_F(DeviceSampling, SaysWhatIsDamagedInSubgraphs) {
  SamplerOptions options;
  options.subgraph = Subgraph::kInduced;
  options.fanouts = {{}};
  options.edge_ids = true;
  const std::vector<int64_t> seeds = {0, 1, 2, 3};
  SampleRequest request;
  request.seeds = {{0, IdSpan(seeds.data(), true, 4)}};
  for (const auto& dataset :
       {damaged({0, 1, 3, 2, 3}, {1, 2, 3}), damaged({0, 1, 2, 3, 3}, {1, 2, 7}),
        damaged({0, 1, 2, 3, 3}, {1, 2, 3}, tensor_of<int64_t>({0, 1, -4}, kInt64))}) {
    Both both(dataset, options);
    both.expect_same(request);
    EXPECT_EQ(both.failures(), 1);
  }
}

// The entry that is found is the one that counting finds.
TEST(LeftOut, EntriesStandBetweenGaps) {
  for (uint64_t number = 0; number < 200; ++number) {
    Numbers random(number);
    std::vector<int64_t> gaps[2];
    std::vector<int64_t> kept;
    const int64_t begin = 100;
    const int64_t end = begin + random.below(40);
    const int64_t share = 1 + random.below(4);
    for (int64_t at = begin; at < end; ++at) {
      if (random.one_in(share)) {
        gaps[random.index(2)].push_back(at);
      } else {
        kept.push_back(at);
      }
    }
    const auto of = [](const std::vector<int64_t>& list) {
      return Gaps{list.data(), static_cast<int64_t>(list.size())};
    };
    for (size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(kept_position(begin, static_cast<int64_t>(i), of(gaps[0]), of(gaps[1])), kept[i]);
      EXPECT_FALSE(is_gap(of(gaps[0]), kept[i]) || is_gap(of(gaps[1]), kept[i]));
    }
    for (const int64_t gap : gaps[1]) {
      EXPECT_TRUE(is_gap(of(gaps[1]), gap));
    }
  }
}

TEST_F(DeviceSampling, SaysWhatIsWrongWithLinks) {
  TestGraph graph;
  graph.nodes = {{"n", 5}};
  graph.edges = {{"n__e__n", {0, 1, 2}, {1, 2, 3}, {}, {}}};
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  Both both(make_dataset(make_context(1), graph), options);
  for (const Tensor& links : {ids_of({0, 3}, {2}), ids_of({0, 5}, {2, 1}), ids_of({1}, {1, 1})}) {
    SampleRequest request;
    request.links.emplace().links = links;
    both.expect_same(request);
  }
  EXPECT_EQ(both.failures(), 3);
}

}  // namespace
}  // namespace gls::test
