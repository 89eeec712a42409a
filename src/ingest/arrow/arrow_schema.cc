#include "ingest/arrow/arrow_schema.h"

#include <limits>
#include <utility>

namespace gls {
namespace {

// Deeper types would exhaust the stack.
constexpr int kMostLevels = 32;
constexpr int64_t kMostFields = 65536;
constexpr int64_t kMostRows = std::numeric_limits<int64_t>::max() / 64;

Result<ArrowField> read_field(const ArrowSchema* schema, int level) {
  if (schema == nullptr || schema->format == nullptr) {
    return corrupt("the Arrow schema has a field without a format");
  }
  if (level > kMostLevels) {
    return corrupt("the Arrow schema is deeper than {} levels", kMostLevels);
  }
  ArrowField field;
  field.name = schema->name != nullptr ? schema->name : "";
  field.format = schema->format;
  Result<ArrowType> type = parse_arrow_format(schema->format);
  field.known = type.ok();
  if (type.ok()) {
    field.type = type.take();
  }
  if (schema->n_children < 0 || schema->n_children > kMostFields ||
      (schema->n_children > 0 && schema->children == nullptr)) {
    return corrupt("the Arrow field \"{}\" has {} children", field.name, schema->n_children);
  }
  for (int64_t i = 0; i < schema->n_children; ++i) {
    GLS_ASSIGN(ArrowField child, read_field(schema->children[i], level + 1));
    field.children.push_back(std::move(child));
  }
  const bool list = field.type.kind == ArrowKind::kList ||
                    field.type.kind == ArrowKind::kLargeList ||
                    field.type.kind == ArrowKind::kFixedList;
  if (field.known && list && field.children.size() != 1) {
    return corrupt("the Arrow field \"{}\" is a list with {} children, expected 1", field.name,
                   field.children.size());
  }
  if (schema->dictionary != nullptr) {
    if (!field.known || field.type.kind != ArrowKind::kNumber ||
        field.type.dtype.code == kDLFloat) {
      return corrupt("the Arrow field \"{}\" has a dictionary, and {} as indices", field.name,
                     arrow_format_name(field.format));
    }
    GLS_ASSIGN(ArrowField values, read_field(schema->dictionary, level + 1));
    field.dictionary.push_back(std::move(values));
  }
  return field;
}

struct BufferCount {
  int64_t least;
  bool more = false;  // views may have more
};

BufferCount buffers_of(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::kNull:
      return {0};
    case ArrowKind::kFixedList:
    case ArrowKind::kStruct:
      return {1};
    case ArrowKind::kText:
    case ArrowKind::kLargeText:
      return {3};
    case ArrowKind::kTextView:
      return {3, true};
    default:
      return {2};
  }
}

// Elements of a child that rows of its parent need.
struct Range {
  int64_t begin;
  int64_t end;
};

// The elements between the offsets of the rows, which must ascend.
Result<Range> offset_range(const ArrowField& field, const ArrowArray& array, const Range& rows) {
  if (rows.begin == rows.end) {
    return Range{0, 0};
  }
  Range out{arrow_offset(field.type.kind, array, rows.begin), 0};
  int64_t last = 0;
  for (int64_t row = rows.begin; row <= rows.end; ++row) {
    const int64_t offset = arrow_offset(field.type.kind, array, row);
    if (offset < last) {
      return corrupt("the offsets of the Arrow field \"{}\" are not ascending", field.name)
          .with("field", field.name);
    }
    last = offset;
  }
  out.end = last;
  return out;
}

Status check(const ArrowField& field, const ArrowArray* array, const Range& rows);

Status check_children(const ArrowField& field, const ArrowArray& array, const Range& rows) {
  switch (field.type.kind) {
    case ArrowKind::kFixedList: {
      int64_t elements = 0;
      if (__builtin_mul_overflow(array.offset + rows.end, field.type.width, &elements) ||
          elements > kMostRows) {
        return corrupt("the Arrow field \"{}\" has {} lists of {} elements", field.name, rows.end,
                       field.type.width)
            .with("field", field.name);
      }
      return check(field.children[0], array.children[0],
                   {(array.offset + rows.begin) * field.type.width, elements});
    }
    case ArrowKind::kList:
    case ArrowKind::kLargeList: {
      GLS_ASSIGN(const Range elements, offset_range(field, array, rows));
      return check(field.children[0], array.children[0], elements);
    }
    case ArrowKind::kText:
    case ArrowKind::kLargeText:
      return std::move(offset_range(field, array, rows).status());
    default:
      return {};
  }
}

Status check(const ArrowField& field, const ArrowArray* array, const Range& rows) {
  const auto bad = [&](std::string_view what) {
    return corrupt("the Arrow array of \"{}\" {}", field.name, what).with("field", field.name);
  };
  if (array == nullptr || array->release == nullptr) {
    return bad("is missing, or was released");
  }
  if (array->length < 0 || array->offset < 0 || array->length > kMostRows ||
      array->offset > kMostRows || array->length < rows.end) {
    return bad(formatted("has {} rows from {} on, expected at least {}", array->length,
                         array->offset, rows.end));
  }
  const BufferCount wanted = buffers_of(field.type.kind);
  if (array->n_buffers < wanted.least || (array->n_buffers > wanted.least && !wanted.more) ||
      (array->n_buffers > 0 && array->buffers == nullptr)) {
    return bad(formatted("has {} buffers, expected {}", array->n_buffers, wanted.least));
  }
  if (array->length > 0) {
    const bool empty_values = field.type.kind == ArrowKind::kFixedBinary && field.type.width == 0;
    if (wanted.least >= 2 && array->buffers[1] == nullptr && !empty_values) {
      return bad("has no values");
    }
    if (array->null_count > 0 && array->n_buffers > 0 && array->buffers[0] == nullptr) {
      return bad(formatted("has {} nulls, but does not say which", array->null_count));
    }
  }
  const auto children = static_cast<int64_t>(field.children.size());
  if (array->n_children != children || (children > 0 && array->children == nullptr)) {
    return bad(formatted("has {} children, expected {}", array->n_children, children));
  }
  if (!field.dictionary.empty()) {
    const int64_t entries = array->dictionary != nullptr ? array->dictionary->length : 0;
    GLS_TRY(check(field.dictionary.front(), array->dictionary, {0, entries}));
  }
  return check_children(field, *array, rows);
}

bool is_valid_bit(const ArrowArray& array, int64_t row) {
  const auto* const bits = static_cast<const uint8_t*>(array.buffers[0]);
  const auto at = static_cast<uint64_t>(array.offset + row);
  return (bits[at / 8] >> (at % 8) & 1) != 0;
}

}  // namespace

