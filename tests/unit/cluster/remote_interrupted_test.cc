// Callers interrupt calls that wait for silent servers, and what they called goes on. No question
// here has a time limit, so that a test ends only if the calls do.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "batch_servers.h"
#include "context/stop_scope.h"
#include "feed/feed.h"
#include "feed/feed_loader.h"
#include "held_requests.h"
#include "loader/pipeline/loader.h"

namespace gls::test {
namespace {

using cluster::Kind;

// While one exists, it ends calls of this thread when they ask for the third time.
class Interrupter {
 public:
  Interrupter() : outer_(std::exchange(current_interrupt, {ask, this, 0, false})) {}
  ~Interrupter() { current_interrupt = outer_; }
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;
  int asked() const { return asked_; }

 private:
  static int32_t ask(void* self) { return ++static_cast<Interrupter*>(self)->asked_ >= 3 ? 1 : 0; }
  const Interrupt outer_;
  int asked_ = 0;
};

template <typename Call>
void expect_interrupted(Call call) {
  const Interrupter interrupter;
  const Status status = call().status().copy();
  EXPECT_EQ(status.code(), GLS_ERR_CANCELED) << status.message();
  EXPECT_EQ(interrupter.asked(), 3);
}

void expect_batch(BatchSource& loader, uint64_t number) {
  std::shared_ptr<Batch> batch;
  auto next = loader.next(-1, &batch);
  ASSERT_TRUE(next.ok()) << next.status().message();
  ASSERT_EQ(*next, BatchSource::Next::kBatch);
  EXPECT_EQ(batch->number, number);
}

class ServedInterrupted : public testing::TestWithParam<std::string> {
 protected:
  // Channels may read rows, and ask nobody.
  static std::vector<Kind> asked_kinds() {
    const bool reads = GetParam() != "self" && GetParam() != "plain" && GetParam() != "key";
    return reads ? std::vector{Kind::kHop} : std::vector{Kind::kHop, Kind::kRows};
  }
};

TEST_P(ServedInterrupted, ALoaderLosesNoBatch) {
  for (const Kind kind : asked_kinds()) {
    SCOPED_TRACE(static_cast<int>(kind));
    Kept kept({kind});
    const TwoServers served(GetParam(), &kept);
    const std::shared_ptr<Loader> loader = served.loader();
    std::shared_ptr<Batch> none;
    for (int i = 0; i < 2; ++i) {
      expect_interrupted([&] { return loader->next(-1, &none); });
      EXPECT_EQ(none, nullptr);
    }
    kept.answer();
    for (uint64_t number = 0; number < 3; ++number) {
      ASSERT_NO_FATAL_FAILURE(expect_batch(*loader, number));
    }
  }
}

// What the calling thread asks itself: it reads the answers, too.
TEST_P(ServedInterrupted, ABatchByItsNumber) {
  for (const Kind kind : asked_kinds()) {
    SCOPED_TRACE(static_cast<int>(kind));
    Kept kept({kind});
    const TwoServers served(GetParam(), &kept);
    const std::shared_ptr<Loader> loader = served.loader();
    for (int i = 0; i < 2; ++i) {
      expect_interrupted([&] { return loader->sample(0, 1); });
    }
    kept.open();
    auto batch = loader->sample(0, 1);
    EXPECT_TRUE(batch.ok()) << batch.status().message();
  }
}

TEST_P(ServedInterrupted, Opening) {
  Kept kept({Kind::kOpenSampler, Kind::kOpenBatches});
  const TwoServers served(GetParam(), &kept);
  Load load;
  expect_interrupted([&] { return try_loader(served.dataset, load, true); });
  expect_interrupted([&] { return Sampler::create(served.dataset, two_hops()); });
  kept.open();
  auto sampler = Sampler::create(served.dataset, two_hops());
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
}

TEST_P(ServedInterrupted, AServerThatIsGoneIsNotWaitedFor) {
  TwoServers served(GetParam());
  const std::shared_ptr<Loader> loader = served.loader();
  served.servers[1].reset();
  for (int i = 0; i < 2; ++i) {
    expect_interrupted([&] { return loader->sample(0, 1); });
  }
}

TEST_P(ServedInterrupted, ATrainerOfAFeed) {
  Kept kept({Kind::kHop});
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
  std::shared_ptr<Batch> none;
  for (int i = 0; i < 2; ++i) {
    expect_interrupted([&] { return (*attached)->next(-1, &none); });
  }
  kept.answer();
  for (uint64_t number = 0; number < 3; ++number) {
    ASSERT_NO_FATAL_FAILURE(expect_batch(**attached, number));
  }
  attached->reset();
  feed->reset();
}

INSTANTIATE_TEST_SUITE_P(Ways, ServedInterrupted, testing::ValuesIn(net::all_ways()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace gls::test
