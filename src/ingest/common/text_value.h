// Values of text fields. All numbers are read exactly as std::from_chars reads them: no locale, no
// leading '+', no blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace gls {

// NULL when `field` was a value of `dtype` and is now at `out`; else what is wrong with it, to
// follow the field in a sentence.
const char* parse_value(std::string_view field, DLDataType dtype, std::byte* out);

// A decimal integer; otherwise as above.
const char* parse_integer(std::string_view field, int64_t* out);

// Whether it could be a value of some numeric type, or of bool where `dtype` is that.
bool looks_like_value(std::string_view field, DLDataType dtype);

// A field as messages show it: not too long, and readable whatever bytes it has.
std::string shown(std::string_view field);

// Rounded to nearest, ties to even; too large gives infinity.
uint16_t float_to_half(double value);
uint16_t float_to_bfloat(double value);

}  // namespace gls
