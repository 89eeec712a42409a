// Calls between two endpoints, over each transport.
#include "net/connection/settings.h"
#include "net_support.h"

namespace gls::net {
namespace {

class NetCalls : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { start({}, {}); }
  void TearDown() override {
    kept_->drop();
    peer_.reset();
    client_.reset();
    server_.reset();
  }

  void start(const Limits& server_limits, const Limits& client_limits) {
    TearDown();
    EndpointOptions server = options_for(GetParam());
    server.limits = server_limits;
    server.role = "server";
    server.name = "of the test";
    server.listen = "127.0.0.1:0";
    server.handlers = make_handlers(kept_);
    Result<std::unique_ptr<Endpoint>> made = Endpoint::create(context_, std::move(server));
    ASSERT_TRUE(made.ok()) << made.status().message();
    server_ = made.take();
    EndpointOptions client = options_for(GetParam());
    client.limits = client_limits;
    client.role = "client";
    client.handlers = make_handlers(kept_);
    made = Endpoint::create(context_, std::move(client));
    ASSERT_TRUE(made.ok()) << made.status().message();
    client_ = made.take();
    Result<std::shared_ptr<Peer>> peer = client_->connect(server_->address(), 10000);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    peer_ = peer.take();
  }

  Result<Message> call(uint16_t kind, const std::string& request, int64_t timeout_ms = 20000) {
    return call_and_wait(*peer_, kind, bytes_of(*context_, request), {timeout_ms, true});
  }

  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::unique_ptr<Endpoint> server_;
  std::unique_ptr<Endpoint> client_;
  std::shared_ptr<Peer> peer_;
};

TEST_P(NetCalls, WhatIsSentComesBack) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{23}, size_t{24}, size_t{16383}, size_t{16384}, size_t{16385},
        size_t{100000}, size_t{5} << 20, size_t{64} << 20}) {
    std::string text(size, 0);
    for (size_t i = 0; i < size; ++i) {
      text[i] = static_cast<char>(i * 2654435761U >> 13);
    }
    Result<Message> reply = call(kEcho, text, 60000);
    ASSERT_TRUE(reply.ok()) << size << ": " << reply.status().message();
    ASSERT_EQ(reply->size(), size);
    ASSERT_TRUE(reply->text() == text) << size;
  }
}

TEST_P(NetCalls, BothSidesKnowEachOther) {
  const Hello server = peer_->connection()->remote();
  EXPECT_EQ(server.role, "server");
  EXPECT_EQ(server.name, "of the test");
  EXPECT_EQ(server.id, server_->id());
  ASSERT_EQ(server_->connections().size(), 1U);
  EXPECT_EQ(server_->connections()[0]->remote().role, "client");
  EXPECT_EQ(server_->connections()[0]->remote().id, client_->id());
  EXPECT_EQ(peer_->epoch(), 1U);
}

TEST_P(NetCalls, ThousandsAtOnceEachGetTheirOwnAnswer) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 2000;
  std::atomic<int> good = 0;
  std::atomic<int> ended = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        std::string text(static_cast<size_t>((t * 7919 + i * 31) % 3000), 'a');
        text += std::to_string(t) + "/" + std::to_string(i);
        Message request = bytes_of(*context_, text);
        peer_->call(kEcho, std::move(request), {}, [&, text](Result<Message> reply) {
          good += reply.ok() && reply->text() == text ? 1 : 0;
          ++ended;
        });
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(eventually([&] { return ended == kThreads * kCalls; }, 60000)) << ended;
  EXPECT_EQ(good, kThreads * kCalls);
  EXPECT_EQ(peer_->connection()->calls_in_flight(), 0U);
}

TEST_P(NetCalls, ServersCallTheirClients) {
  const auto back = server_->connections().at(0);
  Result<Message> reply = call_and_wait(*back, kEcho, bytes_of(*context_, "and you?"), {});
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  EXPECT_EQ(reply->text(), "and you?");
}

