// Files of a saved table: docs/decisions/0086.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/table/distributed_table.h"

namespace gls {

// The share of this trainer's rank, to files of its own in `folder`; the description comes last.
// Nothing is left of one that fails.
Status save_table(const WholeTable& table, const std::string& folder);
// All of the share of this rank, from the files of whoever saved it; then waits for the others.
// What is wrong with the files is found before a row is changed.
Status load_table(WholeTable* table, const std::string& folder, int64_t timeout_ms);

}  // namespace gls
