// A set of ids below a limit that can compute the rank of each id: the number of smaller ids in the
// set. A cache line covers 448 ids: word 0 is the number of ids before them, words 1 to 7 hold
// their bits.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/tensor.h"

namespace gls {

inline constexpr int64_t kIdsPerLine = 448;
inline constexpr int64_t kWordsPerLine = 8;
inline constexpr int64_t lines_of_ids(int64_t limit) {
  return (limit + kIdsPerLine - 1) / kIdsPerLine;
}

// -1: not in the set. `id` is below the limit.
inline int64_t rank_in(const uint64_t* lines, int64_t id) {
  const uint64_t* const line = lines + id / kIdsPerLine * kWordsPerLine;
  const int64_t at = id % kIdsPerLine;
  const int64_t word = at / 64;
  const uint64_t bit = uint64_t{1} << (at % 64);
  if ((line[1 + word] & bit) == 0) {
    return -1;
  }
  uint64_t rank = line[0] + static_cast<uint64_t>(std::popcount(line[1 + word] & (bit - 1)));
  for (int64_t w = 0; w < word; ++w) {
    rank += static_cast<uint64_t>(std::popcount(line[1 + w]));
  }
  return static_cast<int64_t>(rank);
}

// As rank_in() for many ids, with prefetching; `out` has room for them.
void ranks_in(const uint64_t* lines, const IdSpan& ids, int64_t* out);

class RankBitset {
 public:
  explicit RankBitset(int64_t limit);

  void add(int64_t id) {
    lines_[id / kIdsPerLine * kWordsPerLine + 1 + id % kIdsPerLine / 64] |=
        uint64_t{1} << (id % kIdsPerLine % 64);
  }
  void remove(int64_t id) {
    lines_[id / kIdsPerLine * kWordsPerLine + 1 + id % kIdsPerLine / 64] &=
        ~(uint64_t{1} << (id % kIdsPerLine % 64));
  }
  bool has(int64_t id) const {
    return (lines_[id / kIdsPerLine * kWordsPerLine + 1 + id % kIdsPerLine / 64] >>
                (id % kIdsPerLine % 64) &
            1) != 0;
  }
  // Call it after all ids were added. It computes count() and rank().
  void finish();
  int64_t limit() const { return limit_; }
  int64_t count() const { return count_; }
  int64_t rank(int64_t id) const { return rank_in(lines_, id); }
  // uint64 [lines, 8]
  const Tensor& tensor() const { return tensor_; }

  // The ids, ascending.
  template <typename Body>
  Status each(const Body& body) const {
    for (int64_t word = 0; word < lines_of_ids(limit_) * kWordsPerLine; ++word) {
      uint64_t bits = word % kWordsPerLine == 0 ? 0 : lines_[word];
      const int64_t first = word / kWordsPerLine * kIdsPerLine + (word % kWordsPerLine - 1) * 64;
      for (; bits != 0; bits &= bits - 1) {
        GLS_TRY(body(first + std::countr_zero(bits)));
      }
    }
    return {};
  }

 private:
  int64_t limit_;
  int64_t count_ = 0;
  Tensor tensor_;
  uint64_t* lines_ = nullptr;
};

}  // namespace gls
