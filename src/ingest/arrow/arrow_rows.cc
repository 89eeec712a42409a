#include "ingest/arrow/arrow_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "ingest/arrow/number_convert.h"
#include "ingest/common/text_value.h"

namespace gls {
namespace {

bool is_list(ArrowKind kind) { return kind == ArrowKind::kList || kind == ArrowKind::kLargeList; }

// One number, for messages.
std::string number_text(const std::byte* value, DLDataType dtype) {
  if (same_dtype(dtype, kInt64)) {  // a double does not hold all of these
    return std::to_string(stored_at<int64_t>(value));
  }
  if (same_dtype(dtype, kUint64)) {
    return std::to_string(stored_at<uint64_t>(value));
  }
  return formatted("{}", stored_as_double(value, dtype.code, dtype.bits));
}

}  // namespace

Result<ArrowRowType> arrow_row_type(const ArrowField& field) {
  const auto refused = [&](const ArrowField& of) {
    return error(GLS_ERR_UNSUPPORTED, "field \"{}\" has values of {}, which cannot be a column",
                 field.name, arrow_format_name(of.format))
        .with("field", field.name);
  };
  ArrowRowType out;
  const ArrowField* at = &field;
  if (at->known && is_list(at->type.kind) && at->dictionary.empty()) {
    out.shape.push_back(-1);
    at = &at->children[0];
  }
  while (at->known && at->type.kind == ArrowKind::kFixedList && at->dictionary.empty()) {
    out.shape.push_back(at->type.width);
    at = &at->children[0];
  }
  const ArrowField& values = at->values();
  if (!values.known || !values.dictionary.empty() ||
      (!values.type.is_value() && values.type.kind != ArrowKind::kNull)) {
    return refused(values);
  }
  int64_t elements = 1;
  for (const int64_t extent : out.shape) {
    if (extent >= 0 &&
        (__builtin_mul_overflow(elements, extent, &elements) || elements > int64_t{0x7fffffff})) {
      return error(GLS_ERR_UNSUPPORTED, "field \"{}\" has rows of more than 2^31 - 1 numbers",
                   field.name)
          .with("field", field.name);
    }
  }
  out.dtype = values.type.kind == ArrowKind::kNull ? DLDataType{255, 0, 1} : values.type.dtype;
  out.logical_type = values.type.logical_type;
  return out;
}

int64_t first_list_length(const ArrowField& field, const ArrowArray& array, int64_t begin,
                          int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    if (!is_arrow_null(field, array, row)) {
      return arrow_offset(field.type.kind, array, row + 1) -
             arrow_offset(field.type.kind, array, row);
    }
  }
  return -1;
}

// What one call of read() shares between the levels of a type.
struct ArrowRowReader::Reading {
  int64_t first_row;
  std::byte* out;
  uint8_t* valid;
  ArrowFault* fault;
};

ArrowRowReader::ArrowRowReader(const ArrowField& field, const std::vector<int64_t>& shape,
                               DLDataType dtype, std::vector<std::byte> fill, bool masked)
    : field_(field),
      list_length_(is_list(field.type.kind) && !shape.empty() ? shape[0] : 0),
      width_(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>())),
      dtype_(dtype),
      fill_(std::move(fill)),
      masked_(masked) {
  if (fill_.empty() && masked_) {
    fill_.resize(dtype_bytes(dtype_));
  }
}

bool ArrowRowReader::read(const ArrowArray& array, int64_t begin, int64_t count, std::byte* out,
                          uint8_t* valid, ArrowFault* fault) const {
  Reading reading{begin, out, valid, fault};
  if (width_ > 0) {
    return read_level(field_, array, begin, count, 0, &reading);
  }
  for (int64_t row = begin; row < begin + count; ++row) {  // rows without numbers have no level
    if (is_arrow_null(field_, array, row)) {
      if (fill_.empty()) {
        *fault = {row, kArrowNull};
        return false;
      }
      if (valid != nullptr) {
        valid[row - begin] = 0;
      }
    } else if (is_list(field_.type.kind) && !has_length(array, row, fault)) {
      return false;
    }
  }
  return true;
}

bool ArrowRowReader::has_length(const ArrowArray& array, int64_t row, ArrowFault* fault) const {
  const int64_t length =
      arrow_offset(field_.type.kind, array, row + 1) - arrow_offset(field_.type.kind, array, row);
  if (length == list_length_) {
    return true;
  }
  *fault = {row,
            formatted("has a list of {} elements, expected {} as before", length, list_length_)};
  return false;
}

