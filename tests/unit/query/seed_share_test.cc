// Shares of seeds, against their laws (decision 0082) and against shares made in another way.
#include "query/seed_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace gls::test {
namespace {

struct Given {
  std::vector<int32_t> owners;
  uint32_t parts = 1;
  uint32_t ranks = 1;
  std::optional<std::vector<int64_t>> rank_parts;
};

using Shares = std::vector<std::vector<int64_t>>;

ShareOptions options_of(const Given& given, uint32_t rank) {
  ShareOptions options = {rank, given.ranks};
  if (given.rank_parts) {
    options.rank_parts = span_of(*given.rank_parts);
  }
  return options;
}

Shares shares_of(const Given& given) {
  Shares out;
  for (uint32_t rank = 0; rank < given.ranks; ++rank) {
    EXPECT_TRUE(check_share(options_of(given, rank), given.parts).ok());
    out.push_back(share_by_owner(given.owners, given.parts, options_of(given, rank)));
  }
  return out;
}

size_t quota(const Given& given, size_t rank) {
  return given.owners.size() / given.ranks + (rank < given.owners.size() % given.ranks ? 1 : 0);
}

// Whether ids of the part are of this rank's own.
bool at_home(const Given& given, uint32_t rank, int32_t part) {
  if (given.rank_parts) {
    return (*given.rank_parts)[rank] == part;
  }
  const auto p = static_cast<uint32_t>(part);
  return given.ranks >= given.parts ? rank * given.parts / given.ranks == p
                                    : p * given.ranks / given.parts == rank;
}

// As the words of the decision say it, one id after the other.
Shares expected_of(const Given& given) {
  Shares out(given.ranks);
  std::vector<char> taken(given.owners.size(), 0);
  // Ranks with the same ids at home, and those ids, in the order given.
  std::map<std::vector<int64_t>, std::vector<uint32_t>> homes;
  for (uint32_t rank = 0; rank < given.ranks; ++rank) {
    std::vector<int64_t> ids;
    for (size_t i = 0; i < given.owners.size(); ++i) {
      if (at_home(given, rank, given.owners[i])) {
        ids.push_back(static_cast<int64_t>(i));
      }
    }
    homes[std::move(ids)].push_back(rank);
  }
  for (const auto& [ids, ranks] : homes) {
    if (ids.empty()) {
      continue;  // ranks of several parts without ids
    }
    size_t next = 0;
    for (size_t k = 0; k < ranks.size(); ++k) {
      const size_t even = ids.size() / ranks.size() + (k < ids.size() % ranks.size() ? 1 : 0);
      for (size_t i = 0; i < std::min(even, quota(given, ranks[k])); ++i, ++next) {
        out[ranks[k]].push_back(ids[next]);
        taken[static_cast<size_t>(ids[next])] = 1;
      }
    }
  }
  size_t rank = 0;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] == 0) {
      while (out[rank].size() == quota(given, rank)) {
        ++rank;
      }
      out[rank].push_back(static_cast<int64_t>(i));
    }
  }
  for (std::vector<int64_t>& share : out) {
    std::sort(share.begin(), share.end());
  }
  return out;
}

void expect_laws(const Given& given, const Shares& shares) {
  std::vector<int64_t> all;
  for (size_t rank = 0; rank < shares.size(); ++rank) {
    EXPECT_EQ(shares[rank].size(), quota(given, rank));
    EXPECT_TRUE(std::is_sorted(shares[rank].begin(), shares[rank].end()));
    all.insert(all.end(), shares[rank].begin(), shares[rank].end());
  }
  std::sort(all.begin(), all.end());
  std::vector<int64_t> expected(given.owners.size());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
  // Who has ids of others has none of its own elsewhere: no share could have more of its own.
  for (uint32_t rank = 0; rank < given.ranks; ++rank) {
    const auto own = [&](int64_t i) {
      return at_home(given, rank, given.owners[static_cast<size_t>(i)]);
    };
    if (std::all_of(shares[rank].begin(), shares[rank].end(), own)) {
      continue;
    }
    for (uint32_t other = 0; other < given.ranks; ++other) {
      for (const int64_t i : shares[other]) {
        EXPECT_TRUE(!own(i) || at_home(given, other, given.owners[static_cast<size_t>(i)]))
            << "rank " << rank << " has none of position " << i << ", which is at " << other;
      }
    }
  }
}

TEST(SeedShare, FollowsItsLaws) {
  std::mt19937 random(7);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    Given given;
    given.parts = static_cast<uint32_t>(1 + below(6));
    given.ranks = static_cast<uint32_t>(1 + below(9));
    const int64_t kinds = 1 + below(given.parts);  // of parts that have ids, some more than others
    for (int64_t i = below(40); i > 0; --i) {
      given.owners.push_back(static_cast<int32_t>(below(1 + below(kinds))));
    }
    if (round % 3 == 0) {
      given.rank_parts.emplace();
      for (uint32_t rank = 0; rank < given.ranks; ++rank) {
        given.rank_parts->push_back(below(given.parts));
      }
    }
    const Shares shares = shares_of(given);
    ASSERT_EQ(shares, expected_of(given));
    expect_laws(given, shares);
    ASSERT_FALSE(HasFailure());
  }
}

