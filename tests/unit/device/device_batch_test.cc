// Batches on a GPU are those on the host: on the emulated runtime, or on a GPU (test_device.h).
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <random>

#include "batch_equal.h"
#include "device/memory/pinned_pages.h"
#include "device/memory/transfer.h"
#include "loader/columns/column_rows.h"
#include "loader/columns/dataset_on_device.h"
#include "loader/columns/device_delivery.h"
#include "loader/pipeline/loader.h"
#include "random_rows.h"
#include "sample/batch/block.h"
#include "sanitized.h"
#include "shop_graph.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {
namespace {

// The less there is, the less has to be protected.
constexpr char kMemory[] = "67108864";

class DeviceBatch : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);
    setenv("CUDA_ON_HOST_DEVICES", "2", 1);
  }
  void SetUp() override {
    GLS_NEEDS_DEVICE();
    setenv("CUDA_ON_HOST_MEMORY", kMemory, 1);
    unsetenv("CUDA_ON_HOST_NO_PINNING");
  }
};

std::shared_ptr<Device> device_of_tests() { return open_device(0); }

// What the loader with the device says of itself.
LoaderStats expect_same_epoch(const std::shared_ptr<const Sampler>& sampler, LoaderOptions options,
                              const std::function<void(const Batch&)>& look = {}) {
  LoaderStats stats;
  compare_epochs(sampler, std::move(options), device_of_tests(), look, &stats);
  return stats;
}

TEST_F(DeviceBatch, IsThatOfTheHost) {
  for (const bool int32 : {false, true}) {
    const auto sampler = make_sampler(shop(make_context()), int32);
    expect_same_epoch(sampler, options_for(*sampler));
  }
}

// Also what the device does not sample itself.
TEST_F(DeviceBatch, IsTheSameOfEverySampler) {
  const auto dataset = shop(make_context());
  std::vector<SamplerOptions> samplers(9);
  for (SamplerOptions& options : samplers) {
    options.seed = 9;
    options.num_hops = 2;
    options.fanouts = {{3, -1}, {40, 2}};
  }
  samplers[1].disjoint = true;
  samplers[1].edge_ids = true;
  samplers[2].direction = Direction::kOut;
  samplers[2].replace = Replace::kAlways;
  samplers[2].toward_seeds = true;
  samplers[3].subgraph = Subgraph::kInduced;
  samplers[4].pick = Pick::kLayer;
  samplers[5].num_hops = 0;
  samplers[5].fanouts = {};
  samplers[5].walk = WalkOptions{};
  samplers[5].direction = Direction::kOut;
  samplers[5].walk->path = {0, 1};
  samplers[5].walk->walks = 3;
  samplers[6].subgraph = Subgraph::kBidirectional;
  samplers[6].reverse_types = {{0, 1}};
  samplers[7].num_hops = 0;
  samplers[7].fanouts = {};
  samplers[7].ppr.emplace();
  samplers[8].num_hops = 0;
  samplers[8].fanouts = {};
  samplers[8].hgt.emplace();
  samplers[8].hgt->num_hops = 1;
  samplers[8].hgt->samples.assign(dataset->node_types().size(), {4});
  for (size_t i = 0; i < samplers.size(); ++i) {
    SCOPED_TRACE(i);
    auto sampler = Sampler::create(dataset, samplers[i]);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    EXPECT_EQ(DeviceSampler::beyond(**sampler), "");
    expect_same_epoch(*sampler, options_for(**sampler));
  }
}

