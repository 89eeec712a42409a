// An index of a row by time (docs/decisions/0087-row-times.md). It holds the sorted times, the
// positions in that order, and bits that find the positions within a time range without reading the
// row. For a row of up to kLong edges, these are the bits of all positions, stored at some ranks. A
// longer row has a wavelet matrix (Claude, Navarro, Ordonez: The wavelet matrix, Information
// Systems 47, 2015), which finds the n-th such position. Its last levels are omitted; a block of
// positions is scanned instead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sample/kernels/bit_select.h"
#include "tensor/tensor.h"

namespace gls {

// Views the memory that make() wrote.
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
  // A block of the row, and how many entries of the range come before a position in it.
  struct InBlock {
    int64_t block;
    int64_t index;
  };

  // Bits are stored only with `finds`. The memory takes bytes_for() of these times; `to` is aligned
  // to a cache line.
  static uint64_t bytes_for(int64_t count, bool wide, bool finds);
  static void make(const IdSpan& times, bool finds, std::byte* to);
  explicit TimeOrder(const std::byte* made);
  // Prefetch the first reads, and the reads of range() in a row that is not long.
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
  // The range of the times low .. high.
  Range range(int64_t low, int64_t high) const;

  // ---- for a row that is not long ----
  // Sets the bits of the range's positions, 64 in a word, and clears all others. `other` is scratch
  // of as many words.
  void mark(Range range, uint64_t* words, uint64_t* other) const;

  // ---- for a long row ----
  // Finds the position that has `index` others of the range before it in the row.
  InBlock find(Range range, int64_t index) const;
  // How many entries of the range are in earlier blocks.
  int64_t before_block(Range range, int64_t block) const;

 private:
  struct Word {
    uint64_t bits;
    int64_t before;  // set bits of the level in earlier words
  };
  struct Head;
  struct Places;
  // The number of ranks with stored times and bits.
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
  const uint64_t* bits_;  // bits of the positions before each of those ranks
  const Word* levels_;
  size_t num_levels_;
  size_t words_per_level_;
};

}  // namespace gls
