// What nodes of a batch give to their neighbours, and what these are drawn by, for processors and
// GPUs alike (docs/contract.md section 11).
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace gls {

// To each of the edges considered of a row; not of none.
GLS_HOST_DEVICE constexpr double budget_share(int64_t considered) {
  return 1.0 / static_cast<double>(considered);
}
GLS_HOST_DEVICE constexpr double budget_weight(double score) { return score * score; }

}  // namespace gls
