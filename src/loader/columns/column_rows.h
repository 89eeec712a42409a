// Rows of columns by id, of a graph that is here or elsewhere.
#pragma once

#include <cstdint>

#include "feature/gather.h"
#include "loader/columns/columns.h"
#include "sample/source/graph_source.h"

namespace gls {

// Every id has a row, except in a part of a graph. An error names what asked for the column.
Status check_rows(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                  const char* argument);
// As gather(), of a column that is here. Errors as those of check_rows().
Result<Tensor> gather_here(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                           const GatherOptions& options, const char* argument, int64_t rows = 0,
                           SharedBytes memory = nullptr);

// For the source of a dataset.
RowQuestion row_question(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                         bool repeats);

// Of any ids, which are checked, wherever the column is.
Result<Tensor> find_rows(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                         const char* ids_argument, const char* column_argument);

}  // namespace gls
