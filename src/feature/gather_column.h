// Gathers rows of a column, plain or quantised.
#pragma once

#include <utility>

#include "feature/gather.h"
#include "graph/dataset/dataset.h"

namespace gls {

// As gather() or gather_decoded(). The rows of the column are here.
inline Tensor gather_column(BufferPool& pool, const Column& column, const IdSpan& ids,
                            DLDataType dtype, const GatherOptions& options, int64_t rows,
                            SharedBytes memory) {
  return column.codebook != nullptr
             ? gather_decoded(pool, column.data, *column.codebook, ids, options, rows,
                              std::move(memory))
             : gather(pool, column.data, ids, dtype, options, rows, std::move(memory));
}

}  // namespace gls
