#include "loader/planned/sorted_rows.h"

#include <algorithm>
#include <array>
#include <new>

namespace gls {

// By digits of the row, the lowest first; places ascend from the start, and each pass keeps the
// order of equal digits.
void SortedRows::sort(const IdSpan& ids, uint64_t num_rows) {
  constexpr int kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  const auto count = static_cast<size_t>(ids.size());
  place_bits_ = static_cast<int>(std::bit_width(count));
  const int row_bits = static_cast<int>(std::bit_width(num_rows));
  keys_.resize(count);
  other_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    keys_[i] = static_cast<uint64_t>(ids[static_cast<int64_t>(i)]) << place_bits_ | i;
  }
  if (row_bits + place_bits_ > 64) {  // more than 2^64 pairs of row and place: no memory holds them
    throw std::bad_alloc();
  }
  for (int done = 0; done < row_bits; done += kDigitBits) {
    const int shift = place_bits_ + done;
    std::array<uint32_t, kDigits> ends{};
    for (const uint64_t key : keys_) {
      ++ends[key >> shift & (kDigits - 1)];
    }
    uint32_t sum = 0;
    for (uint32_t& end : ends) {
      const uint32_t here = end;
      end = sum;
      sum += here;
    }
    for (const uint64_t key : keys_) {
      other_[ends[key >> shift & (kDigits - 1)]++] = key;
    }
    keys_.swap(other_);
  }
}

}  // namespace gls