TEST_P(NetCalls, ErrorsOfHandlersArriveWhole) {
  Result<Message> reply = call(kFails, "12345");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(reply.status().message(),
            "server \"of the test\" at " + server_->address() + ": ids: node 5 is outside 0 .. 9");
  EXPECT_EQ(*reply.status().detail("argument"), "ids");
  EXPECT_EQ(*reply.status().detail("peer"), server_->address());
}

TEST_P(NetCalls, NoHandlerAndNoAnswerAreErrors) {
  Result<Message> unknown = call(kUnknown, "");
  EXPECT_EQ(unknown.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(contains(unknown.status().message(), "calls of kind 99 are not served here"));
  Result<Message> silent = call(kSilent, "");
  EXPECT_EQ(silent.status().code(), GLS_ERR_INTERNAL);
  EXPECT_TRUE(contains(silent.status().message(), "the handler of kind 4 gave no answer"));
}

TEST_P(NetCalls, HandlersMayAnswerLater) {
  Result<Message> reply = call(kSlow, "");
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  EXPECT_EQ(reply->size(), 3U);
}

TEST_P(NetCalls, DeadlinesEndCallsAndFreeTheirRoomWhenAnswered) {
  Result<Message> reply = call(kNever, "abc", 50);
  EXPECT_EQ(reply.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_TRUE(contains(reply.status().message(),
                       "a call of kind 3 with 3 bytes had no answer: the 50 ms it had are over"))
      << reply.status().message();
  ASSERT_TRUE(eventually([&] { return kept_->size() == 1; }));
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard lock(kept_->mutex);
    return kept_->requests[0].canceled();
  }));
  EXPECT_EQ(peer_->connection()->calls_in_flight(), 1U);
  kept_->drop();
  EXPECT_TRUE(eventually([&] { return peer_->connection()->calls_in_flight() == 0; }));
  EXPECT_TRUE(call(kEcho, "still here").ok());
}

TEST_P(NetCalls, CancelEndsACallOnce) {
  std::atomic<int> ended = 0;
  std::atomic<gls_status_t> code = 0;
  const CallId id = peer_->call(kNever, {}, {-1, true}, [&](Result<Message> reply) {
    code = reply.status().code();
    ++ended;
  });
  ASSERT_TRUE(eventually([&] { return kept_->size() == 1; }));
  peer_->cancel(id);
  peer_->cancel(id);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(code, GLS_ERR_CANCELED);
  // A late answer reaches nobody.
  {
    const std::lock_guard lock(kept_->mutex);
    kept_->requests[0].answer(kept_->requests[0].reply(100000));
  }
  EXPECT_TRUE(call(kEcho, "next").ok());
  EXPECT_EQ(ended, 1);
}

TEST_P(NetCalls, RepliesGoToTheirPlace) {
  constexpr size_t kBytes = 300000;
  const auto memory = std::make_shared<std::vector<std::byte>>(kBytes);
  const auto place = [&] { return ReplyPlace{memory, *memory}; };
  const auto ask = [&](uint16_t kind, const std::string& text, int64_t timeout_ms) {
    return call_and_wait(*peer_, kind, bytes_of(*context_, text),
                         {timeout_ms, true, nullptr, place()});
  };
  const std::string text(kBytes, 'x');
  {
    Result<Message> reply = ask(kEcho, text, 20000);
    ASSERT_TRUE(reply.ok()) << reply.status().message();
    EXPECT_EQ(reply->data(), memory->data());
    EXPECT_EQ(reply->text(), text);
    EXPECT_EQ(memory.use_count(), 2);
  }
  for (const std::string& other : {text.substr(1), text + "x", std::string()}) {
    Result<Message> reply = ask(kEcho, other, 20000);
    ASSERT_TRUE(reply.ok()) << reply.status().message();
    EXPECT_NE(reply->data(), memory->data());
    EXPECT_EQ(reply->text(), other);
  }
  EXPECT_FALSE(ask(kFails, text, 20000).ok());
  // An answer that nobody waits for any more keeps what it may be written to.
  EXPECT_EQ(ask(kNever, "", 50).status().code(), GLS_ERR_TIMED_OUT);
  {
    const std::lock_guard lock(kept_->mutex);
    kept_->requests.at(0).answer(kept_->requests[0].reply(kBytes));
  }
  kept_->drop();
  EXPECT_TRUE(call(kEcho, "next").ok());
  EXPECT_TRUE(eventually([&] { return memory.use_count() == 1; })) << memory.use_count();
}

