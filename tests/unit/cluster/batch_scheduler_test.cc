// Which batch a server makes next, what it keeps, and what clients cost it.
#include "cluster/batches/batch_scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cluster/wire/batch_messages.h"
#include "test_graph.h"

namespace gls::test {
namespace {

using Key = BatchScheduler::Key;

// Batches are made when the test says so.
class Shelf : public testing::Test {
 protected:
  void make_shelf(const BatchScheduler::Limits& limits) {
    shelf_ = std::make_unique<BatchScheduler>(
        limits,
        [this](std::function<void()> task) {
          if (no_memory_) {
            throw std::bad_alloc();
          }
          tasks_.push_back(std::move(task));
        },
        [this](const Key& key, const BatchScheduler::Loaded& by) { return make(key, by); });
  }
  Result<BatchScheduler::Item> make(const Key& key, const BatchScheduler::Loaded& by) {
    EXPECT_NE(by, nullptr);
    made_.push_back(key.number);
    ++times_made_[key];
    if (key.number >= 2000) {
      throw std::runtime_error("the test throws");
    }
    if (key.number >= 1000) {
      return corrupt("the test says so");
    }
    return std::make_shared<const net::Message>(pool_, bytes_);
  }
  void TearDown() override {
    run_all();
    shelf_.reset();
  }

  struct Outcome {
    int answers = 0;
    BatchScheduler::Item item;
    gls_status_t code = GLS_OK;
  };
  // Asks for batch `number` of loader `batches`.
  std::shared_ptr<Outcome> ask(
      BatchScheduler::ClientId client, uint64_t number, const std::vector<uint64_t>& next = {},
      uint64_t batches = 1, std::function<bool()> wanted = [] { return true; }) {
    auto out = std::make_shared<Outcome>();
    BatchScheduler::Question question;
    question.client = client;
    question.key = {batches, 0, number};
    question.next = next;
    question.by = loader_;
    question.wanted = std::move(wanted);
    question.done = [out](const BatchScheduler::Item& item, const Status& status) {
      ++out->answers;
      out->item = item;
      out->code = status.code();
    };
    shelf_->ask(std::move(question));
    return out;
  }
  bool run_one() {
    if (tasks_.empty()) {
      return false;
    }
    const auto task = std::move(tasks_.front());
    tasks_.erase(tasks_.begin());
    task();
    return true;
  }
  void run_all() {
    while (run_one()) {
    }
  }

