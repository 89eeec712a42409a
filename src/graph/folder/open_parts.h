// All parts of a graph, opened together.
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

// Checks that they are parts of this partition, with the types, columns and layouts of the whole.
Result<OpenParts> open_parts(const std::shared_ptr<Context>& context, const std::string& path,
                             const OpenOptions& options = {});

// The check of one of them.
Status check_part(const Partition& partition, const Dataset& part, uint32_t number);

// That every node, and every edge of a type with a book, is owned by the part that the book says,
// and by no other. Reads the books and the ids of the parts.
Status check_owners(const OpenParts& parts, const Progress& progress);

}  // namespace gls
