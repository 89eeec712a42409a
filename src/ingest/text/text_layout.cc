#include "ingest/text/text_layout.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/nearest_name.h"
#include "format/manifest.h"
#include "ingest/common/text_value.h"
#include "ingest/text/text_parser.h"

namespace gls {
namespace {

// "#2" is field number 2; anything else is a name in the header.
std::optional<size_t> field_number(std::string_view field) {
  size_t number = 0;
  if (field.size() < 2 || field.front() != '#') {
    return std::nullopt;
  }
  const auto [end, ec] = std::from_chars(field.data() + 1, field.data() + field.size(), number);
  if (ec != std::errc() || end != field.data() + field.size()) {
    return std::nullopt;
  }
  return number;
}

bool is_outside_quotes(std::string_view line, char wanted) {
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    if (c == wanted && !quoted) {
      return true;
    }
  }
  return false;
}

// The candidate that ends the first field; earlier candidates in the list are preferred. As in
// parsing, a quote counts only at the start of a field. If a candidate breaks that rule, its error
// should be reported, rather than fields split by another candidate.
char detect_delimiter(std::string_view line) {
  for (const char candidate : {'\t', ',', ';', '|'}) {
    std::string_view rest = line;
    std::string_view field;
    std::string storage;
    bool more = false;
    const char* const why = cut_field(&rest, candidate, &field, &more, &storage);
    if (why == nullptr ? more : is_outside_quotes(line, candidate)) {
      return candidate;
    }
  }
  return kBlanks;
}

Result<size_t> resolve(std::string_view field, const std::vector<std::string>& header) {
  if (const auto number = field_number(field)) {
    return *number;
  }
  const auto found = std::find(header.begin(), header.end(), field);
  if (found == header.end()) {
    std::string names;
    std::vector<std::string> readable;
    for (const std::string& name : header) {
      readable.push_back(shown(name));
      names += (names.empty() ? "" : ", ") + readable.back();
    }
    return corrupt("the header has no field \"{}\"; its fields are: {}{}", field, names,
                   did_you_mean(field, readable));
  }
  if (std::find(found + 1, header.end(), field) != header.end()) {
    return corrupt("the header has two fields \"{}\"; ask for one by its number", field);
  }
  return static_cast<size_t>(found - header.begin());
}

// Fields that must be numbers distinguish a header from data: a header has no number in them. A
// line with some numbers is damaged data, which must not be lost. If no field must be a number,
// only an id that is not a number suggests a header.
void detect_header(const TextOptions& options, const std::vector<IdField>& ids,
                   const std::vector<std::string>& fields, TextLayout* layout) {
  bool any_value = false;
  bool any_other = false;
  const auto look_at = [&](const std::string& field, DLDataType dtype) {
    const size_t number = field_number(field).value_or(0);
    // An empty field suggests neither: it is missing data.
    if (number < fields.size() && !fields[number].empty()) {
      (looks_like_value(fields[number], dtype) ? any_value : any_other) = true;
    }
  };
  const bool all_text =
      options.columns.empty() &&
      std::none_of(ids.begin(), ids.end(), [](const IdField& id) { return id.is_number; });
  for (const IdField& id : ids) {
    if (id.is_number || all_text) {
      look_at(id.field, kInt64);
    }
  }
  for (const TextColumn& column : options.columns) {
    look_at(column.field, column.dtype);
  }
  layout->has_header = any_other && (all_text || !any_value);
  layout->header_is_a_guess = layout->has_header && all_text;
}

std::vector<size_t> unread_fields(const TextLayout& layout) {
  std::vector<bool> read(layout.num_fields);
  for (const auto* const fields : {&layout.id_fields, &layout.column_fields}) {
    for (const size_t field : *fields) {
      if (field < read.size()) {
        read[field] = true;
      }
    }
  }
  std::vector<size_t> unread;
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i]) {
      unread.push_back(i);
    }
  }
  return unread;
}

}  // namespace

