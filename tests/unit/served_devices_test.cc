// Batches on a GPU whose rows come from servers straight to its memory. On the emulated runtime,
// whose memory the processor writes as its own, so that every lane reaches it.
#include <algorithm>

#include "batch_equal.h"
#include "cluster/graph_server.h"
#include "cluster/served_graph.h"
#include "device/landing_pool.h"
#include "loader/loader.h"
#include "places.h"
#include "served_support.h"

namespace gls::test {
namespace {

using net::DeviceMemory;
using net::OneSided;

// Beside lanes, whose plugins are elsewhere.
void use_device_of_host() {
  setenv("GLS_PLUGIN_PATH", formatted("{}:{}", kCudaOnHost, kPluginFolder).c_str(), 1);
  setenv("CUDA_ON_HOST_MEMORY", "268435456", 1);
}

net::TransportOptions transport_of(const std::string& way, OneSided one_sided,
                                   DeviceMemory device_memory) {
  net::TransportOptions out = net::options_for(way).transport;
  out.data.one_sided = one_sided;
  out.data.device_memory = device_memory;
  return out;
}

// A server of all parts, and a client.
struct ServedHere {
  ServedHere(const std::string& way, OneSided one_sided, DeviceMemory device_memory)
      : graph(CutGraph::of(3)) {
    GraphServerOptions serving;
    serving.transport = transport_of(way, one_sided, device_memory);
    auto started = GraphServer::start(context_of(), graph.path, serving);
    EXPECT_TRUE(started.ok()) << started.status().message();
    server = started.take();
    ServedGraphOptions asking;
    asking.transport = serving.transport;
    asking.timeout_ms = 20000;
    asking.same_host = false;
    asking.part.most_reply_bytes = 16384;
    auto opened = open_served(context, "gls://" + server->address(), asking);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    dataset = opened.take();
    use_device_of_host();
  }

  const CutGraph& graph;
  std::shared_ptr<Context> context = context_of();
  std::unique_ptr<GraphServer> server;
  std::shared_ptr<const Dataset> dataset;
};

LoaderOptions loading(const Sampler& sampler, const std::shared_ptr<Device>& device) {
  LoaderOptions out;
  out.plan.batch_size = 200;
  out.columns = default_columns(sampler);
  out.device = device;
  return out;
}

std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                            bool disjoint) {
  SamplerOptions options = two_hops();
  options.disjoint = disjoint;
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  return sampler.take();
}

struct Way {
  std::string name;
  OneSided one_sided;
};

std::vector<Way> all_of_them() {
  std::vector<Way> out;
#ifdef GLS_TEST_PLUGINS
  out.push_back({"plain", OneSided::kOff});
  for (const std::string& lanes : net::lane_ways()) {
    out.push_back({lanes, OneSided::kOff});
    out.push_back({lanes, OneSided::kOn});
  }
#endif
  return out;
}

class DeviceLanding : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, DeviceLanding, testing::ValuesIn(all_of_them()), [](const auto& of) {
  return of.param.name + (of.param.one_sided == OneSided::kOn ? "_reads" : "");
});

TEST_P(DeviceLanding, GivesTheBatchesOfTheWholeOnTheHost) {
  const ServedHere served(GetParam().name, GetParam().one_sided, DeviceMemory::kOn);
  auto opened = Device::open(0);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const std::shared_ptr<Device> device = opened.take();
  for (const bool disjoint : {false, true}) {  // nodes may be in several trees, then
    SCOPED_TRACE(disjoint);
    const auto here = make_sampler(served.graph.whole, disjoint);
    const auto elsewhere = make_sampler(served.dataset, disjoint);
    const auto expected = Loader::create(here, Tensor(), loading(*here, nullptr)).take();
    LoaderOptions options = loading(*elsewhere, device);
    ASSERT_GT(options.columns.size(), size_t{10});
    auto loader = Loader::create(elsewhere, Tensor(), options);
    ASSERT_TRUE(loader.ok()) << loader.status().message();
    for (uint64_t number = 0; number < 3; ++number) {
      auto batch = (*loader)->sample(0, number);
      ASSERT_TRUE(batch.ok()) << batch.status().message();
      for (const GatheredColumn& column : (*batch)->columns) {
        EXPECT_FALSE(column.data.on_host()) << column.column->name;
      }
      EXPECT_GT((*batch)->tiers.elsewhere, 0U);
      auto copy = copy_to_host(**batch);
      ASSERT_TRUE(copy.ok()) << copy.status().message();
      expect_same(*expected->sample(0, number).take(), **copy);
    }
  }
}

#ifdef GLS_TEST_PLUGINS

