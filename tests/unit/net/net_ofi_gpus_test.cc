// Channels over libfabric that write to memory of GPUs. No provider here knows such memory, so that
// the one for TCP is made to say so (fake_ofi.h), and a driver of CUDA is the test's own: all of
// it is as with a GPU, but that the bytes come by the processor.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "fake_ofi.h"
#include "gpu_driver.h"
#include "plugins/ofi/worker.h"

namespace gls::net {
namespace {

constexpr size_t kLong = size_t{9} << 20;  // of which there are two pieces

std::vector<std::byte> some_bytes(size_t size, size_t salt) {
  std::vector<std::byte> out(size);
  for (size_t i = 0; i < size; ++i) {
    out[i] = static_cast<std::byte>(i * 31 + i / 251 + salt);
  }
  return out;
}

std::optional<GpuContext::Driver> driver_of_tests() { return DriverOfTests::functions(); }
std::optional<GpuContext::Driver> no_driver() { return std::nullopt; }

// Takes what comes in memory of the GPU, where that may be. All memory is known to nobody any more
// when this hears that it is used no more.
class User final : public ChannelUser {
 public:
  struct Place {
    std::byte* data;
    size_t size;
    bool on_gpu;
    std::vector<std::byte> host;
  };

  bool message(const void* /*head*/, size_t payload, ChannelPlace* place) noexcept override {
    const std::lock_guard lock(mutex_);
    Place& made = places_.emplace_back();
    made.size = payload;
    made.on_gpu = place->on_gpu;
    if (made.on_gpu) {
      made.data = DriverOfTests::take(payload);
    } else {
      made.host.resize(payload);
      made.data = made.host.data();
    }
    place->data = made.data;
    place->token = &made;
    return true;
  }
  void arrived(void* token) noexcept override {
    const Place& place = check(token);
    const std::lock_guard lock(mutex_);
    came.emplace_back(place.data, place.data + place.size);
    ++count;
    on_gpu += place.on_gpu ? 1 : 0;
    changed_.notify_all();
  }
  void failed(void* token) noexcept override {
    check(token);
    const std::lock_guard lock(mutex_);
    ++failures;
  }
  void given_back(void* /*message*/) noexcept override {
    const std::lock_guard lock(mutex_);
    ++returned;
    changed_.notify_all();
  }
  void read_done(void* reading, ChannelReadEnd end) noexcept override {
    EXPECT_FALSE(FakeOfi::knows(reading));
    const std::lock_guard lock(mutex_);
    ends.push_back(end);
    changed_.notify_all();
  }
  void broken(const char* why) noexcept override {
    const std::lock_guard lock(mutex_);
    reason = why;
    changed_.notify_all();
  }
  void channel_closed() noexcept override {
    const std::lock_guard lock(mutex_);
    closed = true;
    changed_.notify_all();
  }

  template <typename Done>
  bool wait_until(const Done& done) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), done);
  }

  ~User() {
    for (const Place& place : places_) {
      if (place.on_gpu) {
        DriverOfTests::give_back(place.data);
      }
    }
  }

  // Under wait_until(), or when the channel is closed.
  std::vector<std::vector<std::byte>> came;
  std::atomic<size_t> count = 0;  // of them
  int on_gpu = 0;
  int failures = 0;
  int returned = 0;
  std::vector<ChannelReadEnd> ends;
  std::string reason;
  bool closed = false;

 private:
  static const Place& check(void* token) {
    const Place& place = *static_cast<const Place*>(token);
    EXPECT_FALSE(FakeOfi::knows(place.data));
    return place;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Place> places_;
};

