// Which devices are a group, and which of them has which rows.
#include "device/peer/group_seat.h"

#include <gtest/gtest.h>

#include <vector>

#include "feature/group_columns.h"

namespace gls::test {
namespace {

TEST(GroupRows, AreDealtInTurn) {
  const std::vector<uint64_t> even = {3, 3};
  EXPECT_EQ(deal_rows(5, even), (std::vector<uint32_t>{0, 1, 0, 1, 0}));
  const std::vector<uint64_t> uneven = {1, 0, 4};
  EXPECT_EQ(deal_rows(5, uneven), (std::vector<uint32_t>{0, 2, 2, 2, 2}));
  EXPECT_TRUE(deal_rows(0, uneven).empty());
}

TEST(GroupSeat, IsWhatTheSettingSays) {
  const LocalPlace place = {5, 8, "job", ""};
  const auto seat = [&](const char* text, int32_t device) {
    auto found = find_seat(text, device, place);
    EXPECT_TRUE(found.ok()) << text << ": " << found.status().message();
    return found.ok() ? found.take() : GroupSeat();
  };
  EXPECT_EQ(seat("", 3).size, 1u);
  EXPECT_EQ(seat("3", 3).size, 1u);
  const GroupSeat second = seat("0,1;6,2,3", 2);
  EXPECT_EQ(second.size, 3u);
  EXPECT_EQ(second.member, 1u);
  EXPECT_EQ(second.number, 1u);
  EXPECT_EQ(second.devices, (std::vector<int32_t>{6, 2, 3}));
  const GroupSeat local = seat("local", 0);
  EXPECT_EQ(local.size, 8u);
  EXPECT_EQ(local.member, 5u);
  EXPECT_TRUE(local.devices.empty());
  const GroupSeat half = seat("local:4", 0);
  EXPECT_EQ(half.size, 4u);
  EXPECT_EQ(half.member, 1u);
  EXPECT_EQ(half.number, 1u);
  for (const char* const text :
       {",", "0,", "0;;1", "a", "0,1;1", "-1", "local:", "local:0", "local:x", "local:3", " 0",
        "locals", "0,70000", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"}) {
    EXPECT_EQ(find_seat(text, 0, place).status().code(), GLS_ERR_INVALID_ARGUMENT) << text;
  }
  const LocalPlace unknown = {0, 1, "", "nobody says it"};
  auto lost = find_seat("local", 0, unknown);
  EXPECT_EQ(lost.status().code(), GLS_ERR_NOT_FOUND);
  EXPECT_NE(lost.status().message().find("nobody says it"), std::string::npos);
  EXPECT_TRUE(find_seat("0,1", 0, unknown).ok());
}

}  // namespace
}  // namespace gls::test
