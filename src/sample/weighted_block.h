// Weighted picks from many rows at once, with the table of running parts. Each of start() and
// add(), draw(), and finish() asks for the memory that the next one reads: with other blocks worked
// on between them, none waits long.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/memory.h"
#include "sample/kernels.h"
#include "sample/weight_table.h"
#include "sample/weighted_parts.h"

namespace gls {

class WeightedBlock {
 public:
  // How many rows to add at most for so many picks from each; 0: rows have to be read.
  static int64_t room(int64_t picks, bool distinct);

  void start(const WeightTable& table, int64_t picks, bool distinct);
  // A row to pick from: it is not unknown to the table, and has a positive weight, or more than
  // `picks` of them if picks are to be distinct.
  // Its draws are made by the id `node`.
  void add(int64_t at, int64_t node, uint64_t key);
  void draw(const kernels::Table& kernels, uint32_t row_word);
  void finish(const kernels::Table& kernels);
  // Appends the positions picked from the `row`-th row that was added.
  void append(size_t row, std::vector<int64_t>* out);

 private:
  static constexpr size_t kMostRows = 64;
  static constexpr int64_t kMostDraws = 2048;
  static constexpr int64_t kMostPicks = kMostDraws / 2;

  int64_t draw_stride() const { return kernels::row_draw_stride(distinct_ ? 2 * picks_ : picks_); }
  int64_t stride() const {
    return (picks_ + kernels::kCountLanes - 1) / kernels::kCountLanes * kernels::kCountLanes;
  }
  int32_t* found_of(size_t row) { return found_.data() + static_cast<int64_t>(row) * stride(); }
  const uint32_t* draws_of(size_t row) const {
    return draws_.data() + static_cast<int64_t>(row) * draw_stride();
  }
  void search_long_rows();
  void ask_below(size_t row);
  void replace_repeated(size_t row);

  const WeightTable* table_ = nullptr;
  int64_t picks_ = 0;
  bool distinct_ = false;
  size_t count_ = 0;
  std::array<uint64_t, kMostRows + 1> nodes_;
  std::array<uint64_t, kMostRows + 1> keys_;
  std::array<WeightTable::Row, kMostRows> rows_;
  std::array<const int32_t*, kMostRows> numbers_;  // at the top level of each row's search
  std::array<int32_t, kMostRows> counts_;
  std::array<int32_t, kMostRows> levels_;
  std::array<size_t, kMostRows> long_rows_;
  size_t num_long_ = 0;
  std::array<const int32_t*, kMostRows> parts_of_;
  std::array<int32_t, kMostRows> degrees_;
  std::array<uint8_t, kMostRows> repeated_;  // picks that are not yet distinct
  alignas(kCacheLine) std::array<uint32_t, kMostDraws + 32> draws_;
  alignas(kCacheLine) std::array<int32_t, kMostDraws> found_;  // in the end indices in the row
  RemainingParts remaining_;
};

}  // namespace gls
