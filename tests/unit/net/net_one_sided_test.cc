// Memory of a peer that is read over channels, without a word to it.
#include <numeric>

#include "net_support.h"

namespace gls::net {
namespace {

constexpr uint16_t kWhere = 20;  // answers with the address of the memory, and its key

// What is shared, and stays the same.
struct SharedMemory {
  explicit SharedMemory(size_t size) : bytes(size) {
    for (size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::byte>(i * 31 + i / 251);
    }
  }
  std::vector<std::byte> bytes;
};

class NetReads : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { start(OneSided::kOn, OneSided::kOn); }
  void TearDown() override {
    client_.reset();
    server_.reset();
  }

  void start(OneSided there, OneSided here) {
    TearDown();
    EndpointOptions options = options_for(GetParam());
    options.role = "server";
    options.listen = GetParam() == "self_channel" ? "reads:0" : "127.0.0.1:0";
    options.transport.data.one_sided = there;
    set_faults(&options.transport.data, at_server_);
    options.handlers = make_handlers(kept_);
    options.handlers[kWhere] = [memory = memory_](const Request& request) {
      auto key = request.connection()->share(memory, memory->bytes);
      if (!key.ok()) {
        request.fail(key.status());
        return;
      }
      Message reply = request.reply(sizeof(uint64_t) + key->size());
      const auto address = reinterpret_cast<uint64_t>(memory->bytes.data());
      std::memcpy(reply.data(), &address, sizeof address);
      std::memcpy(reply.data() + sizeof address, key->data(), key->size());
      request.answer(std::move(reply));
    };
    auto made = Endpoint::create(context_, std::move(options));
    ASSERT_TRUE(made.ok()) << made.status().message();
    server_ = made.take();
    options = options_for(GetParam());
    options.role = "client";
    options.transport.data.one_sided = here;
    set_faults(&options.transport.data, at_client_);
    made = Endpoint::create(context_, std::move(options));
    ASSERT_TRUE(made.ok()) << made.status().message();
    client_ = made.take();
    auto peer = client_->connect(server_->address(), 10000);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    peer_ = peer.take();
  }

  void learn() {
    auto reply = call_and_wait(*peer_, kWhere, {}, {});
    ASSERT_TRUE(reply.ok()) << reply.status().message();
    std::memcpy(&address_, reply->data(), sizeof address_);
    key_ = std::make_shared<const Bytes>(reply->data() + sizeof address_,
                                         reply->data() + reply->size());
  }

  // Reads rows of `size` bytes; the outcome is counted.
  struct Asked {
    std::shared_ptr<std::vector<std::byte>> out;
    std::shared_ptr<std::promise<Status>> done = std::make_shared<std::promise<Status>>();
    std::future<Status> status = done->get_future();
  };
  Asked begin(const std::vector<size_t>& rows, size_t size, int64_t timeout_ms = 20000) {
    Asked asked;
    asked.out = std::make_shared<std::vector<std::byte>>(rows.size() * size);
    Reading reading{key_, {}, asked.out};
    for (size_t i = 0; i < rows.size(); ++i) {
      reading.pieces.push_back({address_ + rows[i] * size, size, asked.out->data() + i * size});
    }
    peer_->connection()->read(
        std::move(reading), {timeout_ms, true, "rows"},
        [done = asked.done](const Status& status) { done->set_value(status.copy()); });
    return asked;
  }
  bool same(const Asked& asked, const std::vector<size_t>& rows, size_t size) const {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (std::memcmp(asked.out->data() + i * size, memory_->bytes.data() + rows[i] * size, size) !=
          0) {
        return false;
      }
    }
    return true;
  }

  std::shared_ptr<SharedMemory> memory_ = std::make_shared<SharedMemory>(size_t{6} << 20);
  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::shared_ptr<SelfChannelFaults> at_server_ = std::make_shared<SelfChannelFaults>();
  std::shared_ptr<SelfChannelFaults> at_client_ = std::make_shared<SelfChannelFaults>();
  std::unique_ptr<Endpoint> server_;
  std::unique_ptr<Endpoint> client_;
  std::shared_ptr<Peer> peer_;
  uint64_t address_ = 0;
  std::shared_ptr<const Bytes> key_;
};

