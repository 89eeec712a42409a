// The dataset of a whole graph that is in parts: its types, and who to ask for the rest.
#pragma once

#include <memory>
#include <vector>

#include "cluster/part/part.h"
#include "context/context.h"
#include "graph/dataset/dataset.h"
#include "graph/folder/dataset_folder.h"
#include "graph/partition/partition.h"

namespace gls {

// The arrays that are mapped for the whole: books, and those of parts.
std::vector<ArrayFile> mapped_files(const Partition& partition,
                                    const std::vector<std::shared_ptr<const Part>>& parts);

// Id sets and keys are read by `arrays`; all else is asked of `source`, which reads `files`.
Result<std::shared_ptr<const Dataset>> whole_dataset(std::shared_ptr<Context> context,
                                                     const Partition& partition,
                                                     const ArrayReader& arrays,
                                                     std::shared_ptr<const GraphSource> source,
                                                     std::vector<ArrayFile> files);

// A folder of parts, all of them opened in this process.
Result<std::shared_ptr<const Dataset>> open_whole(const std::shared_ptr<Context>& context,
                                                  const std::string& path,
                                                  const OpenOptions& options);

}  // namespace gls
