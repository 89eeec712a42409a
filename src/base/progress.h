// Reports the progress of long work, and lets the caller cancel it.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"

namespace gls {

// Returns false to cancel the work. May be empty. Called from the thread that requested the work.
using Progress =
    std::function<bool(const char* stage, uint64_t done, uint64_t total, const char* unit)>;

inline Status report(const Progress& progress, const char* stage, uint64_t done, uint64_t total,
                     const char* unit) {
  if (progress && !progress(stage, done, total, unit)) {
    return error(GLS_ERR_CANCELED, "{}: stopped by the progress callback", stage);
  }
  return {};
}

}  // namespace gls
