// Reads the names of nodes, integers or text, out of Arrow arrays.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/arrow/arrow_rows.h"
#include "ingest/arrow/arrow_schema.h"

namespace gls {

// Texts of consecutive rows, which live as long as their array and this.
struct TextKeys {
  std::vector<std::string_view> texts;
  std::vector<std::string> made;  // digits of fixed-size binary
};

class ArrowIdReader {
 public:
  // An error if values of the field cannot name nodes.
  static Result<ArrowIdReader> create(const ArrowField& field);

  // Bytes of memory for an id while its slice is read.
  static uint64_t row_bytes(const ArrowField& field);

  bool is_text() const { return field_->values().type.is_text(); }

  // Integers of the rows [begin, begin + out.size()) of a checked array.
  bool read_numbers(const ArrowArray& array, int64_t begin, std::span<int64_t> out,
                    ArrowFault* fault) const;
  // The text of a row. It lives as long as the array and `scratch`.
  bool read_text(const ArrowArray& array, int64_t row, std::string* scratch, std::string_view* out,
                 ArrowFault* fault) const;

  // The texts of rows until the first fault.
  bool read_texts(const ArrowArray& array, int64_t begin, int64_t count, TextKeys* out,
                  ArrowFault* fault) const;

 private:
  explicit ArrowIdReader(const ArrowField& field) : field_(&field) {}

  const ArrowField* field_;
};

}  // namespace gls