// What a provider may be: it binds memory to endpoints or not, or wants none to be registered.
class NetOfiOfGpus : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::string why;
    const Ofi* const loaded = load_ofi(&why);
    ASSERT_NE(loaded, nullptr) << why;
    FakeOfi::begin(*loaded, GetParam());
    ofi_ = FakeOfi::functions();
    DriverOfTests::active = true;
    DriverOfTests::full = false;
  }
  void TearDown() override {
    EXPECT_EQ(FakeOfi::num_known(), 0U);
    EXPECT_TRUE(DriverOfTests::memory.empty());
    DriverOfTests::memory.clear();
    DriverOfTests::sizes.clear();
    EXPECT_TRUE(DriverOfTests::stack.empty());
  }

  bool registers() const { return (GetParam() & FI_MR_HMEM) != 0; }

  Ofi ofi_;
};

std::string name_of(const testing::TestParamInfo<int>& of) {
  return of.param == 0 ? "find_out" : of.param == FI_MR_HMEM ? "register" : "bind";
}
INSTANTIATE_TEST_SUITE_P(Providers, NetOfiOfGpus,
                         testing::Values(FI_MR_HMEM, FI_MR_HMEM | FI_MR_ENDPOINT, 0), name_of);

// Those that memory is registered with, and which may refuse it.
class NetOfiThatRegisters : public NetOfiOfGpus {};
INSTANTIATE_TEST_SUITE_P(Providers, NetOfiThatRegisters,
                         testing::Values(FI_MR_HMEM, FI_MR_HMEM | FI_MR_ENDPOINT), name_of);

// Two channels that have met.
struct Pair {
  explicit Pair(const Ofi& ofi, DeviceMemory wanted = DeviceMemory::kOn,
                OfiFabric::FindDriver driver = driver_of_tests)
      : fabric(ofi, driver) {
    std::string why;
    EXPECT_EQ(fabric.begin({1, "lo", "net,tcp", OneSided::kOn, wanted}, &why), 0) << why;
    for (int i = 0; i < 2; ++i) {
      workers.push_back(std::make_unique<OfiWorker>(fabric, memory));
      EXPECT_EQ(workers.back()->start(), "");
      channels.push_back(workers.back()->open(&users[i], &why));
      EXPECT_NE(channels.back(), nullptr) << why;
    }
    for (size_t i = 0; i < 2; ++i) {
      const StreamSpan there = channels[1 - i]->address();
      channels[i]->join(there.data, there.size);
    }
  }
  ~Pair() {
    for (size_t i = 0; i < 2; ++i) {
      close(i);
      channels[i]->release();
    }
  }
  void close(size_t i) {
    channels[i]->close();
    EXPECT_TRUE(users[i].wait_until([&] { return users[i].closed; }));
  }
  void send(const std::vector<std::byte>& bytes) {
    const std::byte head[kChannelHeadBytes]{};
    channels[0]->send(head, bytes.data(), bytes.size(), &users[0]);
    channels[0]->wake();
  }

  OfiFabric fabric;
  OfiMemory memory;
  User users[2];
  std::vector<std::unique_ptr<OfiWorker>> workers;
  std::vector<DataChannel*> channels;
};

TEST_P(NetOfiOfGpus, LongMessagesLandThere) {
  const std::vector<std::vector<std::byte>> sent = {
      some_bytes(100, 1), some_bytes(kMostInPacket, 2), some_bytes(kMostInPacket + 1, 3),
      some_bytes(kLong, 4)};
  Pair pair(ofi_);
  User& there = pair.users[1];
  for (const std::vector<std::byte>& bytes : sent) {
    pair.send(bytes);
    const size_t count = there.came.size() + 1;
    ASSERT_TRUE(there.wait_until([&] { return there.came.size() == count; }))
        << count << there.reason;
    EXPECT_TRUE(there.came.back() == bytes) << count;
  }
  EXPECT_EQ(there.on_gpu, 2);  // short ones are copied from the packet by the user
  EXPECT_EQ(FakeOfi::registered, registers() ? 2 : 0);
  EXPECT_EQ(FakeOfi::received, 3);  // the last one in two pieces
  EXPECT_EQ(FakeOfi::without_context, 0);
}

