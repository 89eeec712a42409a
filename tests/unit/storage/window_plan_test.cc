// plan_window() against a step by step replay of its moves, and against Belady's rule row by row.
#include "storage/window_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "random_numbers.h"
#include "storage/kept_rows.h"

namespace gls::test {
namespace {

using Rows = std::vector<std::vector<int64_t>>;  // by batch, ascending

std::vector<RowList> lists_of(const Rows& rows, size_t begin, size_t end) {
  std::vector<RowList> out;
  for (size_t i = begin; i < end; ++i) {
    out.emplace_back(std::span<const int64_t>(rows[i]));
  }
  return out;
}

Rows random_rows(Numbers* random, size_t batches, int64_t rows, int64_t most) {
  Rows out(batches);
  for (auto& batch : out) {
    std::set<int64_t> chosen;
    for (int64_t i = random->below(most + 1); i > 0; --i) {
      chosen.insert(random->coin() ? random->below(rows) : random->below(rows / 8 + 1));
    }
    batch.assign(chosen.begin(), chosen.end());
  }
  return out;
}

// Misses of Belady's rule that may leave any rows out: the row with the farthest next use goes.
uint64_t belady(const Rows& rows, uint64_t capacity) {
  std::set<int64_t> kept;
  uint64_t misses = 0;
  for (size_t now = 0; now < rows.size(); ++now) {
    for (const int64_t row : rows[now]) {
      misses += kept.insert(row).second ? 1 : 0;
    }
    const auto next_use = [&](int64_t row) {
      size_t at = now + 1;
      while (at < rows.size() && !std::ranges::binary_search(rows[at], row)) {
        ++at;
      }
      return at;
    };
    std::vector<std::pair<size_t, int64_t>> by_next;
    for (const int64_t row : kept) {
      by_next.emplace_back(next_use(row), row);
    }
    std::sort(by_next.begin(), by_next.end());
    kept.clear();
    for (size_t i = 0; i < std::min<size_t>(by_next.size(), capacity); ++i) {
      kept.insert(by_next[i].second);
    }
  }
  return misses;
}

struct Replay {
  uint64_t misses = 0;
  uint64_t placed = 0;
  uint64_t most = 0;  // rows in memory between two batches
};

// Puts the rows that a plan places into slots, as reading the window does.
std::vector<uint32_t> place(const WindowPlan& plan, std::span<const RowList> rows, int64_t num_rows,
                            KeptRows* kept) {
  const std::vector<uint32_t> slots = kept->take_free(plan.placed.size());
  size_t next = 0;
  visit_misses(plan, 1, rows, static_cast<uint64_t>(num_rows),
               [&](uint64_t row, std::span<const uint32_t> batches) {
                 if (batches[0] == 0) {
                   *reinterpret_cast<int64_t*>(kept->row(slots[next++])) =
                       static_cast<int64_t>(row);
                 }
               });
  EXPECT_EQ(next, slots.size());
  return slots;
}

// Does what the plans of all windows say, with rows whose content is their number. `places`: rows
// are put into what memory the window before leaves.
Replay replay(const Rows& rows, size_t window, int64_t num_rows, uint64_t capacity, bool ahead,
              bool places = false) {
  Replay out;
  KeptRows kept(sizeof(int64_t), num_rows + 1, false);
  WindowPlan plan;
  for (size_t first = 0; first < rows.size(); first += window) {
    const size_t end = std::min(first + window, rows.size());
    const size_t next = ahead ? std::min(end + window, rows.size()) : end;
    const std::vector<RowMove> before = plan.left_moves;
    const uint64_t room = places ? capacity - plan.peak : 0;
    const std::vector<RowList> lists = lists_of(rows, first, end);
    plan = plan_window(lists, lists_of(rows, end, next), plan.left, static_cast<uint64_t>(num_rows),
                       capacity, room, std::make_shared<SpillMemory>(""));
    EXPECT_LE(plan.placed.size(), room);
    std::vector<uint32_t> dropped;
    const std::vector<uint32_t> placed = place(plan, lists, num_rows, &kept);
    kept.begin_window(plan, before, placed, &dropped);
    for (const uint32_t slot : dropped) {
      kept.give_back(slot);
    }
    EXPECT_EQ(plan.batches, end - first);
    uint64_t missed = 0;
    uint64_t most = kept.slots() - kept.free_slots();
    for (size_t batch = 1; batch <= plan.batches; ++batch) {
      const std::vector<int64_t>& needed = rows[first + batch - 1];
      EXPECT_EQ(plan.moves[batch].size(), needed.size());
      uint64_t misses = 0;
      for (size_t i = 0; i < needed.size(); ++i) {
        const RowMove move = plan.moves[batch][i];
        uint32_t slot = 0;
        if (move.from == RowMove::kNone) {
          ++misses;
          slot = kept.take_free(1)[0];
          *reinterpret_cast<int64_t*>(kept.row(slot)) = needed[i];
        } else {
          slot = kept.take(move.from, static_cast<uint16_t>(batch));
        }
        EXPECT_EQ(*reinterpret_cast<int64_t*>(kept.row(slot)), needed[i]);
        if (move.until == RowMove::kNone) {
          kept.give_back(slot);
        } else {
          kept.leave(slot, static_cast<uint16_t>(batch), move.until);
        }
      }
      EXPECT_EQ(plan.missed[batch], misses);
      most = std::max<uint64_t>(most, kept.slots() - kept.free_slots());
      missed += misses;
    }
    EXPECT_EQ(plan.misses, missed);
    EXPECT_EQ(plan.peak, most);
    out.most = std::max(out.most, most);
    out.placed += placed.size();
    EXPECT_EQ(plan.left.size(), kept.slots() - kept.free_slots());
    out.misses += missed;
  }
  return out;
}

TEST(WindowPlan, KeepsWhatItSaysAndNoMoreThanFits) {
  for (uint64_t number = 0; number < 400; ++number) {
    Numbers random(number);
    const int64_t num_rows = random.one_of<int64_t>({1, 7, 40, 300, 5000});
    const size_t batches = 1 + random.index(20);
    const Rows rows = random_rows(&random, batches, num_rows, num_rows / 2 + 2);
    const auto capacity = static_cast<uint64_t>(random.below(num_rows + 2));
    const size_t window = 1 + random.index(batches);
    const Replay done = replay(rows, window, num_rows, capacity, random.coin(), random.coin());
    EXPECT_LE(done.most, capacity) << number;
    ASSERT_FALSE(testing::Test::HasFailure()) << number;
  }
}

TEST(WindowPlan, MissesAsFewAsBelady) {
  for (uint64_t number = 0; number < 300; ++number) {
    Numbers random(number);
    const int64_t num_rows = 2 + random.below(60);
    const size_t batches = 1 + random.index(14);
    const Rows rows = random_rows(&random, batches, num_rows, num_rows);
    const auto capacity = static_cast<uint64_t>(random.below(num_rows + 2));
    const uint64_t fewest = belady(rows, capacity);
    EXPECT_EQ(replay(rows, batches, num_rows, capacity, false).misses, fewest) << number;
    // With two windows the second one is known from the start.
    EXPECT_EQ(replay(rows, (batches + 1) / 2, num_rows, capacity, true).misses, fewest) << number;
  }
}

// A row that is placed is no miss; the others are as few as if its first use were none.
TEST(WindowPlan, PlacesTheRowsThatAreNeededSoonest) {
  const Rows rows = {{1, 2}, {3}, {1, 4, 5}};
  const auto with = [&](uint64_t capacity, uint64_t room) {
    return plan_window(lists_of(rows, 0, 3), {}, RowList(), 8, capacity, room,
                       std::make_shared<SpillMemory>(""));
  };
  EXPECT_EQ(with(8, 0).placed.size(), 0u);
  EXPECT_EQ(with(8, 1).placed.size(), 0u);  // both rows of the first batch, or none
  EXPECT_EQ(with(8, 2).placed, std::vector<uint16_t>({1, 1}));
  EXPECT_EQ(with(8, 3).placed, std::vector<uint16_t>({1, 1, 2}));
  const WindowPlan all = with(8, 8);
  EXPECT_EQ(all.placed, std::vector<uint16_t>({1, 1, 2, 3, 3}));
  EXPECT_EQ(all.misses, 0u);
  const WindowPlan some = with(3, 8);  // the farthest ones wait
  EXPECT_EQ(some.placed, std::vector<uint16_t>({1, 1, 2}));
  EXPECT_EQ(some.misses, 2u);
}

TEST(WindowPlan, KeepsTheMostUsedRowsForLater) {
  // Row 1 comes in each batch, the others once. No batch is known behind the window.
  const Rows rows = {{1, 2, 3}, {1, 4, 5}, {1, 6, 7}};
  const WindowPlan plan =
      plan_window(lists_of(rows, 0, 3), {}, RowList(), 8, 1, 0, std::make_shared<SpillMemory>(""));
  ASSERT_EQ(plan.left.size(), 1u);
  std::vector<uint64_t> left;
  RowList::Cursor(plan.left).take_below(8, [&](uint64_t row) { left.push_back(row); });
  EXPECT_EQ(left, std::vector<uint64_t>({1}));
}

TEST(RowList, TakesNumbersBeyondFourBytes) {
  constexpr int64_t kFar = int64_t{1} << 33;
  const std::vector<int64_t> a = {0, 5, (int64_t{1} << 32) - 1, int64_t{1} << 32, kFar, kFar + 7};
  const std::vector<int64_t> b = {5, kFar + 7};
  const RowList one(a);
  const RowList two(b);
  const RowList* const lists[] = {&one, &two};
  std::map<int64_t, std::vector<uint32_t>> seen;
  int64_t last = -1;
  visit_rows(lists, uint64_t{1} << 34, [&](uint64_t row, std::span<const uint32_t> users) {
    EXPECT_GT(static_cast<int64_t>(row), last);
    last = static_cast<int64_t>(row);
    seen[last] = {users.begin(), users.end()};
  });
  const std::map<int64_t, std::vector<uint32_t>> expected = {
      {0, {0}}, {5, {0, 1}}, {a[2], {0}}, {a[3], {0}}, {kFar, {0}}, {kFar + 7, {0, 1}}};
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace gls::test
