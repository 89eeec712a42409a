// Parses lines of delimited text. Any thread can parse a chunk independently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/text/text_layout.h"

namespace gls {

// Receives the id fields of each line.
class IdSink {
 public:
  virtual ~IdSink() = default;
  virtual Status take(std::span<const std::string_view> ids) = 0;
};

// The result of a chunk of lines.
struct ParsedText {
  std::vector<std::vector<std::byte>> columns;  // values, one after another
  int64_t records = 0;
  int64_t comments = 0;
  int64_t lines = 0;  // up to the failure, if any
  Status failure;     // concerns line number `lines` of the chunk, counted from 1
};

// Parses the lines of one file by its layout.
class TextParser {
 public:
  TextParser(const TextLayout& layout, const std::vector<TextColumn>& columns);

  // Parses complete lines; stops at the first damaged one. `record_lines`, if given, receives the
  // line number of each record.
  void parse(std::string_view text, IdSink& ids, ParsedText* out,
             std::vector<uint32_t>* record_lines = nullptr) const;

 private:
  struct Wanted {
    size_t field;
    size_t slot;  // ids first, then columns
  };
  Status parse_line(std::string_view line, std::vector<std::string_view>* fields,
                    std::vector<std::string>* unquoted, IdSink& ids, ParsedText* out) const;
  Status count_fields(size_t found, std::string_view rest, bool more) const;
  Status find_fields(std::string_view line, std::vector<std::string_view>* fields,
                     std::vector<std::string>* unquoted) const;

  TextLayout layout_;
  std::vector<DLDataType> dtypes_;
  std::vector<bool> weights_;  // by column: whether its numbers are weights
  bool any_weights_ = false;
  std::vector<Wanted> wanted_;  // by field
};

// Cuts one field off the front of `rest`. Returns NULL, or the error. `more` reports whether a
// delimiter followed. A field with doubled quotes is assembled in `storage`.
const char* cut_field(std::string_view* rest, char delimiter, std::string_view* field, bool* more,
                      std::string* storage);

// The line without its end; `rest` is moved past it.
std::string_view cut_line(std::string_view* rest);
bool is_blank(std::string_view line);
// Checks that the line, also a comment, is valid. A carriage return inside it would have been the
// end of a line for the program that wrote it. A reader may cut lines longer than kMaxLine.
Status check_line(std::string_view line);

}  // namespace gls
