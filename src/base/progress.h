// Reports the progress of long work, and lets the caller cancel it.
#pragma once

#include <cstdint>
#include <functional>

#include "base/interrupt.h"
#include "base/status.h"

namespace gls {

// Returns false to cancel the work. May be empty. Called from the thread that requested the work.
using Progress =
    std::function<bool(const char* stage, uint64_t done, uint64_t total, const char* unit)>;

// Also an error when the caller interrupts the call; see is_interrupted().
inline Status report(const Progress& progress, const char* stage, uint64_t done, uint64_t total,
                     const char* unit) {
  if (progress && !progress(stage, done, total, unit)) {
    return error(GLS_ERR_CANCELED, "{}: stopped by the progress callback", stage);
  }
  if (is_interrupted()) {
    return error(GLS_ERR_CANCELED,
                 "{}: the interrupt function of the calling thread ended the call", stage);
  }
  return {};
}

}  // namespace gls