// `at`: the first of its numbers, counted from the first number of the first row.
bool ArrowRowReader::read_level(const ArrowField& field, const ArrowArray& array, int64_t begin,
                                int64_t count, int64_t at, Reading* reading) const {
  if (!field.dictionary.empty()) {
    return read_dictionary(field, array, begin, count, at, reading);
  }
  const bool list = is_list(field.type.kind);  // only the outermost level can be one
  if (!list && field.type.kind != ArrowKind::kFixedList) {
    return read_numbers(field, array, begin, count, at, reading);
  }
  int64_t numbers = width_;  // in one row of this level
  if (!list) {
    numbers = 1;
    for (const ArrowField* f = &field;
         f->dictionary.empty() && f->type.kind == ArrowKind::kFixedList; f = &f->children[0]) {
      numbers *= f->type.width;
    }
  }
  for (int64_t row = begin; row < begin + count;) {
    const int64_t end = arrow_run_end(field, array, row, begin + count);
    const int64_t to = at + (row - begin) * numbers;
    const int64_t extent = field.type.width;
    const bool done =
        is_arrow_null(field, array, row) ? put_nulls(to, (end - row) * numbers, reading)
        : list                           ? read_lists(array, row, end, to, reading)
               : read_level(field.children[0], *array.children[0], (array.offset + row) * extent,
                            (end - row) * extent, to, reading);
    if (!done) {
      return false;
    }
    row = end;
  }
  return true;
}

// Lists that are not null; only the outermost level has them.
bool ArrowRowReader::read_lists(const ArrowArray& array, int64_t begin, int64_t end, int64_t at,
                                Reading* reading) const {
  ArrowFault wrong;
  int64_t good = begin;
  while (good < end && has_length(array, good, &wrong)) {
    ++good;
  }
  // A fault of the rows before comes first.
  if (!read_level(field_.children[0], *array.children[0],
                  arrow_offset(field_.type.kind, array, begin), (good - begin) * list_length_, at,
                  reading)) {
    return false;
  }
  if (good < end) {
    *reading->fault = std::move(wrong);
    return false;
  }
  return true;
}

bool ArrowRowReader::read_numbers(const ArrowField& field, const ArrowArray& array, int64_t begin,
                                  int64_t count, int64_t at, Reading* reading) const {
  for (int64_t i = begin; i < begin + count;) {
    const int64_t end = arrow_run_end(field, array, i, begin + count);
    const int64_t to = at + (i - begin);
    bool done = true;
    if (is_arrow_null(field, array, i)) {
      done = put_nulls(to, end - i, reading);
    } else if (field.type.kind == ArrowKind::kBits) {
      const auto* const bits = static_cast<const uint8_t*>(array.buffers[1]);
      std::array<uint8_t, 512> bytes;
      for (int64_t b = i; done && b < end; b += static_cast<int64_t>(bytes.size())) {
        const int64_t some = std::min<int64_t>(end - b, bytes.size());
        for (int64_t k = 0; k < some; ++k) {
          const auto bit = static_cast<uint64_t>(array.offset + b + k);
          bytes[static_cast<size_t>(k)] = static_cast<uint8_t>(bits[bit / 8] >> (bit % 8) & 1);
        }
        done = put_numbers(bytes.data(), kBool, to + (b - i), some, reading);
      }
    } else {
      const size_t size = dtype_bytes(field.type.dtype);
      done = put_numbers(static_cast<const std::byte*>(array.buffers[1]) +
                             static_cast<size_t>(array.offset + i) * size,
                         field.type.dtype, to, end - i, reading);
    }
    if (!done) {
      return false;
    }
    i = end;
  }
  return true;
}

bool ArrowRowReader::read_dictionary(const ArrowField& field, const ArrowArray& array,
                                     int64_t begin, int64_t count, int64_t at,
                                     Reading* reading) const {
  const ArrowField& values = field.dictionary.front();
  for (int64_t i = begin; i < begin + count; ++i) {
    const int64_t to = at + (i - begin);
    if (is_arrow_null(field, array, i)) {
      if (!put_nulls(to, 1, reading)) {
        return false;
      }
      continue;
    }
    const int64_t index = arrow_dictionary_index(field, array, i);
    if (index < 0) {
      *reading->fault = {reading->first_row + to / width_, "has an index outside its dictionary"};
      return false;
    }
    if (!read_numbers(values, *array.dictionary, index, 1, to, reading)) {
      return false;
    }
  }
  return true;
}

bool ArrowRowReader::put_nulls(int64_t at, int64_t count, Reading* reading) const {
  if (count == 0) {
    return true;
  }
  if (fill_.empty()) {
    *reading->fault = {reading->first_row + at / width_, kArrowNull};
    return false;
  }
  std::byte* const to = reading->out + static_cast<size_t>(at) * fill_.size();
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * fill_.size(), fill_.data(), fill_.size());
  }
  if (reading->valid != nullptr) {
    std::fill(reading->valid + at / width_, reading->valid + (at + count - 1) / width_ + 1,
              uint8_t{0});
  }
  return true;
}

bool ArrowRowReader::put_numbers(const void* values, DLDataType dtype, int64_t at, int64_t count,
                                 Reading* reading) const {
  size_t bad = 0;
  std::byte* const to = reading->out + static_cast<size_t>(at) * dtype_bytes(dtype_);
  const char* const why =
      convert_numbers(values, dtype, static_cast<size_t>(count), dtype_, to, &bad);
  if (why != nullptr) {
    const auto* const value = static_cast<const std::byte*>(values) + bad * dtype_bytes(dtype);
    *reading->fault = {reading->first_row + (at + static_cast<int64_t>(bad)) / width_,
                       formatted("has the value {}, which {} for {}", number_text(value, dtype),
                                 why, dtype_name(dtype_))};
    return false;
  }
  return true;
}

}  // namespace gls
