// Devices of one process that divide the rows of columns: on the emulated runtime, or on GPUs that
// read each other's memory (test_device.h).
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "feature/device_columns.h"
#include "shop_graph.h"
#include "test_device.h"

namespace gls::test {
namespace {

class DeviceGroup : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);  // also of devices that are not reached
    setenv("CUDA_ON_HOST_DEVICES", "3", 1);
    setenv("CUDA_ON_HOST_MEMORY", "67108864", 1);
  }
  void SetUp() override {
    GLS_NEEDS_DEVICE();
    GLS_NEEDS_DEVICES(2);
    unsetenv("CUDA_ON_HOST_NO_PINNING");
    unsetenv("CUDA_ON_HOST_NO_PEERS");
  }
  // Of all that there are, at most three.
  static int32_t size() { return std::min(Device::count(), 3); }
  static std::string all() { return size() == 3 ? "0,1,2" : "0,1"; }
  static std::shared_ptr<Context> context_with(const std::string& group, const std::string& room) {
    const auto context = make_context();
    EXPECT_TRUE(context->set("device.group", group).ok());
    EXPECT_TRUE(context->set("device.column_memory", room).ok());
    return context;
  }
};

RowTiers epoch(const std::shared_ptr<const Sampler>& sampler, const LoaderOptions& options,
               int32_t device) {
  LoaderStats stats;
  compare_epochs(sampler, options, open_device(device), {}, &stats);
  return stats.tiers;
}

// Columns of all kinds, on each device, in any order of them.
TEST_F(DeviceGroup, GivesTheSameAndHoldsMore) {
  for (const char* const room : {"3000", "15000", "40000"}) {
    for (const bool refused : {false, true}) {
      if (refused && on_gpu()) {
        continue;
      }
      SCOPED_TRACE(std::string(room) + (refused ? " refused" : ""));
      if (refused) {
        setenv("CUDA_ON_HOST_NO_PINNING", "1", 1);
      } else {
        unsetenv("CUDA_ON_HOST_NO_PINNING");
      }
      const auto alone = make_sampler(shop(context_with("", room)), true);
      const RowTiers before = epoch(alone, options_for(*alone), 0);
      EXPECT_EQ(before.peers, 0u);
      const auto sampler = make_sampler(shop(context_with(all(), room)), true);
      for (int32_t device = size() - 1; device >= 0; --device) {
        SCOPED_TRACE(device);
        const RowTiers tiers = epoch(sampler, options_for(*sampler), device);
        EXPECT_EQ(all_rows(tiers), all_rows(before));
        EXPECT_GT(tiers.peers, 0u);
        EXPECT_GT(tiers.device, 0u);
        EXPECT_GT(tiers.device + tiers.peers, before.device);
        if (!on_gpu()) {
          EXPECT_EQ(refused ? tiers.pinned : tiers.host, 0u);
        }
      }
    }
  }
}

// A column for which one of them has no room, and all have: nothing of the host is read.
TEST_F(DeviceGroup, HoldsAllOfAColumnTogether) {
  const auto sampler = make_sampler(shop(context_with(all(), "25000")), false);
  LoaderOptions options = options_for(*sampler);
  options.columns.resize(1);
  ASSERT_EQ(options.columns[0].column->name, "x");  // 300 rows of 112 bytes there
  for (int32_t device = 0; device < size(); ++device) {
    const RowTiers tiers = epoch(sampler, options, device);
    EXPECT_EQ(tiers.pinned + tiers.host, 0u);
    EXPECT_GT(tiers.device, 0u);
    EXPECT_GT(tiers.peers, tiers.device / 2);
    const auto columns = DeviceColumns::of(sampler->dataset(), open_device(device));
    EXPECT_EQ(columns->get(*options.columns[0].column).take()->where(), DevicePlace::kGroup);
  }
}

// Where all have room for a column, each has it.
TEST_F(DeviceGroup, ReadsItsOwnWhereItFits) {
  const auto sampler = make_sampler(shop(context_with(all(), "4000000")), false);
  const RowTiers tiers = epoch(sampler, options_for(*sampler), 1);
  EXPECT_EQ(tiers.device, all_rows(tiers));
}

// Loaders of all devices at once.
TEST_F(DeviceGroup, ServesAllOfThemAtOnce) {
  const auto sampler = make_sampler(shop(context_with(all(), "15000")), true);
  LoaderOptions options = options_for(*sampler);
  const auto here = Loader::create(sampler, Tensor(), options).take();
  std::vector<std::shared_ptr<Loader>> there;
  for (int32_t device = 0; device < size(); ++device) {
    options.device = open_device(device);
    there.push_back(Loader::create(sampler, Tensor(), options).take());
  }
  std::shared_ptr<Batch> expected;
  while (*here->next(-1, &expected) == Loader::Next::kBatch) {
    for (const auto& loader : there) {
      std::shared_ptr<Batch> batch;
      auto next = loader->next(-1, &batch);
      ASSERT_TRUE(next.ok()) << next.status().message();
      expect_same(*expected, *copy_to_host(*batch).take());
    }
  }
}

