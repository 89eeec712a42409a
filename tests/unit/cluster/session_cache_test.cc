// What clients of a server opened: what stays, what goes, and what happens when making one fails.
#include "cluster/rpc/session_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <system_error>
#include <vector>

#include "cluster/wire/batch_messages.h"

namespace gls::test {
namespace {

using Table = SessionCache<std::string>;

struct Outcome {
  uint64_t number = 0;
  gls_status_t code = GLS_OK;
  std::string message;
};

Result<std::shared_ptr<const std::string>> sound() {
  return std::make_shared<const std::string>("made");
}

Outcome open(Table* table, const std::string& options, uint64_t bytes = 0,
             const Table::Make& make = sound) {
  Outcome out;
  table->open(
      options, make,
      [&](uint64_t number, const Status& status) {
        out = {number, status.code(), status.ok() ? "" : status.message()};
      },
      &bytes);
  return out;
}

SessionLimits keeping(size_t most) {
  SessionLimits out;
  out.most = most;
  out.keep_ns = uint64_t{3600} * 1000 * 1000 * 1000;
  out.full = [] { return cluster::too_many_opened(100); };
  return out;
}

TEST(SessionCache, WhatIsInUseStays) {
  Table table(keeping(2));
  const Outcome a = open(&table, "a");
  const Outcome b = open(&table, "b");
  EXPECT_EQ(b.code, GLS_OK);
  const Outcome c = open(&table, "c");
  EXPECT_EQ(c.code, GLS_ERR_INVALID_STATE);
  EXPECT_TRUE(cluster::is_too_many_asked(cluster::too_many_opened(100)));
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(open(&table, "a").number, a.number);
  EXPECT_NE(table.find(a.number), nullptr);
  EXPECT_NE(table.find(b.number), nullptr);
  table.drop_idle(0);
  EXPECT_EQ(open(&table, "c").code, GLS_OK);
}

// Its size is known when it was made.
TEST(SessionCache, WhatIsTooLargeForWhatStaysIsNotOpened) {
  SessionLimits limits = keeping(10);
  limits.most_bytes = 100;
  Table table(limits);
  const Outcome a = open(&table, "a", 60);
  EXPECT_EQ(open(&table, "b", 60).code, GLS_ERR_INVALID_STATE);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.bytes(), 61U);
  EXPECT_EQ(open(&table, "c", 30).code, GLS_OK);
  EXPECT_NE(table.find(a.number), nullptr);
  EXPECT_EQ(table.bytes(), 92U);
}

TEST(SessionCache, WhatGoesIsTold) {
  std::vector<uint64_t> gone;
  SessionLimits limits;
  limits.most = 10;
  limits.most_bytes = 100;
  limits.dropped = [&](uint64_t number) { gone.push_back(number); };
  Table table(limits);
  const uint64_t a = open(&table, "a", 30).number;
  const uint64_t b = open(&table, "b", 30).number;
  const std::shared_ptr<const std::string> kept = table.find(a);
  const uint64_t c = open(&table, "c", 60).number;
  EXPECT_EQ(gone, (std::vector<uint64_t>{b}));
  EXPECT_EQ(table.bytes(), 92U);
  EXPECT_EQ(table.idle(0).size(), 2U);
  table.drop_idle(uint64_t{3600} * 1000 * 1000 * 1000);
  EXPECT_EQ(table.size(), 2U);
  table.drop_idle(0);
  EXPECT_EQ(gone, (std::vector<uint64_t>{b, a, c}));
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.bytes(), 0U);
  EXPECT_EQ(*kept, "made");  // who works with it has it to the end
}

// Of whatever kind: others wait for it, and it is tried again.
TEST(SessionCache, ExceptionsAreErrorsOfAllWhoWait) {
  Table table(4);
  Outcome waiting;
  const auto throws = [&]() -> Result<std::shared_ptr<const std::string>> {
    table.open("a", sound, [&](uint64_t, const Status& status) {
      waiting.code = status.code();
      waiting.message = status.message();
    });
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  };
  const Outcome first = open(&table, "a", 0, throws);
  EXPECT_EQ(first.code, GLS_ERR_INTERNAL);
  EXPECT_EQ(waiting.code, GLS_ERR_INTERNAL);
  EXPECT_EQ(waiting.message, first.message);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(open(&table, "a").code, GLS_OK);
}

}  // namespace
}  // namespace gls::test
