// What rank 0 keeps of a group: joining, operations, and who is missing.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/group/group_coordinator.h"

namespace gls::group {
namespace {

constexpr uint64_t kMs = 1000000;

struct Outcome {
  bool came = false;
  Status status;
  std::vector<std::string> items;
};

class HubTest : public testing::Test {
 protected:
  void SetUp() override {
    for (uint32_t rank = 0; rank < 3; ++rank) {
      connections_.push_back(rank == 0 ? nullptr : std::make_shared<int>(0));
    }
  }
  static Member member(uint32_t rank) {
    return {"m" + std::to_string(rank), "host", "127.0.0.1:" + std::to_string(4000 + rank),
            100 + rank};
  }
  JoinRequest request(uint32_t rank) const { return {kProtocol, "g", rank, 3, member(rank), -1}; }
  GroupCoordinator::Done into(const std::shared_ptr<Outcome>& outcome) const {
    return [outcome](Result<net::Message> message) {
      EXPECT_FALSE(outcome->came);
      outcome->came = true;
      if (!message.ok()) {
        outcome->status = std::move(message.status());
        return;
      }
      if (auto items = decode_items(message->bytes()); items.ok()) {
        for (const Bytes item : *items) {
          outcome->items.emplace_back(reinterpret_cast<const char*>(item.data()), item.size());
        }
      }
    };
  }
  std::shared_ptr<Outcome> join(const JoinRequest& request) {
    auto outcome = std::make_shared<Outcome>();
    hub_.join(request, connections_.at(request.rank % 3), into(outcome));
    return outcome;
  }
  std::shared_ptr<Outcome> operate(uint32_t rank, uint64_t number, OperationKind kind,
                                   const std::string& data = "", int64_t timeout_ms = -1) {
    auto outcome = std::make_shared<Outcome>();
    hub_.operate(rank, {number, kind, timeout_ms, std::as_bytes(std::span(data))}, into(outcome));
    return outcome;
  }
  void join_all() {
    for (uint32_t rank = 0; rank < 3; ++rank) {
      join(request(rank));
    }
  }

