#include "ingest/text/text_parser.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/float_mode.h"
#include "graph/dataset/weight_check.h"
#include "ingest/common/text_value.h"
#include "ingest/text/text_reader.h"

namespace gls {
namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(std::string_view* text) {
  size_t i = 0;
  while (i < text->size() && blank((*text)[i])) {
    ++i;
  }
  text->remove_prefix(i);
}

// After a leading quote. Blanks and the delimiter must follow the closing quote.
const char* cut_quoted(std::string_view* rest, char delimiter, std::string_view* field, bool* more,
                       std::string* storage) {
  rest->remove_prefix(1);
  size_t quote = rest->find('"');
  bool doubled = false;
  while (quote != std::string_view::npos && quote + 1 < rest->size() && (*rest)[quote + 1] == '"') {
    doubled = true;
    quote = rest->find('"', quote + 2);
  }
  if (quote == std::string_view::npos) {
    return "a quote is not closed in its line";
  }
  *field = rest->substr(0, quote);
  if (doubled) {
    storage->clear();
    for (size_t i = 0; i < field->size(); ++i) {
      storage->push_back((*field)[i]);
      i += (*field)[i] == '"' ? 1 : 0;
    }
    *field = *storage;
  }
  rest->remove_prefix(quote + 1);
  const size_t before = rest->size();
  if (delimiter != '\t') {
    skip_blanks(rest);
  }
  *more = !rest->empty();
  if (rest->empty()) {
    return nullptr;
  }
  if (delimiter == kBlanks) {
    return rest->size() < before ? nullptr : "text follows a closing quote";
  }
  if (rest->front() != delimiter) {
    return "text follows a closing quote";
  }
  rest->remove_prefix(1);
  return nullptr;
}

std::string delimiter_name(char delimiter) {
  return delimiter == kBlanks ? std::string("blanks")
         : delimiter == '\t'  ? std::string("a tab")
                              : formatted("\"{}\"", shown({&delimiter, 1}));
}

}  // namespace

const char* cut_field(std::string_view* rest, char delimiter, std::string_view* field, bool* more,
                      std::string* storage) {
  if (delimiter != '\t') {
    skip_blanks(rest);
  }
  if (!rest->empty() && rest->front() == '"') {
    return cut_quoted(rest, delimiter, field, more, storage);
  }
  size_t end = 0;
  if (delimiter == kBlanks) {
    while (end < rest->size() && !blank((*rest)[end])) {
      ++end;
    }
    *field = rest->substr(0, end);
    rest->remove_prefix(end);
    skip_blanks(rest);
    *more = !rest->empty();
    return nullptr;
  }
  while (end < rest->size() && (*rest)[end] != delimiter) {
    ++end;
  }
  *more = end < rest->size();
  size_t begin = 0;
  size_t last = end;
  while (last > begin && blank((*rest)[last - 1])) {
    --last;
  }
  while (begin < last && blank((*rest)[begin])) {
    ++begin;
  }
  *field = rest->substr(begin, last - begin);
  rest->remove_prefix(end + (*more ? 1 : 0));
  return nullptr;
}

std::string_view cut_line(std::string_view* rest) {
  const void* const newline = std::memchr(rest->data(), '\n', rest->size());
  const size_t size = newline == nullptr
                          ? rest->size()
                          : static_cast<size_t>(static_cast<const char*>(newline) - rest->data());
  std::string_view line = rest->substr(0, size);
  rest->remove_prefix(newline == nullptr ? size : size + 1);
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  return line;
}

Status check_line(std::string_view line) {
  if (std::memchr(line.data(), '\r', line.size()) != nullptr) {
    return corrupt(
        "a carriage return inside the line is not followed by a line feed; end lines with LF or "
        "CRLF");
  }
  if (line.size() > kMaxLine) {
    return corrupt("the line is longer than {} bytes", kMaxLine);
  }
  return {};
}

bool is_blank(std::string_view line) { return std::all_of(line.begin(), line.end(), blank); }

TextParser::TextParser(const TextLayout& layout, const std::vector<TextColumn>& columns)
    : layout_(layout) {
  for (const TextColumn& column : columns) {
    dtypes_.push_back(column.dtype);
    weights_.push_back(column.role == GLS_ROLE_WEIGHT);
    any_weights_ |= weights_.back();
  }
  for (const size_t field : layout_.id_fields) {
    wanted_.push_back({field, wanted_.size()});
  }
  for (const size_t field : layout_.column_fields) {
    wanted_.push_back({field, wanted_.size()});
  }
  std::stable_sort(wanted_.begin(), wanted_.end(),
                   [](const Wanted& a, const Wanted& b) { return a.field < b.field; });
}

