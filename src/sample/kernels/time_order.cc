#include "sample/kernels/time_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace gls {

// The head of an index. Times at marked ranks follow it, in the same cache line as far as they fit.
struct TimeOrder::Head {
  uint32_t count;
  uint16_t wide;
  uint16_t finds;
};

// Offsets of the arrays, in bytes.
struct TimeOrder::Places {
  Places(int64_t count, bool wide, bool finds) {
    const size_t width = wide ? 8 : 4;
    const auto number = static_cast<size_t>(count);
    marks = wide ? 8 : sizeof(Head);
    times = round_up(marks + kParts * width);
    order = round_up(times + number * width);
    bits = round_up(order + number * (count <= UINT16_MAX ? 2 : 4));
    end = bits;
    if (finds && count <= kLong) {
      end += static_cast<size_t>(kParts) * mask_words(count) * 8;
    } else if (finds) {
      const auto width_of = static_cast<int>(std::bit_width(static_cast<uint64_t>(count - 1)));
      levels = static_cast<size_t>(std::max(0, width_of - kBlockBits));
      words = number / 64 + 1;
      end += levels * words * sizeof(Word);
    }
    end = round_up(end);
  }
  static size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

  size_t marks;
  size_t times;
  size_t order;
  size_t bits;
  size_t end;
  size_t levels = 0;
  size_t words = 0;
};

uint64_t TimeOrder::bytes_for(int64_t count, bool wide, bool finds) {
  return Places(count, wide, finds).end;
}

TimeOrder::TimeOrder(const std::byte* made) {
  Head head;
  std::memcpy(&head, made, sizeof(head));
  count_ = head.count;
  finds_ = head.finds != 0;
  narrow_ = count_ <= UINT16_MAX;
  part_ = (count_ + kParts - 1) / kParts;
  const bool wide = head.wide != 0;
  const Places places(count_, wide, finds_);
  marks_ = IdSpan(made + places.marks, wide, kParts);
  times_ = IdSpan(made + places.times, wide, count_);
  order_ = made + places.order;
  bits_ = reinterpret_cast<const uint64_t*>(made + places.bits);
  levels_ = reinterpret_cast<const Word*>(made + places.bits);
  num_levels_ = places.levels;
  words_per_level_ = places.words;
}

// ---- building --------------------------------------------------------------------------------

namespace {

template <typename T, typename Value>
void store_all(std::byte* to, int64_t count, const Value& value) {
  auto* const out = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(value(i));
  }
}

template <typename Value>
void store_times(bool wide, std::byte* to, int64_t count, const Value& value) {
  wide ? store_all<int64_t>(to, count, value) : store_all<int32_t>(to, count, value);
}

std::vector<uint32_t> sorted_positions(const IdSpan& times) {
  // Pairs sort faster than positions with look-ups.
  std::vector<std::pair<int64_t, uint32_t>> pairs;
  pairs.reserve(static_cast<size_t>(times.size()));
  for (int64_t i = 0; i < times.size(); ++i) {
    pairs.emplace_back(times[i], static_cast<uint32_t>(i));
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<uint32_t> out;
  out.reserve(pairs.size());
  for (const auto& [time, position] : pairs) {
    out.push_back(position);
  }
  return out;
}

}  // namespace

void TimeOrder::make(const IdSpan& times, bool finds, std::byte* to) {
  const int64_t count = times.size();
  const Places places(count, times.wide(), finds);
  const Head head = {static_cast<uint32_t>(count), static_cast<uint16_t>(times.wide() ? 1 : 0),
                     static_cast<uint16_t>(finds ? 1 : 0)};
  std::memcpy(to, &head, sizeof(head));
  std::vector<uint32_t> order = sorted_positions(times);
  const auto at_rank = [&](int64_t rank) { return order[static_cast<size_t>(rank)]; };
  const int64_t part = (count + kParts - 1) / kParts;
  store_times(times.wide(), to + places.times, count,
              [&](int64_t rank) { return times[at_rank(rank)]; });
  store_times(times.wide(), to + places.marks, kParts, [&](int64_t i) {
    const int64_t rank = (i + 1) * part;
    return rank < count ? times[at_rank(rank)] : 0;
  });
  if (count <= UINT16_MAX) {
    store_all<uint16_t>(to + places.order, count, at_rank);
  } else {
    store_all<uint32_t>(to + places.order, count, at_rank);
  }
  if (finds && count <= kLong) {
    const auto words = static_cast<int64_t>(mask_words(count));
    auto* const bits = reinterpret_cast<uint64_t*>(to + places.bits);
    std::memset(bits, 0, static_cast<size_t>(kParts * words) * 8);
    for (int64_t i = 0; i < kParts; ++i) {
      uint64_t* const own = bits + i * words;
      if (i > 0) {
        std::copy_n(own - words, words, own);
      }
      for (int64_t rank = i * part; rank < std::min((i + 1) * part, count); ++rank) {
        const uint32_t position = at_rank(rank);
        own[position / 64] |= uint64_t{1} << (position % 64);
      }
    }
  } else if (finds) {
    auto* const levels = reinterpret_cast<Word*>(to + places.bits);
    std::vector<uint32_t> ones;
    for (size_t level = 0; level < places.levels; ++level) {
      // Stores one bit of each position, then puts positions without it before those with it.
      const int bit = kBlockBits + static_cast<int>(places.levels - 1 - level);
      Word* const words = levels + level * places.words;
      std::fill_n(words, places.words, Word{0, 0});
      ones.clear();
      size_t zeros = 0;
      for (size_t i = 0; i <= order.size(); ++i) {
        if (i % 64 == 0) {
          words[i / 64].before = static_cast<int64_t>(ones.size());
        }
        if (i == order.size()) {
          break;
        }
        const uint32_t position = order[i];
        if ((position >> bit & 1) != 0) {
          words[i / 64].bits |= uint64_t{1} << (i % 64);
          ones.push_back(position);
        } else {
          order[zeros++] = position;
        }
      }
      std::copy(ones.begin(), ones.end(), order.begin() + static_cast<int64_t>(zeros));
    }
  }
}

