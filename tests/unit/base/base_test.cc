#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

#include "base/checksum.h"
#include "base/permutation.h"
#include "context/context.h"
#include "context/parallel.h"

namespace gls {
namespace {

TEST(Settings, AreOneConsistentTable) {
  const auto specs = setting_specs();
  for (size_t i = 0; i < specs.size(); ++i) {
    const std::string key = specs[i].key;
    EXPECT_TRUE(i == 0 || std::string(specs[i - 1].key) < key) << key;
    std::string env = "GLS_";
    for (const char c : key) {
      env += c == '.' ? '_' : static_cast<char>(std::toupper(c));
    }
    EXPECT_EQ(specs[i].env, env);
    EXPECT_GT(std::strlen(specs[i].help), 20u);
    Settings settings = Settings::from_environment().take();
    EXPECT_TRUE(settings.set(key, specs[i].default_value).ok()) << key;
    EXPECT_EQ(*settings.get(key), specs[i].default_value);
    const std::string bad =
        std::string(specs[i].type) == "text" ? std::string(4097, 'x') : "no such value";
    EXPECT_EQ(settings.set(key, bad).code(), GLS_ERR_INVALID_ARGUMENT);
  }
}

TEST(Settings, ReadSizesAndTheEnvironment) {
  EXPECT_EQ(*parse_size("0"), 0u);
  EXPECT_EQ(*parse_size("64K"), 65536u);
  EXPECT_EQ(*parse_size("3G"), uint64_t{3} << 30);
  EXPECT_EQ(*parse_size("18446744073709551615"), UINT64_MAX);
  for (const char* bad :
       {"", "K", "-1", "1.5G", "1KB", " 1", "20000000T", "99999999999999999999"}) {
    EXPECT_FALSE(parse_size(bad).ok()) << bad;
  }
  setenv("GLS_MEMORY_POOL", "12M", 1);
  EXPECT_EQ(Settings::from_environment()->bytes(Setting::kMemoryPool), uint64_t{12} << 20);
  setenv("GLS_MEMORY_POOL", "lots", 1);
  const auto bad = Settings::from_environment();
  unsetenv("GLS_MEMORY_POOL");
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(const_cast<Result<Settings>&>(bad).status().message().find("GLS_MEMORY_POOL"),
            std::string::npos);
}

TEST(BufferPool, ReusesBlocksOfEverySize) {
  for (const bool huge : {false, true}) {
    const auto pool = std::make_shared<BufferPool>(huge, uint64_t{1} << 30);
    for (size_t bytes = 1; bytes < (size_t{40} << 20); bytes = bytes * 5 / 4 + 1) {
      const std::byte* first = nullptr;
      {
        const Buffer buffer = pool->acquire(bytes);
        first = buffer.as<>();
        ASSERT_GE(buffer.capacity(), bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
        std::memset(buffer.as<>(), 1, bytes);
      }
      EXPECT_EQ(pool->acquire(bytes).as<>(), first) << bytes << " bytes";
    }
  }
}

// From half a huge page on, blocks are whole ones: four classes above what was asked for.
TEST(BufferPool, ReusesBlocksOfHalfAHugePage) {
  for (const size_t bytes : {kHugePage / 2 - kHugePage / 16, kHugePage / 2, kHugePage / 2 + 1}) {
    const auto pool = std::make_shared<BufferPool>(true, uint64_t{1} << 30);
    const std::byte* first = pool->acquire(bytes).as<>();
    EXPECT_EQ(pool->acquire(bytes).as<>(), first) << bytes << " bytes";
  }
}

TEST(BufferPool, GivesBackWhatItMayNotKeep) {
  const auto pool = std::make_shared<BufferPool>(false, 0);
  Buffer buffer = pool->acquire(100);
  std::memset(buffer.as<>(), 7, 100);
  buffer.reserve(1 << 20, 100);
  EXPECT_EQ(buffer.as<unsigned char>()[99], 7);
  EXPECT_GE(buffer.capacity(), size_t{1} << 20);
}

TEST(ParallelTry, CoversEverythingOnceAlsoNested) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> hits(10000);
  const auto outer = [&](size_t begin, size_t end) -> Status {
    for (size_t i = begin; i < end; ++i) {
      const auto inner = [&, i](size_t inner_begin, size_t inner_end) -> Status {
        for (size_t j = inner_begin; j < inner_end; ++j) {
          ++hits[100 * i + j];
        }
        return {};
      };
      GLS_TRY(parallel_try(pool, 100, 7, inner));
    }
    return {};
  };
  EXPECT_TRUE(parallel_try(pool, 100, 1, outer).ok());
  for (const auto& hit : hits) {
    EXPECT_EQ(hit, 1);
  }
  const auto never = [](size_t, size_t) -> Status { return invalid("called for nothing"); };
  EXPECT_TRUE(parallel_try(pool, 0, 1, never).ok());
}

TEST(ParallelTry, ExceptionsBecomeErrors) {
  ThreadPool pool(2);
  const auto broken = [](size_t begin, size_t) -> Status {
    if (begin == 5) {
      throw std::length_error("too long");
    }
    return {};
  };
  const Status status = parallel_try(pool, 10, 1, broken);
  EXPECT_EQ(status.code(), GLS_ERR_INTERNAL);
  EXPECT_NE(status.message().find("too long"), std::string::npos);
}

TEST(Status, OutOfMemoryIsLikeAnyOther) {
  Status status = Status::out_of_memory();
  EXPECT_EQ(status.code(), GLS_ERR_OUT_OF_MEMORY);
  status = std::move(status).prefixed("edges: ").with("argument", "edges");
  EXPECT_EQ(status.message(), "edges: out of memory");
  EXPECT_EQ(*status.detail("argument"), "edges");
  EXPECT_EQ(Status::out_of_memory().message(), "out of memory");
  EXPECT_EQ(Status::out_of_memory().detail("argument"), nullptr);
}

TEST(ThreadPool, FinishesWhatIsQueued) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(2);
    for (int i = 0; i < 100; ++i) {
      pool.submit([&done] { ++done; });
    }
  }
  EXPECT_EQ(done, 100);
}

