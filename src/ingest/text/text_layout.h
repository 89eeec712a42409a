// The layout of one delimited file: the meaning of its fields. The first line completes it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/common/build_options.h"

namespace gls {

inline constexpr char kBlanks = ' ';  // as a delimiter: runs of spaces and tabs

// Fields that hold ids, and whether these are numbers.
struct IdField {
  std::string field;
  bool is_number = true;
};

struct TextLayout {
  char delimiter = kBlanks;
  std::array<char, 2> comments{};
  bool has_header = false;
  // Set if only the absence of numbers suggests a header.
  bool header_is_a_guess = false;
  std::vector<size_t> id_fields;
  std::vector<size_t> column_fields;
  size_t num_fields = 0;  // of the first line, and of all others unless they may differ
  bool ragged = false;
  // Unused fields of a file without a header, where ids are text. They may be pieces of an id that
  // contains the delimiter.
  std::vector<size_t> unread_fields;

  bool is_comment(char c) const { return c == comments[0] || c == comments[1]; }
};

// The fields of `line` without quotes. False: `why` describes the error.
bool split_line(std::string_view line, char delimiter, std::vector<std::string>* fields,
                std::string* why);

// Whether the first line is a header, whatever its text.
bool needs_header(const TextOptions& options, const std::vector<IdField>& ids);
// A layout from the options alone: enough to find the first line.
TextLayout text_layout(const TextOptions& options);
// Completes it from the first line that is neither a comment nor blank. The error does not name the
// file.
Status settle_layout(const TextOptions& options, const std::vector<IdField>& ids,
                     std::string_view first_line, TextLayout* layout);

// Checks that need no file.
Status check_text_options(const TextOptions& options, const std::vector<std::string>& id_fields);

}  // namespace gls
