// Drives the pipeline of a loader with a producer whose batches the test ends one by one.
#include "loader/produce/batch_producer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "loader/pipeline/loader.h"
#include "test_graph.h"

namespace gls::test {
namespace {

using Key = std::pair<uint64_t, uint64_t>;  // the epoch and the number of a batch

// What a test and all producers of its loaders share.
struct Script {
  std::mutex mutex;
  std::condition_variable changed;
  // Under the mutex:
  std::set<Key> held;     // batches that do not end yet
  std::set<Key> failing;  // batches that end with an error
  std::vector<Key> begun;
  size_t running = 0;
  size_t stops = 0;
  bool can_cancel = true;

  std::atomic<bool> brings_columns = false;

  void hold(std::set<Key> keys) {
    const std::lock_guard lock(mutex);
    held = std::move(keys);
  }
  void release() {
    hold({});
    changed.notify_all();
  }
  void wait_until_begun(Key key) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return std::count(begun.begin(), begun.end(), key) > 0; });
  }
};

constexpr uint64_t kSampleNs = uint64_t{3} << 40;  // that no batch takes
constexpr uint64_t kGatherNs = uint64_t{5} << 40;

class FakeProducer final : public BatchProducer {
 public:
  explicit FakeProducer(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  Result<ProducedBatch> make(const EpochPlan& plan, uint64_t number) const override {
    return make_in(plan, number, {});
  }
  Result<ProducedBatch> make_step(const EpochPlan& plan, uint64_t step,
                                  uint64_t round) const override {
    return make_in(plan, plan.batch(step), round);
  }
  Result<std::shared_ptr<Batch>> make_on_host(const EpochPlan& plan,
                                              uint64_t number) const override {
    GLS_ASSIGN(ProducedBatch produced, make(plan, number));
    return std::move(produced.batch);
  }
  bool brings_columns() const override { return script_->brings_columns; }
  uint64_t cancel_all() override {
    const std::lock_guard lock(script_->mutex);
    round_ += script_->can_cancel ? 1 : 0;
    script_->changed.notify_all();
    return round_;
  }
  void stop() override {
    const std::lock_guard lock(script_->mutex);
    stopped_ = true;
    ++script_->stops;
    script_->changed.notify_all();
  }
  std::unique_ptr<BatchProducer> share() const override {
    return std::make_unique<FakeProducer>(script_);
  }

 private:
  Result<ProducedBatch> make_in(const EpochPlan& plan, uint64_t number,
                                std::optional<uint64_t> round) const {
    Script& script = *script_;
    const Key key = {plan.epoch(), number};
    std::unique_lock lock(script.mutex);
    script.begun.push_back(key);
    ++script.running;
    script.changed.notify_all();
    const auto cancelled = [&] { return stopped_ || (round.has_value() && *round != round_); };
    script.changed.wait(lock, [&] { return cancelled() || !script.held.contains(key); });
    --script.running;
    if (cancelled()) {
      return error(GLS_ERR_CANCELED, "batch {} was cancelled", number);
    }
    if (script.failing.contains(key)) {
      return error(GLS_ERR_CORRUPT_DATA, "batch {} is damaged", number);
    }
    auto batch = std::make_shared<Batch>();
    batch->epoch = plan.epoch();
    batch->number = number;
    batch->sample_ns = kSampleNs;
    batch->gather_ns = kGatherNs;
    batch->inputs.push_back({0, tensor_of<int64_t>({static_cast<int64_t>(number)}, kInt64)});
    return ProducedBatch{std::move(batch)};
  }

  const std::shared_ptr<Script> script_;
  // Under its mutex:
  uint64_t round_ = 0;
  bool stopped_ = false;
};

constexpr uint64_t kBatches = 10;

class Producer : public testing::Test {
 protected:
  Producer() { make_loader({}); }

  void make_loader(std::function<Status(const std::shared_ptr<Batch>&)> transform) {
    TestGraph graph;
    graph.nodes = {{"node", 40}};
    graph.edges = {{"node__to__node", {0}, {1}, {}, {}}};
    SamplerOptions options;
    options.num_hops = 1;
    options.fanouts = {{1}};
    sampler_ = Sampler::create(make_dataset(make_context(4), graph), options).take();
    LoaderOptions loading;
    loading.plan.batch_size = 4;
    loading.transform = std::move(transform);
    auto loader =
        Loader::create(sampler_, Tensor(), loading, std::make_unique<FakeProducer>(script_));
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    loader_ = loader.take();
  }

  // The number of the next batch of the epoch.
  uint64_t next_number(uint64_t epoch = 0) {
    std::shared_ptr<Batch> batch;
    auto next = loader_->next(-1, &batch);
    EXPECT_TRUE(next.ok()) << next.status().message();
    EXPECT_TRUE(batch != nullptr);
    EXPECT_EQ(batch->epoch, epoch);
    return batch->number;
  }
  void expect_rest(uint64_t first, uint64_t epoch = 0) {
    for (uint64_t number = first; number < kBatches; ++number) {
      EXPECT_EQ(next_number(epoch), number);
    }
    std::shared_ptr<Batch> batch;
    EXPECT_EQ(*loader_->next(-1, &batch), Loader::Next::kEnd);
  }

