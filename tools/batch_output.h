// Prints a sampled batch as tables or JSON, or writes it to files.
#pragma once

#include <cstdint>
#include <string>

#include "session.h"
#include "tensor_io.h"

namespace gls::tool {

// All arrays, complete.
Json batch_json(const Batch& batch, const Dataset& dataset);
// Counts only.
Json batch_summary(const Batch& batch, const Dataset& dataset);
std::string batch_summary_table(const Batch& batch, const Dataset& dataset);
// Counts, then at most `limit` nodes and edges of each type; 0: all.
std::string batch_tables(const Batch& batch, const Dataset& dataset, int64_t limit);
// Creates `folder` with one `.npy` file per array, and a list of them in batch.json.
void write_batch(const Batch& batch, const Dataset& dataset, const std::string& folder);

}  // namespace gls::tool