// Of every column, wherever it is. What was placed for them stays.
TEST_F(DeviceBatch, RowsOfADatasetAreThoseOfTheHost) {
  const std::vector<int64_t> wide = {3, 0, 7, 3, 9};
  const std::vector<int32_t> narrow = {3, 0, 7, 3, 9};
  const std::shared_ptr<Device> device = device_of_tests();
  for (const char* const memory : {"32M", "100K", "1"}) {
    const auto context = make_context();
    ASSERT_TRUE(context->set("device.column_memory", memory).ok());
    const auto dataset = shop(context);
    const DatasetOnDevice there(dataset, device, {});
    const auto compare = [&](bool of_nodes, size_t type, const Column& column, const IdSpan& ids) {
      SCOPED_TRACE(column.name);
      const ColumnToGather wanted = {of_nodes, type, &column, false, column.dtype()};
      const auto expected = find_rows(*dataset, wanted, ids, "ids", "column");
      auto rows = there.find_rows(wanted, ids, "ids", "column");
      ASSERT_TRUE(expected.ok() && rows.ok()) << rows.status().message();
      Tensor shown = rows.take();
      EXPECT_FALSE(shown.on_host());
      Tensor* const moved[] = {&shown};
      ASSERT_TRUE(move_out(device, moved, nullptr).ok());
      expect_same(*expected, shown, column.name);
    };
    const uint64_t before = device->free_memory().take();
    for (int again = 0; again < 2; ++again) {
      for (const IdSpan& ids : {span_of(wide), IdSpan(narrow.data(), false, 5), IdSpan()}) {
        for (size_t t = 0; t < dataset->node_types().size(); ++t) {
          for (const Column& column : dataset->node_types()[t].columns) {
            compare(true, t, column, ids);
          }
        }
        for (size_t t = 0; t < dataset->edge_types().size(); ++t) {
          for (const Column& column : dataset->edge_types()[t].columns) {
            compare(false, t, column, ids);
          }
        }
      }
    }
    if (!on_gpu() && memory == std::string("32M")) {
      EXPECT_LT(device->free_memory().take(), before);
    }
  }
}

// Their negatives are drawn by the host, the neighbourhoods by the device.
TEST_F(DeviceBatch, OfLinksIsSampledThere) {
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.sampling", "device").ok());
  const auto dataset = shop(context);
  for (const NegativeMode mode : {NegativeMode::kBinary, NegativeMode::kTriplet}) {
    SamplerOptions options;
    options.num_hops = 2;
    options.fanouts = {{3, 2}, {4, 2}};
    options.negatives.mode = mode;
    options.negatives.degree_quarters = 3;
    const auto sampler = Sampler::create(dataset, options).take();
    LoaderOptions loader = options_for(*sampler);
    loader.edge_type = 0;
    loader.plan.batch_size = 900;
    expect_same_epoch(sampler, loader);
  }
}

// Seeds of two node types, and links of two edge types, whose negatives the host draws.
TEST_F(DeviceBatch, OfSeveralTypesIsSampledThere) {
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.sampling", "device").ok());
  const auto dataset = shop(context);
  for (const NegativeMode mode :
       {NegativeMode::kNone, NegativeMode::kBinary, NegativeMode::kTriplet}) {
    for (const bool links : {false, true}) {
      if (!links && mode != NegativeMode::kNone) {
        continue;
      }
      if (kSanitized && mode == NegativeMode::kBinary) {
        continue;  // takes long, and threads meet as in triplets
      }
      SamplerOptions options;
      options.num_hops = 2;
      options.fanouts = {{3, 2}, {4, 2}};
      options.negatives.mode = mode;
      options.negatives.strict = true;
      options.negatives.allow_short = true;
      options.negatives.tries = 2;
      options.exclude_links = links;
      const auto sampler = Sampler::create(dataset, options).take();
      LoaderOptions loader = options_for(*sampler);
      for (const size_t type : {1, 0}) {
        SeedList::Given& given = loader.seed_sets.emplace_back();
        given.links = links;
        given.type = type;
      }
      loader.plan.batch_size = links ? 900 : 100;
      loader.plan.shuffle = true;
      expect_same_epoch(sampler, loader);
    }
  }
}

// Each link has a time, and is not sampled itself.
TEST_F(DeviceBatch, OfLinksGoesByTimes) {
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.sampling", "device").ok());
  const auto plain = shop(context);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  nodes[0].columns.push_back({"when", GLS_ROLE_TIME, rows_of<int64_t>(kInt64, kUsers, {}, 11)});
  edges[0].columns.push_back({"when", GLS_ROLE_TIME, rows_of<int32_t>(kInt32, 4000, {}, 12)});
  const auto dataset = Dataset::create(context, std::move(nodes), std::move(edges)).take();
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, 2}};
  options.node_time = "when";
  options.edge_time = "when";
  options.negatives.mode = NegativeMode::kBinary;
  options.exclude_links = true;
  const auto sampler = Sampler::create(dataset, options).take();
  LoaderOptions loader = options_for(*sampler);
  loader.edge_type = 0;
  loader.times = rows_of<int64_t>(kInt64, 4000, {}, 13);
  loader.plan.batch_size = 900;
  expect_same_epoch(sampler, loader);
}

