// An array of a padded batch for kernels: plain values, and no other includes.
#pragma once

#include <cstdint>

namespace gls::device {

// One array of a padded batch. Real rows keep their order, and all other rows are padding. The
// first `head` of the `real` rows come first; the rest begins at row `rest`.
struct PadWork {
  const void* from;  // [real, columns], on the device. NULL: all elements of real rows are 1
  void* out;         // [rows, columns], on the device
  int64_t real;
  int64_t head;
  int64_t rest;
  int64_t rows;
  int64_t columns;  // elements in a row
  uint32_t bytes;   // of an element of `from`: 4 or 8
  bool as_bools;    // the output is bytes: whether elements are not negative; also without `from`
  int64_t first;    // the first element of padding rows
  int64_t value;    // and their other elements
};

}  // namespace gls::device
