// A dataset with the columns and edge types of stores.
#pragma once

#include <memory>
#include <vector>

#include "graph/dataset/dataset.h"
#include "store/store.h"

namespace gls {

// The types and columns of `base` keep their numbers.
Result<std::shared_ptr<const Dataset>> with_stores(
    const std::shared_ptr<const Dataset>& base, const std::vector<std::shared_ptr<Store>>& stores);

}  // namespace gls