// What a device reads of a column: where the rows of each member are, and which rows there are.
struct Hot {
  std::set<const void*> memory;
  std::set<int64_t> rows;
};
Hot hot_of(const Dataset& dataset, const std::shared_ptr<DeviceColumns>& columns) {
  Hot out;
  const Column& column = dataset.node_types()[0].columns[0];
  const RowCache* const cache = columns->get(column).take()->cache();
  EXPECT_NE(cache, nullptr);
  for (const void* const rows : cache->divided().rows) {
    if (rows != nullptr) {
      out.memory.insert(rows);
    }
  }
  for (int64_t row = 0; row < column.data.rows(); ++row) {
    if (cache->slot_of(row) >= 0) {
      out.rows.insert(row);
    }
  }
  return out;
}

// Each of two groups has all hot rows, and reads its own. Memory of the other one is not even
// reached, where it is emulated.
TEST_F(DeviceGroup, TwoOfThemHaveNothingInCommon) {
  GLS_NEEDS_DEVICES(4);
  setenv("CUDA_ON_HOST_DEVICES", "4", 1);
  const auto context = context_with("0,1;2,3", "15000");
  const auto sampler = make_sampler(shop(context), true);
  const auto alone = make_sampler(shop(context_with("0,1", "15000")), true);
  const RowTiers expected = epoch(alone, options_for(*alone), 0);
  std::vector<Hot> hot;
  for (int32_t device = 0; device < 4; ++device) {
    const RowTiers tiers = epoch(sampler, options_for(*sampler), device);
    EXPECT_GT(tiers.peers, 0u);
    EXPECT_EQ(tiers.peers + tiers.device, expected.peers + expected.device);
    hot.push_back(
        hot_of(*sampler->dataset(), DeviceColumns::of(sampler->dataset(), open_device(device))));
    EXPECT_EQ(hot.back().rows, hot[0].rows);
    EXPECT_EQ(hot.back().memory.size(), 2u);
  }
  EXPECT_GT(hot[0].rows.size(), 0u);
  EXPECT_LT(hot[0].rows.size(), static_cast<size_t>(kUsers));
  EXPECT_EQ(hot[0].memory, hot[1].memory);
  EXPECT_EQ(hot[2].memory, hot[3].memory);
  for (const void* const rows : hot[0].memory) {
    EXPECT_EQ(hot[2].memory.count(rows), 0u);
  }
  setenv("CUDA_ON_HOST_DEVICES", "3", 1);
}

// Nothing of a group is left when its dataset is released.
TEST_F(DeviceGroup, GivesBackWhatItTook) {
  const auto device = open_device(1);
  const uint64_t before = device->free_memory().take();
  {
    const auto sampler = make_sampler(shop(context_with("0,1", "15000")), true);
    epoch(sampler, options_for(*sampler), 0);
    if (!on_gpu()) {  // whose smallest piece of memory may have had room for it
      EXPECT_LT(device->free_memory().take(), before);
    }
  }
  if (!on_gpu()) {  // whose pools keep some
    EXPECT_EQ(device->free_memory().take(), before);
  }
}

void expect_refused(const std::shared_ptr<Context>& context, int32_t device, gls_status_t code,
                    const std::string& text) {
  const auto sampler = make_sampler(shop(context), true);
  LoaderOptions options = options_for(*sampler);
  options.device = open_device(device);
  for (int again = 0; again < 2; ++again) {
    auto loader = Loader::create(sampler, Tensor(), options);
    ASSERT_FALSE(loader.ok()) << text;
    EXPECT_EQ(loader.status().code(), code) << loader.status().message();
    EXPECT_NE(loader.status().message().find(text), std::string::npos) << loader.status().message();
  }
}

TEST_F(DeviceGroup, SaysWhyItCannotBe) {
  expect_refused(context_with("1", "9000"), 0, GLS_ERR_INVALID_ARGUMENT, "GPU 0 is not in");
  expect_refused(context_with("0,1,0", "9000"), 0, GLS_ERR_INVALID_ARGUMENT, "each once");
  expect_refused(context_with("0,99", "9000"), 0, GLS_ERR_UNSUPPORTED, "no GPU 99");
  const auto context = context_with("0,1", "9000");
  ASSERT_TRUE(context->set("device.cache", "adaptive").ok());
  expect_refused(context, 0, GLS_ERR_INVALID_ARGUMENT, "device.cache is adaptive");
}

TEST_F(DeviceGroup, SaysThatDevicesDoNotReachEachOther) {
  if (on_gpu()) {
    GTEST_SKIP() << "for the emulated runtime alone: these do";
  }
  setenv("CUDA_ON_HOST_NO_PEERS", "1", 1);
  expect_refused(context_with("0,1", "9000"), 0, GLS_ERR_UNSUPPORTED,
                 "GPU 0 cannot read memory of GPU 1");
}

// The memory of both has no room, whoever asks.
TEST_F(DeviceGroup, SaysThatThereIsNoMemory) {
  if (on_gpu()) {
    GTEST_SKIP() << "for the emulated runtime alone: its memory has a limit";
  }
  setenv("CUDA_ON_HOST_MEMORY", "1000000", 1);
  expect_refused(context_with("0,1", "9000"), 0, GLS_ERR_OUT_OF_MEMORY, "has no");
  setenv("CUDA_ON_HOST_MEMORY", "67108864", 1);
}

}  // namespace
}  // namespace gls::test
