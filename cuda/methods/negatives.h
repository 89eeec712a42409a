// Negatives of links on the device: docs/contract.md section 5. What a try is, is decided by
// rules/negative_rule.h, as on a processor.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/stored_rows.h"
#include "rules/row_plan.h"

namespace gls::cuda {

// All memory is the device's. What is not found is not written.
struct NegativesStep {
  device::NegativeDraws draws;
  int64_t count;                // not 0
  const int64_t* link_sources;  // of triplets
  bool strict;                  // they are no edges
  bool rows_of_targets;
  bool ascending;
  StoredRows rows;
  int64_t* sources;  // of pairs
  int64_t* targets;
  // PickFaults::kNoFault, or the least of the places of faults, in the order in which a processor
  // meets them; and the least number that none was found for.
  unsigned long long* fault;
  unsigned long long* missing;
};
cudaError_t draw_negatives(const NegativesStep& step, cudaStream_t stream);

// The node whose row is at fault, and where its row begins and ends.
cudaError_t read_negative_fault(const NegativesStep& step, unsigned long long fault,
                                int64_t* values, cudaStream_t stream);

}  // namespace gls::cuda
