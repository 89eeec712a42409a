// Calls of functions that wait: whose turn it is, and what becomes of those of clients that are
// gone.
#include "cluster/rpc/function_registry.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "net_support.h"

namespace gls::group {
namespace {

// A function that waits for its gate, and notes who called it.
struct Gated {
  std::promise<void> gate;
  std::shared_future<void> opened = gate.get_future().share();
  std::promise<void> first;  // began
  std::mutex mutex;
  std::vector<std::string> ran;

  static void run(gls_call_t* call, void* self_in) {
    auto& self = *static_cast<Gated*>(self_in);
    const std::unique_ptr<gls_call> own(call);
    {
      const std::lock_guard lock(self.mutex);
      self.ran.push_back(own->impl->caller());
      if (self.ran.size() == 1) {
        self.first.set_value();
      }
    }
    self.opened.wait();
    EXPECT_TRUE(own->impl->reply({}).ok());
  }
  size_t of(const std::string& caller) {
    const std::lock_guard lock(mutex);
    return static_cast<size_t>(std::count(ran.begin(), ran.end(), caller));
  }
};

// Calls by hand, and what came of them.
class Calls {
 public:
  struct One {
    std::atomic<bool> canceled = false;
    std::atomic<bool> answered = false;
    Status refused;
    Status failure;
    std::promise<void> over;
  };
  explicit Calls(FunctionTable& table) : table_(table) {}

  std::shared_ptr<One> call(uintptr_t client, const std::string& name) {
    auto one = std::make_shared<One>();
    FunctionCall::Origin origin;
    origin.client = client;
    origin.caller = name;
    origin.canceled = [one] { return one->canceled.load(); };
    origin.answer = [one](net::Message message) {
      EXPECT_TRUE(decode_reply(message.bytes(), &one->failure).ok());
      one->answered = true;
      one->over.set_value();
    };
    origin.refuse = [one](const Status& why) {
      one->refused = why.copy();
      one->over.set_value();
    };
    table_.call({"gated", -1, -1, {}}, std::move(origin));
    return one;
  }

 private:
  FunctionTable& table_;
};

void wait_for(const std::shared_ptr<Calls::One>& one) {
  ASSERT_EQ(one->over.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

std::shared_ptr<FunctionTable> make_table(Gated& gated) {
  auto table = std::make_shared<FunctionTable>(net::make_context(1), 1, std::vector<uint32_t>());
  EXPECT_TRUE(table->add("gated", Gated::run, &gated, nullptr).ok());
  return table;
}

TEST(Functions, ClientsTakeTurns) {
  Gated gated;
  const auto table = make_table(gated);
  Calls calls(*table);
  std::vector<std::shared_ptr<Calls::One>> many;
  many.push_back(calls.call(1, "many"));
  gated.first.get_future().wait();
  for (int i = 0; i < 100; ++i) {
    many.push_back(calls.call(1, "many"));
  }
  const auto one = calls.call(2, "one");
  const auto other = calls.call(3, "other");
  EXPECT_EQ(table->waiting(), 102u);
  gated.gate.set_value();
  for (const auto& call : {one, other, many.back()}) {
    wait_for(call);
    EXPECT_TRUE(call->answered && call->failure.ok()) << call->failure.message();
  }
  ASSERT_EQ(gated.ran.size(), 103u);
  const std::vector<std::string> began(gated.ran.begin(), gated.ran.begin() + 5);
  EXPECT_EQ(began, (std::vector<std::string>{"many", "many", "one", "other", "many"}));
  table->close();
}

TEST(Functions, WhatNobodyWaitsForIsNotRun) {
  Gated gated;
  const auto table = make_table(gated);
  Calls calls(*table);
  const auto running = calls.call(1, "runs");
  gated.first.get_future().wait();
  const auto dead = calls.call(1, "dead");
  const auto living = calls.call(1, "living");
  const auto last = calls.call(1, "dead");
  dead->canceled = true;
  last->canceled = true;
  gated.gate.set_value();
  wait_for(living);
  wait_for(last);
  EXPECT_EQ(gated.ran, (std::vector<std::string>{"runs", "living"}));
  EXPECT_EQ(dead->failure.code(), GLS_ERR_CANCELED) << dead->failure.message();
  EXPECT_EQ(last->failure.code(), GLS_ERR_CANCELED) << last->failure.message();
  EXPECT_EQ(table->waiting(), 0u);
  table->close();
}

// By an error that says that it was not run, and that is no answer of the function.
TEST(Functions, CallsThatWaitAreRefusedAtTheEnd) {
  Gated gated;
  const auto table = make_table(gated);
  Calls calls(*table);
  const auto running = calls.call(1, "runs");
  gated.first.get_future().wait();
  const auto waits = calls.call(1, "waits");
  std::thread closes([&] { table->close(); });
  wait_for(waits);
  const auto late = calls.call(2, "late");
  for (const auto& call : {waits, late}) {
    EXPECT_FALSE(call->answered);
    EXPECT_EQ(call->refused.code(), GLS_ERR_IO) << call->refused.message();
    EXPECT_TRUE(net::contains(call->refused.message(), "it calls its functions no more"));
  }
  EXPECT_FALSE(running->answered);
  gated.gate.set_value();
  closes.join();
  EXPECT_TRUE(running->answered && running->failure.ok());
  EXPECT_EQ(gated.ran, (std::vector<std::string>{"runs"}));
}

// Over connections: the one who is gone had asked much.
TEST(Functions, AClientThatIsGoneHoldsNobodyUp) {
  Gated gated;
  const auto table = make_table(gated);
  net::EndpointOptions options;
  use_self(&options.transport);
  options.listen = "127.0.0.1:4811";
  options.handlers[static_cast<uint16_t>(Kind::kFunction)] = table->handler();
  options.lost = [&](const net::Connection& connection, const Status&) {
    table->forget(connection);
  };
  auto server = net::Endpoint::create(net::make_context(), std::move(options)).take();
  const auto context = net::make_context();
  const auto ask = [&](const std::shared_ptr<net::Peer>& peer, std::promise<bool>* answered) {
    return peer->call(static_cast<uint16_t>(Kind::kFunction),
                      encode(context->buffers(), FunctionRequest{"gated", -1, -1, {}}),
                      {20000, true, "a function"}, [answered](Result<net::Message> reply) {
                        if (answered != nullptr) {
                          answered->set_value(reply.ok());
                        }
                      });
  };
  constexpr size_t kMany = 200;
  {
    net::EndpointOptions client;
    use_self(&client.transport);
    client.name = "gone";
    const auto gone = net::Endpoint::create(context, std::move(client)).take();
    const auto peer = gone->connect("127.0.0.1:4811", 5000).take();
    for (size_t i = 0; i < kMany; ++i) {
      ASSERT_NE(ask(peer, nullptr), 0u);
    }
    ASSERT_TRUE(net::eventually([&] { return table->waiting() == kMany - 1; }));
  }
  // Also while no thread is free to pass them over.
  EXPECT_TRUE(net::eventually([&] { return table->waiting() == 0; }));
  net::EndpointOptions client;
  use_self(&client.transport);
  client.name = "there";
  const auto there = net::Endpoint::create(context, std::move(client)).take();
  const auto peer = there->connect("127.0.0.1:4811", 5000).take();
  std::promise<bool> answered;
  ASSERT_NE(ask(peer, &answered), 0u);
  gated.gate.set_value();
  EXPECT_TRUE(answered.get_future().get());
  EXPECT_EQ(gated.ran.size(), 2u);
  there->shutdown("done", 0);
  server->shutdown("done", 0);
  table->close();
}

}  // namespace
}  // namespace gls::group
