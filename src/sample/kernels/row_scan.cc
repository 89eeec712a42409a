#include "sample/kernels/row_scan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "host_device/exclusion_filter.h"
#include "sample/kernels/bit_select.h"
#include "sample/kernels/time_order.h"

namespace gls {
namespace {

// Sets the bits of the times low .. high in [from, to).
void mark_times(const kernels::Table& kernels, const IdSpan& times, int64_t from, int64_t to,
                TimeLimits limits, uint64_t* words) {
  if (!times.wide()) {
    using Narrow = std::numeric_limits<int32_t>;
    limits = {std::max<int64_t>(limits.low, Narrow::min()),
              std::min<int64_t>(limits.high, Narrow::max())};
  }
  if (limits.low > limits.high) {
    std::fill_n(words, mask_words(to - from), uint64_t{0});
    return;
  }
  kernels.times_within[times.wide() ? 1 : 0](times.part(from, to - from).data(), to - from,
                                             limits.low, limits.high, words);
}

}  // namespace

TimeLimits limits_of(const TimeBounds& bounds) {
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  const bool windowed = bounds.window != 0 && bounds.seed_time >= kFirst + bounds.window;
  const int64_t low = windowed ? bounds.seed_time - bounds.window : kFirst;
  if (!bounds.strict) {
    return {low, bounds.seed_time};
  }
  return bounds.seed_time == kFirst ? TimeLimits{0, -1} : TimeLimits{low, bounds.seed_time - 1};
}

void RowScan::mark(int64_t from, int64_t to, int64_t low, uint64_t* words, uint64_t* other) const {
  mark_times(*kernels, first, from, to, {std::max(low, limits.low), limits.high}, words);
  if (second.data() != nullptr) {
    mark_times(*kernels, second, from, to, limits, other);
    for (size_t w = 0; w < mask_words(to - from); ++w) {
      words[w] &= other[w];
    }
  }
  clear_excluded(from, to, words);
}

void RowScan::clear_excluded(int64_t from, int64_t to, uint64_t* words) const {
  for (auto gap = std::lower_bound(excluded.begin(), excluded.end(), from);
       gap != excluded.end() && *gap < to; ++gap) {
    words[(*gap - from) / 64] &= ~(uint64_t{1} << ((*gap - from) % 64));
  }
}

bool RowScan::accepts(int64_t position) const {
  if (second.data() != nullptr &&
      (second[position] < limits.low || second[position] > limits.high)) {
    return false;
  }
  return !std::binary_search(excluded.begin(), excluded.end(), position);
}

// Scans from the end of the row, since later positions win among equal times. Times not later than
// the earliest of `count` entries found can be skipped.
void append_latest(const RowScan& row, int64_t count, std::vector<int64_t>* out) {
  constexpr int64_t kPiece = 512;
  uint64_t words[kPiece / 64];
  uint64_t other[kPiece / 64];
  using Entry = std::pair<int64_t, int64_t>;  // time, position
  std::vector<Entry> kept;                    // a heap with the earliest on top
  const auto later = [](const Entry& a, const Entry& b) { return a > b; };
  int64_t low = row.limits.low;
  for (int64_t to = row.end; to > row.begin && low <= row.limits.high;) {
    const int64_t from = std::max(row.begin, to - kPiece);
    row.mark(from, to, low, words, other);
    for (size_t w = mask_words(to - from); w-- > 0;) {
      for (uint64_t bits = words[w]; bits != 0;) {
        const int64_t bit = 63 - std::countl_zero(bits);
        bits ^= uint64_t{1} << bit;
        const int64_t position = from + static_cast<int64_t>(w) * 64 + bit;
        const int64_t time = row.first[position];
        if (static_cast<int64_t>(kept.size()) == count) {
          if (time <= kept.front().first) {
            continue;
          }
          std::pop_heap(kept.begin(), kept.end(), later);
          kept.pop_back();
        }
        kept.emplace_back(time, position);
        std::push_heap(kept.begin(), kept.end(), later);
      }
    }
    if (static_cast<int64_t>(kept.size()) == count) {
      if (kept.front().first == row.limits.high) {
        break;
      }
      low = std::max(low, kept.front().first + 1);
    }
    to = from;
  }
  const size_t before = out->size();
  for (const auto& [time, position] : kept) {
    out->push_back(position);
  }
  std::sort(out->begin() + static_cast<int64_t>(before), out->end());
}

void append_latest(const RowScan& row, const std::byte* made, int64_t count,
                   std::vector<int64_t>* out) {
  const TimeOrder order(made);
  const TimeOrder::Range range = order.range(row.limits.low, row.limits.high);
  const size_t before = out->size();
  const auto most = before + static_cast<size_t>(count);
  for (int64_t rank = range.end; rank > range.begin && out->size() < most; --rank) {
    const int64_t position = row.begin + order.position(rank - 1);
    if (row.accepts(position)) {
      out->push_back(position);
    }
  }
  std::sort(out->begin() + static_cast<int64_t>(before), out->end());
}

// ---- entries -----------------------------------------------------------------------------------

std::vector<int64_t>* RowEntries::list() {
  form_ = Form::kList;
  list_.clear();
  return &list_;
}

void RowEntries::scan(const RowScan& row) {
  form_ = Form::kBits;
  row_ = row;
  mark_all();
}

void RowEntries::make_room(int64_t bits) {
  const size_t words = mask_words(bits);
  if (words_.size() < words) {
    words_.resize(words);
    other_.resize(words);
    before_.resize(words);
  }
}

void RowEntries::mark_all() {
  make_room(row_.end - row_.begin);
  row_.mark(row_.begin, row_.end, row_.limits.low, words_.data(), other_.data());
  count_all();
}

void RowEntries::count_all() {
  size_ = 0;
  for (size_t w = 0; w < mask_words(row_.end - row_.begin); ++w) {
    before_[w] = size_;
    size_ += set_bits(words_[w]);
  }
}

void RowEntries::look_up(const RowScan& row, const std::byte* made, int64_t picks) {
  // Looking up one pick takes as long as scanning this many times.
  constexpr int64_t kScanned = 1024;
  const TimeOrder order(made);
  if (order.is_long() && (picks < 0 || picks >= order.count() / kScanned)) {
    scan(row);
    return;
  }
  row_ = row;
  const TimeOrder::Range range = order.range(row.limits.low, row.limits.high);
  if (!order.is_long()) {
    form_ = Form::kBits;
    make_room(order.count());
    order.mark(range, words_.data(), other_.data());
    row.clear_excluded(row.begin, row.end, words_.data());
    count_all();
    return;
  }
  form_ = Form::kOrder;
  order_ = made;
  range_begin_ = range.begin;
  range_end_ = range.end;
  block_ = -1;
  gaps_.clear();
  for (const int64_t position : row.excluded) {
    if (const int64_t time = row.first[position]; time < row.limits.low || time > row.limits.high) {
      continue;
    }
    const int64_t in_block = (position - row.begin) % TimeOrder::kBlock;
    mark_block((position - row.begin) / TimeOrder::kBlock);
    int64_t rank = order.before_block(range, block_);
    for (int64_t w = 0; w < in_block / 64; ++w) {
      rank += set_bits(words_[static_cast<size_t>(w)]);
    }
    const uint64_t below = (uint64_t{1} << (in_block % 64)) - 1;
    gaps_.push_back(rank + set_bits(words_[static_cast<size_t>(in_block / 64)] & below));
  }
  size_ = range.size() - static_cast<int64_t>(gaps_.size());
}

void RowEntries::mark_block(int64_t block) {
  if (block == block_) {
    return;
  }
  make_room(TimeOrder::kBlock);
  const int64_t from = row_.begin + block * TimeOrder::kBlock;
  mark_times(*row_.kernels, row_.first, from, std::min(row_.end, from + TimeOrder::kBlock),
             row_.limits, words_.data());
  block_ = block;
}

int64_t RowEntries::position(int64_t index) {
  if (form_ == Form::kList) {
    return list_[static_cast<size_t>(index)];
  }
  size_t word = 0;
  int64_t from = row_.begin;
  if (form_ == Form::kBits) {
    // The last word with no more entries before it. Branchless, because the result cannot be
    // predicted.
    for (size_t left = mask_words(row_.end - row_.begin); left > 1;) {
      const size_t half = left / 2;
      word += before_[word + half] <= index ? half : 0;
      left -= half;
    }
    index -= before_[word];
  } else {
    const Gaps gaps = {gaps_.data(), static_cast<int64_t>(gaps_.size())};
    const TimeOrder::InBlock in =
        TimeOrder(order_).find({range_begin_, range_end_}, kept_position(0, index, gaps));
    mark_block(in.block);
    from += in.block * TimeOrder::kBlock;
    index = in.index;
    for (int64_t set = set_bits(words_[word]); set <= index; set = set_bits(words_[word])) {
      index -= set;
      ++word;
    }
  }
  return from + static_cast<int64_t>(word) * 64 + nth_set_bit(words_[word], index);
}

void RowEntries::append(std::vector<int64_t>* out) {
  if (form_ == Form::kList) {
    out->insert(out->end(), list_.begin(), list_.end());
    return;
  }
  if (form_ == Form::kOrder) {
    form_ = Form::kBits;
    mark_all();
  }
  const size_t words = mask_words(row_.end - row_.begin);
  const size_t first = out->size();
  out->resize(first + static_cast<size_t>(size_));
  int64_t* to = out->data() + first;
  for (size_t w = 0; w < words; ++w) {
    const int64_t from = row_.begin + static_cast<int64_t>(w) * 64;
    for (uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
      *to++ = from + std::countr_zero(bits);
    }
  }
}

}  // namespace gls
