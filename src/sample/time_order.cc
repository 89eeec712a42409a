#include "sample/time_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gls {
namespace {

// Halvings until a block is left.
size_t levels_of(int64_t count) {
  const auto bits =
      static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(count, 1) - 1)));
  return static_cast<size_t>(std::max(0, bits - TimeOrder::kBlockBits));
}
size_t words_of(int64_t count) { return static_cast<size_t>(count / 64 + 1); }

}  // namespace

uint64_t TimeOrder::bytes_for(int64_t count, bool finds) {
  return static_cast<uint64_t>(count) * sizeof(uint32_t) +
         (finds ? levels_of(count) * words_of(count) * sizeof(Word) : 0);
}

TimeOrder::TimeOrder(const IdSpan& times, bool finds)
    : order_(static_cast<size_t>(times.size())), finds_(finds) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(times[a], a) < std::pair(times[b], b);
  });
  if (!finds) {
    return;
  }
  levels_ = levels_of(times.size());
  words_per_level_ = words_of(times.size());
  words_.resize(levels_ * words_per_level_);
  zeros_.resize(levels_);
  std::vector<uint32_t> sequence = order_;
  std::vector<uint32_t> ones;
  for (size_t level = 0; level < levels_; ++level) {
    add_level(level, kBlockBits + static_cast<int>(levels_ - 1 - level), &sequence, &ones);
  }
}

// Notes one bit of each position, then puts those without it before those with it.
void TimeOrder::add_level(size_t level, int bit, std::vector<uint32_t>* sequence,
                          std::vector<uint32_t>* ones) {
  Word* const words = words_.data() + level * words_per_level_;
  ones->clear();
  size_t zeros = 0;
  for (size_t i = 0; i < sequence->size(); ++i) {
    const uint32_t position = (*sequence)[i];
    if (i % 64 == 0) {
      words[i / 64].before = static_cast<int64_t>(ones->size());
    }
    if ((position >> bit & 1) != 0) {
      words[i / 64].bits |= uint64_t{1} << (i % 64);
      ones->push_back(position);
    } else {
      (*sequence)[zeros++] = position;
    }
  }
  if (sequence->size() % 64 == 0) {
    words[sequence->size() / 64].before = static_cast<int64_t>(ones->size());
  }
  zeros_[level] = static_cast<int64_t>(zeros);
  std::copy(ones->begin(), ones->end(), sequence->begin() + static_cast<int64_t>(zeros));
}

TimeOrder::Range TimeOrder::range(const IdSpan& times, int64_t low, int64_t high) const {
  const auto begin = std::partition_point(order_.begin(), order_.end(),
                                          [&](uint32_t at) { return times[at] < low; });
  const auto end =
      std::partition_point(begin, order_.end(), [&](uint32_t at) { return times[at] <= high; });
  return {begin - order_.begin(), end - order_.begin()};
}

TimeOrder::InBlock TimeOrder::find(Range range, int64_t index) const {
  InBlock out = {0, index};
  for (size_t level = 0; level < levels_; ++level) {
    const int64_t begin = set_before(level, range.begin);
    const int64_t end = set_before(level, range.end);
    const int64_t zeros = range.size() - (end - begin);
    if (out.index < zeros) {
      range = {range.begin - begin, range.end - end};
      out.block = 2 * out.block;
    } else {
      out.index -= zeros;
      range = {zeros_[level] + begin, zeros_[level] + end};
      out.block = 2 * out.block + 1;
    }
  }
  return out;
}

int64_t TimeOrder::before_block(Range range, int64_t block) const {
  int64_t count = 0;
  for (size_t level = 0; level < levels_; ++level) {
    const int64_t begin = set_before(level, range.begin);
    const int64_t end = set_before(level, range.end);
    if ((block >> (levels_ - 1 - level) & 1) == 0) {
      range = {range.begin - begin, range.end - end};
    } else {
      count += range.size() - (end - begin);
      range = {zeros_[level] + begin, zeros_[level] + end};
    }
  }
  return count;
}

}  // namespace gls
