// Threads that wait for an answer and read from the connection meanwhile: whom they wake, and who
// reads when they stop.
#include <algorithm>
#include <set>

#include "net/connection/blocking_call.h"
#include "net_support.h"

namespace gls::net {
namespace {

constexpr int64_t kLong = 20000;

std::set<std::string> threads_of_this_process() {
  std::set<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    out.insert(entry.path().filename());
  }
  return out;
}

// How often they slept until something woke them; nothing else wakes a thread that has nothing to
// do.
uint64_t wakes_of(const std::set<std::string>& threads) {
  uint64_t sum = 0;
  const std::string key = "voluntary_ctxt_switches:";
  for (const std::string& thread : threads) {
    std::ifstream status("/proc/self/task/" + thread + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.compare(0, key.size(), key) == 0) {
        sum += std::stoull(line.substr(key.size()));
      }
    }
  }
  return sum;
}

std::vector<std::string> reader_ways() {
  std::vector<std::string> ways = {"plain", "key"};
#ifdef GLS_TEST_UCX
  ways.insert(ways.end(), {"ucx_tcp", "ucx_shm"});
#endif
#ifdef GLS_TEST_OFI
  ways.emplace_back("ofi_tcp");
#endif
  return ways;
}

class NetReaders : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { start(2); }
  void start(uint32_t threads) {
    TearDown();
    context_ = make_context(threads);
    server_ = make(true, &threads_of_server_);
    client_ = make(false, &threads_of_client_);
    const std::set<std::string> before = threads_of_this_process();
    peer_ = meet(*client_);
    for (const std::string& thread : threads_of_this_process()) {
      if (!before.contains(thread)) {  // of the channel, on either side
        threads_of_server_.insert(thread);
        threads_of_client_.insert(thread);
        sides_ = 2;
      }
    }
  }
  void TearDown() override {
    kept_->drop();
    peer_.reset();
    client_.reset();
    server_.reset();
  }
  std::unique_ptr<Endpoint> make(bool listens, std::set<std::string>* threads) {
    const std::set<std::string> before = threads_of_this_process();
    EndpointOptions options = options_for(GetParam());
    options.listen = listens ? "127.0.0.1:0" : "";
    options.handlers = make_handlers(kept_);
    auto made = Endpoint::create(context_, std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().message();
    threads->clear();
    for (const std::string& thread : threads_of_this_process()) {
      if (!before.contains(thread)) {
        threads->insert(thread);
      }
    }
    EXPECT_GE(threads->size(), 2U) << "one that reads, and one that keeps the time";
    return made.take();
  }
  std::shared_ptr<Peer> meet(Endpoint& client) {
    auto peer = client.connect(server_->address(), 10000);
    EXPECT_TRUE(peer.ok()) << peer.status().message();
    return peer.take();
  }
  Result<Message> call(uint16_t kind, const std::string& text, int64_t timeout_ms = kLong) {
    return call_and_wait(*peer_, kind, bytes_of(*context_, text), {timeout_ms, true});
  }
  // Whoever asked waits now, most likely.
  void await_requests(size_t count) {
    ASSERT_TRUE(eventually([&] { return kept_->size() == count; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  std::shared_ptr<Context> context_;
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::unique_ptr<Endpoint> server_;
  std::unique_ptr<Endpoint> client_;
  std::shared_ptr<Peer> peer_;
  uint64_t sides_ = 1;                       // whose threads are counted
  std::set<std::string> threads_of_server_;  // of the network; not those that answer
  std::set<std::string> threads_of_client_;
};

// The clocks' threads wake now and then, for heartbeats and deadlines.
uint64_t wakes_of_clocks(uint64_t began) { return 10 * ((now_ns() - began) / (1000 * kMs)); }

// An answer that comes before its thread awaits it wakes another; these come after 20 ms.
TEST_P(NetReaders, WhoWaitsForAnAnswerWakesNobodyElse) {
  constexpr uint64_t kCalls = 40;
  const uint64_t began = now_ns();
  const uint64_t before = wakes_of(threads_of_client_);
  for (uint64_t i = 0; i < kCalls; ++i) {
    auto reply = call(kSlow, "");
    ASSERT_TRUE(reply.ok()) << reply.status().message();
  }
  const uint64_t wakes = wakes_of(threads_of_client_) - before;
  EXPECT_LE(wakes, sides_ * (kCalls / 2) + wakes_of_clocks(began)) << "in " << kCalls << " calls";
}

// So it is with questions, which come after 2 ms.
TEST_P(NetReaders, WhoAwaitsAQuestionWakesNobodyElse) {
  start(1);
  constexpr uint64_t kCalls = 200;
  ASSERT_TRUE(call(kEcho, "first").ok());
  const uint64_t began = now_ns();
  const uint64_t before = wakes_of(threads_of_server_);
  for (uint64_t i = 0; i < kCalls; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    auto reply = call(kEcho, "abc");
    ASSERT_TRUE(reply.ok()) << reply.status().message();
  }
  const uint64_t wakes = wakes_of(threads_of_server_) - before;
  EXPECT_LE(wakes, sides_ * (kCalls / 2) + wakes_of_clocks(began)) << "in " << kCalls << " calls";
}

// The only thread that answers awaits the next question of one client when another one asks.
TEST_P(NetReaders, WhoAwaitsAQuestionAnswersOthers) {
  start(1);
  const auto other = meet(*client_);
  for (int i = 0; i < 50; ++i) {
    for (const auto& peer : {peer_, other}) {
      auto reply = call_and_wait(*peer, kEcho, bytes_of(*context_, "abc"), {kLong, true});
      ASSERT_TRUE(reply.ok()) << reply.status().message();
    }
  }
  // And when both ask many at once.
  std::atomic<int> good = 0;
  std::atomic<int> ended = 0;
  for (int i = 0; i < 200; ++i) {
    for (const auto& peer : {peer_, other}) {
      peer->call(kEcho, bytes_of(*context_, "abc"), {kLong, true}, [&](Result<Message> reply) {
        good += reply.ok() ? 1 : 0;
        ++ended;
      });
    }
  }
  EXPECT_TRUE(eventually([&] { return ended == 400; })) << ended;
  EXPECT_EQ(good, 400);
}

// What others submit to the same threads does not wait for questions.
TEST_P(NetReaders, WhoAwaitsAQuestionDoesOtherWork) {
  start(1);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(call(kEcho, "abc").ok());
    std::promise<void> done;
    context_->pool().submit([&] { done.set_value(); });
    done.get_future().wait();
  }
}

TEST_P(NetReaders, AServerEndsWhileOneAwaitsQuestions) {
  ASSERT_TRUE(call(kEcho, "abc").ok());
  server_->shutdown("the test says so", -1);  // waits for what is under way
  EXPECT_FALSE(call(kEcho, "abc").ok());
}

// While one waits for what does not come, others get their answers by it.
TEST_P(NetReaders, WhoReadsReadsForAll) {
  std::thread waits([&] { EXPECT_FALSE(call(kNever, "").ok()); });
  await_requests(1);
  for (int i = 0; i < 20; ++i) {
    auto reply = call(kEcho, "abc");
    ASSERT_TRUE(reply.ok()) << reply.status().message();
    EXPECT_EQ(reply->text(), "abc");
  }
  kept_->drop();
  waits.join();
}

TEST_P(NetReaders, TheConnectionIsReadAfterOneWasCanceled) {
  const auto outcome = std::make_shared<BlockingCall>();
  const CallId id = peer_->call(kNever, bytes_of(*context_, ""), {kLong, true},
                                BlockingCall::completion(outcome));
  std::thread waits(
      [&] { EXPECT_EQ(outcome->wait(peer_->connection()).status().code(), GLS_ERR_CANCELED); });
  await_requests(1);
  // It waits for its answer on a condition, as somebody reads already.
  std::promise<std::string> other;
  peer_->call(kSlow, bytes_of(*context_, ""), {kLong, true},
              [&](Result<Message> reply) { other.set_value(reply.ok() ? "good" : "bad"); });
  peer_->cancel(id);
  waits.join();
  EXPECT_EQ(other.get_future().get(), "good");
  EXPECT_TRUE(call(kEcho, "abc").ok());
}

TEST_P(NetReaders, TheConnectionIsReadAfterOneWasLate) {
  std::thread waits([&] { EXPECT_EQ(call(kNever, "", 100).status().code(), GLS_ERR_TIMED_OUT); });
  await_requests(1);
  std::vector<std::future<std::string>> others;
  for (int i = 0; i < 10; ++i) {
    auto told = std::make_shared<std::promise<std::string>>();
    others.push_back(told->get_future());
    peer_->call(kSlow, bytes_of(*context_, ""), {kLong, true}, [told](Result<Message> reply) {
      told->set_value(reply.ok() ? "good" : reply.status().message());
    });
  }
  waits.join();
  for (auto& other : others) {
    EXPECT_EQ(other.get(), "good");
  }
}

TEST_P(NetReaders, ALostConnectionEndsWaiting) {
  std::vector<std::thread> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back([&] { EXPECT_EQ(call(kNever, "").status().code(), GLS_ERR_IO); });
  }
  await_requests(3);
  server_->shutdown("the test says so", 0);
  for (std::thread& thread : waiting) {
    thread.join();
  }
}

TEST_P(NetReaders, TheEndOfTheEndpointEndsWaiting) {
  const auto connection = peer_->connection();
  std::vector<std::thread> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back([&] {
      EXPECT_FALSE(call_and_wait(*connection, kNever, bytes_of(*context_, ""), {kLong, true}).ok());
    });
  }
  await_requests(3);
  client_.reset();
  for (std::thread& thread : waiting) {
    thread.join();
  }
}

// A long answer, of which the reader gets a part only when its own is there.
TEST_P(NetReaders, WhatIsHalfReadIsReadOn) {
  const uint64_t bytes = uint64_t{48} << 20;
  std::string asks(sizeof bytes, 0);
  std::memcpy(asks.data(), &bytes, sizeof bytes);
  for (int i = 0; i < 5; ++i) {
    std::promise<size_t> told;
    peer_->call(kLarge, bytes_of(*context_, asks), {60000, true},
                [&](Result<Message> reply) { told.set_value(reply.ok() ? reply->size() : 0); });
    EXPECT_TRUE(call(kEcho, "abc", 60000).ok());
    EXPECT_EQ(told.get_future().get(), bytes);
  }
}

// All of it at once, by threads that come and go.
TEST_P(NetReaders, ManyTakeTurns) {
  constexpr int kThreads = 6;
  constexpr int kCalls = 150;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        const int which = (t * 31 + i * 7) % 16;
        if (which == 0) {  // its time is over before, if the clock is not late
          auto reply = call(kSlow, "", 1);
          good += reply.ok() || reply.status().code() == GLS_ERR_TIMED_OUT ? 1 : 0;
        } else if (which == 1) {  // or it is canceled by another thread, maybe too late
          const auto outcome = std::make_shared<BlockingCall>();
          const CallId id = peer_->call(kSlow, bytes_of(*context_, ""), {kLong, true},
                                        BlockingCall::completion(outcome));
          std::thread cancels([&] { peer_->cancel(id); });
          auto reply = outcome->wait(peer_->connection());
          good += reply.ok() || reply.status().code() == GLS_ERR_CANCELED ? 1 : 0;
          cancels.join();
        } else if (which == 2) {
          auto reply = call(kSlow, "");
          good += reply.ok() && reply->size() == 3 ? 1 : 0;
        } else {
          const std::string text(static_cast<size_t>(t * 7919 + i * 31), 'a');
          auto reply = call(kEcho, text);
          good += reply.ok() && reply->text() == text ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(good, kThreads * kCalls);
}

INSTANTIATE_TEST_SUITE_P(Ways, NetReaders, testing::ValuesIn(reader_ways()),
                         [](const auto& way) { return way.param; });

}  // namespace
}  // namespace gls::net
