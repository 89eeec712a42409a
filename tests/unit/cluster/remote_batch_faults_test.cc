// Servers that make batches, and fail at it, wait, or forget: what their clients do then.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "batch_servers.h"
#include "cluster/wire/batch_messages.h"

namespace gls::test {
namespace {

using cluster::Kind;

// A server whose questions about batches the test answers, or keeps.
class TestedServer {
 public:
  // False: the request is kept.
  using Future = std::function<bool(const net::Request&)>;
  TestedServer(const CutGraph& graph, const std::vector<size_t>& parts, Future open, Future batch)
      : opening_{std::move(open), {}, 0},
        batches_{std::move(batch), {}, 0},
        server_(graph, parts, "self", "127.0.0.1:0", [this](net::Handlers* handlers) {
          add(handlers, Kind::kOpenBatches, &opening_);
          add(handlers, Kind::kBatch, &batches_);
        }) {}
  ~TestedServer() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    opening_.kept.clear();
    batches_.kept.clear();
  }

  const std::string& address() const { return server_.address(); }
  int opened() const { return count(opening_); }
  int asked() const { return count(batches_); }
  net::Request opening(size_t index) const { return kept(opening_, index); }
  net::Request batch(size_t index) const { return kept(batches_, index); }

  static bool say_opened(const net::Request& request) {
    request.answer(cluster::encode_opened(pool(), 7));
    return true;
  }
  static bool keep(const net::Request&) { return false; }

 private:
  struct Of {
    Future answer;
    std::vector<net::Request> kept;
    int asked = 0;
  };
  static const std::shared_ptr<BufferPool>& pool() {
    static const std::shared_ptr<Context> context = context_of();
    return context->buffers();
  }
  void add(net::Handlers* handlers, Kind kind, Of* of) {
    (*handlers)[static_cast<uint16_t>(kind)] = [this, of](const net::Request& request) {
      const bool answered = of->answer(request);
      const std::lock_guard lock(mutex_);
      ++of->asked;
      if (!answered && !gone_) {
        of->kept.push_back(request);
      }
    };
  }
  int count(const Of& of) const {
    const std::lock_guard lock(mutex_);
    return of.asked;
  }
  net::Request kept(const Of& of, size_t index) const {
    const std::lock_guard lock(mutex_);
    return of.kept.at(index);
  }

