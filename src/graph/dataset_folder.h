// Opens a dataset folder.
#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "graph/dataset.h"
#include "graph/residency.h"

namespace gls {

struct OpenOptions {
  Residency residency = Residency::kMapped;
  bool verify_checksums = false;
  Progress progress;
};

Result<std::shared_ptr<const Dataset>> open_dataset(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const OpenOptions& options);

}  // namespace gls
