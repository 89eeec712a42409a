// Rows that a device has beside those of the host, while they change: on the emulated runtime, or
// on a GPU (test_device.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "device/memory/staging.h"
#include "feature/device_columns.h"
#include "feature/row_cache.h"
#include "test_device.h"
#include "test_graph.h"

namespace gls::test {
namespace {

constexpr int64_t kRows = 600;
constexpr int64_t kWidth = 5;
constexpr int64_t kStride = 32;

class DeviceCache : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_MEMORY", "67108864", 1);
  }
  void SetUp() override {
    GLS_NEEDS_DEVICE();
    unsetenv("CUDA_ON_HOST_NO_PINNING");
  }
};

// Row i is i, i + 1000, ...
Tensor numbered() {
  auto values = std::make_shared<std::vector<float>>();
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kWidth; ++j) {
      values->push_back(static_cast<float>(i + 1000 * j));
    }
  }
  const float* const data = values->data();
  return Tensor(std::move(values), data, kFloat32, {kRows, kWidth});
}

HotRows first_rows(int64_t begin) {
  return [begin](uint64_t row_bytes, uint64_t room) {
    std::vector<int64_t> out(room / row_bytes);
    std::iota(out.begin(), out.end(), begin);
    return Result<std::vector<int64_t>>(std::move(out));
  };
}

std::shared_ptr<RowCache> make_cache(const std::shared_ptr<Device>& device, uint64_t places,
                                     bool adaptive) {
  const uint64_t tables = (adaptive ? 2 : 1) * 4 * kRows;
  uint64_t room = tables + places * kStride + 7;
  auto cache = RowCache::make(device, numbered(), kStride, first_rows(100), adaptive, &room);
  EXPECT_TRUE(cache.ok()) << cache.status().message();
  EXPECT_LT(room, tables + places * kStride);
  return cache.take();
}

std::vector<std::byte> from_device(const std::shared_ptr<Device>& device, const void* data,
                                   uint64_t bytes) {
  const DeviceStream stream = device->stream().take();
  const PinnedBuffer buffer = device->pinned(bytes).take();
  device::GpuError error;
  EXPECT_TRUE(stream.gpu().copy_out(buffer.data(), data, bytes, stream.get(), &error));
  EXPECT_TRUE(stream.finish().ok());
  return {buffer.data(), buffer.data() + bytes};
}

