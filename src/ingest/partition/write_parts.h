// Cuts a graph into parts: docs/decisions/0033-parts.md.
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
  // Rows of nodes so many hops from the owned are complete, too.
  uint32_t halo_hops = 0;
  // Of the nodes that a part does not own, those at the ends of the most of its edges have rows in
  // its features and labels: so many for each node type, or this fraction of the owned.
  int64_t hot_rows = 0;
  double hot_fraction = 0;
  // Instead, those that it visits most; `hot_by` names how they were counted.
  CountVisits visits;
  std::string hot_by;
  bool pad_rows = true;
  bool overwrite = false;
  std::string method = "given";  // for people
  std::string details;
  Progress progress;
};

// What write_parts() checks first of all, for those who then take their time to find owners.
Status check_parts(const Dataset& dataset, const PartsOptions& options);

// `owners` has one array for each node type: uint8 or uint16 [count]. Takes a bit and a seventh per
// node and edge a few times over, and sorts the keys of one part. The dataset is verified first.
Status write_parts(const Dataset& dataset, const std::vector<Tensor>& owners,
                   const std::string& path, const PartsOptions& options);

}  // namespace gls
