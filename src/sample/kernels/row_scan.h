// Scanning the times of a row that lie in its order, and what is picked from by such a scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "rules/time_bounds.h"
#include "sample/kernels/kernels.h"
#include "tensor/tensor.h"

namespace gls {

// The times low .. high; none where low is above high.
struct TimeLimits {
  int64_t low;
  int64_t high;
};
TimeLimits limits_of(const TimeBounds& bounds);

// A row, and what a seed may use of it.
struct RowScan {
  const kernels::Table* kernels = nullptr;
  IdSpan first;   // by position in the arrays of the edge type
  IdSpan second;  // without data: there are no others
  int64_t begin = 0;
  int64_t end = 0;
  TimeLimits limits = {0, -1};
  std::span<const int64_t> excluded;  // ascending

  // Sets the bits of the positions from `from` on, fewer than 64 for each word, whose times are in
  // the limits, the first from `low` on, and that are not excluded; clears all others. `other` is
  // scratch of as many words.
  void mark(int64_t from, int64_t to, int64_t low, uint64_t* words, uint64_t* other) const;
  // Clears those of the positions that are excluded.
  void clear_excluded(int64_t from, int64_t to, uint64_t* words) const;
  // Whether the entry fits whose first time does.
  bool accepts(int64_t position) const;
};

// Appends the positions of the `count` latest entries by (first time, position), ascending.
void append_latest(const RowScan& row, int64_t count, std::vector<int64_t>* out);
// The same of a row that is in order: `order` is what a TimeOrder views.
void append_latest(const RowScan& row, const std::byte* order, int64_t count,
                   std::vector<int64_t>* out);

// The entries of a row that may be picked, where they are no range. Its memory is used again for
// the next row.
class RowEntries {
 public:
  // These positions, ascending, which the caller adds.
  std::vector<int64_t>* list();
  // Those that a scan finds.
  void scan(const RowScan& row);
  // The same of a row that is in order, which finds: all at once, or each as it is asked for where
  // the row is long and `picks` are few (-1: any number).
  void look_up(const RowScan& row, const std::byte* order, int64_t picks);

  int64_t size() const { return form_ == Form::kList ? std::ssize(list_) : size_; }
  // Of the entry that has `index` others before it.
  int64_t position(int64_t index);
  void append(std::vector<int64_t>* out);

 private:
  enum class Form : uint8_t { kList, kBits, kOrder };
  void make_room(int64_t bits);
  void mark_all();
  void count_all();
  // Bits of a block of the order, excluded positions included.
  void mark_block(int64_t block);

  Form form_ = Form::kList;
  int64_t size_ = 0;  // but for a list
  std::vector<int64_t> list_;
  RowScan row_;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> other_;
  std::vector<int64_t> before_;  // by word: entries in the words before
  const std::byte* order_ = nullptr;
  int64_t range_begin_ = 0;
  int64_t range_end_ = 0;
  int64_t block_ = -1;         // whose bits are in words_
  std::vector<int64_t> gaps_;  // of the entries in time, which are excluded: by rank
};

}  // namespace gls