TEST_F(DeviceBatch, WhereItIsSampledCanBeSaid) {
  for (const char* const where : {"device", "host"}) {
    const auto context = make_context();
    ASSERT_TRUE(context->set("device.sampling", where).ok());
    const auto sampler = make_sampler(shop(context), false);
    LoaderOptions options = options_for(*sampler);
    expect_same_epoch(sampler, options);
    options.device = device_of_tests();
    options.columns.clear();
    TestGraph weighted;
    weighted.nodes = {{"n", 3}};
    weighted.edges = {{"n__e__n", {0, 1}, {1, 2}, {}, {}}};
    weighted.edges[0].weight = {1, 2};
    ASSERT_TRUE(context->set("sample.weight_tables", "0").ok());
    SamplerOptions beyond;
    beyond.num_hops = 1;
    beyond.fanouts = {{2}};
    beyond.weight = "weight";
    auto loader = Loader::create(Sampler::create(make_dataset(context, weighted), beyond).take(),
                                 Tensor(), options);
    EXPECT_EQ(loader.ok(), where[0] == 'h');
    if (!loader.ok()) {
      EXPECT_EQ(loader.status().code(), GLS_ERR_UNSUPPORTED);
      EXPECT_NE(loader.status().message().find("sample.weight_tables has no room"),
                std::string::npos);
    }
  }
}

// A GPU makes no more batches at once because there are more cores.
TEST_F(DeviceBatch, WorkersAreFewWhereItIsSampled) {
  struct Case {
    const char* where;
    uint32_t threads;
    uint32_t workers;
    uint32_t prefetch;
    uint32_t expected_workers;
    uint32_t expected_prefetch;
  };
  for (const Case& one :
       {Case{"auto", 8, 0, 0, 3, 4}, Case{"auto", 2, 0, 0, 2, 4}, Case{"auto", 8, 0, 9, 3, 9},
        Case{"auto", 8, 5, 0, 5, 10}, Case{"auto", 2, 5, 7, 5, 7}, Case{"host", 8, 0, 0, 8, 16}}) {
    const auto context = make_context(one.threads);
    ASSERT_TRUE(context->set("device.sampling", one.where).ok());
    const auto sampler = make_sampler(shop(context), true);
    LoaderOptions options = options_for(*sampler);
    options.device = device_of_tests();
    options.num_workers = one.workers;
    options.prefetch = one.prefetch;
    const auto loader = Loader::create(sampler, Tensor(), options).take();
    EXPECT_EQ(loader->options().num_workers, one.expected_workers);
    EXPECT_EQ(loader->options().prefetch, one.expected_prefetch);
    options.device = nullptr;
    const auto here = Loader::create(sampler, Tensor(), options).take();
    EXPECT_EQ(here->options().num_workers, one.workers == 0 ? one.threads : one.workers);
  }
}

// With less room than the topology takes. Rows of each type take about 20 KB.
TEST_F(DeviceBatch, IsTheSameOfAGraphOnTheHost) {
  for (const char* const room : {"1", "3000", "30000"}) {
    for (const bool split : {true, false}) {
      for (const bool refused : {true, false}) {
        if (refused && (on_gpu() || (kSanitized && split))) {
          continue;  // nothing makes a driver refuse it; or it takes long
        }
        if (kSanitized && room == std::string("3000")) {
          continue;  // takes long
        }
        if (refused) {
          setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
        } else {
          unsetenv("CUDA_ON_HOST_NO_PINNING");
        }
        const auto context = make_context();
        ASSERT_TRUE(context->set("device.graph_memory", room).ok());
        ASSERT_TRUE(context->set("device.split_graph", split ? "true" : "false").ok());
        ASSERT_TRUE(context->set("device.sampling", "device").ok());
        const auto dataset = shop(context);
        const auto sampler = make_sampler(dataset, true);
        const auto graph =
            DeviceGraph::of(dataset, device_of_tests());  // which outlives the loader
        expect_same_epoch(sampler, options_for(*sampler));
        uint64_t hot = 0;
        uint64_t whole = 0;
        for (size_t t = 0; t < 2; ++t) {
          const DeviceGraph::Rows rows = graph->get(t, Layout::kCsc).take();
          hot += rows.hot != nullptr ? 1u : 0u;
          whole += rows.indptr->copied() && rows.indices->copied() ? 1u : 0u;
          EXPECT_TRUE(rows.hot == nullptr || rows.hot->size() > 3);
        }
        EXPECT_EQ(hot, !split || room[0] == '1' ? 0u : 1u);
        EXPECT_LT(whole, 2u);
      }
    }
  }
}

