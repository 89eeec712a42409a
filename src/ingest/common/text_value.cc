#include "ingest/common/text_value.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/utf8.h"

namespace gls {
namespace {

constexpr const char* kNotANumber = "is not a number";
constexpr const char* kNotAnInteger = "is not an integer";
constexpr const char* kOutOfRange = "is out of range";

template <typename T>
void store(T value, std::byte* out) {
  std::memcpy(out, &value, sizeof value);
}

template <typename T>
const char* parse_int(std::string_view field, std::byte* out) {
  T value = 0;
  const char* const last = field.data() + field.size();
  const auto [end, ec] = std::from_chars(field.data(), last, value);
  if (ec == std::errc::result_out_of_range && end == last) {
    return kOutOfRange;
  }
  if (ec != std::errc() || end != last) {
    // A negative number is still an integer, but not one of this type.
    int64_t whole = 0;
    return std::is_unsigned_v<T> && parse_integer(field, &whole) == nullptr ? kOutOfRange
                                                                            : kNotAnInteger;
  }
  store(value, out);
  return nullptr;
}

template <typename T>
const char* parse_real(std::string_view field, T* out) {
  const char* const last = field.data() + field.size();
  const auto [end, ec] = std::from_chars(field.data(), last, *out);
  if (end != last || ec == std::errc::invalid_argument) {
    return kNotANumber;
  }
  return ec == std::errc() ? nullptr : kOutOfRange;
}

const char* parse_float32(std::string_view field, std::byte* out) {
  float value = 0;
  if (const char* const why = parse_real(field, &value)) {
    // A number too small for a float becomes zero or subnormal; a too large one is an error.
    double wide = 0;
    if (why != kOutOfRange || parse_real(field, &wide) != nullptr || std::abs(wide) > 1) {
      return why;
    }
    value = static_cast<float>(wide);
  }
  store(value, out);
  return nullptr;
}

// A value written as infinite stays infinite; a finite value that becomes infinite is out of range.
template <typename Round>
const char* parse_float16(std::string_view field, std::byte* out, uint16_t infinity,
                          const Round& round) {
  double value = 0;
  if (const char* const why = parse_real(field, &value)) {
    return why;
  }
  const uint16_t bits = round(value);
  if ((bits & 0x7fff) == infinity && !std::isinf(value)) {
    return kOutOfRange;
  }
  store(bits, out);
  return nullptr;
}

const char* parse_bool(std::string_view field, std::byte* out) {
  const bool yes = field == "1" || field == "true";
  if (!yes && field != "0" && field != "false") {
    return "is not 0, 1, true or false";
  }
  store(static_cast<uint8_t>(yes), out);
  return nullptr;
}

}  // namespace

std::string shown(std::string_view field) {
  constexpr size_t kLongest = 60;
  size_t size = std::min(field.size(), kLongest);
  while (size < field.size() && size > 0 && (field[size] & 0xc0) == 0x80) {
    --size;  // not within a character
  }
  std::string out;
  for (std::string_view rest = field.substr(0, size); !rest.empty();) {
    const size_t good = utf8_prefix(rest);
    for (const char c : rest.substr(0, good)) {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
    rest.remove_prefix(good);
    if (!rest.empty()) {
      out += '?';
      rest.remove_prefix(1);
    }
  }
  return size < field.size() ? out + "..." : out;
}

uint16_t float_to_half(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 48) & 0x8000);
  const double magnitude = std::abs(value);
  if (std::isnan(value)) {
    return static_cast<uint16_t>(sign | 0x7e00);
  }
  if (magnitude >= 65520) {  // halfway to the next power: rounds up, out of range
    return static_cast<uint16_t>(sign | 0x7c00);
  }
  // In units of the last place of a half of this size, where nearbyint() rounds correctly. A result
  // that reaches the next power of two carries into the exponent.
  const int exponent = std::max(magnitude == 0 ? -14 : std::ilogb(magnitude), -14);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(sign | (units + ((exponent + 14) << 10)));
}

uint16_t float_to_bfloat(double value) {
  if (std::isnan(value)) {
    return static_cast<uint16_t>((std::signbit(value) ? 0x8000 : 0) | 0x7fc0);
  }
  constexpr int kMin = -126;
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::abs(value);
  if (magnitude >= std::ldexp(511.0, 119)) {  // halfway between the largest and 2^128
    return static_cast<uint16_t>(sign | 0x7f80);
  }
  const int exponent = std::max(magnitude == 0 ? kMin : std::ilogb(magnitude), kMin);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 7 - exponent)));
  return static_cast<uint16_t>(sign | (units + ((exponent - kMin) << 7)));
}

const char* parse_integer(std::string_view field, int64_t* out) {
  const char* const last = field.data() + field.size();
  const auto [end, ec] = std::from_chars(field.data(), last, *out);
  if (ec == std::errc() && end == last) {
    return nullptr;
  }
  return ec == std::errc::result_out_of_range && end == last ? kOutOfRange : kNotAnInteger;
}

const char* parse_value(std::string_view field, DLDataType dtype, std::byte* out) {
  if (field.empty()) {
    return "is empty";
  }
  switch (dtype.code) {
    case kDLBool:
      return parse_bool(field, out);
    case kDLInt:
      return dtype.bits == 8    ? parse_int<int8_t>(field, out)
             : dtype.bits == 16 ? parse_int<int16_t>(field, out)
             : dtype.bits == 32 ? parse_int<int32_t>(field, out)
                                : parse_int<int64_t>(field, out);
    case kDLUInt:
      return dtype.bits == 8    ? parse_int<uint8_t>(field, out)
             : dtype.bits == 16 ? parse_int<uint16_t>(field, out)
             : dtype.bits == 32 ? parse_int<uint32_t>(field, out)
                                : parse_int<uint64_t>(field, out);
    case kDLBfloat:
      return parse_float16(field, out, 0x7f80, float_to_bfloat);
    default:
      break;
  }
  if (dtype.bits == 16) {
    return parse_float16(field, out, 0x7c00, float_to_half);
  }
  if (dtype.bits == 32) {
    return parse_float32(field, out);
  }
  double value = 0;
  const char* const why = parse_real(field, &value);
  store(value, out);
  return why;
}

bool looks_like_value(std::string_view field, DLDataType dtype) {
  std::byte ignored[8];
  if (dtype.code == kDLBool && parse_bool(field, ignored) == nullptr) {
    return true;
  }
  double value = 0;
  return parse_real(field, &value) != kNotANumber;
}

}  // namespace gls
