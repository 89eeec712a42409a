// What clients may cost a server that makes batches, asked directly.
#include "cluster/batches/batch_service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/batches/batch_recipe.h"
#include "cluster/wire/batch_messages.h"
#include "ingest_support.h"
#include "net_support.h"
#include "part_graph.h"

namespace gls::test {
namespace {

using cluster::BatchesRequest;
using net::Message;

constexpr uint64_t kGraph = 77;

const std::shared_ptr<Context>& service_context() {
  static const std::shared_ptr<Context> out = make_context(2);
  return out;
}

const std::shared_ptr<const Dataset>& service_graph() {
  static const std::shared_ptr<const Dataset> out = whole_with_features(service_context());
  return out;
}

const std::shared_ptr<BufferPool>& pool() { return service_context()->buffers(); }

BatchesRequest request_of(uint64_t seed) {
  BatchesRequest out;
  out.graph = kGraph;
  out.sampler.seed = seed;
  out.sampler.num_hops = 1;
  out.sampler.fanouts = {{3}, {2}, {2}};
  out.batch_size = 100;
  out.columns = {{true, 0, "x", false, kFloat32}};
  return out;
}

class Service : public testing::Test {
 protected:
  ~Service() override {
    if (service_ != nullptr) {
      service_->stop();
    }
  }

  void make(const BatchServiceOptions& options, BatchService::OpenGraph open) {
    service_ = std::make_shared<BatchService>(service_context(), kGraph, std::move(open), options);
  }
  void make(const BatchServiceOptions& options) {
    make(options, [](const std::shared_ptr<Context>&, const std::function<bool()>&) {
      return Result<BatchService::OpenedGraph>(BatchService::OpenedGraph{service_graph(), {}});
    });
  }

