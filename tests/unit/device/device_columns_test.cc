// Rows of columns of every kind, from every place that a device has for them: those that a
// processor gathers. On the emulated runtime, or on a GPU (test_device.h).
#include "feature/device_columns.h"

#include <gtest/gtest.h>

#include <numeric>

#include "batch_equal.h"
#include "device/memory/transfer.h"
#include "random_rows.h"
#include "sanitized.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {
namespace {

class DeviceRows : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_MEMORY", "67108864", 1);
  }
  void SetUp() override { GLS_NEEDS_DEVICE(); }
};

// Where a column may be: all of it on the device, or read in place, or in memory of the host; of
// the last two some rows may be on the device, too.
struct Place {
  bool whole;
  bool pinned;
  int64_t cached;  // rows
};

void expect_same_rows(const Column& column, const Place& place, const IdSpan& ids,
                      DLDataType dtype) {
  const std::shared_ptr<Device> device = Device::open(0).take();
  DeviceColumn::Placing placing;
  placing.whole = place.whole;
  placing.most_pinned = place.pinned ? ~uint64_t{0} : 0;
  uint64_t room = uint64_t{1} << 30;
  if (place.cached > 0) {
    room = static_cast<uint64_t>(4 * column.data.rows() +
                                 place.cached * stride_on_device(column.data.row_bytes()));
    placing.hot = [](uint64_t row_bytes, uint64_t bytes) {
      std::vector<int64_t> out(bytes / row_bytes);
      std::iota(out.begin(), out.end(), int64_t{2});
      return Result<std::vector<int64_t>>(std::move(out));
    };
  }
  auto placed = DeviceColumn::place(device, column, placing, &room);
  ASSERT_TRUE(placed.ok()) << placed.status().message();
  EXPECT_EQ((*placed)->cache() != nullptr, place.cached > 0);
  if (!on_gpu()) {  // whose driver may refuse to pin
    EXPECT_EQ((*placed)->where(), place.whole    ? DevicePlace::kDevice
                                  : place.pinned ? DevicePlace::kPinned
                                                 : DevicePlace::kHost);
  }
  const DeviceStream stream = device->stream().take();
  const auto bytes = static_cast<uint64_t>(ids.size()) * (ids.wide() ? 8 : 4);
  const auto there = device->allocate(bytes, stream).take();
  const PinnedBuffer copy = device->pinned(bytes).take();
  std::memcpy(copy.data(), ids.data(), bytes);
  device::GpuError error;
  ASSERT_TRUE(stream.gpu().copy_in(there->data(), copy.data(), bytes, stream.get(), &error));
  RowTiers tiers;
  TierCounts counts;
  ASSERT_TRUE(counts.begin(1, stream).ok());
  std::vector<std::shared_ptr<const void>> held;
  auto rows = (*placed)->gather({ids, IdSpan(there->data(), ids.wide(), ids.size())}, dtype, {},
                                ids.size() + 1, {counts.of(0), &tiers, &held}, stream, nullptr);
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  ASSERT_TRUE(stream.finish().ok());
  Tensor here = rows.take();
  Tensor* const moved[] = {&here};
  ASSERT_TRUE(move_out(device, moved, nullptr).ok());
  const auto context = make_context(1);
  expect_same(here, gather(*context->buffers(), column.data, ids, dtype, {}, ids.size() + 1),
              "rows");
}

TEST_F(DeviceRows, OfEveryDtypeWidthAndAlignment) {
  for (uint64_t number = 0; number < 300; number += kEvery) {
    Numbers random(number);
    const DLDataType stored = any_dtype(&random);
    const int64_t width = any_width(&random, stored);
    const int64_t rows = 30 + random.below(60);
    SCOPED_TRACE(
        formatted("case {}: {} of code {} and {} bits", number, width, stored.code, stored.bits));
    const Column column{"x", GLS_ROLE_FEATURE, any_rows(&random, rows, stored, width)};
    const bool half = stored.bits == 16 && (stored.code == kDLFloat || stored.code == kDLBfloat);
    const DLDataType asked = half && random.coin() ? kFloat32 : stored;
    std::vector<int64_t> ids;
    for (int i = 0; i < 50; ++i) {
      ids.push_back(random.below(rows));
    }
    const std::vector<int32_t> narrow(ids.begin(), ids.end());
    const Place places[] = {
        {true, false, 0}, {false, true, 0}, {false, false, 0}, {false, true, 9}, {false, false, 9}};
    for (const Place& place : places) {
      SCOPED_TRACE(&place - places);
      const bool wide = random.coin();
      expect_same_rows(column, place, wide ? span_of(ids) : IdSpan(narrow.data(), false, 50),
                       asked);
    }
    if (HasFailure()) {
      return;
    }
  }
}

// A kernel on a processor could read any memory; one on a GPU could not.
TEST_F(DeviceRows, ThatNobodyPinnedAreNotRead) {
  if (on_gpu()) {
    GTEST_SKIP() << "a driver only says so later: for the emulated runtime alone";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto device = Device::open(0).take();
  const std::vector<float> rows(100);
  device::GatherWork work = {};
  work.rows = rows.data();
  work.num_rows = 25;
  work.stride = work.row_bytes = 16;
  device::GpuError error;
  EXPECT_DEATH(device->gpu().gather(work, nullptr, &error), "rows: 400 bytes at .* not pinned");
}

}  // namespace
}  // namespace gls::test