// Every way to give few ids to few parts.
TEST(SeedShare, FollowsItsLawsForAllSmallGraphs) {
  for (uint32_t parts = 1; parts <= 3; ++parts) {
    for (uint32_t ranks = 1; ranks <= 4; ++ranks) {
      for (size_t count = 0; count <= 6; ++count) {
        Given given = {std::vector<int32_t>(count, 0), parts, ranks, {}};
        for (bool more = true; more;) {
          const Shares shares = shares_of(given);
          ASSERT_EQ(shares, expected_of(given));
          expect_laws(given, shares);
          ASSERT_FALSE(HasFailure());
          size_t at = 0;
          while (at < count && given.owners[at] + 1 == static_cast<int32_t>(parts)) {
            given.owners[at++] = 0;
          }
          more = at < count;
          if (more) {
            ++given.owners[at];
          }
        }
      }
    }
  }
}

TEST(SeedShare, IsWhatTheWordsSay) {
  // Two machines with two trainers each.
  EXPECT_EQ(shares_of({{1, 0, 0, 1, 1, 0, 1, 0}, 2, 4, {}}),
            (Shares{{1, 2}, {5, 7}, {0, 3}, {4, 6}}));
  // Part 0 has more than its ranks take; part 1 less.
  EXPECT_EQ(shares_of({{0, 0, 0, 0, 0, 0, 1}, 2, 2, {}}), (Shares{{0, 1, 2, 3}, {4, 5, 6}}));
  // Rank 0 has the parts 0 and 1, rank 1 part 2.
  EXPECT_EQ(shares_of({{2, 1, 0, 2, 1, 0}, 3, 2, {}}), (Shares{{1, 2, 4}, {0, 3, 5}}));
  // Trainers are numbered by turns.
  EXPECT_EQ(shares_of({{0, 0, 0, 1, 1, 1}, 2, 3, std::vector<int64_t>{0, 1, 0}}),
            (Shares{{0, 1}, {3, 4}, {2, 5}}));
  // A part without trainers, and trainers of a part without ids.
  EXPECT_EQ(shares_of({{0, 0, 1, 1}, 3, 2, std::vector<int64_t>{2, 0}}), (Shares{{2, 3}, {0, 1}}));
  EXPECT_EQ(shares_of({{}, 2, 2, {}}), (Shares{{}, {}}));
}

TEST(SeedShare, IsARunOfAGraphThatIsWhole) {
  for (int64_t count : {0, 1, 7, 12}) {
    for (uint32_t ranks : {1u, 2u, 5u, 20u}) {
      const Given given = {std::vector<int32_t>(static_cast<size_t>(count), 0), 1, ranks, {}};
      const Shares shares = shares_of(given);
      int64_t begin = 0;
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        const auto run = even_run(count, ranks, rank);
        EXPECT_EQ(run.begin, begin);
        std::vector<int64_t> expected(static_cast<size_t>(run.size()));
        std::iota(expected.begin(), expected.end(), run.begin);
        EXPECT_EQ(shares[rank], expected);
        begin = run.end;
      }
      EXPECT_EQ(begin, count);
    }
  }
}

// Nothing is made for each of them.
TEST(SeedShare, TakesAnyNumberOfRanks) {
  const std::vector<int32_t> owners = {1, 0, 1};
  EXPECT_EQ(share_by_owner(owners, 2, {0, UINT32_MAX}), std::vector<int64_t>{1});
  EXPECT_EQ(share_by_owner(owners, 2, {UINT32_MAX - 1, UINT32_MAX}), std::vector<int64_t>{});
}

TEST(SeedShare, RefusesWhatIsOutOfRange) {
  const std::vector<int64_t> two = {0, 1};
  const std::vector<int64_t> high = {0, 2};
  const std::vector<int64_t> low = {-1, 0};
  const auto expect = [](const ShareOptions& options, const char* argument, const char* words) {
    const Status status = check_share(options, 2);
    EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(status.message(), words);
    ASSERT_NE(status.detail("argument"), nullptr);
    EXPECT_EQ(*status.detail("argument"), argument);
  };
  expect({0, 0}, "world_size", "world_size is 0, expected at least 1");
  expect({2, 2}, "rank", "rank is 2, expected 0 to 1 for world_size 2");
  expect({0, 3, span_of(two)}, "rank_parts",
         "rank_parts: 2 parts, expected one for each of 3 ranks");
  expect({0, 1, IdSpan()}, "rank_parts", "rank_parts: 0 parts, expected one for each of 1 ranks");
  expect({0, 2, span_of(high)}, "rank_parts", "rank_parts: part 2 of rank 1 is outside 0 .. 1");
  expect({0, 2, span_of(low)}, "rank_parts", "rank_parts: part -1 of rank 0 is outside 0 .. 1");
  EXPECT_TRUE(check_share({1, 2, span_of(two)}, 2).ok());
}

}  // namespace
}  // namespace gls::test
