// What a channel and the stream beside it do to each other: messages that are late, that overtake,
// that never come.
#include "net_support.h"

namespace gls::net {
namespace {

class NetChannels : public testing::Test {
 protected:
  void SetUp() override { start(quick_limits()); }
  void TearDown() override {
    kept_->drop();
    peer_.reset();
    client_.reset();
    server_.reset();
  }

  static Limits quick_limits() {
    Limits limits;
    limits.heartbeat_ms = 100;
    limits.peer_timeout_ms = 1000;
    limits.handshake_timeout_ms = 1000;
    return limits;
  }

  void start(const Limits& limits) {
    TearDown();
    EndpointOptions server = options_for("self_channel");
    server.limits = limits;
    set_faults(&server.transport.data, at_server_);
    server.listen = "channels:0";
    server.role = "server";
    server.handlers = make_handlers(kept_);
    server_ = Endpoint::create(context_, std::move(server)).take();
    EndpointOptions client = options_for("self_channel");
    client.limits = limits;
    client.role = "client";
    set_faults(&client.transport.data, at_client_);
    client.handlers = make_handlers(kept_);
    client_ = Endpoint::create(context_, std::move(client)).take();
    auto peer = client_->connect(server_->address(), 5000);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    peer_ = peer.take();
  }

  CallId begin(uint16_t kind, const std::string& request, int64_t timeout_ms = -1) {
    return peer_->call(kind, bytes_of(*context_, request), {timeout_ms, true},
                       [this, request](Result<Message> reply) {
                         good_ += reply.ok() && reply->text() == request ? 1 : 0;
                         ++ended_;
                       });
  }
  bool all_free() {
    return eventually([&] { return peer_->connection()->calls_in_flight() == 0; });
  }

  std::shared_ptr<SelfChannelFaults> at_server_ = std::make_shared<SelfChannelFaults>();
  std::shared_ptr<SelfChannelFaults> at_client_ = std::make_shared<SelfChannelFaults>();
  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::unique_ptr<Endpoint> server_;
  std::unique_ptr<Endpoint> client_;
  std::shared_ptr<Peer> peer_;
  std::atomic<int> good_ = 0;
  std::atomic<int> ended_ = 0;
};

TEST_F(NetChannels, TheChannelIsNamed) {
  EXPECT_EQ(peer_->connection()->channel(), "self: memory");
}

// The handler would keep it for ever.
TEST_F(NetChannels, ACancelMayComeBeforeItsRequest) {
  for (std::atomic<bool>* fault : {&at_server_->hold, &at_server_->halfway}) {
    *fault = true;
    const CallId id = begin(kNever, "abc");
    if (fault == &at_server_->halfway) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // has begun
    }
    peer_->cancel(id);
    EXPECT_TRUE(begin(kFails, "") != 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(peer_->connection()->calls_in_flight(), 2U);
    *fault = false;
    EXPECT_TRUE(all_free());
    EXPECT_EQ(kept_->size(), 0U);
  }
  EXPECT_EQ(ended_, 4);
}

TEST_F(NetChannels, ALateCancelHarmsNothing) {
  for (int i = 0; i < 200; ++i) {
    const CallId id = begin(kEcho, std::to_string(i));
    std::this_thread::yield();
    peer_->cancel(id);
  }
  EXPECT_TRUE(all_free());
  EXPECT_TRUE(eventually([&] { return ended_ == 200; }));
  EXPECT_TRUE(call_and_wait(*peer_, kEcho, bytes_of(*context_, "next"), {}).ok());
}

TEST_F(NetChannels, AGoodbyeWaitsForTheRequestsThatItOvertook) {
  at_server_->hold = true;
  for (int i = 0; i < 20; ++i) {
    begin(kEcho, std::to_string(i));
  }
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(ended_, 0);
    at_server_->hold = false;
  });
  client_->shutdown("enough", 10000);
  later.join();
  EXPECT_EQ(good_, 20);
}

TEST_F(NetChannels, AGoodbyeWaitsForTheRepliesThatItOvertook) {
  for (std::atomic<bool>* fault : {&at_client_->hold, &at_client_->halfway}) {
    start(quick_limits());
    good_ = 0;
    *fault = true;
    for (int i = 0; i < 20; ++i) {
      begin(kEcho, std::to_string(i));
    }
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      EXPECT_EQ(good_, 0);
      *fault = false;
    });
    server_->shutdown("maintenance", 10000);
    later.join();
    EXPECT_TRUE(eventually([&] { return good_ == 20; })) << good_;
  }
}

