#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "context/parallel.h"
#include "ingest_support.h"

namespace gls {
namespace {

using namespace test;

TEST(ParallelTry, CoversTheRangeOnce) {
  const auto context = context_of(3);
  for (const size_t count : {0u, 1u, 10u, 1001u}) {
    for (const size_t grain : {0u, 1u, 7u, 5000u}) {
      std::vector<std::atomic<int>> seen(count);
      EXPECT_OK(
          parallel_try(context->pool(), count, grain, [&](size_t begin, size_t end) -> Status {
            for (size_t i = begin; i < end; ++i) {
              ++seen[i];
            }
            return {};
          }));
      for (const std::atomic<int>& times : seen) {
        EXPECT_EQ(times, 1);
      }
    }
  }
}

TEST(ParallelTry, ReturnsTheFirstFailureInOrder) {
  const auto context = context_of(4);
  for (int round = 0; round < 50; ++round) {
    const Status status =
        parallel_try(context->pool(), 1000, 10, [&](size_t begin, size_t) -> Status {
          if (begin == 300) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          return begin >= 300 ? error(GLS_ERR_IO, "at {}", begin) : Status();
        });
    EXPECT_EQ(status.message(), "at 300");
  }
}

TEST(ParallelTry, StopsAndSurvivesExceptions) {
  const auto context = context_of(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> pieces{0};
  std::atomic<bool> ticked{false};
  // Other threads wait for the first tick, and go on slowly, so that they are not done before it
  // and what it leads to.
  const auto body = [&](size_t, size_t) -> Status {
    if (std::this_thread::get_id() != caller) {
      while (!ticked) {
        std::this_thread::yield();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ++pieces;
    return {};
  };
  const Status canceled = parallel_try(context->pool(), 1000, 1, body, [&]() -> Status {
    ticked = true;
    return error(GLS_ERR_CANCELED, "enough");
  });
  EXPECT_EQ(canceled.code(), GLS_ERR_CANCELED);
  EXPECT_LT(pieces, 1000);
  const Status thrown = parallel_try(context->pool(), 10, 1,
                                     [](size_t, size_t) -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(thrown.code(), GLS_ERR_OUT_OF_MEMORY);
  // Also when the callback of the calling thread throws.
  ticked = false;
  const Status tick = parallel_try(context->pool(), 10, 1, body, [&]() -> Status {
    ticked = true;
    throw std::bad_alloc();
  });
  EXPECT_EQ(tick.code(), GLS_ERR_OUT_OF_MEMORY);
}

// Ticks come while the calling thread waits for others, too.
TEST(ParallelTry, TicksWhileWaiting) {
  const auto context = context_of(1);
  std::atomic<bool> release{false};
  const std::thread::id caller = std::this_thread::get_id();
  EXPECT_OK(parallel_try(
      context->pool(), 2, 1,
      [&](size_t, size_t) -> Status {
        while (std::this_thread::get_id() != caller && !release) {
          std::this_thread::yield();
        }
        return {};
      },
      [&]() -> Status {
        release = true;
        return {};
      }));
}

TEST(Pipeline, KeepsOrder) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    const auto context = context_of(threads);
    for (const size_t window : {1u, 2u, 7u}) {
      std::vector<int> slots(window);
      int fed = 0;
      std::vector<int> drained;
      Pipeline pipeline;
      pipeline.feed = [&](size_t slot) -> Result<bool> {
        slots[slot] = fed;
        return fed++ < 500;
      };
      pipeline.work = [&](size_t slot) -> Status {
        if (slots[slot] % 13 == 0) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        slots[slot] *= 2;
        return {};
      };
      pipeline.drain = [&](size_t slot) -> Status {
        drained.push_back(slots[slot]);
        return {};
      };
      EXPECT_OK(run_pipeline(context->pool(), window, pipeline));
      ASSERT_EQ(drained.size(), 500u);
      for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(drained[static_cast<size_t>(i)], 2 * i);
      }
    }
  }
}

// Of failures in feeding, working and draining, the one of the earliest item is returned.
TEST(Pipeline, ReturnsTheFirstFailureInOrder) {
  const auto context = context_of(3);
  const auto run = [&](int feed_at, int work_at, int drain_at) {
    std::vector<int> slots(4);
    int fed = 0;
    Pipeline pipeline;
    pipeline.feed = [&](size_t slot) -> Result<bool> {
      if (fed == feed_at) {
        return error(GLS_ERR_IO, "feed");
      }
      slots[slot] = fed;
      return fed++ < 100;
    };
    pipeline.work = [&](size_t slot) -> Status {
      return slots[slot] >= work_at ? error(GLS_ERR_IO, "work {}", slots[slot]) : Status();
    };
    pipeline.drain = [&](size_t slot) -> Status {
      return slots[slot] == drain_at ? error(GLS_ERR_IO, "drain") : Status();
    };
    return run_pipeline(context->pool(), slots.size(), pipeline).message();
  };
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(run(50, 1000, 1000), "feed");
    EXPECT_EQ(run(50, 49, 1000), "work 49");
    EXPECT_EQ(run(50, 20, 1000), "work 20");
    EXPECT_EQ(run(1000, 30, 29), "drain");
    EXPECT_EQ(run(1000, 1000, 1000), "");
  }
}

// All threads of the pool are busy with something else: the calling thread does the work.
TEST(Pipeline, DoesNotWaitForABusyPool) {
  std::atomic<bool> release{false};  // until the threads of the context have ended
  const auto context = context_of(2);
  for (int i = 0; i < 2; ++i) {
    context->pool().submit([&] {
      while (!release) {
        std::this_thread::yield();
      }
    });
  }
  int fed = 0;
  int drained = 0;
  Pipeline pipeline;
  pipeline.feed = [&](size_t) -> Result<bool> { return fed++ < 20; };
  pipeline.work = [](size_t) { return Status(); };
  pipeline.drain = [&](size_t) -> Status {
    ++drained;
    return {};
  };
  EXPECT_OK(run_pipeline(context->pool(), 3, pipeline));
  EXPECT_EQ(drained, 20);
  EXPECT_OK(parallel_try(context->pool(), 100, 1, [](size_t, size_t) { return Status(); }));
  release = true;
}

}  // namespace
}  // namespace gls
