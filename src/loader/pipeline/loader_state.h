// The saved state of a loader: a small JSON text with a position and everything that it depends on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gls {

struct SavedPosition {
  uint64_t epoch;
  uint64_t done;  // batches of the epoch, over all trainers
};

// Fails unless `text` comes from a loader of the same batches as the loader that saved `own`.
Result<SavedPosition> read_state(std::string_view text, const std::string& own);
// The state `own` at another position.
std::string state_at(const std::string& own, const SavedPosition& position);

}  // namespace gls
