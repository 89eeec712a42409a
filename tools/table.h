// Tables for a terminal. Widths count visible cells, not bytes, because names are UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gls::tool {

// The terminal cells of `text`. An invalid byte counts as one cell.
size_t display_width(std::string_view text);
std::string pad_right(std::string_view text, size_t width);
std::string pad_left(std::string_view text, size_t width);
// The first `width` cells.
std::string cut_right(std::string_view text, size_t width);
// Lines of at most `width` cells, broken at blanks; a longer word has a line of its own.
std::vector<std::string> wrap(std::string_view text, size_t width);
// Replaces control characters and invalid UTF-8, so that data cannot control the terminal.
std::string printable(std::string_view text);

class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Heading {
    std::string text;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Heading> headings) : headings_(std::move(headings)) {}
  // One cell for each heading.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Headings, a rule and rows; each line ends with a line break, without trailing blanks. The last
  // column is wrapped between words to keep lines within `max_width`; 0: never.
  std::string text(size_t max_width = 0) const;

 private:
  std::vector<Heading> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gls::tool
