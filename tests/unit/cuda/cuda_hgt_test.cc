// Scores and draws of budgets by themselves: what of them no batch shows, as an ulp of a score
// hardly ever decides who is drawn. Kernels run on this processor, see tests/cuda_on_host, or on a
// GPU, see tests/cuda_on_gpu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "cuda/methods/hgt.h"
#include "host_device/hgt_rule.h"
#include "random_numbers.h"
#include "sample/methods/hgt_budget.h"
#include "sanitized.h"

namespace gls::test {
namespace {

void wait() { ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess); }

// Of few nodes, some of which are taken; others had scores before.
TEST(CudaBudgets, AddsSharesInOrder) {
  constexpr int64_t kShares = 3000;
  constexpr int64_t kNodes = 12;
  Numbers random(1);
  std::vector<uint64_t> numbers;
  std::vector<double> values;
  for (int64_t i = 0; i < kShares; ++i) {
    numbers.push_back(static_cast<uint64_t>(random.below(random.below(kNodes) + 1)));
    values.push_back(hgt_share(1 + random.below(60)));
  }
  std::vector<double> scores(kNodes);
  std::vector<uint8_t> taken(kNodes);
  for (size_t m = 0; m < kNodes; ++m) {
    scores[m] = hgt_share(static_cast<int64_t>(3 + m));
    taken[m] = m % 5 == 4 ? 1 : 0;
  }
  std::vector<double> expected = scores;
  std::vector<double> backwards = scores;
  for (size_t i = 0; i < kShares; ++i) {
    const size_t from_end = kShares - 1 - i;
    expected[numbers[i]] += taken[numbers[i]] != 0 ? 0 : values[i];
    backwards[numbers[from_end]] += taken[numbers[from_end]] != 0 ? 0 : values[from_end];
  }
  std::vector<uint64_t> more_numbers(kShares);
  std::vector<double> more_values(kShares);
  const cuda::MetNodes met = {nullptr, scores.data(), taken.data(), nullptr};
  ASSERT_EQ(cuda::add_shares(
                {numbers.data(), values.data(), more_numbers.data(), more_values.data(), kShares},
                met, nullptr),
            cudaSuccess);
  wait();
  EXPECT_EQ(scores, expected);
  EXPECT_NE(expected, backwards);
}

// What a processor draws of a list, whose candidates are nodes met from the end on.
void expect_same_draw(const std::vector<double>& scores, int64_t wanted, uint64_t key) {
  const auto count = static_cast<int64_t>(scores.size());
  HgtBudget budget;
  budget.start(1);
  for (int64_t i = count - 1; i >= 0; --i) {
    budget.add(0, i, scores[static_cast<size_t>(i)]);
  }
  const uint32_t word = row_word(2, 0);
  RowDraws draws(key, word, 0);
  std::vector<int64_t> expected;
  budget.draw(0, draws, wanted, &expected);

  std::vector<uint32_t> list(scores.size());
  std::iota(list.rbegin(), list.rend(), 0);
  std::vector<uint32_t> picks(static_cast<size_t>(wanted));
  std::vector<uint64_t> scratch(cuda::hgt_draw_bytes(count, wanted) / sizeof(uint64_t));
  ASSERT_EQ(cuda::draw_candidates({scores.data(), list.data(), count, wanted, key, word,
                                   picks.data(), scratch.data()},
                                  nullptr),
            cudaSuccess);
  wait();
  std::vector<int64_t> found;
  for (const uint32_t pick : picks) {
    found.push_back(list[pick]);
  }
  EXPECT_EQ(found, expected);
}

// Of all kinds of lists: all scores the same, so that no slot has two entries or every one has; one
// that is nearly all there is; and of all sizes, many or few of which are drawn.
TEST(CudaBudgets, DrawsAsAProcessorDoes) {
  for (uint64_t number = 0; number < 70; number += kSanitized ? 4 : 1) {
    SCOPED_TRACE(number);
    Numbers random(number);
    const auto count = random.one_of<int64_t>({2, 3, 8, 64, 300, 900});
    const int64_t kind = random.below(4);
    std::vector<double> scores;
    for (int64_t i = 0; i < count; ++i) {
      scores.push_back(kind == 0   ? 0.125
                       : kind == 1 ? (i == count / 2 ? 1000 : 0.001)
                       : kind == 2 ? std::ldexp(1.0, static_cast<int>(random.below(20)) - 19)
                                   : hgt_share(1 + random.below(50)) * 3);
    }
    const int64_t wanted =
        random.coin() ? 1 + random.below(std::min<int64_t>(count - 1, 40)) : count - 1;
    expect_same_draw(scores, count > 64 ? std::min<int64_t>(wanted, 60) : wanted, number);
    if (HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace gls::test
