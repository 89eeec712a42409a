// What a loader saved: a small JSON text, of a position and what it depends on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gls {

struct SavedPosition {
  uint64_t epoch;
  uint64_t done;  // batches of the epoch, of all trainers
};

// Fails unless `text` is of a loader of the same batches as the one that saved `own`.
Result<SavedPosition> read_state(std::string_view text, const std::string& own);
// `own` at another position.
std::string state_at(const std::string& own, const SavedPosition& position);

}  // namespace gls
