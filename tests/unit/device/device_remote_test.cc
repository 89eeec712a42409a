// Batches on a device of a graph that servers have, in every way for data: rows go straight to
// memory of the device where the lanes reach it, as those of UCX do that know GPUs, else by the
// host. On the emulated runtime every lane reaches it, whose memory the processor writes.
#include <ostream>

#include "batch_equal.h"
#include "loader/columns/device_delivery.h"
#include "remote_device_batches.h"
#include "test_device.h"

namespace gls::test {
namespace {

using net::DeviceMemory;
using net::OneSided;

struct Way {
  std::string name;
  OneSided one_sided;
  bool reaches_gpus;  // where its library knows them
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name << (way.one_sided == OneSided::kOn ? " reads" : "");
}

std::vector<Way> all_of_them() {
  std::vector<Way> out = {{"plain", OneSided::kOff, false}};
  for (const std::string& lanes : net::channel_ways()) {
    for (const OneSided one_sided : {OneSided::kOff, OneSided::kOn}) {
      out.push_back({lanes, one_sided, lanes == "ucx_tcp"});
    }
  }
  return out;
}

class DeviceLanding : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    use_device_plugins();
    GLS_NEEDS_DEVICE();
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, DeviceLanding, testing::ValuesIn(all_of_them()), [](const auto& of) {
  return of.param.name + (of.param.one_sided == OneSided::kOn ? "_reads" : "");
});

TEST_P(DeviceLanding, GivesTheBatchesOfTheWholeOnTheHost) {
  const bool lands = !on_gpu() || GetParam().reaches_gpus;
  const ServedForDevices served(GetParam().name, GetParam().one_sided,
                                lands ? DeviceMemory::kOn : DeviceMemory::kAuto);
  auto opened = Device::open(0);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const std::shared_ptr<Device> device = opened.take();
  auto landing = served.dataset->source()->lands(on_gpu());
  if (on_gpu() && !gpu_required() && landing.status().code() == GLS_ERR_UNSUPPORTED) {
    GTEST_SKIP() << "no GPU: this UCX, built without CUDA, reaches none: "
                 << landing.status().message();
  }
  ASSERT_TRUE(landing.ok()) << landing.status().message();
  ASSERT_EQ(*landing, lands);
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
      EXPECT_GT((*batch)->tiers.remote, 0U);
      auto copy = copy_to_host(**batch);
      ASSERT_TRUE(copy.ok()) << copy.status().message();
      expect_same(*expected->sample(0, number).take(), **copy);
    }
  }
  EXPECT_FALSE(served.warned("do not reach memory of GPU"));  // after four that did not
}

}  // namespace
}  // namespace gls::test
