#include "sample/weighted_block.h"

#include <algorithm>
#include <utility>

namespace gls {
namespace {

constexpr int64_t kFewPicks = 64;  // so many are compared with each other

}  // namespace

int64_t WeightedBlock::room(int64_t picks, bool distinct) {
  if (picks < 1 || picks > kMostPicks) {
    return 0;
  }
  const int64_t stride = kernels::row_draw_stride(distinct ? 2 * picks : picks);
  return std::min(static_cast<int64_t>(kMostRows), kMostDraws / stride);
}

void WeightedBlock::start(const WeightTable& table, int64_t picks, bool distinct) {
  table_ = &table;
  picks_ = picks;
  distinct_ = distinct;
  count_ = 0;
}

void WeightedBlock::add(int64_t at, int64_t node, uint64_t key) {
  const WeightTable::Row& row = table_->rows()[at];
  const int32_t level = WeightTable::top_level(row);
  const std::span<const int32_t> numbers = table_->entries(row, level);
  for (size_t i = 0; i < numbers.size(); i += kCacheLine / sizeof(int32_t)) {
    __builtin_prefetch(numbers.data() + i, 0, 2);
  }
  __builtin_prefetch(numbers.data() + numbers.size() - 1, 0, 2);
  nodes_[count_] = static_cast<uint64_t>(node);
  keys_[count_] = key;
  rows_[count_] = row;
  numbers_[count_] = numbers.data();
  counts_[count_] = static_cast<int32_t>(numbers.size());
  levels_[count_] = level;
  parts_of_[count_] = table_->parts(row).data();
  degrees_[count_] = row.degree;
  ++count_;
}

void WeightedBlock::draw(const kernels::Table& kernels, uint32_t row_word) {
  const auto rows = static_cast<int64_t>(count_);
  const int64_t draws = distinct_ ? 2 * picks_ : picks_;
  kernels.draw(
      {nodes_.data(), keys_.data(), rows, (draws + 3) / 4, draw_stride(), row_word, draws_.data()});
  kernels.count({numbers_.data(), counts_.data(), rows, draws_.data(), draw_stride(), picks_,
                 stride(), found_.data()});
  num_long_ = 0;
  for (size_t row = 0; row < count_; ++row) {
    if (levels_[row] > 0) {
      long_rows_[num_long_++] = row;
      ask_below(row);
    }
  }
}

void WeightedBlock::finish(const kernels::Table& kernels) {
  search_long_rows();
  if (distinct_ && picks_ <= kFewPicks) {
    kernels.distinct({parts_of_.data(), degrees_.data(), static_cast<int64_t>(count_),
                      draws_.data(), draw_stride(), picks_, stride(), found_.data(),
                      repeated_.data()});
  } else {
    repeated_.fill(distinct_ ? 1 : 0);
  }
}

// On from the top level.
void WeightedBlock::search_long_rows() {
  while (num_long_ > 0) {
    const size_t searched = std::exchange(num_long_, 0);
    for (size_t i = 0; i < searched; ++i) {
      const size_t row = long_rows_[i];
      --levels_[row];
      int32_t* const found = found_of(row);
      const uint32_t* const draws = draws_of(row);
      for (int64_t j = 0; j < picks_; ++j) {
        found[j] = table_->search_below(rows_[row], levels_[row], found[j], part_of(draws[j]));
      }
      if (levels_[row] > 0) {
        ask_below(row);
        long_rows_[num_long_++] = row;
      }
    }
  }
}

void WeightedBlock::ask_below(size_t row) {
  const int32_t* const found = found_of(row);
  for (int64_t j = 0; j < picks_; ++j) {
    table_->prefetch_below(rows_[row], levels_[row] - 1, found[j]);
  }
}

// Draws again what was taken before.
void WeightedBlock::replace_repeated(size_t row) {
  int32_t* const found = found_of(row);
  const uint32_t* const again = draws_of(row) + picks_;
  remaining_.start(table_->parts(rows_[row]), picks_);
  for (int64_t j = 0; j < picks_; ++j) {
    if (!remaining_.take(found[j])) {
      found[j] = static_cast<int32_t>(remaining_.draw(again[j]));
      remaining_.take(found[j]);
    }
  }
}

void WeightedBlock::append(size_t row, std::vector<int64_t>* out) {
  const int32_t* const found = found_of(row);
  if (repeated_[row] != 0) {
    replace_repeated(row);
  }
  const int64_t begin = rows_[row].begin;
  const size_t before = out->size();
  out->resize(before + static_cast<size_t>(picks_));
  int64_t* const positions = out->data() + before;
  for (int64_t j = 0; j < picks_; ++j) {
    positions[j] = begin + found[j];
  }
}

}  // namespace gls
