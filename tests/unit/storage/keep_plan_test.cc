// KeepPlan against an exhaustive search for the fewest misses, and against its own rules.
#include "storage/keep_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <random>
#include <vector>

namespace gls {
namespace {

// The batches that use each row, ascending.
using Uses = std::vector<std::vector<uint32_t>>;

Uses random_uses(std::mt19937_64& random, size_t rows, size_t batches, double density) {
  std::bernoulli_distribution used(density);
  Uses uses(rows);
  for (auto& row : uses) {
    for (uint32_t batch = 0; batch < batches; ++batch) {
      if (used(random)) {
        row.push_back(batch);
      }
    }
  }
  return uses;
}

// Tries every set of rows that may stay in memory after each batch.
uint64_t fewest_misses(const Uses& uses, size_t batches, int capacity) {
  const size_t sets = size_t{1} << uses.size();
  constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
  std::vector<uint64_t> misses(sets, kNever);
  misses[0] = 0;
  for (size_t batch = 0; batch < batches; ++batch) {
    size_t used = 0;
    for (size_t row = 0; row < uses.size(); ++row) {
      used |= std::ranges::count(uses[row], batch) > 0 ? size_t{1} << row : 0;
    }
    std::vector<uint64_t> after(sets, kNever);
    for (size_t before = 0; before < sets; ++before) {
      if (misses[before] == kNever) {
        continue;
      }
      const uint64_t now = misses[before] + static_cast<uint64_t>(std::popcount(used & ~before));
      for (size_t kept = 0; kept < sets; ++kept) {
        if ((kept & ~(before | used)) == 0 && std::popcount(kept) <= capacity) {
          after[kept] = std::min(after[kept], now);
        }
      }
    }
    misses = after;
  }
  return *std::ranges::min_element(misses);
}

ReuseCounts count(const Uses& uses, size_t batches) {
  ReuseCounts counts(1, batches);
  for (const auto& row : uses) {
    counts.add(0, row);
  }
  return counts;
}

TEST(KeepPlan, HasTheFewestMissesOfAll) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const size_t rows = 1 + random() % 6;
    const size_t batches = 1 + random() % 8;
    const Uses uses = random_uses(random, rows, batches, 0.2 + 0.1 * static_cast<double>(i % 7));
    const int capacity = static_cast<int>(random() % (rows + 1));
    const ReuseCounts counts = count(uses, batches);
    const uint64_t row_bytes = 1 + random() % 100;
    const KeepPlan plan =
        KeepPlan::make(counts, std::array{row_bytes}, static_cast<uint64_t>(capacity) * row_bytes);
    EXPECT_EQ(plan.misses(0), fewest_misses(uses, batches, capacity))
        << rows << " rows, " << batches << " batches, capacity " << capacity;
    EXPECT_EQ(plan.missed_bytes(), plan.misses(0) * row_bytes);
  }
}

// Follows the cursor, with rows of several sizes.
TEST(KeepPlan, NeverKeepsMoreThanItsCapacity) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 60; ++i) {
    const size_t batches = 2 + random() % 40;
    const std::vector<uint64_t> row_bytes = {64, 4, 513};
    std::vector<Uses> uses;
    ReuseCounts counts(row_bytes.size(), batches);
    uint64_t all_bytes = 0;
    for (size_t kind = 0; kind < row_bytes.size(); ++kind) {
      uses.push_back(random_uses(random, 200, batches, 0.15));
      all_bytes += 200 * row_bytes[kind];
      for (const auto& row : uses[kind]) {
        counts.add(kind, row);
      }
    }
    const uint64_t capacity = all_bytes / (1 + random() % 20);
    const KeepPlan plan = KeepPlan::make(counts, row_bytes, capacity);
    KeepCursor cursor(plan);
    std::vector<uint64_t> bytes(batches);  // in memory after each batch
    uint64_t missed = 0;
    for (size_t kind = 0; kind < row_bytes.size(); ++kind) {
      for (const auto& row : uses[kind]) {
        missed += row.empty() ? 0 : row_bytes[kind];
        for (size_t use = 1; use < row.size(); ++use) {
          if (!cursor.next(kind, row[use - 1], row[use])) {
            missed += row_bytes[kind];
            continue;
          }
          for (uint32_t batch = row[use - 1]; batch < row[use]; ++batch) {
            bytes[batch] += row_bytes[kind];
          }
        }
      }
    }
    EXPECT_EQ(missed, plan.missed_bytes());
    EXPECT_LE(plan.peak_bytes(), capacity);
    EXPECT_EQ(*std::ranges::max_element(bytes), plan.peak_bytes());
  }
}

TEST(KeepPlan, KeepsNothingWithoutMemoryAndEverythingWithEnough) {
  const Uses uses = {{0, 1, 2, 3}, {0, 3}, {}, {2}};
  const ReuseCounts counts = count(uses, 4);
  EXPECT_EQ(counts.uses(0), 7U);
  EXPECT_EQ(counts.distinct_rows(0), 3U);
  EXPECT_EQ(KeepPlan::make(counts, std::array{uint64_t{8}}, 0).misses(0), 7U);
  const KeepPlan plan = KeepPlan::make(counts, std::array{uint64_t{8}}, 16);
  EXPECT_EQ(plan.misses(0), 3U);
  EXPECT_EQ(plan.peak_bytes(), 16U);
}

TEST(KeepPlan, TakesWindowsOfOneBatchAndOfNone) {
  for (const size_t batches : {size_t{0}, size_t{1}}) {
    ReuseCounts counts(2, batches);
    if (batches == 1) {
      counts.add(1, std::array{uint32_t{0}});
    }
    const KeepPlan plan = KeepPlan::make(counts, std::array{uint64_t{8}, uint64_t{3}}, 100);
    EXPECT_EQ(plan.missed_bytes(), batches * 3);
    EXPECT_EQ(plan.peak_bytes(), 0U);
  }
}

TEST(ReuseCounts, AddsThoseOfOtherRows) {
  std::mt19937_64 random(5);
  const Uses uses = random_uses(random, 100, 12, 0.3);
  ReuseCounts first(1, 12);
  ReuseCounts second(1, 12);
  for (size_t row = 0; row < uses.size(); ++row) {
    (row < 40 ? first : second).add(0, uses[row]);
  }
  first.add(second);
  const ReuseCounts all = count(uses, 12);
  EXPECT_EQ(first.uses(0), all.uses(0));
  EXPECT_EQ(first.distinct_rows(0), all.distinct_rows(0));
  for (size_t end = 1; end < 12; ++end) {
    for (size_t begin = 0; begin < end; ++begin) {
      EXPECT_EQ(first.count(0, begin, end), all.count(0, begin, end));
    }
  }
}

}  // namespace
}  // namespace gls
