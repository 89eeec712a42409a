// How stores are asked: turns, deadlines, errors, cancelling, the cache.
#include "store/store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <stop_token>
#include <thread>

#include "context/stop_scope.h"
#include "stored_graph.h"

namespace gls::test {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kRowBytes = 8;

// A store of int64 rows whose questions wait until the test answers them.
class Held {
 public:
  explicit Held(StoreOptions options = {}) {
    options.fetch = [this](std::shared_ptr<Fetch> fetch) {
      const std::lock_guard lock(mutex_);
      fetches_.push_back(std::move(fetch));
      arrived_.notify_all();
    };
    store =
        ColumnStore::create({"user", "x", GLS_ROLE_FEATURE, kInt64, {}}, std::move(options)).take();
  }
  std::shared_ptr<Fetch> next() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(
        arrived_.wait_for(lock, std::chrono::seconds(20), [&] { return !fetches_.empty(); }));
    std::shared_ptr<Fetch> out = fetches_.front();
    fetches_.pop_front();
    return out;
  }
  size_t waiting() {
    const std::lock_guard lock(mutex_);
    return fetches_.size();
  }
  Deferred<Tensor> ask(const std::vector<int64_t>& ids, int64_t rows = 0) {
    const RowQuestion question = {true, 0, 0, span_of(ids), kInt64};
    return store->ask(*pool, question, rows, nullptr, {});
  }

  std::shared_ptr<BufferPool> pool = make_context(1)->buffers();
  std::shared_ptr<ColumnStore> store;

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::shared_ptr<Fetch>> fetches_;
};

// The row of an id is its square.
void answer(Fetch& fetch) {
  const Fetch::Question& question = fetch.question();
  for (size_t i = 0; i < question.ids.size(); ++i) {
    const int64_t row = question.ids[i] * question.ids[i];
    std::memcpy(question.rows + static_cast<int64_t>(i) * kRowBytes, &row, sizeof(row));
  }
  EXPECT_TRUE(fetch.rows_done().ok());
}
std::vector<int64_t> values(const Tensor& rows) {
  return {rows.as<int64_t>(), rows.as<int64_t>() + rows.rows()};
}

TEST(Store, AnswersInTheMemoryOfTheResult) {
  Held held;
  const std::vector<int64_t> ids = {3, 1, 4};
  const auto later = held.ask(ids, 5);
  const auto fetch = held.next();
  EXPECT_EQ(fetch->question().ids, ids);
  EXPECT_EQ(fetch->question().row_bytes, kRowBytes);
  answer(*fetch);
  auto rows = later();
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  EXPECT_EQ(rows->data(), fetch->question().rows);
  EXPECT_EQ(values(*rows), (std::vector<int64_t>{9, 1, 16, 0, 0}));
  EXPECT_EQ(fetch->rows_done().code(), GLS_ERR_INVALID_STATE);
  EXPECT_EQ(fetch->set_neighbors(ids.data(), ids.data(), nullptr).code(), GLS_ERR_INVALID_STATE);
  const StoreStats stats = held.store->stats();
  EXPECT_EQ(stats.fetches, 1u);
  EXPECT_EQ(stats.ids, 3u);
  EXPECT_EQ(stats.failures, 0u);
}

TEST(Store, DividesLongQuestionsAndBoundsThoseInWork) {
  StoreOptions options;
  options.max_ids = 10;
  options.max_fetches = 3;
  Held held(options);
  std::vector<int64_t> ids(95);
  std::iota(ids.begin(), ids.end(), 100);
  std::optional<Result<Tensor>> rows;
  const auto later = held.ask(ids);
  EXPECT_EQ(held.waiting(), 3u);
  std::thread waiter([&] { rows.emplace(later()); });
  for (int i = 0; i < 10; ++i) {
    const auto fetch = held.next();
    EXPECT_LT(held.waiting(), 3u);
    answer(*fetch);
  }
  waiter.join();
  ASSERT_TRUE(rows->ok());
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ((**rows).as<int64_t>()[i], ids[i] * ids[i]);
  }
  EXPECT_EQ(held.store->stats().fetches, 10u);
}

// A thread that was woken for a turn may find that another one has taken it.
TEST(Store, WaitsAgainForATurnThatWasTaken) {
  StoreOptions options;
  options.max_ids = 1;
  options.max_fetches = 2;
  options.deadline_ms = -1;
  Held held(options);
  constexpr int kThreads = 6;
  constexpr int kIds = 2000;
  std::vector<int64_t> ids(kIds);
  std::iota(ids.begin(), ids.end(), 0);
  std::stop_source never;
  std::atomic<int> done = 0;
  std::vector<Status> results(kThreads);
  std::vector<std::thread> threads;
  for (Status& result : results) {
    threads.emplace_back([&] {
      const StopScope scope(never.get_token());
      result = held.ask(ids)().status().copy();
      ++done;
    });
  }
  while (done < kThreads) {
    if (held.waiting() > 0) {
      answer(*held.next());
    }
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Status& result : results) {
    EXPECT_TRUE(result.ok()) << result.message();
  }
}

