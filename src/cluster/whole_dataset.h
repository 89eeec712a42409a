// The dataset of a whole graph that is in parts: its types, and who to ask for the rest.
#pragma once

#include <memory>

#include "base/context.h"
#include "graph/dataset.h"
#include "graph/dataset_folder.h"
#include "graph/partition.h"

namespace gls {

// Id sets and keys are read by `arrays`; all else is asked of `source`.
Result<std::shared_ptr<const Dataset>> whole_dataset(std::shared_ptr<Context> context,
                                                     const Partition& partition,
                                                     const ArrayReader& arrays,
                                                     std::shared_ptr<const GraphSource> source);

// A folder of parts, all of them opened in this process.
Result<std::shared_ptr<const Dataset>> open_whole(const std::shared_ptr<Context>& context,
                                                  const std::string& path,
                                                  const OpenOptions& options);

}  // namespace gls
