// Padded batches that a device samples and fills up: as a processor does.
#include <gtest/gtest.h>

#include "device_cases.h"
#include "loader/pipeline/loader.h"
#include "test_device.h"

namespace gls::test {
namespace {

class DevicePadding : public DeviceSampling {};

struct Seen {
  int64_t fit = 0;
  int64_t overflowed = 0;
};

// All batches of an epoch by a loader that may only sample on the device, and by one without.
void expect_same_epoch(const std::shared_ptr<const Sampler>& sampler, LoaderOptions options,
                       Seen* seen) {
  auto here = Loader::create(sampler, Tensor(), options);
  options.device = device_of_tests();
  auto there = Loader::create(sampler, Tensor(), options);
  ASSERT_EQ(here.ok(), there.ok()) << (here.ok() ? there.status() : here.status()).message();
  if (!here.ok()) {
    EXPECT_EQ(here.status().message(), there.status().message());
    return;
  }
  EXPECT_EQ((*here)->pad_sizes()->nodes, (*there)->pad_sizes()->nodes);
  EXPECT_EQ((*here)->pad_sizes()->edges, (*there)->pad_sizes()->edges);
  for (;;) {
    std::shared_ptr<Batch> expected;
    std::shared_ptr<Batch> batch;
    auto next = (*here)->next(-1, &expected);
    auto other = (*there)->next(-1, &batch);
    ASSERT_TRUE(next.ok()) << next.status().message();
    ASSERT_TRUE(other.ok()) << other.status().message();
    ASSERT_EQ(*next, *other);
    if (*next == Loader::Next::kEnd) {
      return;
    }
    visit_arrays(*batch, [](const Tensor& array) {
      EXPECT_TRUE(!array.defined() || array.device().device_type == kDLCUDA);
    });
    EXPECT_EQ(batch->num_inputs(), expected->num_inputs());
    EXPECT_EQ(batch->num_nodes(), expected->num_nodes());
    auto copy = copy_to_host(*batch);
    ASSERT_TRUE(copy.ok()) << copy.status().message();
    expect_same(*expected, **copy);
    ++(expected->padding == Padding::kFits ? seen->fit : seen->overflowed);
  }
}

// Of types of which some must be too small now and then.
PadOptions random_pad(Numbers* random, const TestGraph& graph) {
  PadOptions out;
  out.batches = 3;
  out.multiple = random->one_of({1u, 8u, 64u});
  out.sigma = random->one_of({0.0, 1.0, 3.0});
  if (random->coin()) {
    for (const auto& [name, count] : graph.nodes) {
      out.sizes.emplace_back(name, random->one_of<int64_t>({40, 2 * count + 300}));
    }
  }
  if (random->coin()) {
    out.sizes.emplace_back(graph.edges[0].name, random->one_of<int64_t>({20, 5000}));
  }
  return out;
}

// With columns of a node type, which rows of zeros are added to.
LoaderOptions loading(Numbers* random, const TestGraph& graph, const Dataset& dataset) {
  LoaderOptions out;
  out.plan.batch_size = static_cast<uint64_t>(12 + random->below(40));
  out.plan.shuffle = random->coin();
  out.pad = random_pad(random, graph);
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    for (const Column& column : dataset.node_types()[t].columns) {
      out.columns.push_back({true, t, &column, random->coin(), column.data.dtype()});
    }
  }
  return out;
}

std::shared_ptr<Context> only_there(uint64_t number) {
  auto context = any_context(number);
  EXPECT_TRUE(context->set("device.sampling", "device").ok());
  return context;
}

TEST_F(DevicePadding, FillsUpWhatIsSampledThere) {
  Seen seen;
  for (uint64_t number = 0; number < 40; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    add_times(&random, &graph);
    const auto dataset = make_any_dataset(only_there(number), graph, number);
    SamplerOptions options = random_options(&random, graph, number);
    const size_t all_links = graph.edges[0].source.size();
    const bool links = random.coin() && all_links > 0 && all_links <= 400;
    if (random.one_in(3)) {
      options.node_time = "time";
      options.edge_time = has_edge_times(graph) ? "time" : "";
      options.disjoint = true;
    }
    if (random.one_in(3)) {
      options.subgraph = random.one_of({Subgraph::kInduced, Subgraph::kBidirectional});
    }
    if (links) {
      options.negatives = random_negatives(&random);
    }
    auto sampler = Sampler::create(dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loader = loading(&random, graph, *dataset);
    const auto count = static_cast<int64_t>(links ? all_links : 0);
    if (links) {
      loader.edge_type = 0;
      loader.plan.batch_size = std::max<uint64_t>(loader.plan.batch_size, all_links / 6);
      loader.labels = ids_of(random_numbers(&random, 2 * count, 9), {count, 2});
      if (options.temporal()) {
        loader.times = ids_of(random_numbers(&random, count, kTimes), {count});
      }
    } else {
      loader.node_type = 0;
      if (options.temporal()) {
        loader.times =
            ids_of(random_numbers(&random, graph.nodes[0].second, kTimes), {graph.nodes[0].second});
      }
    }
    expect_same_epoch(*sampler, loader, &seen);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.fit, 80 / kEvery);
  EXPECT_GT(seen.overflowed, kSanitized ? 1 : 20);
}

// Labels begin behind as many anchors as a full batch has, in the last one, too.
TEST_F(DevicePadding, FillsUpAnchors) {
  Seen seen;
  for (uint64_t number = 0; number < 20; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph;
    graph.nodes = {{"n", 90}, {"m", 40}};
    graph.edges = {
        {"n__e__n", random_numbers(&random, 400, 90), random_numbers(&random, 400, 90), {}, {}},
        {"n__f__m", random_numbers(&random, 300, 90), random_numbers(&random, 300, 40), {}, {}}};
    const auto dataset = make_any_dataset(only_there(number), graph, number);
    SamplerOptions options = random_options(&random, graph, number);
    for (size_t t = 0; t < 2; ++t) {
      Supervision one;
      one.edge_type = t;
      one.node_type = t;
      one.name = graph.edges[t].name;
      one.negative = t == 1;
      one.max_labels = 1 + random.below(4);
      one.sampled = random.coin();
      if (!one.sampled) {
        options.fanouts[t].assign(options.num_hops, 0);
      }
      options.supervisions.push_back(one);
    }
    auto sampler = Sampler::create(dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loader = loading(&random, graph, *dataset);
    expect_same_epoch(*sampler, loader, &seen);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.fit, 20 / kEvery);
}

TEST_F(DevicePadding, FillsUpBudgets) {
  Seen seen;
  for (uint64_t number = 0; number < 20; number += kEvery) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph = random_graph(&random);
    for (const auto& [name, count] : graph.nodes) {
      graph.node_weights[name] = random_weights(&random, static_cast<size_t>(count));
    }
    const auto dataset = make_any_dataset(only_there(number), graph, number);
    SamplerOptions options;
    options.seed = number;
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    options.subgraph = random.one_of({Subgraph::kSampled, Subgraph::kInduced});
    HgtOptions& budgets = options.hgt.emplace();
    budgets.num_hops = 2;
    budgets.samples.assign(graph.nodes.size(), {8, random.one_of<int64_t>({20, -1})});
    budgets.most_neighbors = random.one_of<int64_t>({4, 50});
    auto sampler = Sampler::create(dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loader = loading(&random, graph, *dataset);
    loader.node_type = 0;
    ASSERT_FALSE(loader.columns.empty());
    expect_same_epoch(*sampler, loader, &seen);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.fit, 20 / kEvery);
}

TEST_F(DevicePadding, FillsUpWalks) {
  Seen seen;
  for (uint64_t number = 0; number < 12; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph;
    graph.nodes = {{"n", 90}};
    graph.edges = {
        {"n__e__n", random_numbers(&random, 400, 90), random_numbers(&random, 400, 90), {}, {}}};
    const auto dataset = make_any_dataset(only_there(number), graph, number);
    SamplerOptions options;
    options.seed = number;
    options.walk.emplace();
    options.walk->length = 1 + random.index(5);
    options.walk->walks = 1 + random.index(3);
    options.walk->stop = 0.1;
    options.edge_ids = random.coin();
    options.int32 = random.coin();
    if (random.coin()) {
      options.subgraph = Subgraph::kInduced;
    }
    auto sampler = Sampler::create(dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loader = loading(&random, graph, *dataset);
    expect_same_epoch(*sampler, loader, &seen);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.fit, 20);
}

TEST_F(DevicePadding, FillsUpImportance) {
  Seen seen;
  for (uint64_t number = 0; number < 12; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph;
    graph.nodes = {{"n", 90}};
    graph.edges = {
        {"n__e__n", random_numbers(&random, 400, 90), random_numbers(&random, 400, 90), {}, {}}};
    const auto dataset = make_any_dataset(only_there(number), graph, number);
    SamplerOptions options;
    options.seed = number;
    ImportanceOptions& importance = options.importance.emplace();
    importance.neighbors = 1 + random.index(5);
    importance.walks = 1 + random.index(9);
    importance.hops = 1 + random.index(2);
    importance.stop = random.one_of({0.0, 0.2});
    options.int32 = random.coin();
    auto sampler = Sampler::create(dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loader = loading(&random, graph, *dataset);
    expect_same_epoch(*sampler, loader, &seen);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.fit, 20);
}

TEST_F(DevicePadding, FillsUpPersonalisedPageRank) {
  Seen seen;
  for (uint64_t number = 0; number < 12; ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number);
    TestGraph graph;
    graph.nodes = {{"n", 90}, {"o", 40}};
    graph.edges = {
        {"n__e__n", random_numbers(&random, 400, 90), random_numbers(&random, 400, 90), {}, {}},
        {"o__f__n", random_numbers(&random, 200, 40), random_numbers(&random, 200, 90), {}, {}}};
    const auto dataset = make_any_dataset(only_there(number), graph, number);
    PprOptions ppr;
    ppr.neighbors = 1 + random.index(9);
    ppr.epsilon = 1e-2;
    if (random.coin()) {
      ppr.channels = {{{0}, 0.7}, {{1, 0}, 0.3}};
    }
    SamplerOptions options;
    options.int32 = random.coin();
    options.ppr = ppr;
    auto sampler = Sampler::create(dataset, options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions loader = loading(&random, graph, *dataset);
    expect_same_epoch(*sampler, loader, &seen);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.fit, 20);
}

}  // namespace
}  // namespace gls::test
