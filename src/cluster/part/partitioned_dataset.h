// Builds the dataset of a whole partitioned graph from its types and a source that asks the parts.
#pragma once

#include <memory>
#include <vector>

#include "cluster/part/part.h"
#include "context/context.h"
#include "graph/dataset/dataset.h"
#include "graph/folder/dataset_folder.h"
#include "graph/partition/partition.h"

namespace gls {

// The mapped arrays of the whole dataset: partition books, and the arrays of parts.
std::vector<ArrayFile> mapped_files(const Partition& partition,
                                    const std::vector<std::shared_ptr<const Part>>& parts);

// `arrays` reads id sets and node keys. `source` answers everything else, and reads `files`.
Result<std::shared_ptr<const Dataset>> whole_dataset(std::shared_ptr<Context> context,
                                                     const Partition& partition,
                                                     const ArrayReader& arrays,
                                                     std::shared_ptr<const GraphSource> source,
                                                     std::vector<ArrayFile> files);

// Opens a folder of parts, all of them in this process.
Result<std::shared_ptr<const Dataset>> open_whole(const std::shared_ptr<Context>& context,
                                                  const std::string& path,
                                                  const OpenOptions& options);

}  // namespace gls
