// Where a dataset's arrays lie: in the mapped files, or read into private memory.
#pragma once

#include <cstdint>
#include <memory>

#include "base/progress.h"
#include "graph/dataset/dataset.h"

namespace gls {

enum class Residency : uint8_t { kMapped = 0, kTopology = 1, kAll = 2 };

// The tensor in private memory, on huge pages where granted; reads it once, on all threads.
Tensor make_resident(Context& context, const Tensor& tensor);

// The same dataset with its topology, or its topology and columns, in private memory.
Result<std::shared_ptr<const Dataset>> make_resident(const Dataset& dataset, Residency residency,
                                                     const Progress& progress);

}  // namespace gls
