#include "store/sieve_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "random_numbers.h"

namespace gls::test {
namespace {

std::string value_of(int64_t id, size_t size) {
  std::string out(size, static_cast<char>('a' + id % 26));
  return out + std::to_string(id);
}
void insert(SieveCache& cache, int64_t id, const std::string& value) {
  cache.insert(id, std::as_bytes(std::span(value)));
}
std::optional<std::string> find(SieveCache& cache, int64_t id) {
  std::optional<std::string> out;
  cache.find(id, [&](std::span<const std::byte> bytes) {
    out.emplace(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return out;
}

TEST(SieveCache, HasWhatWasInserted) {
  SieveCache cache(1 << 20);
  EXPECT_EQ(find(cache, 5), std::nullopt);
  insert(cache, 5, "five");
  insert(cache, -7, "");
  insert(cache, 5, "other");  // the first value stays
  EXPECT_EQ(find(cache, 5), "five");
  EXPECT_EQ(find(cache, -7), "");
  EXPECT_GT(cache.bytes(), 4u);
}

TEST(SieveCache, StaysWithinItsBudget) {
  constexpr uint64_t kBytes = 1 << 16;
  SieveCache cache(kBytes);
  Numbers random(3);
  for (int i = 0; i < 20000; ++i) {
    const int64_t id = random.below(3000);
    if (const auto found = find(cache, id); found.has_value()) {
      ASSERT_EQ(*found, value_of(id, static_cast<size_t>(id % 90)));
    } else {
      insert(cache, id, value_of(id, static_cast<size_t>(id % 90)));
    }
    ASSERT_LE(cache.bytes(), kBytes);
  }
  EXPECT_GT(cache.bytes(), kBytes / 2);
  insert(cache, 1 << 20, std::string(kBytes, 'x'));  // larger than a shard
  EXPECT_EQ(find(cache, 1 << 20), std::nullopt);
}

TEST(SieveCache, KeepsWhatIsFoundOften) {
  SieveCache cache(1 << 16);
  size_t missed = 0;
  for (int64_t i = 0; i < 20000; ++i) {
    const int64_t hot = i % 20;
    if (!find(cache, hot).has_value()) {
      ++missed;
      insert(cache, hot, value_of(hot, 50));
    }
    insert(cache, 1000 + i, value_of(i, 50));  // never found again
  }
  EXPECT_LT(missed, 100u);
}

TEST(SieveCache, ServesManyThreads) {
  SieveCache cache(1 << 15);
  std::atomic<size_t> wrong = 0;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, &wrong, t] {
      Numbers random(t);
      for (int i = 0; i < 3000; ++i) {
        const int64_t id = random.below(500);
        if (const auto found = find(cache, id); found.has_value()) {
          wrong += *found == value_of(id, 40) ? 0u : 1u;
        } else {
          insert(cache, id, value_of(id, 40));
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace gls::test
