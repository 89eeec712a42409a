// Moves a dataset's arrays from mapped files to private memory.
#pragma once

#include <cstdint>
#include <memory>

#include "base/progress.h"
#include "graph/dataset/dataset.h"

namespace gls {

enum class Residency : uint8_t { kMapped = 0, kTopology = 1, kAll = 2 };

// A copy of the tensor in private memory, on huge pages if granted; all threads read it once.
Tensor make_resident(Context& context, const Tensor& tensor);

// The same dataset with its topology, or its topology and columns, in private memory.
Result<std::shared_ptr<const Dataset>> make_resident(const Dataset& dataset, Residency residency,
                                                     const Progress& progress);

}  // namespace gls