bool split_line(std::string_view line, char delimiter, std::vector<std::string>* fields,
                std::string* why) {
  bool more = true;
  std::string storage;
  while (more) {
    std::string_view field;
    if (const char* const wrong = cut_field(&line, delimiter, &field, &more, &storage)) {
      *why = formatted("field #{}: {}", fields->size(), wrong);
      return false;
    }
    fields->emplace_back(field);
  }
  return true;
}

bool needs_header(const TextOptions& options, const std::vector<IdField>& ids) {
  const auto by_name = [](const auto& item) { return !field_number(item.field).has_value(); };
  return options.header == Header::kYes || std::any_of(ids.begin(), ids.end(), by_name) ||
         std::any_of(options.columns.begin(), options.columns.end(), by_name);
}

TextLayout text_layout(const TextOptions& options) {
  TextLayout layout;
  layout.comments = options.comment == 0 ? std::array<char, 2>{'#', '%'}
                                         : std::array<char, 2>{options.comment, options.comment};
  layout.ragged = options.ragged;
  return layout;
}

Status settle_layout(const TextOptions& options, const std::vector<IdField>& ids,
                     std::string_view first_line, TextLayout* layout) {
  layout->delimiter = options.delimiter == 0 ? detect_delimiter(first_line) : options.delimiter;
  std::vector<std::string> fields;
  std::string why;
  if (!split_line(first_line, layout->delimiter, &fields, &why)) {
    return corrupt("{}", why);
  }
  layout->has_header = needs_header(options, ids);
  if (!layout->has_header && options.header == Header::kDetect) {
    detect_header(options, ids, fields, layout);
  }
  for (const IdField& id : ids) {
    GLS_ASSIGN(const size_t number, resolve(id.field, fields));
    layout->id_fields.push_back(number);
  }
  for (const TextColumn& column : options.columns) {
    GLS_ASSIGN(const size_t number, resolve(column.field, fields));
    layout->column_fields.push_back(number);
  }
  layout->num_fields = fields.size();
  const bool text_ids =
      std::any_of(ids.begin(), ids.end(), [](const IdField& id) { return !id.is_number; });
  if (!layout->has_header && text_ids) {
    layout->unread_fields = unread_fields(*layout);
  }
  return {};
}

Status check_text_options(const TextOptions& options, const std::vector<std::string>& id_fields) {
  const auto bad = [](std::string text, const char* argument) {
    return invalid("{}", text).with("argument", argument);
  };
  const auto is_odd = [](char c) { return c == '\n' || c == '\r' || c == '"'; };
  if (is_odd(options.delimiter) ||
      (options.delimiter != 0 && options.delimiter == options.comment)) {
    return bad("the delimiter is a quote, a line end or the comment character", "delimiter");
  }
  if (options.comment != GLS_COMMENT_NONE && is_odd(options.comment)) {
    return bad("the comment character is a quote or a line end", "comment");
  }
  const auto check_field = [&](const std::string& field, const char* argument) -> Status {
    if (field.empty()) {
      return bad("a field is named by an empty text", argument);
    }
    if (options.header == Header::kNo && !field_number(field)) {
      return bad(formatted("field \"{}\" is asked for by name, but there is to be no header",
                           shown(field)),
                 argument);
    }
    return {};
  };
  for (const std::string& field : id_fields) {
    GLS_TRY(check_field(field, "field"));
  }
  std::set<std::string> names;
  for (const TextColumn& column : options.columns) {
    GLS_TRY(check_field(column.field, "columns"));
    const std::string& name = column.name.empty() ? column.field : column.name;
    GLS_TRY(check_name(name, "column"));
    if (!names.insert(name).second) {
      return bad(formatted("column \"{}\" is asked for twice", name), "columns");
    }
    if (!dtype_supported(column.dtype)) {
      return bad(
          formatted("column \"{}\": dtype ({}) is not supported", name, dtype_name(column.dtype)),
          "columns");
    }
    if (column.role < GLS_ROLE_FEATURE || column.role > GLS_ROLE_OTHER) {
      return bad(formatted("column \"{}\": role is {}, expected 0 to {}", name, column.role,
                           GLS_ROLE_OTHER + 0),
                 "columns");
    }
  }
  return {};
}

}  // namespace gls
