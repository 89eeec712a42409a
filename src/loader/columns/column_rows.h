// Finds rows of columns by id, in a local or a remote graph.
#pragma once

#include <cstdint>

#include "feature/gather.h"
#include "loader/columns/columns.h"
#include "query/graph_source.h"

namespace gls {

// Checks that every id has a row, except in a part of a graph. An error names the option that
// requested the column.
Status check_rows(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                  const char* argument);
// As gather(), for a local column. Errors as those of check_rows().
Result<Tensor> gather_local(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                            const GatherOptions& options, const char* argument, int64_t rows = 0,
                            SharedBytes memory = nullptr);

// The question for the dataset's source.
RowQuestion row_question(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                         bool repeats);

// For any ids, which are checked, and for local and remote columns.
Result<Tensor> find_rows(const Dataset& dataset, const ColumnToGather& wanted, const IdSpan& ids,
                         const char* ids_argument, const char* column_argument);

}  // namespace gls