  Pool pool_ = std::make_shared<BufferPool>(false, 1 << 20);
  std::vector<std::shared_ptr<int>> connections_;
  GroupCoordinator hub_{pool_, "g", 3};
};

constexpr OperationKind kBarrier = OperationKind::kBarrier;
constexpr OperationKind kGather = OperationKind::kGather;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(HubTest, AllJoinAndGather) {
  const auto second = join(request(2));
  const auto first = join(request(0));
  EXPECT_FALSE(first->came);
  EXPECT_EQ(hub_.joined(), 2U);
  const auto third = join(request(1));
  for (const auto& outcome : {first, second, third}) {
    EXPECT_TRUE(outcome->came && outcome->status.ok()) << outcome->status.message();
  }
  const auto a = operate(1, 1, kGather, "one");
  const auto b = operate(0, 1, kGather);
  EXPECT_FALSE(a->came || b->came);
  const auto c = operate(2, 1, kGather, "three");
  for (const auto& outcome : {a, b, c}) {
    EXPECT_EQ(outcome->items, (std::vector<std::string>{"", "one", "three"}));
  }
  operate(0, 2, kBarrier);
  operate(1, 2, kBarrier);
  const auto last = operate(2, 2, kBarrier);
  EXPECT_TRUE(last->came && last->status.ok() && last->items.empty());
}

TEST_F(HubTest, WhatCannotBecomeRightEndsJoiningForAll) {
  struct Case {
    const char* what;
    std::function<void(JoinRequest*)> change;
    gls_status_t code;
  };
  const std::vector<Case> cases = {
      {"group \"other\"", [](JoinRequest* r) { r->group = "other"; }, GLS_ERR_INVALID_ARGUMENT},
      {"world size of 4", [](JoinRequest* r) { r->world_size = 4; }, GLS_ERR_INVALID_ARGUMENT},
      {"rank beyond", [](JoinRequest* r) { r->rank = 3; }, GLS_ERR_INVALID_ARGUMENT},
      {"two processes have rank 1", [](JoinRequest* r) { r->rank = 1; }, GLS_ERR_ALREADY_EXISTS},
      {"version 9", [](JoinRequest* r) { r->protocol = 9; }, GLS_ERR_UNSUPPORTED},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    GroupCoordinator hub(pool_, "g", 3);
    std::vector<std::shared_ptr<Outcome>> all;
    for (uint32_t rank = 0; rank < 3; ++rank) {
      JoinRequest asked = request(rank);
      if (rank == 2) {
        one.change(&asked);
      }
      all.push_back(std::make_shared<Outcome>());
      hub.join(asked, connections_[rank], into(all.back()));
    }
    for (const auto& outcome : all) {
      ASSERT_TRUE(outcome->came);
      EXPECT_EQ(outcome->status.code(), one.code);
      EXPECT_TRUE(has(outcome->status.message(), one.what)) << outcome->status.message();
      EXPECT_TRUE(has(outcome->status.message(), "m2")) << outcome->status.message();
    }
  }
}

TEST_F(HubTest, ALateDuplicateDisturbsNobody) {
  join_all();
  JoinRequest again = request(1);
  again.member.name = "intruder";
  const auto refused = join(again);
  EXPECT_EQ(refused->status.code(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_TRUE(has(refused->status.message(), "intruder"));
  operate(0, 1, kBarrier);
  operate(1, 1, kBarrier);
  EXPECT_TRUE(operate(2, 1, kBarrier)->status.ok());
}

TEST_F(HubTest, WhoIsGoneBeforeAllAreHereMayComeAgain) {
  const auto first = join(request(1));
  hub_.lost(connections_[1].get(), false, "reset");
  EXPECT_EQ(hub_.joined(), 0U);
  join(request(0));
  connections_[1] = std::make_shared<int>(1);
  join(request(1));
  EXPECT_TRUE(join(request(2))->status.ok());
  EXPECT_FALSE(first->came);
}

TEST_F(HubTest, LoopbackIsForOneHost) {
  JoinRequest elsewhere = request(2);
  elsewhere.member.host = "other";
  join(request(0));
  join(request(1));
  const auto outcome = join(elsewhere);
  EXPECT_EQ(outcome->status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(*outcome->status.detail("argument"), "listen");
}

TEST_F(HubTest, MissingRanksAndStrangersAreNamed) {
  JoinRequest asked = request(0);
  asked.timeout_ms = 50;
  const auto outcome = join(asked);
  hub_.turned_away("10.0.0.9:1", "another key");
  EXPECT_NE(hub_.next_deadline(), kForever);
  hub_.tick(now_ns());
  EXPECT_FALSE(outcome->came);
  hub_.tick(now_ns() + 100 * kMs);
  ASSERT_TRUE(outcome->came);
  EXPECT_EQ(outcome->status.code(), GLS_ERR_TIMED_OUT);
  for (const char* const part : {"2 of 3", "rank 1, 2", "m0", "10.0.0.9:1", "another key"}) {
    EXPECT_TRUE(has(outcome->status.message(), part)) << outcome->status.message();
  }
}

TEST_F(HubTest, ALostMemberEndsEveryOperation) {
  join_all();
  const auto waiting = operate(0, 1, kGather, "x");
  hub_.lost(connections_[2].get(), false, "silent for 5000 ms");
  const auto late = operate(1, 1, kGather, "y");
  for (const auto& outcome : {waiting, late}) {
    ASSERT_TRUE(outcome->came);
    EXPECT_EQ(outcome->status.code(), GLS_ERR_IO);
    for (const char* const part :
         {"all-gather 1 of group \"g\"", "rank 2 (m2 at 127.0.0.1:4002)", "silent for 5000 ms"}) {
      EXPECT_TRUE(has(outcome->status.message(), part)) << outcome->status.message();
    }
    EXPECT_EQ(*outcome->status.detail("rank"), "2");
    EXPECT_EQ(*outcome->status.detail("peer"), "127.0.0.1:4002");
    EXPECT_EQ(*outcome->status.detail("operation"), "all-gather 1");
  }
}

TEST_F(HubTest, DifferentOperationsAreAnErrorForAll) {
  join_all();
  const auto one = operate(0, 1, kBarrier);
  const auto other = operate(2, 1, kGather, "x");
  const auto late = operate(1, 1, kBarrier);
  for (const auto& outcome : {one, other, late}) {
    ASSERT_TRUE(outcome->came);
    EXPECT_EQ(outcome->status.code(), GLS_ERR_INVALID_STATE);
    for (const char* const part : {"rank 0 (m0", "in barrier 1", "rank 2 (m2", "in all-gather 1"}) {
      EXPECT_TRUE(has(outcome->status.message(), part)) << outcome->status.message();
    }
  }
}

TEST_F(HubTest, WhatTimedOutIsGoneOnWith) {
  join_all();
  const auto early = operate(1, 1, kGather, "kept", 10);
  hub_.tick(now_ns() + 100 * kMs);
  EXPECT_EQ(early->status.code(), GLS_ERR_TIMED_OUT);
  EXPECT_TRUE(has(early->status.message(), "rank 0 (m0")) << early->status.message();
  EXPECT_TRUE(has(early->status.message(), "rank 2 (m2")) << early->status.message();
  operate(0, 1, kGather, "a");
  const auto done = operate(2, 1, kGather, "c");  // the one who gave up counts
  const std::vector<std::string> expected = {"a", "kept", "c"};
  EXPECT_EQ(done->items, expected);
  EXPECT_EQ(operate(1, 1, kGather, "other")->items, expected);  // and gets what the others got
  // One that waits again, before all are there.
  const auto given_up = operate(1, 2, kBarrier);
  const auto again = operate(1, 2, kBarrier);
  operate(0, 2, kBarrier);
  operate(2, 2, kBarrier);
  EXPECT_FALSE(given_up->came);
  EXPECT_TRUE(again->came && again->status.ok());
}

TEST_F(HubTest, StrangersDoNotOperate) {
  join_all();
  const auto outcome = std::make_shared<Outcome>();
  const int nobody = 0;
  hub_.operate(static_cast<const void*>(&nobody), {1, kBarrier, -1, {}}, into(outcome));
  EXPECT_EQ(outcome->status.code(), GLS_ERR_INVALID_STATE);
}

}  // namespace
}  // namespace gls::group