TEST_P(NetReads, GetTheBytes) {
  learn();
  EXPECT_EQ(peer_->connection()->reads(),
            GetParam() == "self_channel" ? ChannelReads::kRdma : ChannelReads::kEmulated);
  for (const size_t size : {size_t{1}, size_t{7}, size_t{512}, size_t{100000}, size_t{3} << 20}) {
    const size_t count = memory_->bytes.size() / size;
    std::vector<size_t> rows;
    for (size_t i = 0; i < std::min<size_t>(count * 2, 3000); ++i) {
      rows.push_back(i * 7919 % count);
    }
    Asked asked = begin(rows, size);
    const Status status = asked.status.get();
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(same(asked, rows, size)) << size;
  }
  Asked nothing = begin({}, 1);
  EXPECT_TRUE(nothing.status.get().ok());
}

TEST_P(NetReads, ManyAtOnceAmongCalls) {
  learn();
  std::vector<size_t> rows(1000);
  std::iota(rows.begin(), rows.end(), 3);
  std::vector<Asked> asked;
  std::atomic<int> echoed = 0;
  for (int i = 0; i < 20; ++i) {
    asked.push_back(begin(rows, 512));
    peer_->call(kEcho, bytes_of(*context_, "abc"), {20000, true},
                [&](Result<Message> reply) { echoed += reply.ok() ? 1 : 0; });
  }
  for (Asked& each : asked) {
    const Status status = each.status.get();
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(same(each, rows, 512));
  }
  EXPECT_TRUE(eventually([&] { return echoed == 20; }));
}

TEST_P(NetReads, TheSameMemoryHasOneKey) {
  learn();
  const auto first = key_;
  learn();
  EXPECT_EQ(*first, *key_);
}

TEST_P(NetReads, AFarewellWaitsForThem) {
  learn();
  std::vector<size_t> rows(2000);
  std::iota(rows.begin(), rows.end(), 0);
  for (const bool by_client : {true, false}) {
    if (!by_client) {
      SetUp();
      learn();
    }
    Asked asked = begin(rows, 1000);
    (by_client ? client_ : server_)->shutdown("enough", 20000);
    const Status status = asked.status.get();
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(same(asked, rows, 1000));
  }
}

// UCX would abort.
TEST_P(NetReads, NeedTheSameOnBothSides) {
  for (const bool there : {true, false}) {
    EndpointOptions options = options_for(GetParam());
    options.transport.data.one_sided = there ? OneSided::kOn : OneSided::kOff;
    options.listen = GetParam() == "self_channel" ? "reads:0" : "127.0.0.1:0";
    const auto server = Endpoint::create(context_, options).take();
    options.listen = "";
    options.transport.data.one_sided = there ? OneSided::kOff : OneSided::kOn;
    const auto client = Endpoint::create(context_, options).take();
    const Status status = client->connect(server->address(), 10000).status().copy();
    EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
    EXPECT_TRUE(contains(status.message(), "with one-sided reads")) << status.message();
    EXPECT_TRUE(contains(status.message(), "need the same net.data and net.one_sided"));
  }
}

TEST_P(NetReads, AreRefusedWhereTheyAreOff) {
  start(OneSided::kOff, OneSided::kOff);
  const auto reply = call_and_wait(*peer_, kWhere, {}, {}).status().copy();
  EXPECT_EQ(reply.code(), GLS_ERR_UNSUPPORTED) << reply.message();
  EXPECT_EQ(peer_->connection()->reads(), ChannelReads::kNone);
  const Status status = begin({}, 8).status.get();
  EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(contains(status.message(), "cannot be read")) << status.message();
}

std::vector<std::string> read_ways() {
  std::vector<std::string> ways = {"self_channel"};
#ifdef GLS_TEST_UCX
  ways.insert(ways.end(), {"ucx_tcp", "ucx_shm"});
#endif
#ifdef GLS_TEST_OFI
  ways.emplace_back("ofi_tcp");
#endif
  return ways;
}
INSTANTIATE_TEST_SUITE_P(Ways, NetReads, testing::ValuesIn(read_ways()),
                         [](const auto& of) { return of.param; });