TEST_P(NetCalls, CallersWaitForRoomNotLongerThanTheyMay) {
  Limits few;
  few.max_calls = 3;
  start(few, {});
  std::atomic<int> ended = 0;
  for (int i = 0; i < 3; ++i) {
    peer_->call(kNever, {}, {-1, true}, [&](Result<Message>) { ++ended; });
  }
  Result<Message> waited = call(kEcho, "", 50);
  EXPECT_EQ(waited.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_TRUE(contains(waited.status().message(), "no room for a call"))
      << waited.status().message();
  Result<Message> refused = call_and_wait(*peer_, kEcho, {}, {1000, false});
  EXPECT_EQ(refused.status().code(), GLS_ERR_INVALID_STATE);
  EXPECT_TRUE(contains(refused.status().message(), "3 calls (0 bytes)"));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kept_->drop();
  });
  EXPECT_TRUE(call(kEcho, "").ok());
  later.join();
  EXPECT_TRUE(eventually([&] { return ended == 3; }));
}

TEST_P(NetCalls, SizesAreBounded) {
  Limits small;
  small.max_message_bytes = 10000;
  start(small, {});
  Result<Message> request = call(kEcho, std::string(10001, 'x'));
  EXPECT_EQ(request.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(request.status().message(), "has 10001 bytes, expected at most 10000"));
  start({}, small);
  const uint64_t bytes = 10001;
  Result<Message> reply =
      call(kLarge, std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes));
  EXPECT_EQ(reply.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(reply.status().message(), "the reply has 10001 bytes"));
  EXPECT_TRUE(call(kEcho, "still here").ok());
}

