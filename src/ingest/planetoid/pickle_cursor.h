// Reads the literals of a pickle one after another, never beyond its end. Errors do not name the
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gls {

class PickleCursor {
 public:
  explicit PickleCursor(std::string_view text) : text_(text) {}

  size_t position() const { return at_; }

  Status bytes(size_t count, std::string_view* out);
  Status byte(char* out);
  // A little-endian number of at most 8 bytes.
  Status number(size_t count, uint64_t* out);
  // Text up to the end of a line, without the line break.
  Status line(std::string_view* out);
  // Text after its length.
  Status sized_text(size_t length_bytes, std::string_view* out);

  // A decimal number in a line of its own, with or without a final L.
  Status text_int(int64_t* out);
  Status text_index(uint64_t* out);
  Status text_real(double* out);
  // A number in two's complement, after its length.
  Status sized_int(size_t length_bytes, int64_t* out);
  Status binary_real(double* out);
  // A line with quoted text, as repr() of Python 2 writes it.
  Status quoted_text(std::string* out);

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace gls