// A server that is started again in the middle, and threads that make batches meanwhile.
TEST(DeviceLandingFaults, ServersMayComeBack) {
  ServedHere served("plain", OneSided::kOff, DeviceMemory::kOn);
  const auto here = make_sampler(served.graph.whole, false);
  const auto elsewhere = make_sampler(served.dataset, false);
  const auto expected = Loader::create(here, Tensor(), loading(*here, nullptr)).take();
  LoaderOptions options = loading(*elsewhere, Device::open(0).take());
  options.num_workers = 2;
  const auto loader = Loader::create(elsewhere, Tensor(), options).take();
  for (uint64_t number = 0; number < 8; ++number) {
    if (number % 3 == 1) {
      GraphServerOptions again;
      again.transport = transport_of("plain", OneSided::kOff, DeviceMemory::kOn);
      again.listen = served.server->address();
      served.server->stop(number == 1 ? 1000 : 0);
      served.server.reset();
      served.server = GraphServer::start(context_of(), served.graph.path, again).take();
    }
    std::shared_ptr<Batch> batch;
    auto next = loader->next(-1, &batch);
    ASSERT_TRUE(next.ok()) << next.status().message();
    auto copy = copy_to_host(*batch);
    ASSERT_TRUE(copy.ok()) << copy.status().message();
    expect_same(*expected->sample(0, number).take(), **copy);
  }
}

// What a GPU has no room for is the error of its batch, and the next one is made.
TEST(DeviceLandingFaults, NoMemoryIsAnErrorOfTheBatch) {
  const ServedHere served("plain", OneSided::kOff, DeviceMemory::kOn);
  const auto sampler = make_sampler(served.dataset, false);
  const auto loader =
      Loader::create(sampler, Tensor(), loading(*sampler, Device::open(0).take())).take();
  setenv("CUDA_ON_HOST_MEMORY", "1000", 1);
  auto none = loader->sample(0, 1);
  EXPECT_EQ(none.status().code(), GLS_ERR_OUT_OF_MEMORY) << none.status().message();
  setenv("CUDA_ON_HOST_MEMORY", "268435456", 1);
  auto batch = loader->sample(0, 1);
  EXPECT_TRUE(batch.ok()) << batch.status().message();
}

// Where nothing but the setting is missing.
TEST(DeviceLandingSettings, OffAndAutoLeaveItToTheHost) {
  for (const DeviceMemory wanted : {DeviceMemory::kOff, DeviceMemory::kAuto}) {
    const ServedHere served("plain", OneSided::kOff, wanted);
    auto lands = served.dataset->source()->lands(false);
    ASSERT_TRUE(lands.ok());
    EXPECT_FALSE(*lands);
    lands = served.dataset->source()->lands(true);
    ASSERT_TRUE(lands.ok());
    EXPECT_FALSE(*lands);
  }
}

TEST(DeviceLandingSettings, OnInsists) {
  for (const std::string& way : {std::string("plain"), std::string("ucx_tcp")}) {
    if (way != "plain" && net::lane_ways().empty()) {
      continue;
    }
    const ServedHere served(way, OneSided::kOff, DeviceMemory::kOn);
    auto lands = served.dataset->source()->lands(true);
    ASSERT_FALSE(lands.ok()) << way;  // no UCX of ours knows GPUs
    EXPECT_EQ(lands.status().code(), GLS_ERR_UNSUPPORTED);
    EXPECT_EQ(*lands.status().detail("argument"), "net.device_memory");
    EXPECT_TRUE(net::contains(lands.status().message(), "net.device_memory is on: "))
        << lands.status().message();
  }
}

#endif

// ---- memory ------------------------------------------------------------------------------------

TEST(Landings, AreKeptAndGrow) {
  use_device_of_host();
  const auto device = Device::open(0).take();
  auto pool = LandingPool::make(device);
  auto first = pool->take(1).take();
  auto second = pool->take(1).take();
  EXPECT_NE(first.get(), second.get());
  std::fill_n(first.get(), 1 << 20, std::byte{1});
  const std::byte* const kept = first.get();
  first = nullptr;
  first = pool->take(1000).take();
  EXPECT_EQ(first.get(), kept);
  first = nullptr;
  first = pool->take(uint64_t{5} << 20).take();  // in the place of the one that is too small
  std::fill_n(first.get(), 5 << 20, std::byte{1});
  second = nullptr;
  const std::byte* const large = first.get();
  first = nullptr;
  first = pool->take(uint64_t{7} << 20).take();
  EXPECT_EQ(first.get(), large);
  pool = nullptr;  // what is on loan keeps it
  std::fill_n(first.get(), 7 << 20, std::byte{2});
  first = nullptr;
  // All of it was given back.
  setenv("CUDA_ON_HOST_MEMORY", "8388608", 1);
  pool = LandingPool::make(device);
  EXPECT_TRUE(pool->take(uint64_t{5} << 20).ok());
}

}  // namespace
}  // namespace gls::test
