// What becomes of each field of a stream, found from its schema and the caller's options.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ingest/arrow/arrow_rows.h"
#include "ingest/arrow/arrow_schema.h"
#include "ingest/common/build_options.h"

namespace gls {

// A field that becomes a column, or a part of its rows.
struct ArrowPart {
  size_t field = 0;
  ArrowRowType rows;
  std::vector<std::byte> fill;  // empty: a null is an error, unless there is a mask
};

struct ArrowColumnPlan {
  std::string name;
  int32_t role = GLS_ROLE_FEATURE;
  DLDataType dtype{};
  std::string logical_type;
  std::vector<ArrowPart> parts;
  std::string mask;  // the column of it; empty: none
};

// A bool field that becomes an id set, or a text field that becomes one for each text.
struct ArrowIdSetPlan {
  std::string name;  // empty: by the text
  size_t field = 0;
  std::vector<std::byte> fill;
};

struct ArrowPlan {
  std::vector<size_t> ids;  // fields: source and target, or the key, or none
  std::vector<ArrowColumnPlan> columns;
  std::vector<ArrowIdSetPlan> id_sets;

  // All columns that it makes, masks too.
  std::vector<std::string> column_names() const;
};

enum class ArrowRows : uint8_t { kNodes, kEdges };
Result<ArrowPlan> plan_arrow(const std::vector<ArrowField>& fields, const ArrowOptions& options,
                             ArrowRows rows);

}  // namespace gls