struct CountedIdler final : ThreadPool::Idler {
  void come_back() noexcept override { ++called; }
  std::atomic<int> called = 0;
};

TEST(ThreadPool, CallsBackWhoIdlesWhenNoThreadWaits) {
  ThreadPool pool(1);
  CountedIdler idler;
  std::promise<bool> began;
  std::promise<bool> ended;
  std::promise<void> other;
  pool.submit([&] {
    began.set_value(pool.begin_idling(idler));
    while (idler.called == 0) {
      std::this_thread::yield();
    }
    ended.set_value(pool.end_idling(idler));
  });
  ASSERT_TRUE(began.get_future().get());
  pool.submit([&] { other.set_value(); });
  EXPECT_FALSE(ended.get_future().get()) << "it was called back";
  other.get_future().wait();
  EXPECT_EQ(idler.called, 1);
}

TEST(ThreadPool, NobodyIdlesWhileTasksWait) {
  CountedIdler idler;
  std::promise<bool> began;
  {
    std::promise<void> go;
    ThreadPool pool(1);
    pool.submit([&] {
      go.get_future().wait();
      began.set_value(pool.begin_idling(idler));
    });
    pool.submit([] {});
    go.set_value();
  }
  EXPECT_FALSE(began.get_future().get());
  EXPECT_EQ(idler.called, 0);
}

TEST(ThreadPool, EndsWhileSomebodyIdles) {
  CountedIdler idler;
  std::promise<bool> began;
  auto told = began.get_future();
  {
    ThreadPool pool(2);
    pool.submit([&] {
      began.set_value(pool.begin_idling(idler));
      while (idler.called == 0) {
        std::this_thread::yield();
      }
      static_cast<void>(pool.end_idling(idler));
    });
    ASSERT_TRUE(told.get());
  }
  EXPECT_EQ(idler.called, 1);
}

TEST(KeyedPermutation, IsABijectionOfAnySize) {
  const std::initializer_list<uint64_t> sizes = {1,   2,    3,     5,     255,   256,
                                                 257, 1000, 65536, 65537, 100000};
  for (const uint64_t size : sizes) {
    const KeyedPermutation order(size, order_key(9, size));
    std::vector<bool> seen(size, false);
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t at = order(i);
      ASSERT_LT(at, size);
      ASSERT_FALSE(seen[at]) << size;
      seen[at] = true;
    }
  }
  const uint64_t huge = KeyedPermutation::kMaxSize;
  const KeyedPermutation order(huge, 1);
  EXPECT_LT(order(huge - 1), huge);
  EXPECT_NE(order(0), order(1));
}

TEST(Checksum, IsXxh3) {
  const std::string text = "gls";
  Checksum sum;
  sum.update(std::as_bytes(std::span(text)).first(1));
  sum.update(std::as_bytes(std::span(text)).subspan(1));
  EXPECT_EQ(sum.digest(), hash64(std::as_bytes(std::span(text))));
  EXPECT_EQ(Checksum().hex(), "2d06800538d394c2");  // XXH3-64 of nothing
}

}  // namespace
}  // namespace gls
