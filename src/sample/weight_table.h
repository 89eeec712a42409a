// What lets a weighted draw be a search and not a pass over its row: the running sums c_i of
// docs/contract.md section 2, coarsely. A draw that they cannot decide is left to whoever reads the
// row, so that with or without the table a batch is the same.
#pragma once

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory.h"
#include "base/status.h"
#include "graph/dataset.h"

namespace gls {

// A sum is kept as f(c) = int32(c * scale), with a scale for each row. As f never descends,
// f(c) > f(x) means c > x and f(c) < f(x) means c < x; only draws with f(c) = f(x), about one in
// 2^31 / degree, remain undecided.
//
// Level 0 has these for all positions. Entry e of level l repeats that of position
// 16^l (e + 1) - 1, so that a search reads a few lines of one level and then one line of each level
// below, however long the row and whatever its weights are.
class WeightTable {
 public:
  // One for each edge type, layout and column of a dataset, made on the context's threads when
  // first asked for, and kept with the dataset. NULL when all tables of the dataset would take more
  // than `most_bytes`, when there is no memory for it, or when rows overlap, as those of damaged
  // data do: then rows have to be read.
  static Result<std::shared_ptr<const WeightTable>> of(const Dataset& dataset, size_t edge_type,
                                                       Layout layout, const Column& column,
                                                       uint64_t most_bytes);
  static uint64_t bytes_for(const Topology& topology);

  struct alignas(32) Row {
    int64_t begin;
    double total;  // of the weights, exactly
    double scale;
    int32_t degree;
    // Entries with a positive weight; kUnknown where the row must be read: it has a weight or an id
    // that does not fit, which is an error for whoever uses it, or sums that have no scale.
    int32_t positive;
  };
  static constexpr int32_t kUnknown = -1;
  const Row* rows() const { return rows_; }

  // A search goes level by level, so that many can wait for memory together, and gives on level 0 a
  // position or the end of the row. For rows that are not empty and not unknown.
  //
  // The level a search begins with: the lowest with at most 2^kWindowBits entries of the row.
  static int32_t top_level(const Row& row) {
    const auto width = static_cast<int32_t>(std::bit_width(static_cast<uint32_t>(row.degree - 1)));
    return std::max(0, width - kWindowBits + kLineBits - 1) / kLineBits;
  }
  static int32_t key_of(const Row& row, double x) { return static_cast<int32_t>(x * row.scale); }

  // Where a key is likely to be found: weights of a row are often alike.
  int64_t guess_top(const Row& row, int32_t level, int32_t key) const {
    const int64_t first = row.begin >> (kLineBits * level);
    const int64_t last = (row.begin + row.degree) >> (kLineBits * level);
    return first + ((last - first) * key >> 31);
  }
  void prefetch_top(int32_t level, int64_t guess) const {
    prefetch(levels_[static_cast<size_t>(level)] + guess);
  }
  // The first entry of the row at its top level that exceeds the key, or the end of the row.
  int64_t search_top(const Row& row, int32_t level, int64_t guess, int32_t key) const {
    const int64_t first = row.begin >> (kLineBits * level);
    const int64_t last = (row.begin + row.degree) >> (kLineBits * level);
    const int32_t* const entries = levels_[static_cast<size_t>(level)];
    for (int64_t line = guess & -kLine;;) {
      const int below = count_below(entries + line, first - line, key);
      if (below == kLine && line + kLine < last) {
        line += kLine;
      } else if (below == 0 && line > first && entries[line - 1] > key) {
        line -= kLine;
      } else {
        return std::min(last, line + below);
      }
    }
  }
  void prefetch_below(int32_t level, int64_t entry) const {
    prefetch(levels_[static_cast<size_t>(level)] + kLine * entry);
  }
  // The same for a `level` below, given the entry found above it.
  int64_t search_below(const Row& row, int32_t level, int64_t entry, int32_t key) const {
    const int64_t line = kLine * entry;
    const int below = count_below(levels_[static_cast<size_t>(level)] + line,
                                  (row.begin >> (kLineBits * level)) - line, key);
    return std::min((row.begin + row.degree) >> (kLineBits * level), line + below);
  }
  // Whether the first position whose coarse sum exceeds the key is that of the exact sums.
  bool decided(const Row& row, int64_t position, int32_t key) const {
    return position < row.begin + row.degree &&
           (position == row.begin || levels_[0][position - 1] != key);
  }
  // All of this at once; -1: not decided.
  int64_t search(const Row& row, double x) const;

 private:
  static constexpr int kLineBits = 4;
  static constexpr int64_t kLine = int64_t{1} << kLineBits;  // numbers in a cache line
  static constexpr int kWindowBits = 7;
  static constexpr size_t kLevels = 9;  // of 2^31 entries, no row has more

  static void prefetch(const int32_t* address) { __builtin_prefetch(address, 0, 2); }

  // How many of a line's numbers come before the first that exceeds the key. The first `others`,
  // if positive, are of earlier rows and do not count as exceeding.
  static int count_below(const int32_t* line, int64_t others, int32_t key) {
#if defined(__x86_64__)
    const __m128i limit = _mm_set1_epi32(key);
    const auto above = [&](int at) {
      return _mm_cmpgt_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(line + at)), limit);
    };
    const __m128i low = _mm_packs_epi32(above(0), above(4));
    const __m128i high = _mm_packs_epi32(above(8), above(12));
    auto bits = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
    uint32_t bits = 0;
    for (int i = 0; i < kLine; ++i) {
      bits |= static_cast<uint32_t>(line[i] > key) << i;
    }
#endif
    bits &= ~uint32_t{0} << std::max<int64_t>(others, 0);
    return std::countr_zero(bits | 1u << kLine);
  }

  struct Extent {
    std::array<int64_t, kLevels> begin{};  // of each level, in numbers
    int64_t size = 0;
  };
  static Extent extent_of(int64_t num_edges);

  WeightTable(const Topology& topology, bool huge_pages);
  void fill(const Topology& topology, const Tensor& column, int64_t node,
            std::vector<double>* sums);
  void fill_above(int64_t num_edges);

  PageBlock sums_block_;
  PageBlock rows_block_;
  std::array<int32_t*, kLevels> levels_{};
  Row* rows_ = nullptr;
};

}  // namespace gls
