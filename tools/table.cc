#include "table.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace gls::tool {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 1;
  bool valid = false;
};

// The code point at the front of non-empty `text`.
CodePoint decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
    return {};
  }
  uint32_t value = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return {};
    }
    value = value << 6 | (byte(i) & 0x3fu);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kLeast[length] || surrogate || value > 0x10ffff) {
    return {};
  }
  return {value, length, true};
}

struct Range {
  uint32_t first;
  uint32_t last;
};

// Combining marks and other characters without a width of their own.
constexpr Range kZero[] = {{0x0300, 0x036f}, {0x0483, 0x0489},  {0x0591, 0x05bd}, {0x0610, 0x061a},
                           {0x064b, 0x065f}, {0x1ab0, 0x1aff},  {0x1dc0, 0x1dff}, {0x200b, 0x200d},
                           {0x2060, 0x2064}, {0x20d0, 0x20ff},  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
                           {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
// East Asian wide characters and pictographs.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xa960, 0xa97c}, {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

template <size_t kCount>
bool within(const Range (&ranges)[kCount], uint32_t value) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](Range range) { return value >= range.first && value <= range.last; });
}

size_t cells(const CodePoint& point) {
  return !point.valid ? 1 : within(kZero, point.value) ? 0 : within(kWide, point.value) ? 2 : 1;
}

constexpr size_t kLeastWrapped = 24;

// Includes the marks that change the direction of writing.
bool is_control(uint32_t value) {
  return value < 0x20 || (value >= 0x7f && value < 0xa0) || value == 0x200e || value == 0x200f ||
         (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    width += cells(point);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string pad_right(std::string_view text, size_t width) {
  const size_t used = display_width(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string cut_right(std::string_view text, size_t width) {
  size_t used = 0;
  size_t end = 0;
  while (end < text.size()) {
    const CodePoint point = decode(text.substr(end));
    if (used + cells(point) > width) {
      break;
    }
    used += cells(point);
    end += point.bytes;
  }
  return std::string(text.substr(0, end));
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines(1);
  if (display_width(text) <= width) {
    lines.front() = text;
    return lines;
  }
  while (!text.empty()) {
    const size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line += " " + std::string(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    if (!point.valid || is_control(point.value)) {
      out += "\xef\xbf\xbd";  // U+FFFD
    } else {
      out += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

void Table::add(std::vector<std::string> row) {
  if (row.size() != headings_.size()) {
    throw std::logic_error("a table row needs one cell per heading");
  }
  for (std::string& cell : row) {
    cell = printable(cell);
  }
  rows_.push_back(std::move(row));
}

std::string Table::text(size_t max_width) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < headings_.size(); ++i) {
    size_t width = display_width(headings_[i].text);
    for (const auto& row : rows_) {
      width = std::max(width, display_width(row[i]));
    }
    widths.push_back(width);
  }
  size_t before_last = 0;
  for (size_t i = 0; i + 1 < widths.size(); ++i) {
    before_last += widths[i] + 2;
  }
  if (max_width > 0) {
    const size_t room = max_width > before_last ? max_width - before_last : 0;
    widths.back() = std::min(widths.back(), std::max(room, kLeastWrapped));
  }
  std::string out;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (size_t i = 0; i < headings_.size(); ++i) {
      line += i > 0 ? "  " : "";
      line += headings_[i].align == Align::kLeft ? pad_right(cell(i), widths[i])
                                                 : pad_left(cell(i), widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line([&](size_t i) { return headings_[i].text; });
  add_line([&](size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows_) {
    const std::vector<std::string> last = wrap(row.back(), widths.back());
    for (size_t l = 0; l < last.size(); ++l) {
      add_line([&](size_t i) {
        return i + 1 == row.size() ? last[l] : l == 0 ? row[i] : std::string();
      });
    }
  }
  return out;
}

}  // namespace gls::tool