// A file may be larger than memory, and is then not pinned.
TEST_F(DeviceBatch, PinsNoMoreThanItMay) {
  unsetenv("CUDA_ON_HOST_NO_PINNING");
  for (const char* const most : {"1", "30000", "1G"}) {
    for (const char* const where : {"auto", "device"}) {
      SCOPED_TRACE(std::string(most) + " " + where);
      const bool roomy = most[1] == 'G';
      const auto context = make_context();
      ASSERT_TRUE(context->set("device.graph_memory", "1").ok());
      ASSERT_TRUE(context->set("device.column_memory", "1").ok());
      ASSERT_TRUE(context->set("device.pinned_memory", most).ok());
      ASSERT_TRUE(context->set("device.sampling", where).ok());
      const auto sampler = make_sampler(shop(context), true);
      const LoaderOptions options = options_for(*sampler);
      if (!roomy && where[0] == 'd') {
        LoaderOptions on_device = options;
        on_device.device = device_of_tests();
        auto refused = Loader::create(sampler, Tensor(), on_device);
        ASSERT_EQ(refused.status().code(), GLS_ERR_OUT_OF_MEMORY);
        EXPECT_NE(refused.status().message().find("device.pinned_memory"), std::string::npos);
        continue;
      }
      const RowTiers tiers = expect_same_epoch(sampler, options).tiers;
      if (most[1] == 0) {
        EXPECT_EQ(tiers.pinned, 0u);
      } else if (!on_gpu()) {  // a driver does not pin a page twice, and columns may share one
        EXPECT_GT(tiers.pinned, 0u);  // of 30,000 bytes, those of a column that fits
        EXPECT_EQ(tiers.host > 0, !roomy);
      }
      EXPECT_TRUE(roomy || tiers.host > 0);
    }
  }
}

// One memory, however many devices read it in place; with one GPU, that twice.
TEST_F(DeviceBatch, CountsPagesOfSeveralDevicesOnce) {
  const auto first = open_device(0);
  const auto second = open_device(Device::count() - 1);
  constexpr uint64_t kBytes = 1 << 16;
  const std::vector<std::byte> pages(kBytes);
  const std::vector<std::byte> others(kBytes);
  auto pin = [&](const std::shared_ptr<Device>& device, const std::vector<std::byte>& memory) {
    return PinnedPages::pin(device, memory.data(), kBytes, kBytes);
  };
  PinnedPages one = pin(first, pages);
  ASSERT_TRUE(one);
  {
    const PinnedPages two = pin(second, pages);
    EXPECT_TRUE(two);
    EXPECT_FALSE(pin(second, others));
    one = PinnedPages();
    EXPECT_FALSE(pin(first, others)) << "the second still reads them";
    EXPECT_EQ(PinnedPages::allocate(first, kBytes, kBytes).status().code(), GLS_ERR_OUT_OF_MEMORY);
  }
  EXPECT_TRUE(pin(first, others));
  EXPECT_TRUE(PinnedPages::allocate(first, kBytes, kBytes).ok());
}

