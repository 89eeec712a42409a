#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "plugins/tcp_tls/combining_lock.h"

namespace gls::net {
namespace {

TEST(CombiningLock, IsOfOneAtATime) {
  CombiningLock turn;
  turn.begin();
  EXPECT_FALSE(turn.ask());
  EXPECT_FALSE(turn.ask());
  EXPECT_FALSE(turn.end()) << "two have asked";
  EXPECT_TRUE(turn.end()) << "once is enough for both";
  EXPECT_TRUE(turn.ask());
  EXPECT_FALSE(turn.end()) << "who gets it by asking has asked";
  EXPECT_TRUE(turn.end());
}

// What was put down before asking is seen by whoever has the turn: nothing waits for ever.
TEST(CombiningLock, NobodyWhoAskedIsForgotten) {
  constexpr int kThreads = 3;
  constexpr uint64_t kEach = 20000;
  CombiningLock turn;
  std::atomic<uint64_t> wanted = 0;
  uint64_t done = 0;  // only under the turn
  const auto work = [&] {
    while (!turn.end()) {
      done = wanted.load();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (uint64_t k = 0; k < kEach; ++k) {
        ++wanted;
        if (turn.ask()) {
          work();
        }
      }
    });
  }
  uint64_t before = 0;
  std::thread other([&] {  // waits for its turn, and does something else
    for (uint64_t k = 0; k < kEach; ++k) {
      turn.begin();
      before = done;
      work();
    }
  });
  for (std::thread& thread : threads) {
    thread.join();
  }
  other.join();
  EXPECT_EQ(done, kThreads * kEach);
  EXPECT_LE(before, done);
}

}  // namespace
}  // namespace gls::net
