// Parses values of text fields. All numbers are parsed exactly as std::from_chars does: no locale,
// no leading '+', no blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace gls {

// NULL if `field` is a value of `dtype`, which is now at `out`; else the error, to follow the field
// in a sentence.
const char* parse_value(std::string_view field, DLDataType dtype, std::byte* out);

// A decimal integer; otherwise as above.
const char* parse_integer(std::string_view field, int64_t* out);

// Whether it could be a value of some numeric type, or of bool if `dtype` is bool.
bool looks_like_value(std::string_view field, DLDataType dtype);

// A field for messages: not too long, and readable for any bytes.
std::string shown(std::string_view field);

// Rounded to nearest, ties to even; a too large number gives infinity.
uint16_t float_to_half(double value);
uint16_t float_to_bfloat(double value);

}  // namespace gls