// Wherever there is room for the columns. They take 400 KB; tables of slots 1200 and 2000 bytes.
TEST_F(DeviceBatch, IsTheSameFromEveryPlace) {
  uint64_t on_device = 0;
  for (const char* const room : {"1", "5000", "40000", "150000", "0"}) {
    for (const char* const cache : {"fixed", "none"}) {
      for (const bool refused : {true, false}) {
        if (refused && (on_gpu() || (kSanitized && cache[0] == 'n'))) {
          continue;
        }
        if (kSanitized && room == std::string("40000")) {
          continue;  // takes long
        }
        SCOPED_TRACE(std::string(room) + " " + cache + (refused ? " refused" : ""));
        const auto context = make_context();
        ASSERT_TRUE(context->set("device.column_memory", room).ok());
        ASSERT_TRUE(context->set("device.cache", cache).ok());
        ASSERT_TRUE(context->set("device.pin", room[0] == '5' ? "false" : "true").ok());
        if (refused) {
          setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
        } else {
          unsetenv("CUDA_ON_HOST_NO_PINNING");
        }
        const bool pinned = !refused && room[0] != '5';
        const auto dataset = shop(context);
        const auto sampler = make_sampler(dataset, true);
        const RowTiers tiers = expect_same_epoch(sampler, options_for(*sampler)).tiers;
        const auto columns = DeviceColumns::of(dataset, device_of_tests());
        const auto x = columns->get(dataset->node_types()[0].columns[0]);
        ASSERT_TRUE(x.ok());
        const bool whole = room[0] != '5' && room != std::string("1");
        const DevicePlace place = whole    ? DevicePlace::kDevice
                                  : pinned ? DevicePlace::kPinned
                                           : DevicePlace::kHost;
        // A driver does not pin a page twice, and columns of tests may share one.
        const bool unpinned =
            on_gpu() && place == DevicePlace::kPinned && (*x)->where() == DevicePlace::kHost;
        EXPECT_TRUE((*x)->where() == place || unpinned);
        EXPECT_EQ((*x)->cache() != nullptr, room[0] == '5' && cache[0] == 'f');
        if (!on_gpu()) {
          EXPECT_EQ(pinned ? tiers.host : tiers.pinned, 0u);
        }
        if (room[0] == '0') {
          EXPECT_EQ(tiers.device, all_rows(tiers));
        } else if (room == std::string("1")) {
          EXPECT_EQ(tiers.device, 0u);
        } else if (cache[0] == 'f' && (refused || on_gpu())) {
          EXPECT_GT(tiers.device, on_device);  // more with more room
          on_device = tiers.device;
        }
      }
    }
  }
}

// Nodes of most edges are there, or those that an id set names.
TEST_F(DeviceBatch, TheHottestRowsAreThere) {
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.column_memory", "20000").ok());
  for (const char* const hot : {"", "mine"}) {
    ASSERT_TRUE(context->set("device.hot_ids", hot).ok());
    const auto plain = shop(context);
    std::vector<NodeType> nodes = plain->node_types();
    auto ids = std::make_shared<std::vector<int32_t>>();
    for (int32_t id = 200; id > 100; --id) {
      ids->push_back(id);
    }
    const int32_t* const data = ids->data();
    nodes[0].id_sets = {{"mine", Tensor(std::move(ids), data, kInt32, {100})}};
    const auto dataset = Dataset::create(context, std::move(nodes), plain->edge_types()).take();
    const auto columns = DeviceColumns::of(dataset, device_of_tests());
    const auto x = columns->get(dataset->node_types()[0].columns[0]);
    ASSERT_TRUE(x.ok());
    const RowCache* const cache = (*x)->cache();
    ASSERT_NE(cache, nullptr);
    EXPECT_EQ(cache->size(), (20000 - 4 * kUsers) / 112);
    const std::vector<uint64_t> hotness = node_hotness(*dataset, 0);
    uint64_t coldest_in = ~uint64_t{0};
    uint64_t hottest_out = 0;
    for (int64_t user = 0; user < kUsers; ++user) {
      const bool in = cache->slot_of(user) >= 0;
      const bool named = hot[0] != 0 && user > 100 && user <= 200;
      EXPECT_TRUE(in || !named);
      if (!named) {
        const uint64_t edges = hotness[static_cast<size_t>(user)];
        (in ? coldest_in : hottest_out) =
            in ? std::min(coldest_in, edges) : std::max(hottest_out, edges);
      }
    }
    EXPECT_GE(coldest_in, hottest_out);
    const auto sampler = make_sampler(dataset, true);
    expect_same_epoch(sampler, options_for(*sampler));
  }
}

