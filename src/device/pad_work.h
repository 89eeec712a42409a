// An array of a padded batch, as kernels read it: plain values, and nothing else is included.
#pragma once

#include <cstdint>

namespace gls::device {

// One array of a padded batch: of its rows some are real, in the order that they had, and the
// others are added. The first `head` of the `real` ones are its first; those behind begin at row
// `rest`.
struct PadWork {
  const void* from;  // [real, columns], on the device. NULL: all numbers of real rows are 1
  void* out;         // [rows, columns], on the device
  int64_t real;
  int64_t head;
  int64_t rest;
  int64_t rows;
  int64_t columns;  // numbers in a row
  uint32_t bytes;   // of a number of `from`: 4 or 8
  bool as_bools;  // what is given are bytes: whether numbers are not negative; without `from`, too
  int64_t first;  // the first number of rows that are added
  int64_t value;  // and their others
};

}  // namespace gls::device
