// What is asked of servers is given up by whoever asked: nothing waits for a server that is lost or
// silent. No question here has a time limit, so that a test ends only if they are given up.
#include <gtest/gtest.h>

#include <stop_token>
#include <thread>
#include <vector>

#include "cluster/server/graph_server.h"
#include "context/stop_scope.h"
#include "feed/feed.h"
#include "feed/feed_loader.h"
#include "held_requests.h"
#include "loader/pipeline/loader.h"

namespace gls::test {
namespace {

using cluster::Kind;

void expect_batch(Loader& loader) {
  std::shared_ptr<Batch> batch;
  auto next = loader.next(-1, &batch);
  ASSERT_TRUE(next.ok()) << next.status().message();
  ASSERT_EQ(*next, BatchSource::Next::kBatch);
}

// Begins to make batches, and does not wait for one.
void begin(Loader& loader) {
  std::shared_ptr<Batch> batch;
  auto next = loader.next(0, &batch);
  ASSERT_TRUE(next.ok()) << next.status().message();
}

class ServedGivenUp : public testing::TestWithParam<std::string> {};

TEST_P(ServedGivenUp, ALoaderEndsWhoseServerIsLost) {
  TwoServers served(GetParam());
  std::shared_ptr<Loader> loader = served.loader();
  for (int i = 0; i < 3; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_batch(*loader));
  }
  served.servers[1].reset();
  ASSERT_TRUE(net::eventually([&] {  // what was ready is over, and the next batch has questions
    std::shared_ptr<Batch> batch;
    auto next = loader->next(10, &batch);
    return next.ok() && *next == BatchSource::Next::kNotYet;
  }));
  loader.reset();
}

TEST_P(ServedGivenUp, ALoaderEndsWhoseServerIsSilent) {
  for (const Kind kind : {Kind::kHop, Kind::kRows}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Kept kept({kind});
    const TwoServers served(GetParam(), &kept);
    std::shared_ptr<Loader> loader = served.loader();
    begin(*loader);
    ASSERT_TRUE(net::eventually([&] { return kept.count() > 0; }));
    loader.reset();
  }
}

TEST_P(ServedGivenUp, ALoaderThatIsCancelledOrSetElsewhereGoesOn) {
  Kept kept({Kind::kHop});
  const TwoServers served(GetParam(), &kept);
  const std::shared_ptr<Loader> loader = served.loader(1);
  begin(*loader);
  ASSERT_TRUE(net::eventually([&] { return kept.count() > 0; }));
  loader->cancel();
  ASSERT_TRUE(net::eventually([&] { return loader->idle(); }));
  loader->seek(1);
  const size_t before = kept.count();
  begin(*loader);
  ASSERT_TRUE(net::eventually([&] { return kept.count() > before; }));
  kept.open();
  loader->seek(2);  // the only worker is free for it
  ASSERT_NO_FATAL_FAILURE(expect_batch(*loader));
}

// The other one has all threads, and waits for the server.
TEST_P(ServedGivenUp, ALoaderEndsWhoseTurnHasNotCome) {
  Kept kept({Kind::kHop});
  const TwoServers served(GetParam(), &kept);
  const auto threads = served.context->pool().size();
  const std::shared_ptr<Loader> busy = served.loader(threads);
  const std::shared_ptr<Loader> other = served.loader(threads);
  begin(*busy);
  ASSERT_TRUE(net::eventually([&] { return kept.count() >= threads; }));
  std::shared_ptr<Loader> queued = served.loader(2);
  begin(*queued);
  EXPECT_FALSE(queued->idle());
  queued.reset();
  EXPECT_FALSE(busy->idle());
}

// What the calling thread makes itself.
TEST_P(ServedGivenUp, WorkOfAThreadEnds) {
  Kept kept({Kind::kHop});
  const TwoServers served(GetParam(), &kept);
  const std::shared_ptr<Loader> loader = served.loader();
  std::stop_source stop;
  std::thread thread([&] {
    const StopScope scope(stop.get_token());
    auto batch = loader->sample(0, 0);
    EXPECT_EQ(batch.status().code(), GLS_ERR_CANCELED) << batch.status().message();
  });
  EXPECT_TRUE(net::eventually([&] { return kept.count() > 0; }));
  stop.request_stop();
  thread.join();
  kept.open();
  auto batch = loader->sample(0, 0);  // nothing of it is left
  EXPECT_TRUE(batch.ok()) << batch.status().message();
}

// Columns are gathered straight into the memory of a trainer, beside the loader.
TEST_P(ServedGivenUp, AFeedEndsWhoseServerIsSilent) {
  for (const Kind kind : {Kind::kHop, Kind::kRows}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Kept kept({kind});
    const TwoServers served(GetParam(), &kept);
    const TempFolder folder;
    FeedOptions options;
    options.path = folder.file("feed");
    auto feed = Feed::create(served.loader(), options);
    ASSERT_TRUE(feed.ok()) << feed.status().message();
    AttachOptions attaching;
    attaching.paths = {options.path};
    auto attached = FeedLoader::create(context_of(), attaching);
    ASSERT_TRUE(attached.ok()) << attached.status().message();
    std::shared_ptr<Batch> batch;
    auto next = (*attached)->next(0, &batch);
    ASSERT_TRUE(next.ok()) << next.status().message();
    ASSERT_TRUE(net::eventually([&] { return kept.count() > 0; }));
    feed->reset();
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ServedGivenUp, testing::Values("self", "key"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace gls::test