TEST_P(NetOfiOfGpus, MemoryOfOthersIsReadThere) {
  const std::vector<std::byte> theirs = some_bytes(kLong, 5);
  Pair pair(ofi_);
  const uint64_t key = pair.memory.add(theirs);
  std::byte* const mine = DriverOfTests::take(kLong);
  const auto from = reinterpret_cast<uint64_t>(theirs.data());
  // Not in order, with a gap, and longer than a piece.
  const std::vector<ChannelRead> reads = {{from + 500, 1000, mine + 4096},
                                          {from, 0, nullptr},
                                          {from + 7, 100, mine + 2000},
                                          {from, (size_t{8} << 20) + 5, mine + 8192}};
  pair.channels[0]->read({&key, sizeof key, reads.data(), reads.size(), true}, mine);
  User& here = pair.users[0];
  ASSERT_TRUE(here.wait_until([&] { return !here.ends.empty(); })) << here.reason;
  EXPECT_EQ(here.ends[0], ChannelReadEnd::kGood);
  for (const ChannelRead& read : reads) {
    EXPECT_TRUE(read.size == 0 ||
                std::memcmp(read.to, theirs.data() + (read.from - from), read.size) == 0);
  }
  EXPECT_EQ(FakeOfi::registered, registers() ? 1 : 0);
  EXPECT_EQ(FakeOfi::read, 4);
  EXPECT_EQ(FakeOfi::without_context, 0);
  // Places of the host are as ever.
  std::vector<std::byte> host(1000);
  const ChannelRead plain{from, host.size(), host.data()};
  pair.channels[0]->read({&key, sizeof key, &plain, 1, false}, host.data());
  ASSERT_TRUE(here.wait_until([&] { return here.ends.size() == 2; })) << here.reason;
  EXPECT_EQ(std::memcmp(host.data(), theirs.data(), host.size()), 0);
  EXPECT_EQ(FakeOfi::read, 4);
  pair.close(0);
  DriverOfTests::give_back(mine);
}

// Whoever asked for it is told when nothing comes any more: with the end of the channel.
TEST_P(NetOfiThatRegisters, WhatIsNotTakenEndsTheChannel) {
  const std::vector<std::byte> bytes = some_bytes(kLong, 6);
  for (const auto& [failure, words] : {std::pair(-FI_ENOMEM, "Cannot allocate memory"),
                                       std::pair(-FI_ENOSYS, "Function not implemented")}) {
    FakeOfi::failure = failure;
    const std::string expected =
        std::string("memory of a GPU: libfabric does not register it: ") + words;
    {
      Pair pair(ofi_);
      User& there = pair.users[1];
      pair.send(bytes);
      ASSERT_TRUE(there.wait_until([&] { return !there.reason.empty(); }));
      EXPECT_EQ(there.reason, expected);
      EXPECT_EQ(there.failures, 0);
      pair.close(1);
      EXPECT_EQ(there.failures, 1);
      EXPECT_TRUE(there.came.empty());
      pair.close(0);
      EXPECT_EQ(pair.users[0].returned, 1);
    }
    Pair pair(ofi_);
    User& here = pair.users[0];
    const uint64_t key = pair.memory.add(bytes);
    std::byte* const mine = DriverOfTests::take(1000);
    const ChannelRead one{reinterpret_cast<uint64_t>(bytes.data()), 1000, mine};
    pair.channels[0]->read({&key, sizeof key, &one, 1, true}, mine);
    ASSERT_TRUE(here.wait_until([&] { return !here.reason.empty(); }));
    EXPECT_EQ(here.reason, expected);
    EXPECT_TRUE(here.ends.empty());
    pair.close(0);
    EXPECT_EQ(here.ends, std::vector<ChannelReadEnd>{ChannelReadEnd::kLost});
    DriverOfTests::give_back(mine);
  }
  EXPECT_EQ(FakeOfi::registered, 0);
  EXPECT_EQ(FakeOfi::received, 0);
}