  using Future = void (BatchService::*)(cluster::Bytes, BatchService::Asker, BatchService::Done);
  using Reply = std::future<Result<Message>>;
  Reply ask(
      Future answer, Message question, uint64_t unread = 0,
      std::function<bool()> wanted = [] { return true; }) {
    const auto kept = std::make_shared<const Message>(std::move(question));
    auto outcome = std::make_shared<std::promise<Result<Message>>>();
    Reply reply = outcome->get_future();
    (service_.get()->*answer)(
        kept->bytes(), {1, std::move(wanted), kept, [unread] { return unread; }},
        [outcome](Result<Message> got) { outcome->set_value(std::move(got)); });
    return reply;
  }
  Reply open(uint64_t seed) {
    return ask(&BatchService::open, cluster::encode(pool(), request_of(seed)).take());
  }
  Reply batch(uint64_t number, uint64_t unread = 0) {
    return ask(&BatchService::batch,
               cluster::encode(pool(), cluster::BatchRequest{number, 0, 1, {}}), unread);
  }
  uint64_t opened(uint64_t seed) {
    auto reply = open(seed).get();
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return reply.ok() ? cluster::decode_opened(reply->bytes()).take() : 0;
  }
  static bool is_ready(const Reply& reply) {
    return reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  std::shared_ptr<BatchService> service_;
};

// As those of a thread that the system does not give.
TEST_F(Service, ExceptionsWhereTheGraphIsOpenedAreErrors) {
  std::atomic<int> times = 0;
  make({},
       [&](const std::shared_ptr<Context>&,
           const std::function<bool()>&) -> Result<BatchService::OpenedGraph> {
         if (++times == 1) {
           throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
         }
         return BatchService::OpenedGraph{service_graph(), {}};
       });
  EXPECT_EQ(open(1).get().status().code(), GLS_ERR_INTERNAL);
  EXPECT_NE(opened(1), 0U);
}

// Also those that wait for one that opens the same: their questions are kept as well.
TEST_F(Service, QuestionsThatOpenAreBounded) {
  std::promise<void> gate;
  const std::shared_future<void> may_open = gate.get_future().share();
  std::atomic<int> opening = 0;
  BatchServiceOptions options;
  options.most_opening = 3;
  make(options, [&](const std::shared_ptr<Context>&, const std::function<bool()>&) {
    ++opening;
    may_open.wait();
    return Result<BatchService::OpenedGraph>(BatchService::OpenedGraph{service_graph(), {}});
  });
  Reply first = open(1);
  EXPECT_TRUE(net::eventually([&] { return opening == 1; }));
  Reply second = open(1);
  Reply third = open(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // they wait in the table now
  Reply fourth = open(1);
  EXPECT_TRUE(is_ready(fourth));
  EXPECT_FALSE(is_ready(second));
  gate.set_value();
  EXPECT_TRUE(cluster::is_too_many_asked(fourth.get().status()));
  const uint64_t number = cluster::decode_opened(first.get()->bytes()).take();
  EXPECT_EQ(cluster::decode_opened(second.get()->bytes()).take(), number);
  EXPECT_EQ(cluster::decode_opened(third.get()->bytes()).take(), number);
  EXPECT_EQ(opened(1), number);  // there is room again
}

TEST_F(Service, BytesOfQuestionsThatOpenAreBounded) {
  std::promise<void> gate;
  const std::shared_future<void> may_open = gate.get_future().share();
  BatchServiceOptions options;
  options.most_opening_bytes = 1;  // of one alone there may be more
  make(options, [&](const std::shared_ptr<Context>&, const std::function<bool()>&) {
    may_open.wait();
    return Result<BatchService::OpenedGraph>(BatchService::OpenedGraph{service_graph(), {}});
  });
  Reply first = open(1);
  Reply second = open(2);
  EXPECT_TRUE(is_ready(second));
  gate.set_value();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(cluster::is_too_many_asked(second.get().status()));
  EXPECT_NE(opened(2), 0U);
}

TEST_F(Service, WhoDoesNotReadIsNotSentMore) {
  BatchServiceOptions options;
  options.most_unread_bytes = 1000;
  make(options);
  const uint64_t number = opened(1);
  EXPECT_TRUE(batch(number, 1000).get().ok());
  auto refused = batch(number, 1001).get();
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(cluster::is_too_many_asked(refused.status())) << refused.status().message();
  EXPECT_EQ(service_->stats().made, 1U);
}

TEST_F(Service, LoadersInUseStay) {
  BatchServiceOptions options;
  options.most_loaders = 2;
  make(options);
  const uint64_t first = opened(1);
  const uint64_t second = opened(2);
  EXPECT_TRUE(cluster::is_too_many_asked(open(3).get().status()));
  EXPECT_TRUE(batch(first).get().ok());
  EXPECT_TRUE(batch(second).get().ok());
}

TEST_F(Service, LoadersThatNobodyAsksGo) {
  BatchServiceOptions options;
  options.keep_ms = 0;
  options.most_idle_ms = 0;
  make(options);
  const uint64_t number = opened(1);
  EXPECT_TRUE(batch(number).get().ok());
  EXPECT_EQ(service_->stats().ready, 1U);
  service_->tidy();
  EXPECT_EQ(service_->loaders(), 0U);
  EXPECT_EQ(service_->stats().ready, 0U);
  EXPECT_TRUE(cluster::is_unknown_batches(batch(number).get().status()));
}

// By itself.
TEST_F(Service, IsTidyWithoutBeingAsked) {
  BatchServiceOptions options;
  options.keep_ms = 0;
  options.most_idle_ms = 0;
  options.tidy_every_ms = 1;
  make(options);
  EXPECT_TRUE(open(1).get().ok());
  EXPECT_TRUE(net::eventually([&] { return service_->loaders() == 0; }));
}

// Seeds that are drawn by weight, or found by clusters, need tables.
TEST_F(Service, TablesAreBounded) {
  BatchServiceOptions options;
  options.most_table_bytes = static_cast<uint64_t>(kUsers) * 8 - 1;
  make(options);
  BatchesRequest request = request_of(1);
  request.rule.by = SeedsBy::kDraw;
  request.rule.law = SeedWeighting::kDegree;
  auto refused = ask(&BatchService::open, cluster::encode(pool(), request).take()).get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(refused.status(), "drawn by has 16000 bytes, this server takes 15999");
}

// What is sure is refused before there is memory for it: here labels of links and of negatives, and
// those of the links that are drawn.
TEST_F(Service, LabelsOfLinksAreBounded) {
  BatchServiceOptions options;
  options.most_batch_bytes = uint64_t{1} << 20;
  make(options);
  BatchesRequest request = request_of(1);
  request.columns.clear();
  request.seeds.links = true;
  request.seeds.ids = ids64({7});
  request.seeds.labels = tensor(std::vector<uint8_t>(1 << 20), kUint8, {1, 1 << 20});
  request.rule.by = SeedsBy::kDraw;
  request.sampler.negatives.mode = NegativeMode::kBinary;
  request.sampler.negatives.amount = 3;
  request.batch_size = 1000;
  auto refused = ask(&BatchService::open, cluster::encode(pool(), request).take()).get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_MESSAGE(refused.status(), formatted("a full batch needs {} bytes before anything",
                                             1000 * (uint64_t{5} * (1 << 20) + 8 + 4 * 8)));
}

// They are kept for each server that is asked for a part.
TEST_F(Service, EdgesThatAreLeftOutCountForEachPart) {
  for (const size_t elsewhere : {0, 1000}) {
    SCOPED_TRACE(elsewhere);
    BatchServiceOptions options;
    options.most_loader_bytes = 100000;
    make(options, [elsewhere](const std::shared_ptr<Context>&, const std::function<bool()>&) {
      return Result<BatchService::OpenedGraph>(
          BatchService::OpenedGraph{service_graph(), {}, elsewhere});
    });
    const auto open_one = [&](uint64_t seed) {
      BatchesRequest request = request_of(seed);
      request.sampler.exclude = {{0, ids64({1, 2, 3, 4, 5, 6, 7, 8})}};
      return ask(&BatchService::open, cluster::encode(pool(), request).take()).get();
    };
    EXPECT_TRUE(open_one(1).ok());  // one alone may always be there
    Result<Message> second = open_one(2);
    EXPECT_EQ(second.ok(), elsewhere == 0);
    EXPECT_EQ(cluster::is_too_many_asked(second.status()), elsewhere != 0);
    service_->stop();
  }
}

// It was asked for, and nobody wants it any more when it is made.
TEST_F(Service, WhatNobodyWaitsForIsNotSent) {
  make({});
  const uint64_t number = opened(1);
  std::atomic<int> looks = 0;
  Result<Message> reply =
      ask(&BatchService::batch, cluster::encode(pool(), cluster::BatchRequest{number, 0, 1, {}}), 0,
          [&] { return ++looks == 1; })
          .get();
  EXPECT_EQ(service_->stats().made, 1U);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.status().code(), GLS_ERR_CANCELED);
}

// One block of memory, however many it is sent to.
TEST_F(Service, ABatchIsWrittenOnce) {
  make({});
  const uint64_t number = opened(1);
  Result<Message> first = batch(number).get();
  Result<Message> second = batch(number).get();
  ASSERT_TRUE(first.ok()) << first.status().message();
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_EQ(first->data(), second->data());
  EXPECT_EQ(first->size(), second->size());
  EXPECT_EQ(service_->stats().ready_bytes, first->capacity());
  // It stays for who has it yet to send.
  service_->stop();
  EXPECT_TRUE(cluster::decode_batch(Message::copied(pool(), first->bytes()), service_graph()).ok());
}

TEST_F(Service, WhatIsKeptIsAsTheSettingSays) {
  for (const bool tight : {false, true}) {
    SCOPED_TRACE(tight);
    const std::shared_ptr<Context> context = net::make_context(1);
    ASSERT_TRUE(context->set("cluster.batch_memory", tight ? "64K" : "64M").ok());
    service_ = std::make_shared<BatchService>(
        context, kGraph, [](const std::shared_ptr<Context>&, const std::function<bool()>&) {
          return Result<BatchService::OpenedGraph>(BatchService::OpenedGraph{service_graph(), {}});
        });
    const uint64_t number = opened(1);
    uint64_t all = 0;
    for (uint64_t i = 0; i < 5; ++i) {
      Result<Message> made = ask(&BatchService::batch,
                                 cluster::encode(pool(), cluster::BatchRequest{number, 0, i, {}}))
                                 .get();
      ASSERT_TRUE(made.ok()) << made.status().message();
      all += made->capacity();
    }
    EXPECT_GT(all, uint64_t{64} << 10);
    const BatchScheduler::Stats stats = service_->stats();
    EXPECT_EQ(stats.ready_bytes == all, !tight) << stats.ready_bytes << " of " << all;
    EXPECT_EQ(stats.ready_bytes <= uint64_t{64} << 10, tight) << stats.ready_bytes;
    service_->stop();
  }
}

// Rows of scores are wide where there are many channels.
TEST_F(Service, ScoresCountAsBytes) {
  constexpr uint64_t kMost = uint64_t{1} << 20;
  const auto most_nodes = [&](size_t channels) -> uint64_t {
    BatchesRequest request = request_of(1);
    request.columns.clear();
    request.sampler = SamplerOptions();
    request.sampler.ppr.emplace();
    request.sampler.ppr->edge_types = {0};
    request.sampler.ppr->channels.assign(channels,
                                         PprChannel{{0}, 1.0 / static_cast<double>(channels)});
    auto loader = cluster::make_loader(service_graph(), request, {kMost, kMost});
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    return loader.ok() ? static_cast<uint64_t>((*loader)->sampler()->options().most.nodes) : 0;
  };
  EXPECT_EQ(most_nodes(0), kMost / (8 + 2 * 4));
  EXPECT_EQ(most_nodes(32), kMost / (8 + 98 * 4));
}

}  // namespace
}  // namespace gls::test