// A client whose completions are slow reads slowly. Handlers for it stop at the bound, and others
// do not notice.
TEST_P(NetCalls, ASlowReaderCostsABoundedAmountOfMemory) {
  constexpr uint64_t kReply = 1 << 20;
  constexpr int kCalls = 200;
  Limits bounded;
  bounded.max_queued_bytes = 4 << 20;
  bounded.max_running = 2;
  start(bounded, {});
  std::promise<void> go;
  const std::shared_future<void> gate = go.get_future().share();
  std::atomic<int> ended = 0;
  // All are there before the first is answered.
  const auto connection = server_->connections().at(0);
  for (uint32_t i = 0; i < bounded.max_running; ++i) {
    peer_->call(kGated, {}, {}, [](Result<Message>) {});
  }
  for (int i = 0; i < kCalls; ++i) {
    const uint64_t bytes = kReply;
    peer_->call(kLarge, bytes_of(*context_, std::string(reinterpret_cast<const char*>(&bytes), 8)),
                {60000, true}, [&, gate](Result<Message> reply) {
                  gate.wait();
                  ended += reply.ok() ? 1 : 0;
                });
  }
  EXPECT_TRUE(eventually([&] { return connection->waiting_requests() == kCalls; }));
  kept_->gate.set_value();
  const uint64_t most = bounded.max_queued_bytes + 3 * (kReply + 100);
  for (int i = 0; i < 20; ++i) {
    EXPECT_LE(connection->queued_bytes(), most);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (GetParam() !=
      "self_channel") {  // its queue is of any length: what is sent has left the server
    EXPECT_GT(connection->waiting_requests(), 0U);
  }
  EXPECT_EQ(ended, 0);

  EndpointOptions options = options_for(GetParam());
  auto other = Endpoint::create(context_, std::move(options)).take();
  auto peer = other->connect(server_->address(), 10000);
  ASSERT_TRUE(peer.ok()) << peer.status().message();
  EXPECT_TRUE(call_and_wait(**peer, kEcho, bytes_of(*context_, "hello"), {}).ok());
  go.set_value();
  EXPECT_TRUE(eventually([&] { return ended == kCalls; }, 60000)) << ended;
}

// Each alone is within its bound. Who reads is served meanwhile.
TEST_P(NetCalls, ManySlowReadersCostABoundedAmountTogether) {
  constexpr uint64_t kReply = 1 << 20;
  constexpr size_t kClients = 6;
  constexpr size_t kCalls = 40;
  Limits bounded;
  bounded.max_all_queued_bytes = 4 << 20;
  bounded.max_running = 2;
  start(bounded, {});
  std::promise<void> go;
  const std::shared_future<void> gate = go.get_future().share();
  std::atomic<size_t> ended = 0;
  struct Client {
    std::unique_ptr<Endpoint> endpoint;
    std::shared_ptr<Peer> peer;
  };
  std::vector<Client> clients;
  for (size_t c = 0; c < kClients; ++c) {
    auto endpoint = Endpoint::create(context_, options_for(GetParam())).take();
    auto peer = endpoint->connect(server_->address(), 10000);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    clients.push_back({std::move(endpoint), peer.take()});
  }
  for (const Client& client : clients) {
    for (uint32_t i = 0; i < bounded.max_running; ++i) {
      client.peer->call(kGated, {}, {}, [](Result<Message>) {});
    }
    for (size_t i = 0; i < kCalls; ++i) {
      const uint64_t bytes = kReply;
      const std::string text(reinterpret_cast<const char*>(&bytes), sizeof bytes);
      client.peer->call(kLarge, bytes_of(*context_, text), {60000, true},
                        [&, gate](Result<Message> reply) {
                          gate.wait();
                          ended += reply.ok() ? 1 : 0;
                        });
    }
  }
  const auto connections = server_->connections();
  const auto waiting = [&] {
    size_t sum = 0;
    for (const auto& connection : connections) {
      sum += connection->waiting_requests();
    }
    return sum;
  };
  EXPECT_TRUE(eventually([&] { return waiting() == kClients * kCalls; }));
  kept_->gate.set_value();
  // What all may have, the shares, and the answers that are made then.
  const uint64_t most =
      2 * bounded.max_all_queued_bytes + kClients * bounded.max_running * (kReply + 100);
  for (int i = 0; i < 40; ++i) {
    uint64_t sum = 0;
    for (const auto& connection : connections) {
      sum += connection->queued_bytes();
    }
    EXPECT_LE(sum, most);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (GetParam() != "self_channel") {  // as above
    EXPECT_GT(waiting(), 0U);
  }
  EXPECT_EQ(ended, 0U);
  EXPECT_TRUE(call(kEcho, "hello").ok());
  go.set_value();
  EXPECT_TRUE(eventually([&] { return ended == kClients * kCalls; }, 60000)) << ended;
}

TEST_P(NetCalls, ShutdownLetsCallsEnd) {
  std::atomic<int> ended = 0;
  for (int i = 0; i < 50; ++i) {
    peer_->call(kSlow, {}, {}, [&](Result<Message> reply) { ended += reply.ok() ? 1 : 0; });
  }
  server_->shutdown("maintenance", 20000);
  EXPECT_TRUE(eventually([&] { return ended == 50; })) << ended;
  Result<Message> late = call(kEcho, "");
  ASSERT_FALSE(late.ok());
  EXPECT_TRUE(contains(late.status().message(), server_->address())) << late.status().message();
}

TEST_P(NetCalls, ShutdownEndsWhatDoesNotEnd) {
  std::atomic<int> ended = 0;
  Status at_end;
  peer_->call(kNever, {}, {-1, true}, [&](Result<Message> reply) {
    at_end = std::move(reply.status());
    ++ended;
  });
  ASSERT_TRUE(eventually([&] { return kept_->size() == 1; }));
  client_->shutdown("the test ends", 50);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(at_end.code(), GLS_ERR_INVALID_STATE);
  EXPECT_TRUE(contains(at_end.message(), "the endpoint was shut down: the test ends"))
      << at_end.message();
}

TEST_P(NetCalls, AServerThatComesBackIsFoundAgain) {
  const std::string address = server_->address();
  kept_->drop();
  server_.reset();
  EXPECT_TRUE(eventually([&] { return peer_->state() != PeerState::kUp; }));
  Result<Message> lost = call(kEcho, "");
  ASSERT_FALSE(lost.ok());
  EXPECT_TRUE(contains(lost.status().message(), address)) << lost.status().message();
  EndpointOptions options = options_for(GetParam());
  options.listen = address;
  options.handlers = make_handlers(kept_);
  Result<std::unique_ptr<Endpoint>> again = Endpoint::create(context_, std::move(options));
  ASSERT_TRUE(again.ok()) << again.status().message();
  server_ = again.take();
  ASSERT_TRUE(peer_->wait_until_up(20000, true).ok());
  EXPECT_EQ(peer_->epoch(), 2U);
  EXPECT_TRUE(call(kEcho, "hello again").ok());
}

TEST_P(NetCalls, NobodyThereIsAnError) {
  const std::string address = server_->address();
  kept_->drop();
  server_.reset();
  Result<std::shared_ptr<Peer>> peer = client_->connect(address, 5000);
  ASSERT_FALSE(peer.ok());
  EXPECT_EQ(peer.status().code(), GLS_ERR_IO);
  EXPECT_TRUE(contains(peer.status().message(), address)) << peer.status().message();
  EXPECT_EQ(*peer.status().detail("peer"), address);
}

TEST_P(NetCalls, TooManyConnectionsAreRefusedWithTheReason) {
  Limits one;
  one.max_connections = 1;
  start(one, {});
  Result<std::shared_ptr<Peer>> second = client_->connect(server_->address(), 5000);
  ASSERT_FALSE(second.ok());
  EXPECT_TRUE(contains(second.status().message(),
                       "it refused the greeting: it has 1 connections, its most "
                       "(net.max_connections there)"))
      << second.status().message();
  EXPECT_TRUE(call(kEcho, "the first is as it was").ok());
}

TEST(NetConnections, AreMoreThanAThousand) {
  const auto context = make_context();
  EXPECT_EQ(limits(context->settings()).max_connections, 16384U);
  EndpointOptions options = options_for("self");
  options.listen = "127.0.0.1:0";
  options.limits = limits(context->settings());
  const auto server = Endpoint::create(make_context(), std::move(options)).take();
  const auto client = Endpoint::create(context, options_for("self")).take();
  constexpr size_t kMany = 1100;
  for (size_t i = 0; i < kMany; ++i) {
    Result<std::shared_ptr<Peer>> peer = client->connect(server->address(), 20000);
    ASSERT_TRUE(peer.ok()) << i << ": " << peer.status().message();
  }
  EXPECT_EQ(server->stats().admitted, kMany);

  ASSERT_TRUE(context->set("net.max_connections", "3").ok());
  EXPECT_EQ(limits(context->settings()).max_connections, 3U);
  ASSERT_TRUE(context->set("net.max_connections", "0").ok());
  EndpointOptions none = options_for("self");
  none.limits = limits(context->settings());
  auto refused = Endpoint::create(context, std::move(none));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(contains(refused.status().message(), "max_connections is 0, expected 1 to 1048576"))
      << refused.status().message();
}

INSTANTIATE_TEST_SUITE_P(Ways, NetCalls, testing::ValuesIn(all_ways()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace gls::net
