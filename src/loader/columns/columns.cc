#include "loader/columns/columns.h"

#include <utility>

#include "feature/gather.h"
#include "graph/dataset/unknown_name.h"

namespace gls {

std::vector<ColumnToGather> default_columns(const Sampler& sampler) {
  std::vector<ColumnToGather> out;
  const Dataset& dataset = *sampler.dataset();
  const auto add = [&](bool of_nodes, size_t type, const std::vector<Column>& columns) {
    for (const Column& column : columns) {
      const bool label = of_nodes && column.role == GLS_ROLE_LABEL;
      if (label || column.role == GLS_ROLE_FEATURE) {
        out.push_back({of_nodes, type, &column, label, column.dtype()});
      }
    }
  };
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    add(true, t, dataset.node_types()[t].columns);
  }
  if (sampler.options().edge_ids) {
    for (size_t t = 0; t < dataset.edge_types().size(); ++t) {
      add(false, t, dataset.edge_types()[t].columns);
    }
  }
  return out;
}

Status ColumnChoice::add(const ColumnRequest& request) {
  const Dataset& dataset = *sampler_.dataset();
  std::vector<Dataset::TypeIndex> types;
  if (request.type == nullptr) {
    for (size_t t = 0; t < dataset.node_types().size(); ++t) {
      types.push_back({true, t});
    }
    for (size_t t = 0; t < dataset.edge_types().size(); ++t) {
      types.push_back({false, t});
    }
  } else if (const auto type = dataset.type_index(request.type); type.ok()) {
    types.push_back(*type);
  } else {
    return no_type("columns", dataset, request.type);
  }
  bool found = false;
  for (const auto& [of_nodes, t] : types) {
    const Column* column = of_nodes ? dataset.node_types()[t].find_column(request.name)
                                    : dataset.edge_types()[t].find_column(request.name);
    if (column != nullptr) {
      found = true;
      GLS_TRY(add_found(request, of_nodes, t, dataset.type_name({of_nodes, t}), *column));
    }
  }
  if (!found) {
    return no_column_in(request);
  }
  return {};
}

Status ColumnChoice::no_column_in(const ColumnRequest& request) const {
  const Dataset& dataset = *sampler_.dataset();
  if (request.type == nullptr) {
    return no_column_anywhere("columns", dataset, request.name);
  }
  for (const NodeType& type : dataset.node_types()) {
    if (type.name == request.type) {
      return no_column("columns", type, request.name);
    }
  }
  GLS_ASSIGN(const size_t type, dataset.edge_type_index(request.type));
  return no_column("columns", dataset.edge_types()[type], request.name);
}

Status ColumnChoice::add_found(const ColumnRequest& request, bool of_nodes, size_t type,
                               const std::string& type_name, const Column& column) {
  const auto bad = [&](std::string text) {
    return Status(GLS_ERR_INVALID_ARGUMENT,
                  formatted("columns: \"{}\" of \"{}\" {}", column.name, type_name, text))
        .with("argument", "columns")
        .with("column", column.name)
        .with("type", type_name);
  };
  const bool label = of_nodes && column.role == GLS_ROLE_LABEL;
  const bool seeds_only =
      request.rows == RowsToGather::kSeeds || (request.rows == RowsToGather::kAuto && label);
  if (!of_nodes && request.rows == RowsToGather::kSeeds) {
    return bad("is a column of edges, which cannot be gathered for seeds");
  }
  if (!of_nodes && !sampler_.options().edge_ids) {
    return bad("is a column of edges, which needs GLS_SAMPLE_EDGE_IDS");
  }
  const DLDataType stored = column.dtype();
  const DLDataType dtype = same_dtype(request.dtype, DLDataType{}) ? stored : request.dtype;
  if (!can_gather_as(stored, dtype)) {
    return bad(
        formatted("is {} and cannot be gathered as {}; float16 and bfloat16 can be "
                  "widened to float32",
                  dtype_name(stored), dtype_name(dtype)));
  }
  if (!chosen_.insert(&column).second) {
    return bad("is asked for twice");
  }
  out_.push_back({of_nodes, type, &column, seeds_only, dtype});
  return {};
}

}  // namespace gls
