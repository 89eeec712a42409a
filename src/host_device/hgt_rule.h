// The scores of HGT sampling: the shares that nodes of a batch give to neighbours, and the weights
// of draws, for CPUs and GPUs (docs/contract.md section 11).
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace gls {

// The share for each considered edge of a row; `considered` is not 0.
GLS_HOST_DEVICE constexpr double hgt_share(int64_t considered) {
  return 1.0 / static_cast<double>(considered);
}
GLS_HOST_DEVICE constexpr double hgt_weight(double score) { return score * score; }

}  // namespace gls
