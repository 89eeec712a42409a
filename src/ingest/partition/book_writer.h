// Writes partition books: the owner of each node or edge of a type.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "format/dataset_writer.h"
#include "graph/dataset/dataset.h"
#include "ingest/common/row_stream.h"

namespace gls {

// `owned` are the ascending ids of each part; together they contain each id below `count` once.
// Writes uint8 or uint16 [count], or the ends of ranges.
Result<std::unique_ptr<format::ArrayT>> write_edge_book(DatasetWriter& writer,
                                                        const std::string& file,
                                                        const std::vector<IdSpan>& owned,
                                                        const RowStream::Tick& tick);
// As write_edge_book(), for a type with known owners.
Result<std::unique_ptr<format::ArrayT>> write_book(DatasetWriter& writer, const std::string& file,
                                                   const Tensor& owners, uint32_t parts,
                                                   const RowStream::Tick& tick);

}  // namespace gls