TEST_P(NetOfiThatRegisters, WhatTheDriverDoesNotKnowEndsTheChannel) {
  const std::vector<std::byte> bytes = some_bytes(1000, 6);
  std::vector<std::byte> stranger(1000);
  Pair pair(ofi_);
  User& here = pair.users[0];
  const uint64_t key = pair.memory.add(bytes);
  const ChannelRead one{reinterpret_cast<uint64_t>(bytes.data()), 1000, stranger.data()};
  pair.channels[0]->read({&key, sizeof key, &one, 1, true}, stranger.data());
  ASSERT_TRUE(here.wait_until([&] { return !here.reason.empty(); }));
  EXPECT_EQ(here.reason, "memory of a GPU: its driver knows nothing of it");
}

// In the middle of messages: their places stay known for as long as something may write there, and
// the endpoint is closed all the same.
TEST_P(NetOfiOfGpus, AnEndInTheMiddleIsInOrder) {
  const std::vector<std::byte> bytes = some_bytes(kLong, 7);
  Pair pair(ofi_);
  FakeOfi::holds_pieces = true;
  pair.send(bytes);
  pair.send(bytes);
  for (int i = 0; i < 20'000 && FakeOfi::received < 4; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(FakeOfi::received, 4);
  EXPECT_EQ(FakeOfi::num_known(), registers() ? 2U : 0U);
  FakeOfi::forget_log();
  pair.close(1);
  EXPECT_EQ(pair.users[1].failures, 2);
  std::vector<std::string> expected = {"endpoint", "domain"};
  if (registers()) {
    const bool binds = (GetParam() & FI_MR_ENDPOINT) != 0;
    expected.insert(expected.begin() + (binds ? 0 : 1), 2, "memory");
  }
  EXPECT_EQ(FakeOfi::log(), expected);
  EXPECT_EQ(FakeOfi::without_context, 0);
}

// So has a thread that drives for a while, which is left as it was.
TEST_P(NetOfiOfGpus, WhoDrivesHasAContext) {
  struct Waiter final : StreamWaiter {
    explicit Waiter(const std::atomic<size_t>& of) : count(of) {}
    bool done() noexcept override { return count > 0; }
    const std::atomic<size_t>& count;
  };
  const std::vector<std::byte> bytes = some_bytes(kLong, 8);
  Pair pair(ofi_);
  User& there = pair.users[1];
  Waiter waiter(there.count);
  pair.send(bytes);
  const uint64_t end = now_ns() + 20'000 * kMs;
  while (!waiter.done() && now_ns() < end) {
    pair.channels[0]->write();
    static_cast<void>(pair.channels[1]->read_by_caller(waiter));
    EXPECT_TRUE(DriverOfTests::stack.empty());
  }
  ASSERT_TRUE(there.wait_until([&] { return !there.came.empty(); }));
  EXPECT_TRUE(there.came[0] == bytes);
  EXPECT_EQ(FakeOfi::without_context, 0);
}

TEST(GpuTurn, LooksAgain) {
  DriverOfTests::active = false;
  GpuContext context(DriverOfTests::functions());
  {
    GpuTurn turn(&context);
    EXPECT_TRUE(DriverOfTests::stack.empty());
    DriverOfTests::active = true;
    for (int i = 0; i < 2; ++i) {
      turn.look();
      EXPECT_EQ(DriverOfTests::stack.size(), 1U);
    }
  }
  EXPECT_TRUE(DriverOfTests::stack.empty());
}

// ---- whether they reach it ---------------------------------------------------------------------

class NetOfiReach : public NetOfiOfGpus {
 protected:
  // Empty, or why not.
  static std::string why_not(const OfiFabric& fabric) {
    std::string why;
    return fabric.reaches_gpus(&why) ? "" : why;
  }
  std::string why_not(DeviceMemory wanted, OfiFabric::FindDriver driver = driver_of_tests) const {
    OfiFabric fabric(ofi_, driver);
    std::string why;
    EXPECT_EQ(fabric.begin({1, "lo", "net,tcp", OneSided::kOff, wanted}, &why), 0) << why;
    const std::string out = why_not(fabric);
    if (fabric.gpus() == nullptr) {
      EXPECT_EQ(fabric.info()->caps & FI_HMEM, 0U);  // it is as without
      OfiEndpoint endpoint;
      EXPECT_EQ(endpoint.open(fabric), "");
    }
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, NetOfiReach, testing::Values(FI_MR_HMEM, 0), name_of);

TEST_P(NetOfiReach, IsTriedWithMemoryOfAGpuThatIsUsed) {
  DriverOfTests::active = false;
  OfiFabric fabric(ofi_, driver_of_tests);
  std::string why;
  ASSERT_EQ(fabric.begin({1, "lo", "net,tcp", OneSided::kOff, DeviceMemory::kOn}, &why), 0) << why;
  EXPECT_EQ(why_not(fabric), "this process uses no GPU yet");
  DriverOfTests::active = true;
  EXPECT_EQ(why_not(fabric), "");
  EXPECT_EQ(FakeOfi::registered, 1);
  DriverOfTests::full = true;
  EXPECT_EQ(why_not(fabric), "the GPU gives no 65536 bytes to try: error 2 of CUDA");
  DriverOfTests::full = false;
  DriverOfTests::knows = false;
  EXPECT_EQ(why_not(fabric), "memory of a GPU: its driver knows nothing of it");
  DriverOfTests::knows = true;
  // As of a libfabric that knows GPUs and was built without CUDA.
  FakeOfi::failure = -FI_ENOSYS;
  EXPECT_EQ(why_not(fabric),
            "memory of a GPU: libfabric does not register it: Function not implemented");
}

// Whatever they are given they take, so that trying tells nothing. There is a fabric of that name
// or not, which is a matter of what libfabric was built with.
TEST_P(NetOfiReach, IsNotTriedWithThoseWhoDoNotSay) {
  for (const char* const name : {"opx", "psm3"}) {
    FakeOfi::its_name = name;
    OfiFabric fabric(ofi_, driver_of_tests);
    std::string why;
    static_cast<void>(fabric.begin({1, "lo", name, OneSided::kOff, DeviceMemory::kOn}, &why));
    EXPECT_EQ(fabric.gpus(), nullptr);
    EXPECT_EQ(fabric.info()->caps & FI_HMEM, 0U);
    EXPECT_EQ(why_not(fabric), std::string("libfabric's provider \"") + name +
                                   "\" does not say whose memory it takes");
  }
  EXPECT_EQ(FakeOfi::registered, 0);
}

TEST_P(NetOfiReach, IsSaidOtherwiseToBeNone) {
  const std::string off =
      "net.device_memory is off, or auto and libfabric's provider is not one for RDMA";
  EXPECT_EQ(why_not(DeviceMemory::kOff), off);
  EXPECT_EQ(why_not(DeviceMemory::kAuto), off);
  EXPECT_EQ(why_not(DeviceMemory::kOn), "");
  EXPECT_EQ(why_not(DeviceMemory::kOn, no_driver), "there is no driver of CUDA");
  FakeOfi::enables = false;  // as efa without a GPU
  const std::string closed = why_not(DeviceMemory::kOn);
  EXPECT_TRUE(closed.starts_with("no working endpoint of ")) << closed;
  FakeOfi::enables = true;
  FakeOfi::way = FI_HMEM_P2P_DISABLED;
  const std::string off_gpus = why_not(DeviceMemory::kOn);
  EXPECT_TRUE(off_gpus.ends_with("\" does not get at memory of GPUs here")) << off_gpus;
  FakeOfi::way = FI_HMEM_P2P_REQUIRED;
  EXPECT_EQ(why_not(DeviceMemory::kOn), "");
  FakeOfi::looks = false;  // as some of opx
  const std::string blind = why_not(DeviceMemory::kOn);
  EXPECT_TRUE(blind.ends_with("\" knows no memory of GPUs (FI_HMEM)")) << blind;
  FakeOfi::has_hmem = false;
  const std::string none = why_not(DeviceMemory::kOn);
  EXPECT_TRUE(none.ends_with("\" knows no memory of GPUs (FI_HMEM)")) << none;
}

}  // namespace
}  // namespace gls::net
