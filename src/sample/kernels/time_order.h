// A row by time (docs/decisions/0087-row-times.md): its times in order, its positions in that
// order, and bits that tell which positions have times of a range without reading the row. Of a
// row of up to kLong edges these are the bits of all its positions, as they are at some ranks. Of a
// longer one they are a wavelet matrix (Claude, Navarro, Ordonez: The wavelet matrix, Information
// Systems 47, 2015), which finds the n-th such position; its last levels are left out, and a block
// of positions is scanned.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sample/kernels/bit_select.h"
#include "tensor/tensor.h"

namespace gls {

// Views memory that make() wrote.
class TimeOrder {
 public:
  static constexpr int64_t kLong = 8192;
  static constexpr int kBlockBits = 9;
  static constexpr int64_t kBlock = int64_t{1} << kBlockBits;
  static constexpr int64_t kMostPositions = INT64_C(0xffffffff);

  // A range of ranks by (time, position).
  struct Range {
    int64_t begin;
    int64_t end;
    int64_t size() const { return end - begin; }
  };
  // One of the row's blocks, and how many of the range that are before a position are in it.
  struct InBlock {
    int64_t block;
    int64_t index;
  };

  // With `finds` there are bits. In all, bytes_for() of these times; `to` is as a cache line is.
  static uint64_t bytes_for(int64_t count, bool wide, bool finds);
  static void make(const IdSpan& times, bool finds, std::byte* to);
  explicit TimeOrder(const std::byte* made);
  // Ask for what is read first, and for what is read of a row that is not long to find range().
  static void ask_for(const std::byte* made) {
    __builtin_prefetch(made);
    __builtin_prefetch(made + 64);
  }

  void ask_for_range(int64_t low, int64_t high) const {
    ask_for_rank(high, true);
    if (low != INT64_MIN) {
      ask_for_rank(low, false);
    }
  }

  int64_t count() const { return count_; }
  bool finds() const { return finds_; }
  bool is_long() const { return count_ > kLong; }
  int64_t position(int64_t rank) const {
    return narrow_ ? int64_t{static_cast<const uint16_t*>(order_)[rank]}
                   : int64_t{static_cast<const uint32_t*>(order_)[rank]};
  }
  // Those of the times low .. high.
  Range range(int64_t low, int64_t high) const;

  // ---- of a row that is not long ----
  // Sets the bits of the positions of the range, 64 in a word, and clears all others. `other` is
  // scratch of as many words.
  void mark(Range range, uint64_t* words, uint64_t* other) const;

  // ---- of a long row ----
  // Where the position is that has `index` others of the range before it in the row.
  InBlock find(Range range, int64_t index) const;
  // How many of the range are in blocks before this one.
  int64_t before_block(Range range, int64_t block) const;

 private:
  struct Word {
    uint64_t bits;
    int64_t before;  // set bits of the level in the words before
  };
  struct Head;
  struct Places;
  // Ranks whose times, and whose bits, are written down.
  static constexpr int64_t kParts = 14;

  const Word* level(size_t number) const { return levels_ + number * words_per_level_; }
  static int64_t set_before(const Word* level, int64_t rank) {
    const Word& word = level[rank / 64];
    return word.before + set_bits(word.bits & ((uint64_t{1} << (rank % 64)) - 1));
  }
  int64_t zeros(const Word* level) const { return count_ - set_before(level, count_); }
  int64_t marks_before(int64_t time, bool behind_equals) const;
  int64_t rank_of(int64_t time, bool behind_equals) const;
  void ask_for_rank(int64_t time, bool behind_equals) const;
  void mark_before(int64_t rank, uint64_t* words) const;

  int64_t count_;
  bool finds_;
  bool narrow_;  // positions have 16 bits
  int64_t part_;
  IdSpan marks_;  // times at the ranks part_, 2 * part_, ..
  IdSpan times_;
  const void* order_;
  const uint64_t* bits_;  // at those ranks, of those before
  const Word* levels_;
  size_t num_levels_;
  size_t words_per_level_;
};

}  // namespace gls