Status TextParser::find_fields(std::string_view line, std::vector<std::string_view>* fields,
                               std::vector<std::string>* unquoted) const {
  size_t number = 0;
  bool more = true;
  std::string_view field;
  std::string skipped;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    if (i > 0 && wanted_[i].field == wanted_[i - 1].field) {
      (*fields)[wanted_[i].slot] = field;
      continue;
    }
    for (; number <= wanted_[i].field; ++number) {
      if (!more) {
        return corrupt("the line has {} fields, but field #{} is asked for", number,
                       wanted_.back().field);
      }
      const bool wanted = number == wanted_[i].field;
      const char* const why =
          cut_field(&line, layout_.delimiter, &field, &more, wanted ? &(*unquoted)[i] : &skipped);
      if (why != nullptr) {
        return corrupt("field #{}: {}", number, why);
      }
    }
    (*fields)[wanted_[i].slot] = field;
  }
  return layout_.ragged ? Status() : count_fields(number, line, more);
}

// Cuts the rest of a line, so that no field is lost silently: `found` fields came before it.
Status TextParser::count_fields(size_t found, std::string_view rest, bool more) const {
  std::string_view field;
  std::string storage;
  for (; more; ++found) {
    if (const char* const why = cut_field(&rest, layout_.delimiter, &field, &more, &storage)) {
      return corrupt("field #{}: {}", found, why);
    }
  }
  if (found != layout_.num_fields) {
    return corrupt(
        "the line has {} fields, expected {} as in the first line; put a field that contains {} in "
        "quotes, or allow ragged lines",
        found, layout_.num_fields, delimiter_name(layout_.delimiter));
  }
  return {};
}

Status TextParser::parse_line(std::string_view line, std::vector<std::string_view>* fields,
                              std::vector<std::string>* unquoted, IdSink& ids,
                              ParsedText* out) const {
  GLS_TRY(find_fields(line, fields, unquoted));
  const size_t num_ids = layout_.id_fields.size();
  for (size_t i = 0; i < dtypes_.size(); ++i) {
    std::vector<std::byte>& values = out->columns[i];
    const size_t width = dtype_bytes(dtypes_[i]);
    values.resize(values.size() + width);
    const std::string_view field = (*fields)[num_ids + i];
    std::byte* const value = values.data() + values.size() - width;
    const char* why = parse_value(field, dtypes_[i], value);
    if (why == nullptr && weights_[i] && !is_weight(element_as_double(value, dtypes_[i], 0))) {
      return corrupt("field #{}: the weight \"{}\" {}", layout_.column_fields[i], shown(field),
                     kNoWeight);
    }
    if (why != nullptr) {
      return corrupt("field #{}: \"{}\" {} (as {})", layout_.column_fields[i], shown(field), why,
                     dtype_name(dtypes_[i]));
    }
  }
  return ids.take({fields->data(), num_ids});
}

void TextParser::parse(std::string_view text, IdSink& ids, ParsedText* out,
                       std::vector<uint32_t>* record_lines) const {
  out->columns.resize(dtypes_.size());
  for (std::vector<std::byte>& column : out->columns) {
    column.clear();
  }
  out->records = 0;
  out->comments = 0;
  out->lines = 0;
  out->failure = {};
  std::vector<std::string_view> fields(wanted_.size());
  std::vector<std::string> unquoted(wanted_.size());
  std::optional<DefaultFloatMode> float_mode;
  if (any_weights_) {
    float_mode.emplace();  // a small negative weight must not be read as 0
  }
  while (!text.empty()) {
    const std::string_view line = cut_line(&text);
    ++out->lines;
    out->failure = check_line(line);
    if (!out->failure.ok()) {
      return;
    }
    if (line.empty() || is_blank(line)) {
      continue;
    }
    if (layout_.is_comment(line.front())) {
      ++out->comments;
      continue;
    }
    out->failure = parse_line(line, &fields, &unquoted, ids, out);
    if (!out->failure.ok()) {
      return;
    }
    ++out->records;
    if (record_lines != nullptr) {
      record_lines->push_back(static_cast<uint32_t>(out->lines));
    }
  }
}

}  // namespace gls
