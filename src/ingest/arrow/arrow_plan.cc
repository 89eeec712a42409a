#include "ingest/arrow/arrow_plan.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "base/nearest_name.h"
#include "format/manifest.h"
#include "ingest/arrow/arrow_ids.h"
#include "ingest/common/text_value.h"

namespace gls {
namespace {

class Planner {
 public:
  Planner(const std::vector<ArrowField>& fields, const ArrowOptions& options, ArrowRows rows)
      : fields_(fields), options_(options), rows_(rows), used_(fields.size(), false) {}

  Result<ArrowPlan> run() {
    if (rows_ == ArrowRows::kEdges) {
      GLS_TRY(add_id(options_.source_field.value_or("#0"), "source_field"));
      GLS_TRY(add_id(options_.target_field.value_or("#1"), "target_field"));
    } else if (options_.source_field) {
      GLS_TRY(add_id(*options_.source_field, "source_field"));
    }
    for (const ArrowColumnOptions& column : options_.columns) {
      GLS_ASSIGN(const size_t field, find(column.field, "columns"));
      GLS_TRY(column.use == ArrowUse::kColumn ? add_column(column, field)
                                              : add_id_set(column, field));
    }
    for (size_t i = 0; options_.all_fields && i < fields_.size(); ++i) {
      // pandas adds its index by such a name, which no column can have.
      if (!used_[i] && !fields_[i].name.starts_with("__index_level_")) {
        GLS_TRY(add_other(i));
      }
    }
    for (const ArrowColumnPlan& column : plan_.columns) {
      GLS_TRY(check_parts(column));
    }
    GLS_TRY(check_names());
    return std::move(plan_);
  }

 private:
  Result<size_t> find(const std::string& name, const char* argument) const {
    if (name.starts_with('#')) {
      size_t number = 0;
      const auto [end, ec] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
      if (ec == std::errc() && end == name.data() + name.size()) {
        if (number < fields_.size()) {
          return number;
        }
        return invalid("field {} does not exist, the stream has {}", name, fields_.size())
            .with("argument", argument)
            .with("field", name);
      }
    }
    const auto named = [&](const ArrowField& field) { return field.name == name; };
    const auto found = std::find_if(fields_.begin(), fields_.end(), named);
    if (found == fields_.end()) {
      std::vector<std::string> names;
      std::string all;
      constexpr size_t kMostNamed = 32;
      for (const ArrowField& field : fields_) {
        names.push_back(field.name);
        if (names.size() <= kMostNamed) {
          all += formatted("{}{}", all.empty() ? "" : ", ", field.name);
        }
      }
      all += names.size() > kMostNamed ? formatted(", ... ({} in all)", names.size()) : "";
      return invalid("there is no field \"{}\", the stream has: {}{}", name,
                     all.empty() ? "none" : all, did_you_mean(name, names))
          .with("argument", argument)
          .with("field", name);
    }
    if (std::find_if(found + 1, fields_.end(), named) != fields_.end()) {
      return invalid("field \"{}\" occurs several times; select it by its number, such as \"#0\"",
                     name)
          .with("argument", argument)
          .with("field", name);
    }
    return static_cast<size_t>(found - fields_.begin());
  }

  Status add_id(const std::string& name, const char* argument) {
    GLS_ASSIGN(const size_t field, find(name, argument));
    Result<ArrowIdReader> reader = ArrowIdReader::create(fields_[field]);
    if (!reader.ok()) {
      return std::move(reader.status()).with("argument", argument);
    }
    used_[field] = true;
    plan_.ids.push_back(field);
    return {};
  }

  // A field that the caller did not name.
  Status add_other(size_t field) {
    const std::string& name = fields_[field].name;
    if (column_of_.contains(name)) {
      return invalid("field \"{}\" and another one would both be the column of that name", name)
          .with("argument", "columns")
          .with("column", name);
    }
    return add_column({}, field);
  }

  Status add_column(const ArrowColumnOptions& options, size_t field) {
    used_[field] = true;
    ArrowPart part;
    part.field = field;
    GLS_ASSIGN(part.rows, arrow_row_type(fields_[field]));
    const std::string& name = options.name.empty() ? fields_[field].name : options.name;
    if (!part.rows.has_dtype() && !options.dtype) {
      return invalid("field \"{}\" has only nulls and no dtype; name one, and a fill value", name)
          .with("field", fields_[field].name)
          .with("argument", "dtype");
    }
    const DLDataType dtype = options.dtype.value_or(part.rows.dtype);
    if (options.fill) {
      part.fill.resize(dtype_bytes(dtype));
      if (const char* const why = parse_value(*options.fill, dtype, part.fill.data())) {
        return invalid("column \"{}\": fill \"{}\" {}, expected a number of {}", name,
                       shown(*options.fill), why, dtype_name(dtype))
            .with("argument", "fill");
      }
    }
    const std::string logical_type =
        same_dtype(dtype, part.rows.dtype) ? part.rows.logical_type : "";
    const auto [known, added] = column_of_.emplace(name, plan_.columns.size());
    if (added) {
      plan_.columns.push_back({name, options.role, dtype, logical_type, {}, options.mask});
    }
    ArrowColumnPlan& column = plan_.columns[known->second];
    if (!same_dtype(column.dtype, dtype) || column.role != options.role ||
        column.mask != options.mask || column.logical_type != logical_type) {
      return invalid(
                 "column \"{}\": field \"{}\" has {}, and the one before {}; all fields of a "
                 "column need one dtype, role and mask",
                 name, fields_[field].name, dtype_name(dtype), dtype_name(column.dtype))
          .with("argument", "columns")
          .with("column", name);
    }
    column.parts.push_back(std::move(part));
    return {};
  }

