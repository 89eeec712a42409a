// Opens all parts of a graph together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "graph/dataset/dataset.h"
#include "graph/folder/dataset_folder.h"
#include "graph/partition/partition.h"

namespace gls {

struct OpenParts {
  std::shared_ptr<const Partition> partition;
  std::vector<std::shared_ptr<const Dataset>> parts;
};

// Checks that they are parts of this partition, with the types, columns and layouts of the whole
// graph.
Result<OpenParts> open_parts(const std::shared_ptr<Context>& context, const std::string& path,
                             const OpenOptions& options = {});

// Checks one part.
Status check_part(const Partition& partition, const Dataset& part, uint32_t number);

// Checks that the part in the book, and no other, owns each node, and each edge of a type with a
// book. Reads the books and the ids of the parts.
Status check_owners(const OpenParts& parts, const Progress& progress);

}  // namespace gls
