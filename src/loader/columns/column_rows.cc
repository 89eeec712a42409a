#include "loader/columns/column_rows.h"

#include <utility>

#include "feature/gather_column.h"
#include "query/graph_query.h"

namespace gls {

Status check_rows(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                  const char* argument) {
  const Dataset::TypeIndex type = {wanted.of_nodes, wanted.type};
  const int64_t rows = wanted.column->data.rows();
  const int64_t at = rows < dataset.type_count(type) ? ids.find_outside(rows) : -1;
  if (at < 0) {
    return {};
  }
  return not_found(
             "{}: \"{}\" of \"{}\" has no row for {} {}, as this is a part of a graph, which has "
             "rows for those below {} only",
             argument, wanted.column->name, dataset.type_name(type),
             wanted.of_nodes ? "node" : "edge", ids[at], rows)
      .with("argument", argument)
      .with("column", wanted.column->name);
}

Result<Tensor> gather_local(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                            const GatherOptions& options, const char* argument, int64_t rows,
                            SharedBytes memory) {
  GLS_TRY(check_rows(dataset, wanted, ids, argument));
  return gather_column(*dataset.context()->buffers(), *wanted.column, ids, wanted.dtype, options,
                       rows, std::move(memory));
}

RowQuestion row_question(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                         bool repeats) {
  const std::vector<Column>& columns = wanted.of_nodes ? dataset.node_types()[wanted.type].columns
                                                       : dataset.edge_types()[wanted.type].columns;
  const auto at = static_cast<size_t>(wanted.column - columns.data());
  return {wanted.of_nodes, wanted.type, at, ids, wanted.dtype, repeats};
}

Result<Tensor> find_rows(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                         const char* ids_argument, const char* column_argument) {
  GLS_TRY(check_type_ids(dataset, {wanted.of_nodes, wanted.type}, ids, ids_argument));
  if (dataset.source() == nullptr) {
    return gather_local(dataset, wanted, ids, GatherOptions::from(*dataset.context()),
                        column_argument);
  }
  return dataset.source()->ask_rows(row_question(dataset, wanted, ids, true), ids.size(),
                                    nullptr)();
}

}  // namespace gls
