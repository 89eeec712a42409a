// Groups over the transport within a process: many threads at once, and ends in the middle.
#include "cluster/group/group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "net_support.h"

namespace gls::group {
namespace {

constexpr uint32_t kWorld = 3;

GroupOptions options_of(uint32_t rank, const std::string& address) {
  GroupOptions out;
  out.transport.name = "self";
  out.place.launcher = Launcher::kArguments;
  out.place.rank = rank;
  out.place.world_size = kWorld;
  out.place.rendezvous = address;
  out.timeout_ms = 20000;
  out.function_threads = 2;
  return out;
}

std::vector<std::unique_ptr<Group>> join_all(const std::string& address) {
  std::vector<std::unique_ptr<Group>> groups(kWorld);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < kWorld; ++rank) {
    threads.emplace_back([&, rank] {
      auto joined = Group::join(net::make_context(1), options_of(rank, address));
      EXPECT_TRUE(joined.ok()) << joined.status().message();
      groups[rank] = joined.take();
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return groups;
}

void answer_with_the_same(gls_call_t* call, void* calls) {
  ++*static_cast<std::atomic<int>*>(calls);
  const std::unique_ptr<gls_call> own(call);
  EXPECT_TRUE(own->impl->reply(own->impl->request().data).ok());
}

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string text_of(const Tensor& item) {
  return {reinterpret_cast<const char*>(item.data()), static_cast<size_t>(item.rows())};
}

TEST(Group, OperationsAndCallsAtOnce) {
  auto groups = join_all("127.0.0.1:4711");
  std::atomic<int> calls = 0;
  for (const auto& group : groups) {
    ASSERT_TRUE(group->functions().add("same", answer_with_the_same, &calls, nullptr).ok());
  }
  constexpr int kRounds = 50;
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < kWorld; ++rank) {
    Group& group = *groups[rank];
    threads.emplace_back([&group, rank] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string mine = std::to_string(rank) + "/" + std::to_string(round);
        auto answer = group.operate(OperationKind::kGather, bytes_of(mine), 20000);
        ASSERT_TRUE(answer.ok()) << answer.status().message();
        ASSERT_TRUE((*answer)->wait(-1));
        ASSERT_TRUE((*answer)->status().ok()) << (*answer)->status().message();
        for (uint32_t other = 0; other < kWorld; ++other) {
          EXPECT_EQ(text_of((*answer)->item(other)),
                    std::to_string(other) + "/" + std::to_string(round));
        }
      }
    });
    threads.emplace_back([&group, rank] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string text = "round " + std::to_string(round);
        auto answer = group.call((rank + static_cast<uint32_t>(round)) % kWorld, "same",
                                 bytes_of(text), CallRules{20000, round % 2 == 0, -1});
        ASSERT_TRUE(answer.ok()) << answer.status().message();
        if (round % 5 == 4) {
          (*answer)->cancel();
        }
        ASSERT_TRUE((*answer)->wait(-1));
        if (Status status = (*answer)->status(); status.ok()) {
          EXPECT_EQ(text_of((*answer)->item(0)), text);
        } else {
          EXPECT_EQ(status.code(), GLS_ERR_CANCELED) << status.message();
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(groups[1]->operations(), static_cast<uint64_t>(kRounds));
  EXPECT_LE(calls, static_cast<int>(kWorld) * kRounds);
}

// Whoever is released while others call it, and while it calls.
TEST(Group, EndsInTheMiddle) {
  for (uint32_t who = 0; who < kWorld; ++who) {
    auto groups = join_all("127.0.0.1:4712");
    std::atomic<int> calls = 0;
    for (const auto& group : groups) {
      ASSERT_TRUE(group->functions().add("same", answer_with_the_same, &calls, nullptr).ok());
    }
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < kWorld; ++rank) {
      Group& group = *groups[rank];
      threads.emplace_back([&group, &stop, rank] {
        for (uint32_t round = 0; !stop; ++round) {
          auto answer =
              group.call((rank + round) % kWorld, "same", bytes_of("x"), CallRules{5000, true, -1});
          if (answer.ok()) {
            EXPECT_TRUE((*answer)->wait(20000));
          }
        }
      });
    }
    auto waiting = groups[(who + 1) % kWorld]->operate(OperationKind::kBarrier, {}, 20000);
    ASSERT_TRUE(waiting.ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    groups[who]->leave(100);
    ASSERT_TRUE((*waiting)->wait(20000));
    EXPECT_EQ((*waiting)->status().code(), GLS_ERR_IO);
    EXPECT_EQ(*(*waiting)->status().detail("rank"), std::to_string(who));
    stop = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
}

// All learn which machines have how many.
TEST(Group, HostsWithDifferentNumbersOfProcessesAreAnError) {
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < kWorld; ++rank) {
    threads.emplace_back([rank] {
      GroupOptions options = options_of(rank, "127.0.0.1:4713");
      options.place.local_size = rank == 2 ? 1 : 2;
      auto joined = Group::join(net::make_context(1), std::move(options));
      ASSERT_FALSE(joined.ok());
      const Status& why = joined.status();
      EXPECT_EQ(why.code(), GLS_ERR_UNSUPPORTED) << why.message();
      EXPECT_TRUE(net::contains(why.message(), "the launcher has started 2 processes on "))
          << why.message();
      EXPECT_TRUE(net::contains(why.message(), " (rank 0) and 1 on ")) << why.message();
      EXPECT_TRUE(net::contains(why.message(), " (rank 2), expected as many on each host"))
          << why.message();
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Who says nothing of it, as where ranks are arguments, is not asked.
TEST(Group, WhatLaunchersDoNotSayIsNotChecked) {
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<Group>> groups(kWorld);
  for (uint32_t rank = 0; rank < kWorld; ++rank) {
    threads.emplace_back([&, rank] {
      GroupOptions options = options_of(rank, "127.0.0.1:4714");
      if (rank != 1) {
        options.place.local_size = 3;
      }
      auto joined = Group::join(net::make_context(1), std::move(options));
      ASSERT_TRUE(joined.ok()) << joined.status().message();
      groups[rank] = joined.take();
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace gls::group