TEST(Store, CarriesErrorsWithItsName) {
  Held held;
  auto later = held.ask({1});
  EXPECT_TRUE(held.next()->fail(Status(GLS_ERR_NOT_FOUND, "no row of user 1")).ok());
  auto rows = later();
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(rows.status().message(), "the store of column \"x\" of \"user\": no row of user 1");

  later = held.ask({1});
  held.next()->release();
  rows = later();
  EXPECT_EQ(rows.status().code(), GLS_ERR_INTERNAL);
  EXPECT_NE(rows.status().message().find("without an answer"), std::string::npos);
  EXPECT_EQ(held.store->stats().failures, 2u);
}

TEST(Store, GivesUpAtItsDeadline) {
  StoreOptions options;
  options.deadline_ms = 50;
  options.max_fetches = 1;
  Held held(options);
  const std::vector<int64_t> ids = {7};
  const auto first = held.ask(ids);
  auto rows = first();
  EXPECT_EQ(rows.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_NE(rows.status().message().find("no answer for 1 ids within 50 ms"), std::string::npos)
      << rows.status().message();
  // The store still has the only turn.
  auto second = held.ask(ids);
  rows = second();
  EXPECT_EQ(rows.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_NE(rows.status().message().find("answered none of them"), std::string::npos)
      << rows.status().message();
  EXPECT_EQ(held.store->stats().failures, 2u);
  // A late answer is welcome, writes to memory that lives, and ends the turn.
  answer(*held.next());
  const auto third = held.ask(ids);
  answer(*held.next());
  EXPECT_EQ(values(*third()), std::vector<int64_t>{49});
}

// A store that takes longer than the deadline to answer all waiting threads, and answers, is no
// failure.
TEST(Store, TakesTurnsInOrderWhileItAnswers) {
  StoreOptions options;
  options.deadline_ms = 300;
  options.max_fetches = 1;
  Held held(options);
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::vector<int64_t> order;
  const std::vector<int64_t> first = {100};
  const auto running = held.ask(first);
  for (int64_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::vector<int64_t> ids = {i};
      const auto rows = held.ask(ids)();
      EXPECT_TRUE(rows.ok());
      const std::lock_guard lock(mutex);
      order.push_back(i);
    });
    std::this_thread::sleep_for(milliseconds(20));  // so that they wait in this order
  }
  answer(*held.next());
  std::vector<int64_t> asked;
  for (int i = 0; i < 8; ++i) {
    const auto fetch = held.next();
    asked.push_back(fetch->question().ids[0]);
    std::this_thread::sleep_for(milliseconds(100));
    answer(*fetch);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(asked, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(running().ok());
}

// The parts of a question after a failure are not asked for.
TEST(Store, AsksNoMoreAfterAFailure) {
  StoreOptions options;
  options.max_ids = 1;
  std::atomic<int> calls = 0;
  options.fetch = [&](std::shared_ptr<Fetch> fetch) {
    ++calls;
    EXPECT_TRUE(fetch->fail(Status(GLS_ERR_IO, "down")).ok());
  };
  auto store = ColumnStore::create({"user", "x", GLS_ROLE_FEATURE, kInt64, {}}, options).take();
  const auto pool = make_context(1)->buffers();
  const std::vector<int64_t> ids(50, 3);
  EXPECT_EQ(store->ask(*pool, {true, 0, 0, span_of(ids), kInt64}, 0, nullptr, {})().status().code(),
            GLS_ERR_IO);
  EXPECT_EQ(calls, 1);
}

TEST(Store, LearnsThatNoThreadWaits) {
  Held held;
  { const auto dropped = held.ask({1, 2}); }
  const auto fetch = held.next();
  EXPECT_TRUE(fetch->canceled());
  answer(*fetch);  // into memory that the question keeps
  EXPECT_EQ(held.store->stats().failures, 0u);
}

TEST(Store, StopsWaitingWhenItsWorkIsCancelled) {
  Held held;
  std::stop_source stop;
  std::optional<Result<Tensor>> rows;
  const auto later = held.ask({1});
  std::thread waiter([&] {
    const StopScope scope(stop.get_token());
    rows.emplace(later());
  });
  std::this_thread::sleep_for(milliseconds(20));
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(rows->status().code(), GLS_ERR_CANCELED);
  answer(*held.next());
}

TEST(Store, AsksOnceForWhatItsCacheHas) {
  StoreOptions options;
  options.cache_bytes = 1 << 20;
  Held held(options);
  const auto ask = [&](std::vector<int64_t> ids, std::vector<int64_t> asked) {
    const auto later = held.ask(ids, static_cast<int64_t>(ids.size()));
    if (!asked.empty()) {
      const auto fetch = held.next();
      EXPECT_EQ(fetch->question().ids, asked);
      answer(*fetch);
    }
    std::vector<int64_t> expected;
    for (const int64_t id : ids) {
      expected.push_back(id * id);
    }
    EXPECT_EQ(values(*later()), expected);
  };
  ask({5, 6, 7}, {5, 6, 7});
  ask({9, 6, 8, 5}, {9, 8});
  ask({8, 9, 5}, {});
  EXPECT_EQ(held.store->stats().cached_ids, 5u);
  EXPECT_GT(held.store->stats().cache_bytes, 0u);
  // A failure is not kept.
  const std::vector<int64_t> ids = {20};
  const auto failing = held.ask(ids);
  EXPECT_TRUE(held.next()->fail(Status(GLS_ERR_IO, "gone")).ok());
  EXPECT_FALSE(failing().ok());
  ask({20}, {20});
}

TEST(Store, RefusesNeighborsThatDoNotFit) {
  std::shared_ptr<Fetch> held;
  StoreOptions options;
  options.fetch = [&](std::shared_ptr<Fetch> fetch) { held = std::move(fetch); };
  const auto store =
      NeighborStore::create({{"user", "knows", "user"}, 10, Layout::kCsc, true}, options).take();
  const std::vector<int64_t> nodes = {3, 4};
  const auto refuse = [&](std::vector<int64_t> counts, std::vector<int64_t> neighbors,
                          std::vector<int64_t> ids, const char* words) {
    const auto later = store->ask(span_of(nodes), 100);
    const Status said =
        held->set_neighbors(counts.data(), neighbors.data(), ids.empty() ? nullptr : ids.data());
    EXPECT_EQ(said.code(), GLS_ERR_INVALID_ARGUMENT) << words;
    EXPECT_NE(said.message().find(words), std::string::npos) << said.message();
    auto lists = later();
    ASSERT_FALSE(lists.ok()) << words;
    EXPECT_NE(lists.status().message().find(words), std::string::npos) << lists.status().message();
  };
  refuse({1, -1}, {5}, {1}, "-1 for node 4");
  refuse({1, int64_t{1} << 31}, {5}, {1}, "2147483648 for node 4");
  const int64_t most = std::numeric_limits<int64_t>::max();
  refuse({most, most}, {}, {}, "for node 3");
  refuse({1, 1}, {5, 100}, {1, 2}, "100 as a neighbour of node 4");
  refuse({1, 1}, {-1, 5}, {1, 2}, "-1 as a neighbour of node 3");
  refuse({1, 1}, {5, 6}, {1, 10}, "10 at node 4");
  refuse({1, 1}, {5, 6}, {}, "missing");
  const auto later = store->ask(span_of(nodes), 100);
  const std::vector<int64_t> counts = {0, 0};
  EXPECT_TRUE(held->set_neighbors(counts.data(), nullptr, nullptr).ok());
  EXPECT_EQ(later()->counts, counts);
}

TEST(Store, AnswersRepeatedNodes) {
  for (const uint64_t cache : {0, 1 << 20}) {
    StoreOptions options;
    options.cache_bytes = cache;
    options.max_ids = 2;
    options.fetch = [](std::shared_ptr<Fetch> fetch) {
      std::vector<int64_t> counts, neighbors, edges;
      for (const int64_t node : fetch->question().ids) {
        counts.push_back(node);
        for (int64_t i = 0; i < node; ++i) {
          neighbors.push_back(10 * node + i);
          edges.push_back(100 * node + i);
        }
      }
      EXPECT_TRUE(fetch->set_neighbors(counts.data(), neighbors.data(), edges.data()).ok());
    };
    const auto store =
        NeighborStore::create({{"a", "b", "a"}, 1000, Layout::kCsc, true}, options).take();
    const std::vector<int64_t> nodes = {2, 0, 1, 2, 3, 1};
    for (int again = 0; again < 2; ++again) {
      const auto lists = store->ask(span_of(nodes), 100)();
      ASSERT_TRUE(lists.ok());
      EXPECT_EQ(lists->counts, nodes);
      EXPECT_EQ(lists->neighbors, (std::vector<int64_t>{20, 21, 10, 20, 21, 30, 31, 32, 10}));
      EXPECT_EQ(lists->edge_ids,
                (std::vector<int64_t>{200, 201, 100, 200, 201, 300, 301, 302, 100}));
    }
  }
}

TEST(Store, RefusesColumnsThatCannotBe) {
  const auto refuse = [](ColumnStore::Spec spec, const char* argument) {
    auto made = ColumnStore::create(std::move(spec), {});
    ASSERT_FALSE(made.ok()) << argument;
    EXPECT_EQ(made.status().code(), GLS_ERR_INVALID_ARGUMENT);
  };
  refuse({"user", "", GLS_ROLE_FEATURE, kInt64, {}}, "name");
  refuse({"user", "x", GLS_ROLE_FEATURE, {kDLComplex, 64, 1}, {}}, "dtype");
  refuse({"user", "x", GLS_ROLE_FEATURE, kInt64, {-1}}, "row_shape");
  refuse({"user", "x", GLS_ROLE_FEATURE, kInt64, {1 << 30, 1 << 30}}, "row_shape");
  EXPECT_FALSE(NeighborStore::create({{"a", "b", "c"}, -1, Layout::kCsc, true}, {}).ok());
  EXPECT_FALSE(NeighborStore::create({{"a", "b", "c"}, 0, Layout::kCsc, false}, {}).ok());
}

}  // namespace
}  // namespace gls::test