  static constexpr uint64_t kPage = 4096;  // no message takes less
  uint64_t bytes_ = kPage;
  const std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>(false, 0);
  BatchScheduler::Loaded loader_ = std::make_shared<int>();
  bool no_memory_ = false;
  std::vector<uint64_t> made_;
  std::map<Key, int> times_made_;
  std::vector<std::function<void()>> tasks_;
  std::unique_ptr<BatchScheduler> shelf_;
};

TEST_F(Shelf, MakesABatchOnceForAll) {
  make_shelf({});
  const auto a = ask(1, 7);
  const auto b = ask(2, 7);
  run_all();
  const auto c = ask(3, 7);
  for (const auto& outcome : {a, b, c}) {
    EXPECT_EQ(outcome->answers, 1);
    EXPECT_NE(outcome->item, nullptr);
  }
  EXPECT_EQ(made_, (std::vector<uint64_t>{7}));
  EXPECT_EQ(shelf_->stats().answers, 3U);
  // Of another loader, or another epoch, it is another batch.
  ask(1, 7, {}, 2);
  run_all();
  EXPECT_EQ(made_.size(), 2U);
}

TEST_F(Shelf, ClientsTakeTurns) {
  make_shelf({});
  for (uint64_t i = 0; i < 5; ++i) {
    ask(1, i);
  }
  ask(2, 100);
  ask(3, 200);
  ask(2, 101);
  run_all();
  EXPECT_EQ(made_, (std::vector<uint64_t>{0, 100, 200, 1, 101, 2, 3, 4}));
}

// What somebody waits for comes before what nobody has asked for yet.
TEST_F(Shelf, WhatIsAskedForComesFirst) {
  make_shelf({});
  ask(1, 0, {1, 2, 3, 4, 5, 6});
  ask(2, 50, {51, 52});
  ask(2, 60);
  run_all();
  ASSERT_EQ(made_.size(), 7U);  // the second question of client 2 took back what it had planned
  EXPECT_EQ(std::vector(made_.begin(), made_.begin() + 3), (std::vector<uint64_t>{0, 50, 60}));
  EXPECT_EQ(std::vector(made_.begin() + 3, made_.end()), (std::vector<uint64_t>{1, 2, 3, 4}));
  // They are there when they are asked for.
  EXPECT_EQ(ask(1, 1, {2, 3, 4, 5})->answers, 1);
  run_all();
  EXPECT_EQ(made_.back(), 5U);
  for (const auto& [key, times] : times_made_) {
    EXPECT_EQ(times, 1) << key.number;
  }
}

TEST_F(Shelf, AClientThatGoesElsewhereIsNotWorkedAheadFor) {
  make_shelf({});
  ask(1, 0, {1, 2, 3, 4});
  ask(1, 500, {501, 502});
  run_all();
  EXPECT_EQ(made_, (std::vector<uint64_t>{0, 500, 501, 502}));
}

TEST_F(Shelf, QuestionsOfAClientAreBounded) {
  BatchScheduler::Limits limits;
  limits.most_asked = 3;
  make_shelf(limits);
  std::vector<std::shared_ptr<Outcome>> asked;
  for (uint64_t i = 0; i < 5; ++i) {
    asked.push_back(ask(1, i));
  }
  EXPECT_EQ(asked[2]->answers, 0);
  EXPECT_EQ(asked[3]->code, GLS_ERR_INVALID_STATE);
  EXPECT_EQ(asked[4]->code, GLS_ERR_INVALID_STATE);
  const auto other = ask(2, 9);
  EXPECT_EQ(other->answers, 0);  // has places of its own
  run_all();
  EXPECT_EQ(other->code, GLS_OK);
  EXPECT_EQ(asked[2]->code, GLS_OK);
  EXPECT_EQ(ask(1, 3)->answers, 0);  // there is room again
}

TEST_F(Shelf, WhatIsReadyIsBounded) {
  BatchScheduler::Limits limits;
  limits.most_ready = 4;
  limits.most_ready_bytes = 10 * kPage;
  make_shelf(limits);
  for (uint64_t i = 0; i < 20; ++i) {
    ask(1, i);
    run_all();
    EXPECT_LE(shelf_->stats().ready, 4U);
  }
  bytes_ = 4 * kPage;
  for (uint64_t i = 30; i < 40; ++i) {
    ask(1, i, {i + 100, i + 101, i + 102});
    run_all();
    EXPECT_LE(shelf_->stats().ready_bytes, 10 * kPage);
  }
  // One that is larger than all that may be kept is answered all the same.
  bytes_ = 50 * kPage;
  const auto large = ask(1, 70);
  run_all();
  EXPECT_NE(large->item, nullptr);
  EXPECT_LE(shelf_->stats().ready_bytes, 10 * kPage);
}

// One that is larger than all that may be kept drives out nothing, and of other loaders batches are
// made ahead as ever.
TEST_F(Shelf, AHugeBatchIsNotKept) {
  BatchScheduler::Limits limits;
  limits.most_ready_bytes = 10 * kPage;
  make_shelf(limits);
  ask(1, 1);
  run_all();
  bytes_ = 50 * kPage;
  const auto huge = ask(1, 70, {71});
  run_all();
  EXPECT_NE(huge->item, nullptr);
  EXPECT_EQ(made_, (std::vector<uint64_t>{1, 70}));  // the next of these would be as large
  EXPECT_EQ(shelf_->stats().ready, 1U);
  EXPECT_EQ(shelf_->stats().ready_bytes, kPage);
  bytes_ = kPage;
  ask(2, 200, {201}, 2);
  run_all();
  EXPECT_EQ(made_.back(), 201U);
  // It is not for ever, either.
  for (uint64_t number = 300; number < 340; ++number) {
    ask(1, number, {number + 100});
    run_all();
  }
  EXPECT_EQ(made_.back(), 439U);
}

// What was made ahead went to make room, and is asked to be made ahead again.
TEST_F(Shelf, WhatWentIsPlannedAnew) {
  BatchScheduler::Limits limits;
  limits.most_ready = 2;
  make_shelf(limits);
  ask(1, 0, {1, 2, 3});
  run_all();
  EXPECT_EQ(made_, (std::vector<uint64_t>{0, 1, 2, 3}));
  ASSERT_EQ(shelf_->stats().ready, 2U);  // 2 and 3
  ask(1, 10, {1, 2, 3});
  run_all();
  EXPECT_EQ(times_made_[(Key{1, 0, 1})], 2);
  EXPECT_EQ(times_made_[(Key{1, 0, 3})], 1);
  EXPECT_EQ(ask(1, 1)->answers, 1);
  run_all();
  EXPECT_EQ(shelf_->stats().planned, 0U);
}

// ---- loaders that are gone ----

TEST_F(Shelf, NothingIsMadeAheadByALoaderThatIsGone) {
  make_shelf({});
  const auto asked = ask(1, 0, {1, 2});
  const std::weak_ptr<const void> loader = loader_;
  loader_ = std::make_shared<int>();
  const auto other = ask(1, 50, {51}, 2);
  EXPECT_FALSE(loader.expired());  // somebody waits
  run_all();
  EXPECT_EQ(asked->code, GLS_OK);
  EXPECT_EQ(other->code, GLS_OK);
  EXPECT_TRUE(loader.expired());
  EXPECT_EQ(made_, (std::vector<uint64_t>{0, 50, 51}));
  EXPECT_EQ(shelf_->stats().planned, 0U);
}

TEST_F(Shelf, ALoaderThatIsForgottenTakesItsPlansAlong) {
  make_shelf({});
  const auto begun = ask(1, 0, {1, 2});
  const auto waits = ask(2, 7, {8});
  ask(3, 100, {101}, 2);
  EXPECT_EQ(shelf_->stats().planned, 4U);
  shelf_->forget_loader(1);
  EXPECT_EQ(shelf_->stats().planned, 1U);
  run_all();
  EXPECT_EQ(begun->code, GLS_OK);
  EXPECT_EQ(waits->code, GLS_OK);
  EXPECT_EQ(made_, (std::vector<uint64_t>{0, 7, 100, 101}));
  shelf_->forget_loader(2);
  EXPECT_EQ(shelf_->stats().ready, 2U);  // of the first one, made since
  shelf_->forget_loader(1);
  EXPECT_EQ(shelf_->stats().ready, 0U);
  EXPECT_EQ(shelf_->stats().ready_bytes, 0U);
}

TEST_F(Shelf, OldPlansGo) {
  BatchScheduler::Limits limits;
  limits.most_age_ns = 1;
  make_shelf(limits);
  ask(1, 0, {1, 2});
  EXPECT_EQ(shelf_->stats().planned, 2U);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  shelf_->tidy();
  EXPECT_EQ(shelf_->stats().planned, 0U);
  EXPECT_EQ(shelf_->stats().clients, 1U);  // it waits
  run_all();
  EXPECT_EQ(made_, (std::vector<uint64_t>{0}));
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  shelf_->tidy();
  EXPECT_EQ(shelf_->stats().clients, 0U);
  EXPECT_EQ(shelf_->stats().ready, 0U);
}

TEST_F(Shelf, WhatIsOldGoes) {
  BatchScheduler::Limits limits;
  limits.most_age_ns = 1;
  make_shelf(limits);
  ask(1, 0, {1, 2});
  run_all();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ask(2, 9);
  EXPECT_EQ(shelf_->stats().ready, 0U);
}

TEST_F(Shelf, AClientThatIsGoneTakesItsOwnAlong) {
  make_shelf({});
  const auto both = ask(1, 5);
  const auto others = ask(2, 5);
  const auto own = ask(1, 6, {7, 8});
  shelf_->forget(1);
  run_all();
  EXPECT_EQ(made_, (std::vector<uint64_t>{5}));
  EXPECT_EQ(others->answers, 1);
  EXPECT_EQ(both->answers, 0);
  EXPECT_EQ(own->answers, 0);
  EXPECT_EQ(shelf_->stats().ready, 1U);
  ask(2, 10, {11});
  shelf_->forget(2);
  shelf_->forget(2);
  run_all();
  EXPECT_EQ(shelf_->stats().clients, 0U);
  EXPECT_EQ(shelf_->stats().ready, 0U);  // nor what was being made
}

// A question that its client took back is not worked on.
TEST_F(Shelf, WhatNobodyWantsIsNotMade) {
  BatchScheduler::Limits limits;
  make_shelf(limits);
  ask(1, 0);
  bool wanted = true;
  const auto gone = ask(1, 1, {}, 1, [&] { return wanted; });
  const auto stays = ask(1, 2);
  wanted = false;
  run_all();
  EXPECT_EQ(made_, (std::vector<uint64_t>{0, 2}));
  EXPECT_EQ(gone->answers, 0);
  EXPECT_EQ(stays->answers, 1);
}

TEST_F(Shelf, ErrorsAreNotKept) {
  make_shelf({});
  const auto first = ask(1, 1000);
  const auto second = ask(2, 1000);
  run_all();
  EXPECT_EQ(first->code, GLS_ERR_CORRUPT_DATA);
  EXPECT_EQ(second->code, GLS_ERR_CORRUPT_DATA);
  ask(1, 1000);
  run_all();
  EXPECT_EQ(times_made_[(Key{1, 0, 1000})], 2);
}

// Whatever is thrown, who waits is told, and the thread goes on.
TEST_F(Shelf, ExceptionsAreErrors) {
  make_shelf({});
  const auto thrown = ask(1, 2000);
  const auto sound = ask(1, 5);
  run_all();
  EXPECT_EQ(thrown->code, GLS_ERR_INTERNAL);
  EXPECT_EQ(sound->code, GLS_OK);
  no_memory_ = true;
  const auto refused = ask(1, 6);
  EXPECT_EQ(refused->answers, 1);
  EXPECT_EQ(refused->code, GLS_ERR_OUT_OF_MEMORY);
  no_memory_ = false;
  const auto again = ask(1, 6);
  run_all();
  EXPECT_EQ(again->code, GLS_OK);
}

TEST_F(Shelf, StopsWithAnAnswerForAll) {
  make_shelf({});
  const auto running = ask(1, 0);
  const auto waiting = ask(1, 1, {2, 3});
  std::thread stopping([&] { shelf_->stop(); });
  const auto unwanted = [] { return false; };
  for (BatchScheduler::ClientId other = 2; ask(other, 99, {}, 1, unwanted)->answers == 0; ++other) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  run_all();
  stopping.join();
  EXPECT_EQ(running->code, GLS_OK);
  EXPECT_EQ(waiting->code, GLS_ERR_INVALID_STATE);
  EXPECT_EQ(ask(1, 5)->code, GLS_ERR_INVALID_STATE);
  EXPECT_EQ(made_, (std::vector<uint64_t>{0}));
}

// Many threads, clients and batches at once.
TEST(ShelfThreads, EverythingIsAnswered) {
  BatchScheduler::Limits limits;
  limits.threads = 3;
  limits.most_ready = 20;
  limits.most_ready_bytes = 20 * 4096;
  const auto memory = std::make_shared<BufferPool>(false, 0);
  ThreadPool pool(3);
  std::atomic<int> made = 0;
  std::atomic<int> answered = 0;
  constexpr int kClients = 4;
  constexpr uint64_t kBatches = 300;
  {
    BatchScheduler shelf(
        limits, [&](std::function<void()> task) { pool.submit(std::move(task)); },
        [&](const Key&, const BatchScheduler::Loaded&) -> Result<BatchScheduler::Item> {
          ++made;
          return std::make_shared<const net::Message>(memory, 100);
        });
    const BatchScheduler::Loaded loader = std::make_shared<int>();
    std::vector<std::thread> clients;
    for (int c = 1; c <= kClients; ++c) {
      clients.emplace_back([&, c] {
        for (uint64_t i = 0; i < kBatches; ++i) {
          std::atomic<bool> done = false;
          const std::vector<uint64_t> next = {i + 1, i + 2, i + 3};
          BatchScheduler::Question question;
          question.client = static_cast<BatchScheduler::ClientId>(c);
          question.key = {1, 0, i};
          question.next = next;
          question.by = loader;
          question.wanted = [] { return true; };
          question.done = [&](const BatchScheduler::Item& item, const Status&) {
            answered += item != nullptr ? 1 : 0;
            done = true;
          };
          shelf.ask(std::move(question));
          while (!done) {
            std::this_thread::yield();
          }
        }
        shelf.forget(static_cast<BatchScheduler::ClientId>(c));
      });
    }
    for (std::thread& client : clients) {
      client.join();
    }
    shelf.stop();
    EXPECT_EQ(shelf.stats().clients, 0U);
  }
  EXPECT_EQ(answered, kClients * static_cast<int>(kBatches));
  EXPECT_GE(made, static_cast<int>(kBatches));
}

}  // namespace
}  // namespace gls::test
