// Reads gls_supervision_t, and the labels that come with anchors.
#pragma once

#include <gls.h>

#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"

namespace gls::capi {

Result<std::vector<Supervision>> read_supervisions(const Dataset& dataset,
                                                   const gls_supervision_t* given, size_t count);

// Called before memory for the labels is allocated.
Status check_label_count(size_t given, size_t supervisions, const char* argument);

// The tensors are borrowed.
Result<std::vector<Tensor>> read_labels(const DLTensor* const* given, size_t count,
                                        size_t supervisions);

}  // namespace gls::capi
