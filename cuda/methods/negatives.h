// Draws negatives of links on the device: docs/contract.md section 5. host_device/negative_rule.h
// defines the tries, as on a CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/stored_rows.h"
#include "host_device/row_plan.h"

namespace gls::cuda {

// All pointers are to device memory. Negatives that are not found are not written.
struct NegativesStep {
  device::NegativeDraws draws;
  int64_t count;                // not 0
  const int64_t* link_sources;  // for triplets
  bool strict;                  // negatives must not be edges
  bool rows_of_targets;
  bool ascending;
  StoredRows rows;
  int64_t* sources;  // for pairs
  int64_t* targets;
  // PickFaults::kNoFault, or the lowest place of a fault in the CPU's order; and the lowest number
  // without a negative.
  unsigned long long* fault;
  unsigned long long* missing;
};
cudaError_t draw_negatives(const NegativesStep& step, cudaStream_t stream);

// The node of a faulty row, and the begin and end of its row.
cudaError_t read_negative_fault(const NegativesStep& step, unsigned long long fault,
                                int64_t* values, cudaStream_t stream);

}  // namespace gls::cuda