TEST_F(NetChannels, BothMayLeaveAtOnce) {
  at_client_->hold = true;
  at_server_->hold = true;
  for (int i = 0; i < 20; ++i) {
    begin(kEcho, std::to_string(i));
  }
  std::thread server([&] { server_->shutdown("maintenance", 10000); });
  std::thread client([&] { client_->shutdown("enough", 10000); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  at_server_->hold = false;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  at_client_->hold = false;
  server.join();
  client.join();
  EXPECT_EQ(good_, 20);
}

TEST_F(NetChannels, ErrorsOvertakeReplies) {
  at_client_->hold = true;
  begin(kEcho, "slow");
  Result<Message> failed = call_and_wait(*peer_, kFails, bytes_of(*context_, "12"), {});
  EXPECT_TRUE(contains(failed.status().message(), "node 2 is outside"));
  EXPECT_EQ(ended_, 0);
  at_client_->hold = false;
  EXPECT_TRUE(eventually([&] { return good_ == 1; }));
}

TEST_F(NetChannels, AReplyThatComesTooLateIsDropped) {
  for (std::atomic<bool>* fault : {&at_client_->hold, &at_client_->halfway}) {
    ended_ = 0;
    *fault = true;
    begin(kEcho, std::string(100000, 'x'), 50);
    EXPECT_TRUE(eventually([&] { return ended_ == 1; }));
    EXPECT_EQ(peer_->connection()->calls_in_flight(), 1U);
    *fault = false;
    EXPECT_TRUE(all_free());
    EXPECT_EQ(ended_, 1);
    EXPECT_EQ(good_, 0);
  }
}

TEST_F(NetChannels, ABrokenChannelEndsTheConnection) {
  Result<Message> kept = Status(GLS_ERR_INTERNAL, "");
  peer_->call(kNever, {}, {-1, true}, [&](Result<Message> reply) {
    kept = std::move(reply);
    ++ended_;
  });
  at_client_->broken = true;
  peer_->call(kEcho, {}, {-1, true}, [&](Result<Message>) { ++ended_; });
  ASSERT_TRUE(eventually([&] { return ended_ == 2; }));
  EXPECT_EQ(kept.status().code(), GLS_ERR_IO);
  EXPECT_TRUE(contains(kept.status().message(), "its channel broke: somebody cut it"))
      << kept.status().message();
  at_client_->broken = false;
  EXPECT_TRUE(peer_->wait_until_up(10000, true).ok());
  EXPECT_TRUE(call_and_wait(*peer_, kEcho, {}, {}).ok());
}

TEST_F(NetChannels, ASilentChannelEndsTheConnection) {
  at_client_->lose = true;
  Result<Message> reply = call_and_wait(*peer_, kEcho, {}, {-1, true});
  EXPECT_EQ(reply.status().code(), GLS_ERR_IO);
  EXPECT_TRUE(contains(reply.status().message(), "its channel was silent for 1"))
      << reply.status().message();
}

TEST_F(NetChannels, WhoIsIdleIsKeptAndWhoIsBusyToo) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  at_client_->halfway = true;
  begin(kEcho, "a long message");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  at_client_->halfway = false;
  EXPECT_TRUE(eventually([&] { return good_ == 1; }));
  EXPECT_EQ(peer_->epoch(), 1U);
}

TEST_F(NetChannels, AChannelThatDoesNotWorkIsNotUp) {
  at_server_->lose = true;
  Result<std::shared_ptr<Peer>> peer = client_->connect(server_->address(), 5000);
  ASSERT_FALSE(peer.ok());
  // Both sides wait as long, and the other one may have looked first.
  const std::string& why = peer.status().message();
  EXPECT_TRUE(contains(why, "its channel (self/7) was not joined within 1000 ms") ||
              contains(why, "the other side closed the connection"))
      << why;
}

TEST_F(NetChannels, TwoKindsOfDataDoNotMeet) {
  EndpointOptions options = options_for("self");
  options.limits = quick_limits();
  const auto plain = Endpoint::create(context_, std::move(options)).take();
  Result<std::shared_ptr<Peer>> peer = plain->connect(server_->address(), 5000);
  ASSERT_FALSE(peer.ok());
  EXPECT_EQ(peer.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(contains(peer.status().message(),
                       "data of peer go over tcp and data of server over self/7; both sides need "
                       "the same net.data and net.one_sided"))
      << peer.status().message();
}

TEST(NetData, NonsenseIsNamed) {
  EndpointOptions options = options_for("self");
  options.transport.data.name = "pigeons";
  Result<std::unique_ptr<Endpoint>> made = Endpoint::create(make_context(), options);
  EXPECT_EQ(made.status().message(),
            "data go over \"pigeons\", expected \"tcp\", \"ucx\" or \"ofi\"");
  options.transport.data.name = "ucx";
  made = Endpoint::create(make_context(), options);
  EXPECT_TRUE(contains(made.status().message(), "net.data_devices (GLS_NET_DATA_DEVICES)"));
  EXPECT_EQ(*made.status().detail("argument"), "net.data_devices");
}

}  // namespace
}  // namespace gls::net
