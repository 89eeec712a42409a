// How often a part's own batches ask for each node: whose rows are worth a copy in that part.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/book.h"
#include "graph/dataset.h"

namespace gls {

// Samples once from all nodes of the id set that the part owns. By node type; 4 bytes for each
// node.
Result<std::vector<std::vector<uint32_t>>> count_visits(
    const std::shared_ptr<const Dataset>& dataset, const std::string& id_set, uint64_t seed,
    const std::vector<Book>& owners, uint32_t part, const Progress& progress);

}  // namespace gls