Result<std::vector<ArrowField>> read_arrow_fields(const ArrowSchema& schema) {
  GLS_ASSIGN(ArrowField root, read_field(&schema, 0));
  if (!root.known || root.type.kind != ArrowKind::kStruct || !root.dictionary.empty()) {
    return invalid("the Arrow stream has arrays of {}, expected structs (record batches)",
                   arrow_format_name(root.format))
        .with("argument", "stream");
  }
  return std::move(root.children);
}

Status check_arrow_array(const ArrowField& field, const ArrowArray& array, int64_t begin,
                         int64_t end) {
  return check(field, &array, {begin, end});
}

bool has_no_arrow_nulls(const ArrowField& field, const ArrowArray& array) {
  return field.type.kind != ArrowKind::kNull &&
         (array.null_count == 0 || array.buffers[0] == nullptr);
}

bool is_arrow_null(const ArrowField& field, const ArrowArray& array, int64_t row) {
  return field.type.kind == ArrowKind::kNull ||
         (!has_no_arrow_nulls(field, array) && !is_valid_bit(array, row));
}

int64_t arrow_dictionary_index(const ArrowField& field, const ArrowArray& array, int64_t row) {
  const DLDataType dtype = field.type.dtype;
  const bool is_signed = dtype.code == kDLInt;
  int64_t index = 0;
  switch (dtype.bits) {
    case 8:
      index = is_signed ? arrow_value<int8_t>(array, row) : arrow_value<uint8_t>(array, row);
      break;
    case 16:
      index = is_signed ? arrow_value<int16_t>(array, row) : arrow_value<uint16_t>(array, row);
      break;
    case 32:
      index = is_signed ? arrow_value<int32_t>(array, row) : arrow_value<uint32_t>(array, row);
      break;
    default:
      index = arrow_value<int64_t>(array, row);  // beyond 2^63 it is negative here, and refused
  }
  return index >= 0 && index < array.dictionary->length ? index : -1;
}

int64_t arrow_run_end(const ArrowField& field, const ArrowArray& array, int64_t row, int64_t end) {
  if (field.type.kind == ArrowKind::kNull || has_no_arrow_nulls(field, array)) {
    return end;
  }
  const bool first = is_valid_bit(array, row);
  int64_t at = row + 1;
  while (at < end && is_valid_bit(array, at) == first) {
    ++at;
  }
  return at;
}

}  // namespace gls
