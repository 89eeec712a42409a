// The types of a stream's fields, and checks that arrays have the structure that their types need.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/arrow_type.h"
#include "tensor/element.h"

namespace gls {

struct ArrowField {
  std::string name;
  std::string format;
  ArrowType type;     // with a dictionary: of its indices
  bool known = true;  // false: a type that GLS does not read
  std::vector<ArrowField> children;
  std::vector<ArrowField> dictionary;  // one, or none

  // The field whose values count: the dictionary's, or this.
  const ArrowField& values() const { return dictionary.empty() ? *this : dictionary.front(); }
};

// The fields of a stream's batches; an error if it is no struct. Fields of unknown types are
// marked.
Result<std::vector<ArrowField>> read_arrow_fields(const ArrowSchema& schema);

// Checks lengths, buffers and children, so that reading the rows [begin, end) stays inside the
// buffers, as far as the interface can tell: it does not give the sizes of buffers.
Status check_arrow_array(const ArrowField& field, const ArrowArray& array, int64_t begin,
                         int64_t end);

// For an array that was checked, and a row below its length.
bool is_arrow_null(const ArrowField& field, const ArrowArray& array, int64_t row);
// Whether no row of the array is null.
bool has_no_arrow_nulls(const ArrowField& field, const ArrowArray& array);
// The end of the longest run of rows from `row` on that are all null, or all not.
int64_t arrow_run_end(const ArrowField& field, const ArrowArray& array, int64_t row, int64_t end);

// Value `row` of an array of T, which may be at any address.
template <typename T>
T arrow_value(const ArrowArray& array, int64_t row) {
  return stored_at<T>(static_cast<const std::byte*>(array.buffers[1]) +
                      static_cast<size_t>(array.offset + row) * sizeof(T));
}
// The same for a list's or text's offsets, which are one more than rows.
inline int64_t arrow_offset(ArrowKind kind, const ArrowArray& array, int64_t row) {
  return kind == ArrowKind::kLargeList || kind == ArrowKind::kLargeText
             ? arrow_value<int64_t>(array, row)
             : arrow_value<int32_t>(array, row);
}

// The row of the dictionary that a row that is not null names; -1: none.
int64_t arrow_dictionary_index(const ArrowField& field, const ArrowArray& array, int64_t row);

}  // namespace gls
