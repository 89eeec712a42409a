// The nodes or edges of a type as a stream of Arrow batches: ids, then all columns.
#pragma once

#include <gls.h>

#include <memory>

#include "graph/dataset/dataset.h"

namespace gls {

// Fields and errors as gls.h defines them. `out` has no release before.
Status nodes_to_arrow(std::shared_ptr<const Dataset> dataset, size_t type, ArrowArrayStream* out);
Status edges_to_arrow(std::shared_ptr<const Dataset> dataset, size_t type, ArrowArrayStream* out);

}  // namespace gls
