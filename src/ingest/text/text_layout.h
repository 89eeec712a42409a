// How one delimited file is to be read: which fields hold what. Settled by its first line.
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
  // Set when nothing but the absence of numbers tells that there is a header.
  bool header_is_a_guess = false;
  std::vector<size_t> id_fields;
  std::vector<size_t> column_fields;
  size_t num_fields = 0;  // of the first line, and of all others unless they may differ
  bool ragged = false;
  // Fields of a file without a header that nothing reads, where ids are text: they may be pieces of
  // an id that has the delimiter in it.
  std::vector<size_t> unread_fields;

  bool is_comment(char c) const { return c == comments[0] || c == comments[1]; }
};

// Fields of `line`, quotes taken off. False: `why` tells what is wrong with the line.
bool split_line(std::string_view line, char delimiter, std::vector<std::string>* fields,
                std::string* why);

// Whether the first line is a header whatever it says.
bool needs_header(const TextOptions& options, const std::vector<IdField>& ids);
// A layout with what the options alone tell: enough to find the first line.
TextLayout text_layout(const TextOptions& options);
// Completes it by the first line that is no comment and not blank. The error has no file in it.
Status settle_layout(const TextOptions& options, const std::vector<IdField>& ids,
                     std::string_view first_line, TextLayout* layout);

// What can be checked before the file is seen.
Status check_text_options(const TextOptions& options, const std::vector<std::string>& id_fields);

}  // namespace gls
