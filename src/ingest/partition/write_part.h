// Writes one part of a graph, a dataset folder of its own, from the mapped whole graph.
#pragma once

#include <functional>
#include <string>

#include "graph/dataset/dataset.h"
#include "ingest/common/part_ids.h"

namespace gls {

// Calls `tick` often. Holds no topology or columns in memory.
Status write_part(const Dataset& dataset, const PartIds& ids, const PartNumber& part,
                  const std::string& path, bool pad_rows, const std::function<Status()>& tick);

}  // namespace gls
