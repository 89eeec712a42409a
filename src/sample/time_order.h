// A long row by time (docs/decisions/0087-row-times.md): its positions in the order of their
// times, and bits that find the n-th position, in the order of the row, among those of a range of
// times. That takes some reads for each halving of the row, where a scan reads all of it. The bits
// are a wavelet matrix (Claude, Navarro, Ordonez: The wavelet matrix, Information Systems 47, 2015)
// whose last levels are left out: a block of positions is scanned.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

class TimeOrder {
 public:
  static constexpr int kBlockBits = 9;
  static constexpr int64_t kBlock = int64_t{1} << kBlockBits;
  static constexpr int64_t kMostPositions = INT64_C(0xffffffff);

  // A range of the order.
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

  static uint64_t bytes_for(int64_t count, bool finds);
  // Of a row with these times, of at most kMostPositions; without `finds` there is only the order.
  TimeOrder(const IdSpan& times, bool finds);

  bool finds() const { return finds_; }
  int64_t position(int64_t rank) const { return order_[static_cast<size_t>(rank)]; }
  // Those of the times low .. high, which are the times this was made of.
  Range range(const IdSpan& times, int64_t low, int64_t high) const;
  // Where the position is that has `index` others of the range before it in the row.
  InBlock find(Range range, int64_t index) const;
  // How many of the range are in blocks before this one.
  int64_t before_block(Range range, int64_t block) const;

 private:
  struct Word {
    uint64_t bits;
    int64_t before;  // set bits of the level in the words before
  };
  int64_t set_before(size_t level, int64_t rank) const {
    const Word& word = words_[level * words_per_level_ + static_cast<size_t>(rank / 64)];
    return word.before + std::popcount(word.bits & ((uint64_t{1} << (rank % 64)) - 1));
  }
  void add_level(size_t level, int bit, std::vector<uint32_t>* sequence,
                 std::vector<uint32_t>* ones);

  std::vector<uint32_t> order_;
  bool finds_;
  size_t levels_ = 0;
  size_t words_per_level_ = 0;
  std::vector<Word> words_;     // level by level
  std::vector<int64_t> zeros_;  // by level: bits that are not set
};

}  // namespace gls
