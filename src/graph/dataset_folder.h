// Opens a dataset folder.
#pragma once

#include <memory>
#include <string>

#include "graph/dataset.h"

namespace gls {

enum class Residency : uint8_t { kMapped = 0, kTopology = 1, kAll = 2 };

struct OpenOptions {
  Residency residency = Residency::kMapped;
  bool verify_checksums = false;
};

Result<std::shared_ptr<const Dataset>> open_dataset(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const OpenOptions& options);

// The tensor in private memory, on huge pages where granted; reads it once, on all threads.
Tensor make_resident(Context& context, const Tensor& tensor);

}  // namespace gls
