// Memory of importance and personalised PageRank that is reused across batches.
#pragma once

#include <vector>

#include "sample/methods/forward_push.h"
#include "sample/methods/importance_rows.h"

namespace gls {

struct VirtualNeighborScratch {
  std::vector<ImportanceRows> rows;  // by node type
  PushTable table;
};

}  // namespace gls