  Status add_id_set(const ArrowColumnOptions& options, size_t field) {
    used_[field] = true;
    const std::string& name = fields_[field].name;
    const auto bad = [&](std::string_view why) {
      return invalid("field \"{}\" {}", name, why).with("argument", "columns").with("field", name);
    };
    if (rows_ == ArrowRows::kEdges) {
      return bad("is to be an id set, but edges have none; make it a column");
    }
    if (options.dtype || !options.mask.empty() || options.role != GLS_ROLE_FEATURE) {
      return bad("is to be an id set, which has no dtype, mask or role");
    }
    const ArrowField& values = fields_[field].values();
    ArrowIdSetPlan plan;
    plan.field = field;
    if (options.use == ArrowUse::kSplit) {
      if (!values.known || !values.dictionary.empty() || !values.type.is_text()) {
        return bad(formatted("has values of {}, but a split is given by text",
                             arrow_format_name(values.format)));
      }
      if (!options.name.empty() || options.fill) {
        return bad("is a split, whose id sets are named by its text; a null is in no set");
      }
    } else {
      if (!values.known || !values.type.is_value() || !values.type.logical_type.empty() ||
          values.type.dtype.code == kDLFloat) {
        return bad(formatted("has values of {}, but a mask has bool or integers",
                             arrow_format_name(values.format)));
      }
      plan.name = options.name.empty() ? name : options.name;
      if (options.fill) {
        plan.fill.resize(1);
        if (const char* const why = parse_value(*options.fill, kBool, plan.fill.data())) {
          return invalid("id set \"{}\": fill \"{}\" {}", plan.name, shown(*options.fill), why)
              .with("argument", "fill");
        }
      }
    }
    plan_.id_sets.push_back(std::move(plan));
    return {};
  }

  // Checks what only all parts together tell.
  Status check_parts(const ArrowColumnPlan& column) const {
    if (column.parts.size() == 1) {
      return {};
    }
    int64_t width = 0;
    for (const ArrowPart& part : column.parts) {
      int64_t elements = 1;
      for (const int64_t extent : part.rows.shape) {
        elements *= extent;
      }
      if (part.rows.shape.size() > 1 || elements < 0) {
        return invalid(
                   "column \"{}\": field \"{}\" has lists of rows or of a length that the schema "
                   "does not give, so it cannot be joined with other fields",
                   column.name, fields_[part.field].name)
            .with("argument", "columns")
            .with("column", column.name);
      }
      width += elements;
    }
    return width <= int64_t{0x7fffffff}
               ? Status()
               : Status(
                     invalid("column \"{}\" has more than 2^31 - 1 numbers in a row", column.name)
                         .with("column", column.name));
  }

  Status check_names() const {
    std::vector<std::string> names = plan_.column_names();
    for (const std::string& name : names) {
      GLS_TRY(check_name(name, "column"));
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
      return invalid("column \"{}\" is given twice", *twice)
          .with("argument", "columns")
          .with("column", *twice);
    }
    for (size_t i = 0; i < plan_.id_sets.size(); ++i) {
      const std::string& name = plan_.id_sets[i].name;
      GLS_TRY(name.empty() ? Status() : check_name(name, "id set"));
      for (size_t j = 0; j < i && !name.empty(); ++j) {
        if (plan_.id_sets[j].name == name) {
          return invalid("id set \"{}\" is given twice", name).with("argument", "columns");
        }
      }
    }
    return {};
  }

  const std::vector<ArrowField>& fields_;
  const ArrowOptions& options_;
  const ArrowRows rows_;
  std::vector<bool> used_;
  std::unordered_map<std::string, size_t> column_of_;  // by name: its place in the plan
  ArrowPlan plan_;
};

}  // namespace

std::vector<std::string> ArrowPlan::column_names() const {
  std::vector<std::string> names;
  for (const ArrowColumnPlan& column : columns) {
    names.push_back(column.name);
    if (!column.mask.empty()) {
      names.push_back(column.mask);
    }
  }
  return names;
}

Result<ArrowPlan> plan_arrow(const std::vector<ArrowField>& fields, const ArrowOptions& options,
                             ArrowRows rows) {
  Result<ArrowPlan> plan = Planner(fields, options, rows).run();
  if (!plan.ok()) {
    return std::move(plan.status()).prefixed(options.label + ": ");
  }
  return plan;
}

}  // namespace gls
