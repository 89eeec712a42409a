#include "ingest/planetoid/pickle_cursor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace gls {
namespace {

Status too_short() { return corrupt("the pickle ends too early"); }

template <typename T>
bool parse_all(std::string_view text, T* out) {
  const char* const last = text.data() + text.size();
  const auto [end, ec] = std::from_chars(text.data(), last, *out);
  return ec == std::errc() && end == last;
}

int hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

Status PickleCursor::bytes(size_t count, std::string_view* out) {
  if (count > text_.size() - at_) {
    return too_short();
  }
  *out = text_.substr(at_, count);
  at_ += count;
  return {};
}

Status PickleCursor::byte(char* out) {
  std::string_view one;
  GLS_TRY(bytes(1, &one));
  *out = one.front();
  return {};
}

Status PickleCursor::number(size_t count, uint64_t* out) {
  std::string_view raw;
  GLS_TRY(bytes(count, &raw));
  *out = 0;
  if (count > 0) {
    std::memcpy(out, raw.data(), count);
  }
  return {};
}

Status PickleCursor::line(std::string_view* out) {
  const size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) {
    return too_short();
  }
  *out = text_.substr(at_, end - at_);
  at_ = end + 1;
  return {};
}

Status PickleCursor::sized_text(size_t length_bytes, std::string_view* out) {
  uint64_t length = 0;
  GLS_TRY(number(length_bytes, &length));
  return bytes(length, out);
}

Status PickleCursor::text_int(int64_t* out) {
  std::string_view text;
  GLS_TRY(line(&text));
  if (text.ends_with('L')) {
    text.remove_suffix(1);
  }
  return parse_all(text, out) ? Status()
                              : corrupt("an integer is damaged or does not fit in 64 bits");
}

Status PickleCursor::text_index(uint64_t* out) {
  std::string_view text;
  GLS_TRY(line(&text));
  return parse_all(text, out) ? Status() : corrupt("a memo index is damaged");
}

Status PickleCursor::text_real(double* out) {
  std::string_view text;
  GLS_TRY(line(&text));
  return parse_all(text, out) ? Status() : corrupt("a float is damaged");
}

Status PickleCursor::sized_int(size_t length_bytes, int64_t* out) {
  uint64_t length = 0;
  GLS_TRY(number(length_bytes, &length));
  if (length > 8) {
    return corrupt("an integer does not fit in 64 bits");
  }
  uint64_t value = 0;
  GLS_TRY(number(length, &value));
  if (length > 0 && length < 8 && (value >> (8 * length - 1)) != 0) {
    value |= ~uint64_t{0} << (8 * length);
  }
  *out = static_cast<int64_t>(value);
  return {};
}

Status PickleCursor::binary_real(double* out) {  // big-endian, unlike all other numbers
  std::string_view raw;
  GLS_TRY(bytes(8, &raw));
  std::array<char, 8> reversed{};
  std::reverse_copy(raw.begin(), raw.end(), reversed.begin());
  std::memcpy(out, reversed.data(), reversed.size());
  return {};
}

Status PickleCursor::quoted_text(std::string* out) {
  std::string_view text;
  GLS_TRY(line(&text));
  if (text.size() < 2 || text.front() != text.back() ||
      (text.front() != '\'' && text.front() != '"')) {
    return corrupt("a string is not quoted");
  }
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      *out += text[i];
      continue;
    }
    if (++i == text.size()) {
      return corrupt("a string ends in the middle of an escape");
    }
    constexpr std::string_view kNames = "nrt\\'\"";
    constexpr std::string_view kMeanings = "\n\r\t\\'\"";
    if (const size_t which = kNames.find(text[i]); which != std::string_view::npos) {
      *out += kMeanings[which];
    } else if (text[i] == 'x' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
               hex_digit(text[i + 2]) >= 0) {
      *out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      return corrupt("a string has an unknown escape");
    }
  }
  return {};
}

}  // namespace gls
