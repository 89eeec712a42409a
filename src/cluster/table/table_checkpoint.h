// Saves and loads the files of a table: docs/decisions/0086.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/table/distributed_table.h"

namespace gls {

// Writes the share of this trainer's rank to files of its own in `folder`; the description comes
// last. A failed save leaves no files.
Status save_table(const DistributedTable& table, const std::string& folder);
// Loads the share of this rank from the files of all ranks that saved, then waits for the other
// trainers. Errors in the files are found before any row changes.
Status load_table(DistributedTable* table, const std::string& folder, int64_t timeout_ms);

}  // namespace gls