// ---- queries ---------------------------------------------------------------------------------

// The number of marked ranks before the first entry at or after `time`, or after it with
// `behind_equals`.
int64_t TimeOrder::marks_before(int64_t time, bool behind_equals) const {
  const int64_t marks = std::min(kParts, (count_ - 1) / part_);
  int64_t passed = 0;
  for (int64_t i = 0; i < marks; ++i) {
    passed += (behind_equals ? marks_[i] <= time : marks_[i] < time) ? 1 : 0;
  }
  return passed;
}

void TimeOrder::ask_for_rank(int64_t time, bool behind_equals) const {
  const auto ask_for = [](const void* from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) {
      __builtin_prefetch(static_cast<const std::byte*>(from) + at);
    }
  };
  if (is_long() || count_ == 0) {
    return;
  }
  const int64_t passed = marks_before(time, behind_equals);
  const int64_t begin = passed * part_;
  const auto part = static_cast<size_t>(part_);
  ask_for(times_.part(begin, part_).data(), part * (times_.wide() ? 8 : 4));
  ask_for(static_cast<const uint16_t*>(order_) + begin, part * 2);
  if (finds_) {  // bits are stored at this rank or the next
    const size_t words = mask_words(count_);
    ask_for(bits_ + static_cast<size_t>(std::max<int64_t>(0, passed - 1)) * words, words * 16);
  }
}

int64_t TimeOrder::rank_of(int64_t time, bool behind_equals) const {
  int64_t begin = marks_before(time, behind_equals) * part_;
  int64_t left = std::min(part_, count_ - begin);
  while (left > 0) {
    const int64_t half = left / 2;
    const int64_t other = times_[begin + half];
    const bool right = behind_equals ? other <= time : other < time;
    begin = right ? begin + half + 1 : begin;
    left = right ? left - half - 1 : half;
  }
  return begin;
}

TimeOrder::Range TimeOrder::range(int64_t low, int64_t high) const {
  if (count_ == 0 || low > high) {
    return {0, 0};
  }
  const int64_t begin = low == INT64_MIN ? 0 : rank_of(low, false);
  return {begin, std::max(begin, high == INT64_MAX ? count_ : rank_of(high, true))};
}

// Takes the bits stored at the nearest rank, and adds the positions in between.
void TimeOrder::mark_before(int64_t rank, uint64_t* words) const {
  const int64_t near = std::min((rank + part_ / 2) / part_, kParts);
  const size_t all = mask_words(count_);
  if (near > 0) {
    std::copy_n(bits_ + static_cast<size_t>(near - 1) * all, all, words);
  } else {
    std::fill_n(words, all, uint64_t{0});
  }
  const int64_t marked = std::min(near * part_, count_);
  for (int64_t r = marked; r < rank; ++r) {
    words[position(r) / 64] |= uint64_t{1} << (position(r) % 64);
  }
  for (int64_t r = rank; r < marked; ++r) {
    words[position(r) / 64] &= ~(uint64_t{1} << (position(r) % 64));
  }
}

void TimeOrder::mark(Range range, uint64_t* words, uint64_t* other) const {
  mark_before(range.end, words);
  if (range.begin > 0) {
    mark_before(range.begin, other);
    for (size_t w = 0; w < mask_words(count_); ++w) {
      words[w] &= ~other[w];
    }
  }
}

TimeOrder::InBlock TimeOrder::find(Range range, int64_t index) const {
  InBlock out = {0, index};
  for (size_t number = 0; number < num_levels_; ++number) {
    const Word* const words = level(number);
    const int64_t begin = set_before(words, range.begin);
    const int64_t end = set_before(words, range.end);
    const int64_t zeros_of_range = range.size() - (end - begin);
    if (out.index < zeros_of_range) {
      range = {range.begin - begin, range.end - end};
      out.block = 2 * out.block;
    } else {
      out.index -= zeros_of_range;
      range = {zeros(words) + begin, zeros(words) + end};
      out.block = 2 * out.block + 1;
    }
  }
  return out;
}

int64_t TimeOrder::before_block(Range range, int64_t block) const {
  int64_t count = 0;
  for (size_t number = 0; number < num_levels_; ++number) {
    const Word* const words = level(number);
    const int64_t begin = set_before(words, range.begin);
    const int64_t end = set_before(words, range.end);
    if ((block >> (num_levels_ - 1 - number) & 1) == 0) {
      range = {range.begin - begin, range.end - end};
    } else {
      count += range.size() - (end - begin);
      range = {zeros(words) + begin, zeros(words) + end};
    }
  }
  return count;
}

}  // namespace gls
