// Partitions a graph: docs/decisions/0033-parts.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "graph/dataset/dataset.h"
#include "ingest/common/part_ids.h"

namespace gls {

struct PartsOptions {
  uint32_t parts = 1;
  // Rows of nodes up to this many hops from owned nodes are complete, too.
  uint32_t halo_hops = 0;
  // Nodes of other parts at the ends of the most edges also have rows in the part's features and
  // labels: this many for each node type, or this fraction of the owned nodes.
  int64_t hot_rows = 0;
  double hot_fraction = 0;
  // Instead, the nodes that the part visits most; `hot_by` names how they were counted.
  CountVisits visits;
  std::string hot_by;
  bool pad_rows = true;
  bool overwrite = false;
  std::string method = "given";  // shown to people
  std::string details;
  Progress progress;
};

// The first checks of write_parts(), for callers that first spend time to find owners.
Status check_parts(const Dataset& dataset, const PartsOptions& options);

// `owners` has one array for each node type: uint8 or uint16 [count]. Needs a few times a bit and a
// seventh per node and edge, and sorts the keys of one part. The dataset is verified first.
Status write_parts(const Dataset& dataset, const std::vector<Tensor>& owners,
                   const std::string& path, const PartsOptions& options);

}  // namespace gls
