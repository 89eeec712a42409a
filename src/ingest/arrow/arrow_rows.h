// Reads rows of numbers out of Arrow arrays: numbers, bool, and lists of equal length of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ingest/arrow/arrow_schema.h"

namespace gls {

// The rows of a field: their numbers, and their shape.
struct ArrowRowType {
  DLDataType dtype{};  // code 255: of a field of nulls
  std::string logical_type;
  std::vector<int64_t> shape;  // of one row; -1 first: lists, whose length the data give
  bool has_dtype() const { return dtype.code != 255; }
};
// An error for a field that holds no rows of numbers.
Result<ArrowRowType> arrow_row_type(const ArrowField& field);

// The length of the first list of the rows [begin, end) that is not null; -1: there is none.
int64_t first_list_length(const ArrowField& field, const ArrowArray& array, int64_t begin,
                          int64_t end);

// A failure concerns row `row` of the array; the text follows the field's name in a sentence.
struct ArrowFault {
  int64_t row = 0;
  std::string why;
};

// The text for a null that may not be there.
inline constexpr const char* kArrowNull = "is null";

class ArrowRowReader {
 public:
  // Rows of this shape, of `dtype`. An empty `fill`: nulls are faults, unless masked.
  ArrowRowReader(const ArrowField& field, const std::vector<int64_t>& shape, DLDataType dtype,
                 std::vector<std::byte> fill, bool masked);

  int64_t width() const { return width_; }
  size_t row_bytes() const { return static_cast<size_t>(width_) * dtype_bytes(dtype_); }

  // Rows [begin, begin + count) of a checked array to `out`. With masks, `valid` has one byte for
  // each row, which becomes 0 for a row with a null. False: `fault` says why.
  bool read(const ArrowArray& array, int64_t begin, int64_t count, std::byte* out, uint8_t* valid,
            ArrowFault* fault) const;

 private:
  struct Reading;
  bool read_level(const ArrowField& field, const ArrowArray& array, int64_t begin, int64_t count,
                  int64_t at, Reading* reading) const;
  bool read_numbers(const ArrowField& field, const ArrowArray& array, int64_t begin, int64_t count,
                    int64_t at, Reading* reading) const;
  bool read_dictionary(const ArrowField& field, const ArrowArray& array, int64_t begin,
                       int64_t count, int64_t at, Reading* reading) const;
  bool put_nulls(int64_t at, int64_t count, Reading* reading) const;
  bool put_numbers(const void* values, DLDataType dtype, int64_t at, int64_t count,
                   Reading* reading) const;

  bool read_lists(const ArrowArray& array, int64_t begin, int64_t end, int64_t at,
                  Reading* reading) const;
  bool has_length(const ArrowArray& array, int64_t row, ArrowFault* fault) const;

  const ArrowField& field_;
  int64_t list_length_;  // of lists with offsets; else 0
  int64_t width_;        // numbers in a row
  DLDataType dtype_;
  std::vector<std::byte> fill_;
  bool masked_;
};

}  // namespace gls
