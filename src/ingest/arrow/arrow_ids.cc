#include "ingest/arrow/arrow_ids.h"

#include "ingest/arrow/number_convert.h"

namespace gls {
namespace {

constexpr const char* kNull = "is null, and names no node";

// A view has up to 12 bytes in itself; longer text is in one of the buffers after the views.
struct View {
  int32_t length;
  char prefix[4];
  int32_t buffer;
  int32_t offset;
};
static_assert(sizeof(View) == 16);

bool view_text(const ArrowArray& array, int64_t row, std::string_view* out) {
  const auto* const at = static_cast<const std::byte*>(array.buffers[1]) +
                         static_cast<size_t>(array.offset + row) * sizeof(View);
  const auto view = stored_at<View>(at);
  if (view.length < 0) {
    return false;
  }
  if (view.length <= 12) {
    *out = {reinterpret_cast<const char*>(at) + 4, static_cast<size_t>(view.length)};
    return true;
  }
  const int64_t buffers = array.n_buffers - 3;
  if (view.buffer < 0 || view.buffer >= buffers || view.offset < 0 ||
      array.buffers[array.n_buffers - 1] == nullptr) {
    return false;
  }
  const auto size =
      stored_at<int64_t>(static_cast<const std::byte*>(array.buffers[array.n_buffers - 1]) +
                         static_cast<size_t>(view.buffer) * 8);
  const auto* const data = static_cast<const char*>(array.buffers[2 + view.buffer]);
  if (data == nullptr || int64_t{view.offset} + view.length > size) {
    return false;
  }
  *out = {data + view.offset, static_cast<size_t>(view.length)};
  return true;
}

std::string_view fixed_text(const ArrowField& field, const ArrowArray& array, int64_t row,
                            std::string* scratch) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto width = static_cast<size_t>(field.type.width);
  const auto* const bytes = static_cast<const unsigned char*>(array.buffers[1]) +
                            static_cast<size_t>(array.offset + row) * width;
  scratch->clear();
  for (size_t i = 0; i < width; ++i) {
    *scratch += kDigits[bytes[i] >> 4];
    *scratch += kDigits[bytes[i] & 15];
  }
  return *scratch;
}

}  // namespace

Result<ArrowIdReader> ArrowIdReader::create(const ArrowField& field) {
  const ArrowField& values = field.values();
  const bool integers = values.known && values.type.kind == ArrowKind::kNumber &&
                        values.type.dtype.code != kDLFloat && values.type.logical_type.empty();
  if (!values.dictionary.empty() || !values.known || (!integers && !values.type.is_text())) {
    return invalid("field \"{}\" has values of {}, but nodes are named by integers, text or binary",
                   field.name, arrow_format_name(values.format))
        .with("field", field.name);
  }
  return ArrowIdReader(field);
}

uint64_t ArrowIdReader::row_bytes(const ArrowField& field) {
  // Its key or text, hash, place among its shard's, and id; digits are text of their own.
  constexpr uint64_t kId = 16 + 8 + 4 + 8;
  const ArrowType& type = field.values().type;
  return type.kind == ArrowKind::kFixedBinary
             ? kId + 2 * static_cast<uint64_t>(type.width) + sizeof(std::string) + 16
             : kId;
}

bool ArrowIdReader::read_numbers(const ArrowArray& array, int64_t begin, std::span<int64_t> out,
                                 ArrowFault* fault) const {
  const ArrowRowReader reader(*field_, {}, kInt64, {}, false);
  if (reader.read(array, begin, static_cast<int64_t>(out.size()),
                  reinterpret_cast<std::byte*>(out.data()), nullptr, fault)) {
    return true;
  }
  if (fault->why == kArrowNull) {
    fault->why = kNull;
  }
  return false;
}

bool ArrowIdReader::read_text(const ArrowArray& array, int64_t row, std::string* scratch,
                              std::string_view* out, ArrowFault* fault) const {
  const ArrowField* field = field_;
  const ArrowArray* at = &array;
  int64_t index = row;
  if (is_arrow_null(*field, *at, index)) {
    *fault = {row, kNull};
    return false;
  }
  if (!field->dictionary.empty()) {
    index = arrow_dictionary_index(*field, *at, index);
    if (index < 0) {
      *fault = {row, "has an index outside its dictionary"};
      return false;
    }
    field = &field->dictionary.front();
    at = at->dictionary;
    if (is_arrow_null(*field, *at, index)) {
      *fault = {row, kNull};
      return false;
    }
  }
  switch (field->type.kind) {
    case ArrowKind::kTextView:
      if (!view_text(*at, index, out)) {
        *fault = {row, "has a view that points outside its buffers"};
        return false;
      }
      return true;
    case ArrowKind::kFixedBinary:
      *out = fixed_text(*field, *at, index, scratch);
      return true;
    default: {
      const int64_t begin = arrow_offset(field->type.kind, *at, index);
      const int64_t end = arrow_offset(field->type.kind, *at, index + 1);
      const auto* const data = static_cast<const char*>(at->buffers[2]);
      if (data == nullptr && end > begin) {
        *fault = {row, "has text without a buffer"};
        return false;
      }
      *out = begin == end ? std::string_view()
                          : std::string_view(data + begin, static_cast<size_t>(end - begin));
      return true;
    }
  }
}

bool ArrowIdReader::read_texts(const ArrowArray& array, int64_t begin, int64_t count, TextKeys* out,
                               ArrowFault* fault) const {
  const bool made = field_->values().type.kind == ArrowKind::kFixedBinary;
  out->texts.reserve(static_cast<size_t>(count));
  out->made.resize(made ? static_cast<size_t>(count) : 1);
  for (int64_t i = 0; i < count; ++i) {
    std::string_view text;
    if (!read_text(array, begin + i, &out->made[made ? static_cast<size_t>(i) : 0], &text, fault)) {
      return false;
    }
    out->texts.push_back(text);
  }
  return true;
}

}  // namespace gls
