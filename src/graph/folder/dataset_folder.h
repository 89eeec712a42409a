// Opens a dataset folder.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/progress.h"
#include "graph/dataset/dataset.h"
#include "graph/dataset/residency.h"
#include "system/file.h"

namespace gls {

struct OpenOptions {
  Residency residency = Residency::kMapped;
  bool verify_checksums = false;
  Progress progress;
};

Result<std::shared_ptr<const Dataset>> open_dataset(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const OpenOptions& options);

// The value of the setting dataset.outside_links.
Links links_of(const Context& context);

// Opens a file of a folder by its name in the folder.
using FileOpener = std::function<Result<std::shared_ptr<const MappedFile>>(const std::string&)>;

// As open_dataset(), for files that are not opened by path; `path` is for messages.
Result<std::shared_ptr<const Dataset>> open_dataset(std::shared_ptr<Context> context,
                                                    const std::string& path,
                                                    const FileOpener& files,
                                                    const OpenOptions& options);

}  // namespace gls