std::vector<int32_t> table_of(const std::shared_ptr<Device>& device,
                              const RowCache::Generation& generation) {
  const std::vector<std::byte> bytes = from_device(device, generation.slots, 4 * kRows);
  std::vector<int32_t> out(kRows);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

// Every row that a table has is that of the column. Returns how many there are.
int64_t check_rows(const std::shared_ptr<Device>& device, const RowCache& cache,
                   const std::vector<int32_t>& slots) {
  const Tensor column = numbered();
  std::set<int32_t> taken;
  for (int64_t row = 0; row < kRows; ++row) {
    const int32_t slot = slots[static_cast<size_t>(row)];
    if (slot < 0) {
      continue;
    }
    EXPECT_TRUE(taken.insert(slot).second) << "slot " << slot << " has two rows";
    const auto bytes = from_device(
        device, static_cast<const std::byte*>(cache.rows()) + slot * cache.stride(), kStride);
    EXPECT_EQ(std::memcmp(bytes.data(), column.data() + row * column.row_stride(), 4 * kWidth), 0)
        << "row " << row;
  }
  return static_cast<int64_t>(taken.size());
}

void note_often(RowCache* cache, const std::vector<int64_t>& rows, int times) {
  for (int i = 0; i < times; ++i) {
    cache->note(span_of(rows));
  }
}

TEST_F(DeviceCache, HasWhatThereIsRoomFor) {
  const auto device = Device::open(0).take();
  const auto cache = make_cache(device, 40, false);
  EXPECT_EQ(cache->size(), 40);
  EXPECT_EQ(check_rows(device, *cache, table_of(device, *cache->read())), 40);
  uint64_t room = 4 * kRows + kStride - 1;
  EXPECT_EQ(RowCache::make(device, numbered(), kStride, first_rows(0), false, &room).take(),
            nullptr);
  EXPECT_EQ(room, static_cast<uint64_t>(4 * kRows + kStride - 1));
}

TEST_F(DeviceCache, LearnsWhatIsAskedFor) {
  const auto device = Device::open(0).take();
  const auto cache = make_cache(device, 64, true);
  EXPECT_EQ(cache->size(), 60);  // a segment of 4 is free
  std::vector<int64_t> wanted(40);
  std::iota(wanted.begin(), wanted.end(), 400);
  int changes = 0;
  for (int i = 0; i < 200; ++i) {
    note_often(cache.get(), wanted, 1);
    changes += cache->adapt().take() ? 1 : 0;
    if (i % 40 == 0) {
      check_rows(device, *cache, table_of(device, *cache->read()));
    }
  }
  EXPECT_GT(changes, 3);
  const std::vector<int32_t> slots = table_of(device, *cache->read());
  int64_t there = 0;
  for (int64_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(cache->slot_of(row), slots[static_cast<size_t>(row)]);
    there += row >= 400 && row < 440 && slots[static_cast<size_t>(row)] >= 0 ? 1 : 0;
  }
  EXPECT_GE(there, 36);
  check_rows(device, *cache, slots);
  // Nothing is better then: it stays as it is.
  int late = 0;
  for (int i = 0; i < 60; ++i) {
    note_often(cache.get(), wanted, 1);
    late += cache->adapt().take() ? 1 : 0;
  }
  EXPECT_LE(late, 4);
}

// What a reader holds is there until it lets go, and nothing else waits for that for longer than
// one change.
TEST_F(DeviceCache, ARowThatIsReadIsNotReplaced) {
  const auto device = Device::open(0).take();
  const auto cache = make_cache(device, 32, true);
  std::shared_ptr<const RowCache::Generation> held = cache->read();
  const std::vector<int32_t> before = table_of(device, *held);
  std::vector<int64_t> wanted(30);
  std::iota(wanted.begin(), wanted.end(), 300);
  int changes = 0;
  for (int i = 0; i < 100; ++i) {
    note_often(cache.get(), wanted, 1);
    changes += cache->adapt().take() ? 1 : 0;
  }
  EXPECT_EQ(changes, 1);
  EXPECT_NE(cache->read(), held);
  EXPECT_EQ(table_of(device, *held), before);
  check_rows(device, *cache, before);
  held = nullptr;
  for (int i = 0; i < 100; ++i) {
    note_often(cache.get(), wanted, 1);
    changes += cache->adapt().take() ? 1 : 0;
  }
  EXPECT_GT(changes, 5);
}

// Gathers of several threads while rows come and go, from both places of the column.
TEST_F(DeviceCache, GathersTheSameWhileItChanges) {
  const auto device = Device::open(0).take();
  for (const bool pin : {true, false}) {
    Column column{"x", GLS_ROLE_FEATURE, numbered()};
    uint64_t room = 8 * kRows + 48 * kStride;
    DeviceColumn::Placing placing;
    placing.most_pinned = pin ? ~uint64_t{0} : 0;
    placing.hot = first_rows(0);
    placing.adaptive = true;
    const auto placed = DeviceColumn::place(device, column, placing, &room).take();
    ASSERT_NE(placed->cache(), nullptr);
    EXPECT_EQ(placed->where(), pin ? DevicePlace::kPinned : DevicePlace::kHost);
    std::atomic<int> changes{0};
    const auto work = [&](int64_t number) {
      std::mt19937_64 random(static_cast<uint64_t>(number));
      for (int round = 0; round < 60; ++round) {
        const DeviceStream stream = device->stream().take();
        std::vector<int64_t> ids;
        for (int i = 0; i < 50; ++i) {  // what is asked for moves on
          ids.push_back((round * 7 + static_cast<int64_t>(random() % 40)) % kRows);
        }
        auto on_device = device->allocate(ids.size() * 8, stream).take();
        device::GpuError error;
        const PinnedBuffer copy = device->pinned(ids.size() * 8).take();
        std::memcpy(copy.data(), ids.data(), ids.size() * 8);
        ASSERT_TRUE(stream.gpu().copy_in(on_device->data(), copy.data(), ids.size() * 8,
                                         stream.get(), &error));
        RowTiers tiers;
        TierCounts counts;
        ASSERT_TRUE(counts.begin(1, stream).ok());
        std::vector<std::shared_ptr<const void>> held;
        auto rows = placed->gather(
            {span_of(ids), IdSpan(on_device->data(), true, static_cast<int64_t>(ids.size()))},
            kFloat32, {}, 0, {counts.of(0), &tiers, &held}, stream, nullptr);
        ASSERT_TRUE(rows.ok()) << rows.status().message();
        ASSERT_TRUE(counts.end(stream).ok());
        ASSERT_TRUE(stream.finish().ok());
        held.clear();
        tiers.add(counts.read());
        EXPECT_EQ(tiers.device + tiers.pinned + tiers.host, ids.size());
        EXPECT_EQ(pin ? tiers.host : tiers.pinned, 0u);
        const auto bytes = from_device(device, (*rows).data(), ids.size() * 4 * kWidth);
        for (size_t i = 0; i < ids.size(); ++i) {
          EXPECT_EQ(std::memcmp(bytes.data() + i * 4 * kWidth,
                                column.data.data() + ids[i] * 4 * kWidth, 4 * kWidth),
                    0);
        }
        placed->cache()->note(span_of(ids));
        auto changed = placed->cache()->adapt();
        ASSERT_TRUE(changed.ok());
        changes += *changed ? 1 : 0;
      }
    };
    // On a busy machine the threads may run one after the other, with fewer changes.
    for (int attempt = 0; attempt < 20 && changes <= 3; ++attempt) {
      std::vector<std::thread> threads;
      for (int64_t i = 0; i < 3; ++i) {
        threads.emplace_back(work, i);
      }
      for (std::thread& thread : threads) {
        thread.join();
      }
    }
    EXPECT_GT(changes, 3);
  }
}

// However many threads copy, there are only so many buffers.
TEST_F(DeviceCache, CopiesThroughBoundedMemory) {
  const auto device = Device::open(0).take();
  std::atomic<int> filling{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 44; ++number) {
    threads.emplace_back([&, number] {
      const DeviceStream stream = device->stream().take();
      constexpr uint64_t kBytes = 3000;
      const auto memory = device->allocate(kBytes, stream).take();
      ASSERT_TRUE(copy_in_pieces(stream, memory->data(), kBytes, 1,
                                 [&](uint64_t, uint64_t size, std::byte* out) {
                                   const int now = ++filling;
                                   int before = most.load();
                                   while (before < now &&
                                          !most.compare_exchange_weak(before, now)) {
                                   }
                                   std::this_thread::sleep_for(std::chrono::milliseconds(100));
                                   std::memset(out, number, size);
                                   --filling;
                                 })
                      .ok());
      const auto bytes = from_device(device, memory->data(), kBytes);
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), static_cast<std::byte>(number)),
                static_cast<int64_t>(kBytes));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LE(most, 32);
}

TEST(FrequencySketch, TellsWhatIsUsedOften) {
  FrequencySketch sketch(1000);
  for (int round = 0; round < 20; ++round) {
    for (int64_t id = 0; id < 100; ++id) {
      sketch.add(id);
    }
  }
  for (int64_t id = 0; id < 100; ++id) {
    EXPECT_GE(sketch.estimate(id), 20u);
  }
  int wrong = 0;
  for (int64_t id = 1000; id < 2000; ++id) {
    wrong += sketch.estimate(id) > 0 ? 1 : 0;
  }
  EXPECT_LT(wrong, 10);
  for (int64_t id = 5000; id < 15000; ++id) {  // numbers are halved on the way
    sketch.add(id);
  }
  EXPECT_LE(sketch.estimate(7), 12u);
  for (int i = 0; i < 1000; ++i) {
    sketch.add(3);
  }
  EXPECT_EQ(sketch.estimate(3), 255u);
}

}  // namespace
}  // namespace gls::test
