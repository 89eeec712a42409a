// Arrow's format strings (https://arrow.apache.org/docs/format/CDataInterface.html) and the dtypes
// that hold their values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "tensor/dtype.h"

namespace gls {

enum class ArrowKind : uint8_t {
  kNull,
  kNumber,       // also timestamps, dates, times and durations
  kBits,         // bool, one bit each
  kText,         // utf8 and binary, offsets of 32 bits
  kLargeText,    // the same, offsets of 64 bits
  kTextView,     // utf8 and binary views
  kFixedBinary,  // `width` bytes each
  kFixedList,    // `width` elements each
  kList,         // offsets of 32 bits
  kLargeList,    // offsets of 64 bits
  kStruct,
};

struct ArrowType {
  ArrowKind kind = ArrowKind::kNull;
  DLDataType dtype{};        // of numbers and bool
  int64_t width = 0;         // of fixed-size types
  std::string logical_type;  // the format string of a timestamp, date, time or duration

  bool is_text() const {
    return kind == ArrowKind::kText || kind == ArrowKind::kLargeText ||
           kind == ArrowKind::kTextView || kind == ArrowKind::kFixedBinary;
  }
  bool is_value() const { return kind == ArrowKind::kNumber || kind == ArrowKind::kBits; }
};

// An error for a type that GLS does not read.
Result<ArrowType> parse_arrow_format(std::string_view format);

// For messages: "timestamp (tsu:UTC)", "decimal (d:10,2)".
std::string arrow_format_name(std::string_view format);

// The format string of numbers of this dtype; an error for bfloat16.
Result<std::string> arrow_format(DLDataType dtype);

// Whether numbers of this dtype can have this logical type.
bool is_logical_type_of(std::string_view logical_type, DLDataType dtype);

}  // namespace gls