  const std::shared_ptr<Script> script_ = std::make_shared<Script>();
  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<Loader> loader_;
};

TEST_F(Producer, BatchesComeInOrderWhicheverEndsFirst) {
  script_->hold({{0, 1}});
  EXPECT_EQ(next_number(), 0u);
  while (loader_->stats().ready_batches < 3) {  // later ones
    std::this_thread::yield();
  }
  std::shared_ptr<Batch> batch;
  EXPECT_EQ(*loader_->next(0, &batch), Loader::Next::kNotYet);
  script_->release();
  expect_rest(1);
  EXPECT_EQ(loader_->stats().batches, kBatches);
  EXPECT_EQ(loader_->stats().seeds, kBatches);  // one position in each
}

TEST_F(Producer, AnErrorIsOfOneBatch) {
  script_->failing = {{0, 0}, {0, 3}};
  std::shared_ptr<Batch> batch;
  EXPECT_EQ(loader_->next(-1, &batch).status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(next_number(), 1u);
  EXPECT_EQ(next_number(), 2u);
  auto failed = loader_->next(-1, &batch);
  EXPECT_EQ(failed.status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(failed.status().message(), "batch 3 is damaged");
  expect_rest(4);
  EXPECT_EQ(loader_->stats().batches, kBatches - 2);
}

TEST_F(Producer, CancelEndsABlockedCallAndItsBatch) {
  script_->hold({{0, 0}});
  auto blocked = std::async(std::launch::async, [this] {
    std::shared_ptr<Batch> batch;
    return loader_->next(-1, &batch).status().code();
  });
  script_->wait_until_begun({0, 0});
  loader_->cancel();
  EXPECT_EQ(blocked.get(), GLS_ERR_CANCELED);
  while (!loader_->idle()) {  // the producer ended the batch, which is still held
    std::this_thread::yield();
  }
  std::shared_ptr<Batch> batch;
  EXPECT_EQ(loader_->next(0, &batch).status().code(), GLS_ERR_CANCELED);
  script_->release();
  loader_->seek(0);
  expect_rest(0);
}

TEST_F(Producer, SeekVoidsWhatRuns) {
  script_->can_cancel = false;  // the batch of the earlier epoch still ends well
  script_->hold({{0, 1}});
  EXPECT_EQ(next_number(), 0u);  // its size lets the loader make several batches at once
  script_->wait_until_begun({0, 1});
  loader_->seek(1);
  EXPECT_EQ(next_number(1), 0u);  // beside it
  script_->release();
  expect_rest(1, 1);
  EXPECT_EQ(loader_->stats().batches, kBatches + 1);
}

TEST_F(Producer, TheLoaderStopsItAndWaits) {
  script_->hold({{0, 0}});
  std::shared_ptr<Batch> batch;
  EXPECT_EQ(*loader_->next(0, &batch), Loader::Next::kNotYet);
  script_->wait_until_begun({0, 0});
  loader_.reset();
  const std::lock_guard lock(script_->mutex);
  EXPECT_EQ(script_->stops, 1u);
  EXPECT_EQ(script_->running, 0u);
}

TEST_F(Producer, SharesMakeTheBatchesOfTheirRanks) {
  for (uint64_t rank = 0; rank < 2; ++rank) {
    Loader::Share share;
    share.rank = rank;
    share.world_size = 2;
    const auto loader = loader_->share(share);
    std::shared_ptr<Batch> batch;
    for (uint64_t number = rank; number < kBatches; number += 2) {
      ASSERT_TRUE(loader->next(-1, &batch).ok());
      EXPECT_EQ(batch->number, number);
    }
    EXPECT_EQ(*loader->next(-1, &batch), Loader::Next::kEnd);
  }
  EXPECT_EQ(next_number(), 0u);
}

TEST_F(Producer, ColumnsComeLaterIfTheShareWantsIt) {
  Loader::Share later;
  later.columns_later = true;
  const auto without = loader_->share(later);
  EXPECT_FALSE(loader_->columns_later());
  EXPECT_TRUE(without->columns_later());
  EXPECT_FALSE(without->share({})->columns_later());
  script_->brings_columns = true;
  EXPECT_FALSE(loader_->share(later)->columns_later());
  script_->brings_columns = false;
  make_loader([](const std::shared_ptr<Batch>&) { return Status(); });
  EXPECT_FALSE(loader_->share(later)->columns_later());  // the transform needs them
}

TEST_F(Producer, TheOneThatBringsColumnsReportsTheTimes) {
  EXPECT_EQ(next_number(), 0u);
  EXPECT_LT(loader_->stats().sample_ns, kSampleNs);
  script_->brings_columns = true;
  loader_->seek(1);
  std::shared_ptr<Batch> batch;
  ASSERT_TRUE(loader_->next(-1, &batch).ok());
  EXPECT_EQ(batch->sample_ns, kSampleNs);
  EXPECT_EQ(batch->gather_ns, kGatherNs);
  int looks = 0;
  const auto look = [&](const Batch&, uint64_t) {
    ++looks;
    return Status();
  };
  ASSERT_TRUE(loader_->sample(0, 0, look).ok());
  EXPECT_EQ(looks, 0);
  script_->brings_columns = false;
  ASSERT_TRUE(loader_->sample(0, 0, look).ok());
  EXPECT_EQ(looks, 1);
}

TEST_F(Producer, EachBatchIsTransformedOnce) {
  for (const bool brings_columns : {false, true}) {
    script_->brings_columns = brings_columns;
    std::atomic<int> calls = 0;
    make_loader([&](const std::shared_ptr<Batch>&) {
      ++calls;
      return Status();
    });
    expect_rest(0);
    EXPECT_EQ(calls, static_cast<int>(kBatches));
    loader_.reset();
  }
}

TEST_F(Producer, BatchesByNumberOutliveACancel) {
  script_->hold({{5, 7}});
  auto sampled = std::async(std::launch::async, [this] { return loader_->sample(5, 7); });
  script_->wait_until_begun({5, 7});
  loader_->cancel();
  script_->release();
  auto batch = sampled.get();
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ((*batch)->number, 7u);
  EXPECT_EQ(loader_->sample(5, kBatches).status().code(), GLS_ERR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gls::test
