// Scans the times of a row in stored order, and picks from the entries that the scan accepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "host_device/time_bounds.h"
#include "sample/kernels/kernels.h"
#include "tensor/tensor.h"

namespace gls {

// The times low .. high; empty if low is above high.
struct TimeLimits {
  int64_t low;
  int64_t high;
};
TimeLimits limits_of(const TimeBounds& bounds);

// A row, and the limits of what a seed may use.
struct RowScan {
  const kernels::Table* kernels = nullptr;
  IdSpan first;   // by position in the arrays of the edge type
  IdSpan second;  // without data: there are no second times
  int64_t begin = 0;
  int64_t end = 0;
  TimeLimits limits = {0, -1};
  std::span<const int64_t> excluded;  // ascending

  // Sets the bits of the usable positions from `from` on: both times are in the limits, the first
  // from `low` on, and they are not excluded. Clears all other bits. Each word takes 64 positions.
  // `other` is scratch of as many words.
  void mark(int64_t from, int64_t to, int64_t low, uint64_t* words, uint64_t* other) const;
  // Clears the bits of the excluded positions.
  void clear_excluded(int64_t from, int64_t to, uint64_t* words) const;
  // Whether an entry is usable whose first time is in the limits.
  bool accepts(int64_t position) const;
};

// Appends the positions of the `count` latest entries by (first time, position), ascending.
void append_latest(const RowScan& row, int64_t count, std::vector<int64_t>* out);
// As append_latest(), for a row in order: `order` is the memory that a TimeOrder views.
void append_latest(const RowScan& row, const std::byte* order, int64_t count,
                   std::vector<int64_t>* out);

// The entries of a row that may be picked, if they are not a range. Its memory is reused for the
// next row.
class RowEntries {
 public:
  // A list of positions, ascending, which the caller fills.
  std::vector<int64_t>* list();
  // The entries that a scan accepts.
  void scan(const RowScan& row);
  // As scan(), for a row in order. Finds all entries at once. If the row is long and `picks` are
  // few (-1: any number), it finds each entry on demand.
  void look_up(const RowScan& row, const std::byte* order, int64_t picks);

  int64_t size() const { return form_ == Form::kList ? std::ssize(list_) : size_; }
  // The position of the entry with `index` others before it.
  int64_t position(int64_t index);
  void append(std::vector<int64_t>* out);

 private:
  enum class Form : uint8_t { kList, kBits, kOrder };
  void make_room(int64_t bits);
  void mark_all();
  void count_all();
  // Sets the bits of a block of the order, including excluded positions.
  void mark_block(int64_t block);

  Form form_ = Form::kList;
  int64_t size_ = 0;  // not used for a list
  std::vector<int64_t> list_;
  RowScan row_;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> other_;
  std::vector<int64_t> before_;  // by word: entries in earlier words
  const std::byte* order_ = nullptr;
  int64_t range_begin_ = 0;
  int64_t range_end_ = 0;
  int64_t block_ = -1;         // the block whose bits are in words_
  std::vector<int64_t> gaps_;  // by rank: excluded entries within the time limits
};

}  // namespace gls
