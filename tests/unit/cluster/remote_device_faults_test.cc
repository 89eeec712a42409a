// What becomes of rows of servers that go straight to memory of a GPU when something goes wrong,
// and that memory. On the emulated runtime, whose memory the processor writes as its own, so that
// every channel reaches it; device_remote_test.cc is for GPUs, too.
#include <algorithm>
#include <cstring>
#include <span>

#include "batch_equal.h"
#include "device/memory/transfer.h"
#include "device/peer/rdma_buffer_pool.h"
#include "loader/columns/device_delivery.h"
#include "loader/columns/device_fetch.h"
#include "remote_device_batches.h"

namespace gls::test {
namespace {

using net::DeviceMemory;
using net::OneSided;

#ifdef GLS_TEST_PLUGINS

// A server that is started again in the middle, and threads that make batches meanwhile.
TEST(DeviceLandingFaults, ServersMayComeBack) {
  ServedForDevices served("plain", OneSided::kOff, DeviceMemory::kOn);
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
  const ServedForDevices served("plain", OneSided::kOff, DeviceMemory::kOn);
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
    const ServedForDevices served("plain", OneSided::kOff, wanted);
    auto lands = served.dataset->source()->lands(false);
    ASSERT_TRUE(lands.ok());
    EXPECT_FALSE(*lands);
    lands = served.dataset->source()->lands(true);
    ASSERT_TRUE(lands.ok());
    EXPECT_FALSE(*lands);
  }
}

TEST(DeviceLandingSettings, OnInsists) {
  for (const std::string& way :
       {std::string("plain"), std::string("ucx_tcp"), std::string("ofi_tcp")}) {
    const std::vector<std::string> ways = net::channel_ways();
    if (way != "plain" && std::find(ways.begin(), ways.end(), way) == ways.end()) {
      continue;
    }
    const ServedForDevices served(way, OneSided::kOff, DeviceMemory::kOn);
    auto lands = served.dataset->source()->lands(true);
    if (way != "plain" && lands.ok()) {
      continue;  // there is a GPU, and a library that knows it
    }
    ASSERT_FALSE(lands.ok()) << way;
    EXPECT_EQ(lands.status().code(), GLS_ERR_UNSUPPORTED);
    EXPECT_EQ(*lands.status().detail("argument"), "net.device_memory");
    EXPECT_TRUE(net::contains(lands.status().message(), "net.device_memory is on: "))
        << lands.status().message();
  }
}

#endif

// ---- memory ------------------------------------------------------------------------------------

TEST(Landings, AreKeptBySize) {
  use_device_plugins();
  const auto device = Device::open(0).take();
  auto pool = RdmaBufferPool::make(device);
  auto first = pool->take(1).take();
  auto second = pool->take(1).take();
  EXPECT_NE(first->data(), second->data());
  std::fill_n(first->data(), 1 << 21, std::byte{1});
  const std::byte* const kept = first->data();
  first = nullptr;
  auto large = pool->take(uint64_t{5} << 20).take();
  std::fill_n(large->data(), 8 << 20, std::byte{1});
  first = pool->take(1000).take();  // not the large one
  EXPECT_EQ(first->data(), kept);
  const std::byte* const kept_large = large->data();
  large = nullptr;
  large = pool->take(uint64_t{7} << 20).take();
  EXPECT_EQ(large->data(), kept_large);
  // Where there is no room, those that nobody has make some.
  first = nullptr;
  second = nullptr;
  setenv("CUDA_ON_HOST_MEMORY", "12582912", 1);  // the large one and these
  auto other = pool->take(uint64_t{4} << 20);
  ASSERT_TRUE(other.ok()) << other.status().message();
  EXPECT_EQ(pool->take(1).status().code(), GLS_ERR_OUT_OF_MEMORY);
  pool = nullptr;  // what is on loan keeps it
  std::fill_n(large->data(), 7 << 20, std::byte{2});
  large = nullptr;
}

// Others may still write to what has not landed.
TEST(Landings, AreNotGivenToOthersWhenDistrusted) {
  use_device_plugins();
  setenv("CUDA_ON_HOST_MEMORY", "2097152", 1);
  const auto pool = RdmaBufferPool::make(Device::open(0).take());
  for (int i = 0; i < 3; ++i) {
    auto landing = pool->take(1);
    ASSERT_TRUE(landing.ok()) << landing.status().message();
    EXPECT_FALSE(pool->take(1).ok());
    (*landing)->distrust();
  }
  auto landing = pool->take(1).take();
  landing->distrust();
  landing = nullptr;
  // It goes when the next one is asked for, also if that is of another size.
  setenv("CUDA_ON_HOST_MEMORY", "4194304", 1);
  EXPECT_TRUE(pool->take(uint64_t{4} << 20).ok());
}

TEST(Landings, AreGivenUpWhereNothingLands) {
  const ServedForDevices served("self_channel", OneSided::kOff, DeviceMemory::kOn);
  auto delivery = DeviceDelivery::open(served.dataset, Device::open(0).take(), {});
  ASSERT_TRUE(delivery.ok()) << delivery.status().message();
  for (const bool landed : {false, false, false, true, false, false, false}) {
    (*delivery)->note_landings(landed);
    EXPECT_NE((*delivery)->landings(), nullptr);
  }
  (*delivery)->note_landings(false);
  EXPECT_EQ((*delivery)->landings(), nullptr);
}

// ---- the columns of a batch --------------------------------------------------------------------

// Gives row i of a column as the number i, one after another, from the last id on.
class Backwards final : public GraphSource {
 public:
  enum class Way : uint8_t { kWrites, kPuts, kMisses, kFails };
  explicit Backwards(Way way) : way_(way) {}

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions&) const override {
    return error(GLS_ERR_INTERNAL, "not here");
  }
  Deferred<Tensor> ask_rows(const RowQuestion& question, int64_t rows, SharedBytes) const override {
    ++asked;
    auto out = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(rows));
    for (int64_t i = 0; i < question.ids.size(); ++i) {
      (*out)[static_cast<size_t>(i)] = question.ids[i];
    }
    const int64_t* const data = out->data();
    return [tensor = Tensor(out, data, kInt64, {rows, 1}, false)]() -> Result<Tensor> {
      return tensor;
    };
  }
  Deferred<LandedRows> land_rows(const RowQuestion& question,
                                 const RowLanding& landing) const override {
    return [=, way = way_]() -> Result<LandedRows> {
      const int64_t count = question.ids.size();
      LandedRows out{way != Way::kMisses, {}};
      std::vector<int64_t> rows;
      for (int64_t i = 0; i < count; ++i) {
        rows.push_back(question.ids[count - 1 - i]);
        out.places.push_back(count - 1 - i);
      }
      if (way == Way::kFails) {
        return error(GLS_ERR_IO, "they are lost");
      }
      if (way == Way::kPuts) {
        GLS_TRY(landing.put(landing.data, std::as_bytes(std::span(rows))));
      } else if (count > 0) {
        std::memcpy(landing.data, rows.data(), rows.size() * sizeof(int64_t));
      }
      return out;
    };
  }
  Deferred<Tensor> ask_edges(const EdgeQuestion&) const override {
    return failed<Tensor>(error(GLS_ERR_INTERNAL, "not here"));
  }
  const PartitionBook* book(bool, size_t) const override { return nullptr; }
  uint32_t parts() const override { return 1; }
  std::vector<uint32_t> local_parts() const override { return {}; }

  mutable int asked = 0;

 private:
  Way way_;
};