  mutable std::mutex mutex_;
  bool gone_ = false;
  Of opening_;
  Of batches_;
  Server server_;  // first to go
};

Load eight_batches() {
  Load out;
  out.loading = [](LoaderOptions* o) {
    o->plan.batch_size = kUsers / 8;
    o->num_workers = 8;
    o->prefetch = 8;
  };
  return out;
}

// Nobody tries again for himself what has just failed for all.
TEST(ServedMakers, AFailureIsForAllWhoWaitedForIt) {
  const CutGraph& graph = CutGraph::of(2);
  const auto whole = start(graph, server_options("self"));
  const TestedServer slow(graph, {1}, TestedServer::keep, TestedServer::keep);
  const auto served = open("gls://" + slow.address() + "," + whole->address(), "self", 120000);
  const auto expected = make_loader(graph.whole, eight_batches(), false);
  const auto loader = make_loader(served, eight_batches(), true);
  ASSERT_EQ(loader->counts().batches, 8U);
  ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));  // then all others are asked for
  EXPECT_TRUE(
      net::eventually([&] { return slow.opened() == 1 && whole->batches().stats().answers >= 4; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the others wait for it, too
  slow.opening(0).fail(error(GLS_ERR_INVALID_STATE, "the test says so"));
  for (int i = 1; i < 8; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
  }
  EXPECT_EQ(slow.opened(), 1);
}

TEST(ServedMakers, AServerThatForgetsIsNotAskedForEver) {
  const CutGraph& graph = CutGraph::of(2);
  const auto whole = start(graph, server_options("self"));
  const TestedServer forgets(graph, {1}, TestedServer::say_opened, [](const net::Request& request) {
    request.fail(cluster::unknown_batches(7));
    return true;
  });
  const auto served = open("gls://" + forgets.address() + "," + whole->address(), "self");
  const auto expected = make_loader(graph.whole, {}, false);
  const auto loader = make_loader(served, {}, true);
  for (const uint64_t number : {0U, 1U, 3U}) {
    auto batch = loader->sample(2, number);
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    expect_same(**expected->sample(2, number), **batch);
  }
  EXPECT_GT(forgets.opened(), 1);
}

// It is a client of the others, too, but not for all the time that its own clients have.
TEST(ServedMakers, AServerThatWaitsForAnotherLeavesTimeToAskElsewhere) {
  const CutGraph& graph = CutGraph::of(2);
  auto gone = start(graph, server_options("self", {1}));
  GraphServerOptions options = server_options("self", {0}, {gone->address()});
  options.others.part.timeout_ms = 6000;
  const auto half = start(graph, options);
  const auto whole = start(graph, server_options("self", {}, {half->address(), gone->address()}));
  const auto served = open("gls://" + whole->address(), "self", 6000);
  const auto expected = make_loader(graph.whole, {}, false);
  const auto loader = make_loader(served, {}, true);
  for (const uint64_t epoch : {0U, 5U}) {
    for (const uint64_t number : {0U, 1U, 2U}) {  // each of the servers is the first that is asked
      auto batch = loader->sample(epoch, number);
      ASSERT_TRUE(batch.ok()) << batch.status().message();
      expect_same(**expected->sample(epoch, number), **batch);
    }
    EXPECT_GT(half->batches().stats().made, 0U);
    gone.reset();
  }
}

TEST(ServedMakers, WhatFailedFirstIsSaidInTheEnd) {
  const CutGraph& graph = CutGraph::of(2);
  std::atomic<int> asked = 0;
  const TestedServer server(graph, {0, 1}, TestedServer::say_opened,
                            [&](const net::Request& request) {
                              if (asked++ > 0) {
                                return false;
                              }
                              request.fail(error(GLS_ERR_IO, "the disk says no"));
                              return true;
                            });
  const auto served = open("gls://" + server.address(), "self", 1500);
  auto batch = make_loader(served, {}, true)->sample(0, 0);
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.status().code(), GLS_ERR_TIMED_OUT) << batch.status().message();
  EXPECT_MESSAGE(batch.status(), "the disk says no; then: ");
  EXPECT_GT(asked, 1);
}

// What nobody takes is not waited for, neither here nor there.
TEST(ServedMakers, SeekingAndCancellingTakeBackWhatWasAsked) {
  const CutGraph& graph = CutGraph::of(2);
  const TestedServer server(graph, {0, 1}, TestedServer::say_opened, TestedServer::keep);
  const auto served = open("gls://" + server.address(), "self", 120000);
  const auto loader = make_loader(served, {}, true);
  const auto next = [&] {
    std::shared_ptr<Batch> batch;
    auto out = loader->next(50, &batch);
    return out.ok() && *out == BatchSource::Next::kNotYet;
  };
  const auto is_asked = [&](int times) {
    return net::eventually([&] { return server.asked() == times; });
  };
  const auto is_taken_back = [&](size_t index) {
    return net::eventually([&] { return server.batch(index).canceled(); });
  };
  EXPECT_TRUE(next());
  ASSERT_TRUE(is_asked(1));
  auto by_number = std::async(std::launch::async, [&] { return loader->sample(0, 4); });
  ASSERT_TRUE(is_asked(2));
  loader->seek(1);
  EXPECT_TRUE(is_taken_back(0));
  EXPECT_TRUE(next());  // of the new epoch
  ASSERT_TRUE(is_asked(3));
  loader->cancel();
  EXPECT_TRUE(is_taken_back(2));
  std::shared_ptr<Batch> none;
  EXPECT_EQ(loader->next(50, &none).status().code(), GLS_ERR_CANCELED);
  loader->seek(2);
  EXPECT_TRUE(next());
  ASSERT_TRUE(is_asked(4));
  EXPECT_FALSE(server.batch(3).canceled());
  // What was asked for by its number is not part of that.
  EXPECT_FALSE(server.batch(1).canceled());
  server.batch(1).fail(invalid("the test says so"));
  EXPECT_EQ(by_number.get().status().code(), GLS_ERR_INVALID_ARGUMENT);
}

#ifdef GLS_TEST_PLUGINS
// It greets with one id, whatever it is called.
TEST(ServedMakers, AServerOfTwoAddressesIsOne) {
  const CutGraph& graph = CutGraph::of(2);
  const auto server = start(graph, server_options("key"));
  const std::string& address = server->address();
  const std::string port = address.substr(address.rfind(':'));
  const auto served = open("gls://localhost" + port + "," + address, "key");
  const auto loader = make_loader(served, {}, true);
  for (const uint64_t number : {0U, 1U}) {
    auto batch = loader->sample(0, number);
    ASSERT_TRUE(batch.ok()) << batch.status().message();
  }
  EXPECT_EQ(server->batches().requests(), 3U);  // one opened it
}
#endif

}  // namespace
}  // namespace gls::test