TEST_F(DeviceBatch, SettingsOfCachesAreChecked) {
  const auto context = make_context();
  EXPECT_EQ(context->set("device.cache", "big").code(), GLS_ERR_INVALID_ARGUMENT);
  ASSERT_TRUE(context->set("device.hot_ids", "nothing").ok());
  const auto sampler = make_sampler(shop(context), true);
  LoaderOptions options = options_for(*sampler);
  options.device = device_of_tests();
  auto loader = Loader::create(sampler, Tensor(), options);
  ASSERT_FALSE(loader.ok());
  EXPECT_EQ(loader.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_NE(loader.status().message().find("\"nothing\""), std::string::npos);
}

// Rows that nobody asks for give way to those that are asked for.
TEST_F(DeviceBatch, AnAdaptiveCacheLearns) {
  uint64_t on_device[2] = {0, 0};
  for (const bool adaptive : {false, true}) {
    for (const char* const where : {"device", "host"}) {
      const auto context = make_context(2);
      ASSERT_TRUE(context->set("device.column_memory", "9000").ok());
      ASSERT_TRUE(context->set("device.cache", adaptive ? "adaptive" : "fixed").ok());
      ASSERT_TRUE(context->set("device.sampling", where).ok());
      ASSERT_TRUE(context->set("device.hot_ids", "cold").ok());
      const auto plain = shop(context);
      std::vector<NodeType> nodes = plain->node_types();
      auto ids = std::make_shared<std::vector<int64_t>>();
      for (int64_t id = kUsers - 1; id >= kUsers / 2; --id) {
        ids->push_back(id);
      }
      const int64_t* const data = ids->data();
      nodes[0].id_sets = {{"cold", Tensor(std::move(ids), data, kInt64, {kUsers / 2})}};
      const auto dataset = Dataset::create(context, std::move(nodes), plain->edge_types()).take();
      SamplerOptions options;
      options.num_hops = 1;
      options.fanouts = {{0}, {0}};
      auto sampler = Sampler::create(dataset, options);
      ASSERT_TRUE(sampler.ok()) << sampler.status().message();
      LoaderOptions loading;
      loading.plan.batch_size = 20;
      loading.columns = {{true, 0, &dataset->node_types()[0].columns[0], false, kFloat32}};
      std::vector<int64_t> seeds;
      for (int64_t i = 0; i < 2000; ++i) {
        seeds.push_back(i % 40);
      }
      auto owner = std::make_shared<std::vector<int64_t>>(std::move(seeds));
      const int64_t* const first = owner->data();
      const Tensor list(std::move(owner), first, kInt64, {2000});
      LoaderOptions on_host = loading;
      loading.device = device_of_tests();
      const auto here = Loader::create(*sampler, list, on_host).take();
      const auto there = Loader::create(*sampler, list, loading).take();
      std::shared_ptr<Batch> expected;
      std::shared_ptr<Batch> batch;
      while (*here->next(-1, &expected) == Loader::Next::kBatch) {
        auto next = there->next(-1, &batch);
        ASSERT_TRUE(next.ok()) << next.status().message();
        expect_same(*expected, *copy_to_host(*batch).take());
      }
      const RowTiers tiers = there->stats().tiers;
      EXPECT_EQ(all_rows(tiers), here->stats().tiers.host);
      on_device[adaptive ? 1 : 0] += tiers.device;
    }
  }
  EXPECT_EQ(on_device[0], 0u);
  EXPECT_GT(on_device[1], 1000u);
}

// Graphs, columns, alignments and budgets of all kinds, with several threads.
TEST_F(DeviceBatch, IsTheSameOfAnyGraph) {
  std::mt19937_64 random(11 + test_seed());
  const auto below = [&random](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  for (int round = 0; round < (kSanitized ? 2 : 12); ++round) {
    SCOPED_TRACE(round);
    const auto context = make_context(3);
    ASSERT_TRUE(context->set("device.column_memory", std::to_string(1 + below(60000))).ok());
    ASSERT_TRUE(context->set("device.graph_memory", std::to_string(1 + below(30000))).ok());
    ASSERT_TRUE(context->set("device.cache", round % 2 == 0 ? "fixed" : "adaptive").ok());
    if (round % 3 == 0) {
      setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
      ASSERT_TRUE(context->set("device.sampling", "host").ok());
    } else {
      unsetenv("CUDA_ON_HOST_NO_PINNING");
    }
    TestGraph graph;
    const int64_t counts[] = {1 + below(400), 1 + below(200)};
    graph.nodes = {{"a", counts[0]}, {"b", counts[1]}};
    graph.edges = {
        {"a__x__b", {}, {}, {}, {}}, {"b__y__a", {}, {}, {}, {}}, {"a__z__a", {}, {}, {}, {}}};
    const int ends[][2] = {{0, 1}, {1, 0}, {0, 0}};
    for (size_t e = 0; e < 3; ++e) {
      const int64_t edges = below(3000);
      for (int64_t i = 0; i < edges; ++i) {
        const auto end = [&](int type) {  // some nodes have most edges
          return std::min(below(static_cast<uint64_t>(counts[type])),
                          below(static_cast<uint64_t>(counts[type])));
        };
        graph.edges[e].source.push_back(end(ends[e][0]));
        graph.edges[e].target.push_back(end(ends[e][1]));
      }
    }
    const auto plain = make_dataset(context, graph);
    std::vector<NodeType> nodes = plain->node_types();
    std::vector<EdgeType> edges = plain->edge_types();
    const auto column = [&](int64_t rows, const std::string& name) {
      const int64_t width = 1 + below(70);
      const int64_t padding = below(3) == 0 ? below(5) : 0;
      const uint64_t seed = random();
      switch (below(6)) {
        case 0: {
          Numbers others(seed);
          const DLDataType dtype = any_dtype(&others);
          return Column{name, GLS_ROLE_FEATURE,
                        any_rows(&others, rows, dtype, any_width(&others, dtype))};
        }
        case 4:
          return Column{name, GLS_ROLE_FEATURE,
                        rows_of<uint8_t>(kUint8, rows, {width}, seed, padding)};
        case 1:
          return Column{name, GLS_ROLE_FEATURE,
                        rows_of<uint16_t>(kFloat16, rows, {width}, seed, padding)};
        case 2:
          return Column{name, GLS_ROLE_FEATURE,
                        rows_of<uint16_t>(kBfloat16, rows, {width}, seed, padding)};
        case 3: {
          const int64_t bits = int64_t{1} << below(4);
          auto codebook =
              Codebook::create(bits, width, Codebook::even_values(bits, -1, 1).take()).take();
          return Column::of_codes(
              name, GLS_ROLE_FEATURE,
              rows_of<uint8_t>(kUint8, rows, {codebook->packed_width()}, seed, padding), codebook);
        }
        default:
          return Column{name, GLS_ROLE_FEATURE,
                        rows_of<float>(kFloat32, rows, {width}, seed, padding)};
      }
    };
    for (size_t t = 0; t < 2; ++t) {
      for (int c = 0; c < 3; ++c) {
        nodes[t].columns.push_back(column(counts[t], "c" + std::to_string(c)));
      }
    }
    for (EdgeType& type : edges) {
      type.columns.push_back(column(type.count, "e"));
    }
    const auto dataset = Dataset::create(context, std::move(nodes), std::move(edges)).take();
    SamplerOptions options;
    options.seed = random();
    options.num_hops = 2;
    options.fanouts = {{1 + below(4), -1}, {3, 1 + below(40)}, {0, 2}};
    options.edge_ids = true;
    options.int32 = below(2) == 0;
    const auto sampler = Sampler::create(dataset, options).take();
    LoaderOptions loading;
    loading.plan.batch_size = static_cast<uint64_t>(1 + (counts[0] - 1) / 3);
    loading.columns = default_columns(*sampler);
    for (ColumnToGather& wanted : loading.columns) {
      if (wanted.dtype.bits == 16 && below(2) == 0) {
        wanted.dtype = kFloat32;
      }
    }
    if (counts[0] > 3) {
      expect_same_epoch(sampler, loading);
    }
  }
}

TEST_F(DeviceBatch, IsPaddedAsOnTheHost) {
  const auto sampler = make_sampler(shop(make_context()), true);
  LoaderOptions options = options_for(*sampler);
  options.pad = PadOptions{};
  expect_same_epoch(sampler, options);
}

// Blocks need no array of the host.
TEST_F(DeviceBatch, HasBlocks) {
  const auto sampler = make_sampler(shop(make_context()), true);
  expect_same_epoch(sampler, options_for(*sampler), [](const Batch& batch) {
    const auto on_host = copy_to_host(batch).take();
    for (size_t type = 0; type < batch.edges.size(); ++type) {
      auto there = block_array(batch, 0, BlockArray::kIndptr, type);
      ASSERT_TRUE(there.ok()) << there.status().message();
      EXPECT_FALSE((*there).on_host());
      Tensor* const moved[] = {&(*there)};
      ASSERT_TRUE(move_out(batch.device, moved, nullptr).ok());
      expect_same((*there), block_array(*on_host, 0, BlockArray::kIndptr, type).take(), "indptr");
    }
  });
}

// Takes what memory the device has left.
class AllMemory {
 public:
  explicit AllMemory(std::shared_ptr<Device> device)
      : device_(std::move(device)), stream_(device_->stream().take()) {
    device::GpuError error;
    for (uint64_t bytes = device_->free_memory().take(); bytes > 0; bytes /= 2) {
      void* block = nullptr;
      while (device_->gpu().allocate(bytes, stream_.get(), &block, &error)) {
        blocks_.push_back(block);
      }
    }
  }
  ~AllMemory() {
    for (void* const block : blocks_) {
      device_->gpu().release(block, stream_.get());
    }
  }
  AllMemory(const AllMemory&) = delete;
  AllMemory& operator=(const AllMemory&) = delete;

 private:
  std::shared_ptr<Device> device_;
  DeviceStream stream_;
  std::vector<void*> blocks_;
};

// A batch for which there is no memory is an error, and those after it are made.
TEST_F(DeviceBatch, OutOfMemoryLeavesTheLoaderUsable) {
  const auto sampler = make_sampler(shop(make_context(1)), true);
  LoaderOptions options = options_for(*sampler);
  options.device = device_of_tests();
  options.prefetch = 1;
  const auto loader = Loader::create(sampler, Tensor(), options).take();
  std::shared_ptr<Batch> batch;
  ASSERT_TRUE(loader->next(-1, &batch).ok());
  batch = nullptr;
  std::shared_ptr<Batch> ready;  // may have been made before
  ASSERT_TRUE(loader->next(-1, &ready).ok());
  auto all = std::make_unique<AllMemory>(options.device);
  int failures = 0;
  for (int i = 0; i < 2; ++i) {
    auto next = loader->next(-1, &batch);
    if (!next.ok()) {
      EXPECT_EQ(next.status().code(), GLS_ERR_OUT_OF_MEMORY) << next.status().message();
      EXPECT_NE(next.status().message().find("GPU 0"), std::string::npos);
      ++failures;
    }
  }
  EXPECT_GT(failures, 0);
  all = nullptr;
  auto made = loader->sample(0, 4);
  ASSERT_TRUE(made.ok()) << made.status().message();
  options.device = nullptr;
  const auto expected = Loader::create(sampler, Tensor(), options).take()->sample(0, 4).take();
  expect_same(*expected, *copy_to_host(**made).take());
}

TEST_F(DeviceBatch, AnArrayOutlivesItsLoader) {
  Tensor x;
  std::shared_ptr<Device> device = device_of_tests();
  Tensor expected;
  {
    const auto sampler = make_sampler(shop(make_context()), true);
    LoaderOptions options = options_for(*sampler);
    expected =
        Loader::create(sampler, Tensor(), options).take()->sample(0, 1).take()->columns[0].data;
    options.device = device;
    const auto batch = Loader::create(sampler, Tensor(), options).take()->sample(0, 1).take();
    batch->readers->add(nullptr);
    x = batch->columns[0].data;
  }
  Tensor* const moved[] = {&x};
  ASSERT_TRUE(move_out(device, moved, nullptr).ok());
  expect_same(expected, x, "x");
}

TEST(DeviceErrors, SayWhatIsMissing) {
  EXPECT_EQ(Device::open(-1).status().code(), GLS_ERR_INVALID_ARGUMENT);
  choose_device_plugin();
  GLS_NEEDS_DEVICE();
  auto far = Device::open(64);
  EXPECT_EQ(far.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_NE(far.status().message().find("no GPU 64"), std::string::npos) << far.status().message();
  if (on_gpu()) {
    return;
  }
  setenv("CUDA_ON_HOST_DEVICES", "0", 1);
  auto none = Device::open(3);
  EXPECT_EQ(none.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_NE(none.status().message().find("no GPU"), std::string::npos) << none.status().message();
  unsetenv("CUDA_ON_HOST_DEVICES");
}

}  // namespace
}  // namespace gls::test
