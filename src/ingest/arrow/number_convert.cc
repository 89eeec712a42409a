#include "ingest/arrow/number_convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ingest/common/text_value.h"
#include "tensor/element.h"

namespace gls {
namespace {

constexpr const char* kOutOfRange = "is out of range";

// Numbers go through one of three types that hold all values of many others.
constexpr size_t kPiece = 512;
template <typename Wide>
using Piece = std::array<Wide, kPiece>;

template <typename T, typename Wide>
void widen(const std::byte* from, size_t count, Piece<Wide>* out) {
  for (size_t i = 0; i < count; ++i) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8 is a number, not a character
    (*out)[i] = static_cast<Wide>(stored_at<T>(from + i * sizeof(T)));
  }
}

template <typename T>
void store(T value, std::byte* to, size_t i) {
  std::memcpy(to + i * sizeof value, &value, sizeof value);
}

// The index of the first number that does not fit; `count`: all fit.
template <typename T, typename Wide>
size_t narrow(const Piece<Wide>& from, size_t count, std::byte* to, const char** why) {
  for (size_t i = 0; i < count; ++i) {
    const Wide value = from[i];
    if constexpr (std::is_floating_point_v<T>) {
      const T rounded = static_cast<T>(value);
      if constexpr (std::is_same_v<Wide, double>) {
        if (std::isinf(rounded) && !std::isinf(value)) {
          *why = kOutOfRange;
          return i;
        }
      }
      store(rounded, to, i);
    } else if constexpr (std::is_same_v<Wide, double>) {
      // Both limits are exact as doubles: the upper one is the first number that is too large.
      const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const auto least = static_cast<double>(std::numeric_limits<T>::min());
      if (!(value >= least && value < above) || std::trunc(value) != value) {
        *why =
            std::isfinite(value) && std::trunc(value) == value ? kOutOfRange : "is not an integer";
        return i;
      }
      store(static_cast<T>(value), to, i);
    } else {
      if (!std::in_range<T>(value)) {
        *why = kOutOfRange;
        return i;
      }
      store(static_cast<T>(value), to, i);
    }
  }
  return count;
}

template <typename Wide, typename Round>
size_t narrow_half(const Piece<Wide>& from, size_t count, std::byte* to, uint16_t infinity,
                   const Round& round, const char** why) {
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(from[i]);
    const uint16_t bits = round(value);
    if ((bits & 0x7fff) == infinity && !std::isinf(value)) {
      *why = kOutOfRange;
      return i;
    }
    store(bits, to, i);
  }
  return count;
}

template <typename Wide>
size_t narrow_bool(const Piece<Wide>& from, size_t count, std::byte* to, const char** why) {
  for (size_t i = 0; i < count; ++i) {
    if (from[i] != Wide{0} && from[i] != Wide{1}) {
      *why = "is not 0 or 1";
      return i;
    }
    store(static_cast<uint8_t>(from[i] != Wide{0}), to, i);
  }
  return count;
}

template <typename Wide>
size_t narrow_to(const Piece<Wide>& from, size_t count, DLDataType dtype, std::byte* to,
                 const char** why) {
  switch (dtype.code) {
    case kDLInt:
      return dtype.bits == 8    ? narrow<int8_t>(from, count, to, why)
             : dtype.bits == 16 ? narrow<int16_t>(from, count, to, why)
             : dtype.bits == 32 ? narrow<int32_t>(from, count, to, why)
                                : narrow<int64_t>(from, count, to, why);
    case kDLUInt:
      return dtype.bits == 8    ? narrow<uint8_t>(from, count, to, why)
             : dtype.bits == 16 ? narrow<uint16_t>(from, count, to, why)
             : dtype.bits == 32 ? narrow<uint32_t>(from, count, to, why)
                                : narrow<uint64_t>(from, count, to, why);
    case kDLBool:
      return narrow_bool(from, count, to, why);
    case kDLBfloat:
      return narrow_half(from, count, to, 0x7f80, float_to_bfloat, why);
    default:
      return dtype.bits == 16   ? narrow_half(from, count, to, 0x7c00, float_to_half, why)
             : dtype.bits == 32 ? narrow<float>(from, count, to, why)
                                : narrow<double>(from, count, to, why);
  }
}

void widen_from(const std::byte* from, DLDataType dtype, size_t count, Piece<int64_t>* out) {
  dtype.bits == 8    ? widen<int8_t>(from, count, out)
  : dtype.bits == 16 ? widen<int16_t>(from, count, out)
  : dtype.bits == 32 ? widen<int32_t>(from, count, out)
                     : widen<int64_t>(from, count, out);
}

void widen_from(const std::byte* from, DLDataType dtype, size_t count, Piece<uint64_t>* out) {
  dtype.bits == 8    ? widen<uint8_t>(from, count, out)
  : dtype.bits == 16 ? widen<uint16_t>(from, count, out)
  : dtype.bits == 32 ? widen<uint32_t>(from, count, out)
                     : widen<uint64_t>(from, count, out);
}

void widen_from(const std::byte* from, DLDataType dtype, size_t count, Piece<double>* out) {
  if (dtype.bits == 64) {
    widen<double>(from, count, out);
  } else if (dtype.bits == 32) {
    widen<float>(from, count, out);
  } else {
    for (size_t i = 0; i < count; ++i) {
      (*out)[i] = stored_as_double(from + i * 2, dtype.code, dtype.bits);
    }
  }
}

template <typename Wide>
const char* convert_by(const std::byte* from, DLDataType from_dtype, size_t count,
                       DLDataType to_dtype, std::byte* to, size_t* at) {
  Piece<Wide> piece;
  const char* why = nullptr;
  for (*at = 0; *at < count;) {
    const size_t size = std::min(kPiece, count - *at);
    widen_from(from + *at * dtype_bytes(from_dtype), from_dtype, size, &piece);
    const size_t done = narrow_to(piece, size, to_dtype, to + *at * dtype_bytes(to_dtype), &why);
    *at += done;
    if (done < size) {
      return why;
    }
  }
  return nullptr;
}

}  // namespace

const char* convert_numbers(const void* from, DLDataType from_dtype, size_t count,
                            DLDataType to_dtype, std::byte* to, size_t* at) {
  const auto* const bytes = static_cast<const std::byte*>(from);
  if (same_dtype(from_dtype, to_dtype)) {
    std::memcpy(to, bytes, count * dtype_bytes(to_dtype));
    return nullptr;
  }
  switch (from_dtype.code) {
    case kDLInt:
      return convert_by<int64_t>(bytes, from_dtype, count, to_dtype, to, at);
    case kDLUInt:
    case kDLBool:
      return convert_by<uint64_t>(bytes, from_dtype, count, to_dtype, to, at);
    default:
      return convert_by<double>(bytes, from_dtype, count, to_dtype, to, at);
  }
}

}  // namespace gls