// ---- amid their connection's end ----

// Within one process, and over libfabric, where a closed endpoint is a fence.
class NetEndedReads : public NetReads {};

std::vector<std::string> ended_ways() {
  std::vector<std::string> ways = {"self_channel"};
#ifdef GLS_TEST_OFI
  ways.emplace_back("ofi_tcp");
#endif
  return ways;
}
INSTANTIATE_TEST_SUITE_P(Ways, NetEndedReads, testing::ValuesIn(ended_ways()),
                         [](const auto& of) { return of.param; });

// Whoever is gone amid them: each has its outcome, and nobody crashes. UCX, which only emulates
// reads here, crashed in 2 of 334 runs of this, see decision 0049.
TEST_P(NetEndedReads, EndWithTheirConnection) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      SetUp();
    }
    learn();
    std::vector<size_t> rows(3000);
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<Asked> asked;
    for (int k = 0; k < 8; ++k) {
      asked.push_back(begin(rows, 2000));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(i));
    const std::weak_ptr<std::vector<std::byte>> places = asked[7].out;
    (i % 2 == 0 ? server_ : client_).reset();
    for (Asked& each : asked) {
      const Status status = each.status.get();
      EXPECT_TRUE(!status.ok() || same(each, rows, 2000));
    }
    asked.clear();
    TearDown();
    EXPECT_TRUE(places.expired());
  }
}

// ---- within one process, where they can be held back ----

class NetHeldReads : public NetReads {};
INSTANTIATE_TEST_SUITE_P(Self, NetHeldReads, testing::Values("self_channel"),
                         [](const auto& of) { return of.param; });

TEST_P(NetHeldReads, HaveDeadlines) {
  learn();
  at_client_->hold_reads = true;
  Asked asked = begin({1, 2}, 100, 50);
  const Status status = asked.status.get();
  EXPECT_EQ(status.code(), GLS_ERR_TIMED_OUT);
  EXPECT_TRUE(contains(status.message(), "200 bytes of rows were not read: the 50 ms it had"))
      << status.message();
  EXPECT_EQ(*status.detail("peer"), server_->address());
  // The places are kept until nobody writes there.
  const std::weak_ptr<std::vector<std::byte>> places = asked.out;
  asked.out = nullptr;
  EXPECT_FALSE(places.expired());
  at_client_->hold_reads = false;
  EXPECT_TRUE(eventually([&] { return places.expired(); }));
  EXPECT_TRUE(begin({3}, 100).status.get().ok());
}

TEST_P(NetHeldReads, AreRefusedWithoutHarm) {
  learn();
  at_client_->refuse_reads = true;
  const Status status = begin({1, 2}, 100).status.get();
  EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(contains(status.message(), "200 bytes of rows were not read: it could not be shared"))
      << status.message();
  at_client_->refuse_reads = false;
  EXPECT_TRUE(begin({3}, 100).status.get().ok());
  EXPECT_EQ(peer_->epoch(), 1U);
}

TEST_P(NetHeldReads, FailWithTheirConnection) {
  learn();
  at_client_->hold_reads = true;
  Asked asked = begin({1}, 100);
  peer_->connection()->fail(error(GLS_ERR_IO, "somebody cut it"));
  const Status status = asked.status.get();
  EXPECT_EQ(status.code(), GLS_ERR_IO);
  EXPECT_TRUE(contains(status.message(), "100 bytes of rows were not read: somebody cut it"));
  at_client_->hold_reads = false;
}

TEST_P(NetHeldReads, BeyondWhatIsSharedBreakTheChannel) {
  learn();
  const Status status = begin({memory_->bytes.size()}, 1).status.get();
  EXPECT_EQ(status.code(), GLS_ERR_IO) << status.message();
  EXPECT_TRUE(eventually([&] { return peer_->epoch() == 2; }));
}

}  // namespace
}  // namespace gls::net
