// What lets a weighted draw be a search and not a pass over its row: the running parts s_i of
// docs/contract.md section 2, for every position. With or without the table a batch is the same.
#pragma once

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/status.h"
#include "graph/dataset.h"

namespace gls {

// Level 0 has the running parts of all positions. Entry e of level l repeats that of position
// 16^l (e + 1) - 1, so that a search reads some lines of one level and then one line of each level
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

  struct alignas(16) Row {
    int64_t begin;
    int32_t degree;
    // Entries with a positive weight; kUnknown where the row must be read: it has a weight or an id
    // that does not fit, which is an error for whoever uses it, or a sum that is infinite.
    int32_t positive;
  };
  static constexpr int32_t kUnknown = -1;
  const Row* rows() const { return rows_; }
  // Of rows that are not unknown.
  std::span<const int32_t> parts(const Row& row) const {
    return {levels_[0] + row.begin, static_cast<size_t>(row.degree)};
  }

  // The positions of positive weight, ascending.
  void append_positive(const Row& row, std::vector<int64_t>* out) const {
    const bool all = row.positive == row.degree;  // the commonest case reads no memory
    int32_t before = 0;
    for (int64_t at = row.begin; at < row.begin + row.degree; ++at) {
      const int32_t part = all ? before + 1 : levels_[0][at];
      if (part > before) {
        out->push_back(at);
      }
      before = part;
    }
  }

  // A search goes level by level, so that many can wait for memory together. It begins with the
  // lowest level that has at most 2^kWindowBits + 1 entries of the row, which are all looked at.
  static constexpr int kWindowBits = 6;
  static int32_t top_level(const Row& row) {
    const auto width = static_cast<int32_t>(std::bit_width(static_cast<uint32_t>(row.degree - 1)));
    return std::max(0, width - kWindowBits + kLineBits - 1) / kLineBits;
  }
  std::span<const int32_t> entries(const Row& row, int32_t level) const {
    const int64_t first = row.begin >> (kLineBits * level);
    const int64_t last = (row.begin + row.degree) >> (kLineBits * level);
    return {levels_[static_cast<size_t>(level)] + first, static_cast<size_t>(last - first)};
  }
  // Then, given how many entries of the row on the level above do not exceed x, as many here.
  void prefetch_below(const Row& row, int32_t level, int32_t above) const {
    __builtin_prefetch(levels_[static_cast<size_t>(level)] + line_below(row, level, above));
  }
  int32_t search_below(const Row& row, int32_t level, int32_t above, int32_t x) const {
    const int64_t first = row.begin >> (kLineBits * level);
    const int64_t last = (row.begin + row.degree) >> (kLineBits * level);
    const int64_t line = line_below(row, level, above);
    const int below = count_below(levels_[static_cast<size_t>(level)] + line, first - line, x);
    return static_cast<int32_t>(std::min(last, line + below) - first);
  }

 private:
  static constexpr int kLineBits = 4;
  static constexpr int64_t kLine = int64_t{1} << kLineBits;  // numbers in a cache line
  static constexpr size_t kLevels = 9;                       // of 2^31 entries, no row has more

  static int64_t line_below(const Row& row, int32_t level, int32_t above) {
    return kLine * ((row.begin >> (kLineBits * (level + 1))) + above);
  }

  // How many of a line's numbers come before the first that exceeds x. The first `others`, if
  // positive, are of earlier rows and do not count as exceeding.
  static int count_below(const int32_t* line, int64_t others, int32_t x) {
#if defined(__x86_64__)
    const __m128i limit = _mm_set1_epi32(x);
    const auto above = [&](int at) {
      return _mm_cmpgt_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(line + at)), limit);
    };
    const __m128i low = _mm_packs_epi32(above(0), above(4));
    const __m128i high = _mm_packs_epi32(above(8), above(12));
    auto bits = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
    uint32_t bits = 0;
    for (int i = 0; i < kLine; ++i) {
      bits |= static_cast<uint32_t>(line[i] > x) << i;
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
  struct Scratch {
    std::vector<double> weights;
    std::vector<double> sums;
  };
  void fill(const Topology& topology, const Tensor& column, int64_t node, Scratch* scratch);
  void fill_above(int64_t num_edges);

  PageBlock parts_block_;
  PageBlock rows_block_;
  std::array<int32_t*, kLevels> levels_{};
  Row* rows_ = nullptr;
};

}  // namespace gls
