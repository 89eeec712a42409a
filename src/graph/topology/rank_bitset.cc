#include "graph/topology/rank_bitset.h"

#include <memory>

#include "system/memory.h"

namespace gls {
namespace {

constexpr int64_t kAhead = 16;
constexpr int64_t kWordsOfIds = kWordsPerLine - 1;

// A mask of all words of a line before the given one. With it every word is counted, so no branch
// depends on the position of an id, which cannot be predicted.
struct WordsBefore {
  uint64_t masks[kWordsOfIds][kWordsOfIds] = {};
  constexpr WordsBefore() {
    for (int64_t word = 0; word < kWordsOfIds; ++word) {
      for (int64_t w = 0; w < word; ++w) {
        masks[word][w] = ~uint64_t{0};
      }
    }
  }
};
constexpr WordsBefore kBefore;

[[gnu::always_inline]] inline void find_ranks(const uint64_t* lines, const IdSpan& ids,
                                              int64_t* out) {
  const int64_t count = ids.size();
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      __builtin_prefetch(lines + ids[i + kAhead] / kIdsPerLine * kWordsPerLine);
    }
    const int64_t id = ids[i];
    const uint64_t* const line = lines + id / kIdsPerLine * kWordsPerLine;
    const int64_t at = id % kIdsPerLine;
    const int64_t word = at / 64;
    const uint64_t bit = uint64_t{1} << (at % 64);
    const uint64_t own = line[1 + word];
    uint64_t rank = line[0] + static_cast<uint64_t>(std::popcount(own & (bit - 1)));
    for (int64_t w = 0; w < kWordsOfIds; ++w) {
      rank += static_cast<uint64_t>(std::popcount(line[1 + w] & kBefore.masks[word][w]));
    }
    out[i] = (own & bit) != 0 ? static_cast<int64_t>(rank) : -1;
  }
}

#if defined(__x86_64__)
// Without the instruction, counting bits calls a function for each word.
[[gnu::target("popcnt")]] void find_ranks_popcnt(const uint64_t* lines, const IdSpan& ids,
                                                 int64_t* out) {
  find_ranks(lines, ids, out);
}
#endif

}  // namespace

void ranks_in(const uint64_t* lines, const IdSpan& ids, int64_t* out) {
#if defined(__x86_64__)
  static const bool popcnt = __builtin_cpu_supports("popcnt") != 0;
  if (popcnt) {
    find_ranks_popcnt(lines, ids, out);
    return;
  }
#endif
  find_ranks(lines, ids, out);
}

RankBitset::RankBitset(int64_t limit) : limit_(limit) {
  const int64_t lines = lines_of_ids(limit);
  auto block = std::make_shared<PageBlock>(static_cast<size_t>(lines) * 64, false);
  lines_ = reinterpret_cast<uint64_t*>(block->data());
  tensor_ = Tensor(std::move(block), lines_, kUint64, {lines, kWordsPerLine}, false);
}

void RankBitset::finish() {
  uint64_t before = 0;
  for (int64_t line = 0; line < lines_of_ids(limit_); ++line) {
    uint64_t* const words = lines_ + line * kWordsPerLine;
    words[0] = before;
    for (int64_t w = 1; w < kWordsPerLine; ++w) {
      before += static_cast<uint64_t>(std::popcount(words[w]));
    }
  }
  count_ = static_cast<int64_t>(before);
}

}  // namespace gls