// Takes the columns of some ids, of which each has its number in one row and zeros behind them.
void expect_columns(Backwards::Way way, const std::vector<int64_t>& sizes, int asked) {
  const auto device = Device::open(0).take();
  const auto pool = RdmaBufferPool::make(device);
  const DeviceStream stream = device->stream().take();
  const Backwards source(way);
  DeviceFetch columns(source, *pool, stream, nullptr);
  std::vector<std::vector<int64_t>> ids;
  for (const int64_t size : sizes) {
    ids.emplace_back();
    for (int64_t i = 0; i < size; ++i) {
      ids.back().push_back(1000 * size + i);
    }
  }
  for (const std::vector<int64_t>& of : ids) {
    const Status status =
        columns.ask({true, 0, 0, span_of(of), kInt64}, std::ssize(of) + 3, {0, 1});
    ASSERT_TRUE(status.ok()) << status.message();
  }
  for (const std::vector<int64_t>& of : ids) {
    auto column = columns.take();
    ASSERT_TRUE(column.ok()) << column.status().message();
    EXPECT_FALSE(column->on_host());
    Tensor* const moved[] = {&*column};
    ASSERT_TRUE(stream.finish().ok());
    ASSERT_TRUE(move_out(device, moved, nullptr).ok());
    ASSERT_EQ(column->rows(), std::ssize(of) + 3);
    for (int64_t i = 0; i < column->rows(); ++i) {
      ASSERT_EQ(column->as<int64_t>()[i], i < std::ssize(of) ? of[static_cast<size_t>(i)] : 0);
    }
  }
  EXPECT_EQ(source.asked, asked);
  EXPECT_EQ(columns.num_landed(), ids.size() - static_cast<size_t>(asked));
}

TEST(DeviceFetch, AreInTheOrderOfTheBatch) {
  use_device_plugins();
  expect_columns(Backwards::Way::kWrites, {0, 1, 500, 70000}, 0);
  expect_columns(Backwards::Way::kPuts, {0, 1, 500, 2000000}, 0);
}

TEST(DeviceFetch, ComeByTheHostWhereTheyDoNotLand) {
  use_device_plugins();
  expect_columns(Backwards::Way::kMisses, {0, 1, 500}, 3);
  setenv("CUDA_ON_HOST_MEMORY", "4100000", 1);  // for one landing, and not for two
  expect_columns(Backwards::Way::kWrites, {5, 500, 7}, 2);
}

TEST(DeviceFetch, SayWhatWentWrong) {
  use_device_plugins();
  const auto device = Device::open(0).take();
  const auto pool = RdmaBufferPool::make(device);
  const DeviceStream stream = device->stream().take();
  const Backwards source(Backwards::Way::kFails);
  DeviceFetch columns(source, *pool, stream, nullptr);
  const std::vector<int64_t> ids = {1, 2, 3};
  ASSERT_TRUE(columns.ask({true, 0, 0, span_of(ids), kInt64}, 3, {0, 1}).ok());
  ASSERT_TRUE(columns.ask({true, 0, 0, span_of(ids), kInt64}, 3, {0, 1}).ok());
  EXPECT_EQ(columns.take().status().message(), "they are lost");
}

}  // namespace
}  // namespace gls::test
