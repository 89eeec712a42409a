#include "tensor/arrow_type.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.h"

namespace gls {
namespace {

constexpr DLDataType kInt8{kDLInt, 8, 1};
constexpr DLDataType kInt16{kDLInt, 16, 1};
constexpr DLDataType kUint32{kDLUInt, 32, 1};

struct Letter {
  std::string_view format;
  ArrowKind kind;
  DLDataType dtype;
  const char* name;
};

constexpr std::array<Letter, 24> kLetters = {{
    {"n", ArrowKind::kNull, {}, "null"},
    {"b", ArrowKind::kBits, kBool, "bool"},
    {"c", ArrowKind::kNumber, kInt8, "int8"},
    {"C", ArrowKind::kNumber, kUint8, "uint8"},
    {"s", ArrowKind::kNumber, kInt16, "int16"},
    {"S", ArrowKind::kNumber, kUint16, "uint16"},
    {"i", ArrowKind::kNumber, kInt32, "int32"},
    {"I", ArrowKind::kNumber, kUint32, "uint32"},
    {"l", ArrowKind::kNumber, kInt64, "int64"},
    {"L", ArrowKind::kNumber, kUint64, "uint64"},
    {"e", ArrowKind::kNumber, kFloat16, "float16"},
    {"f", ArrowKind::kNumber, kFloat32, "float32"},
    {"g", ArrowKind::kNumber, kFloat64, "float64"},
    {"z", ArrowKind::kText, {}, "binary"},
    {"Z", ArrowKind::kLargeText, {}, "large binary"},
    {"vz", ArrowKind::kTextView, {}, "binary view"},
    {"u", ArrowKind::kText, {}, "utf8"},
    {"U", ArrowKind::kLargeText, {}, "large utf8"},
    {"vu", ArrowKind::kTextView, {}, "utf8 view"},
    {"+l", ArrowKind::kList, {}, "list"},
    {"+L", ArrowKind::kLargeList, {}, "large list"},
    {"+s", ArrowKind::kStruct, {}, "struct"},
    {"+vl", ArrowKind::kNull, {}, "list view"},
    {"+r", ArrowKind::kNull, {}, "run-end encoded"},
}};

const Letter* find_letter(std::string_view format) {
  for (const Letter& letter : kLetters) {
    if (letter.format == format) {
      return &letter;
    }
  }
  return nullptr;
}

// Formats that begin with a word and go on with parameters.
struct Prefix {
  std::string_view text;
  const char* name;
};
constexpr std::array<Prefix, 11> kPrefixes = {{{"ts", "timestamp"},
                                               {"td", "date"},
                                               {"tt", "time"},
                                               {"tD", "duration"},
                                               {"ti", "interval"},
                                               {"d:", "decimal"},
                                               {"w:", "fixed-size binary"},
                                               {"+w:", "fixed-size list"},
                                               {"+m", "map"},
                                               {"+u", "union"},
                                               {"+v", "list view"}}};

// A time zone is stored with the column, and shown.
bool is_zone(std::string_view zone) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return zone.size() <= 255 && is_utf8(zone) && std::none_of(zone.begin(), zone.end(), is_control);
}

// The dtype of a timestamp, date, time or duration; code 255: another format.
DLDataType temporal_dtype(std::string_view format) {
  constexpr DLDataType kNone{255, 0, 1};
  if (format.size() < 3 || format[0] != 't') {
    return kNone;
  }
  const char unit = format[2];
  const bool any_unit = unit == 's' || unit == 'm' || unit == 'u' || unit == 'n';
  switch (format[1]) {
    case 's':  // "tsu:UTC"
      return any_unit && format.size() >= 4 && format[3] == ':' && is_zone(format.substr(4))
                 ? kInt64
                 : kNone;
    case 'D':
      return any_unit && format.size() == 3 ? kInt64 : kNone;
    case 'd':
      return format == "tdD" ? kInt32 : format == "tdm" ? kInt64 : kNone;
    case 't':
      return !any_unit || format.size() != 3 ? kNone : unit == 's' || unit == 'm' ? kInt32 : kInt64;
    default:
      return kNone;
  }
}

bool parse_width(std::string_view digits, int64_t* out) {
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
  return ec == std::errc() && end == digits.data() + digits.size() && *out >= 0 &&
         *out <= int64_t{0x7fffffff};
}

}  // namespace

std::string arrow_format_name(std::string_view format) {
  if (const Letter* const letter = find_letter(format)) {
    return letter->name;
  }
  for (const Prefix& prefix : kPrefixes) {
    if (format.starts_with(prefix.text)) {
      return formatted("{} ({})", prefix.name, format);
    }
  }
  return formatted("type \"{}\"", format.substr(0, 40));
}

Result<ArrowType> parse_arrow_format(std::string_view format) {
  ArrowType type;
  if (const Letter* const letter = find_letter(format);
      letter != nullptr && format != "+vl" && format != "+r") {
    type.kind = letter->kind;
    type.dtype = letter->dtype;
    return type;
  }
  if (const DLDataType dtype = temporal_dtype(format); dtype.code != 255) {
    type.kind = ArrowKind::kNumber;
    type.dtype = dtype;
    type.logical_type = format;
    return type;
  }
  if (format.starts_with("w:") && parse_width(format.substr(2), &type.width)) {
    type.kind = ArrowKind::kFixedBinary;
    return type;
  }
  if (format.starts_with("+w:") && parse_width(format.substr(3), &type.width)) {
    type.kind = ArrowKind::kFixedList;
    return type;
  }
  return error(GLS_ERR_UNSUPPORTED, "Arrow's {} cannot be read", arrow_format_name(format));
}

Result<std::string> arrow_format(DLDataType dtype) {
  for (const Letter& letter : kLetters) {
    if ((letter.kind == ArrowKind::kNumber || letter.kind == ArrowKind::kBits) &&
        same_dtype(letter.dtype, dtype)) {
      return std::string(letter.format);
    }
  }
  return error(GLS_ERR_UNSUPPORTED, "Arrow has no {}", dtype_name(dtype));
}

bool is_logical_type_of(std::string_view logical_type, DLDataType dtype) {
  return same_dtype(temporal_dtype(logical_type), dtype);
}

}  // namespace gls
