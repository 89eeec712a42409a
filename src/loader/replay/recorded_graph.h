// Presents a local graph as a remote one, whose source answers from the local arrays. So every
// sampler of remote graphs works on it, and asks for hops one after another.
#pragma once

#include <cstdint>
#include <memory>

#include "graph/dataset/dataset.h"

namespace gls {

// The same graph. Hops of samplers that a thread runs for a Recording are recorded; other questions
// are answered at once. `chunk_bytes`: of the topology, see RowChunks.
Result<std::shared_ptr<const Dataset>> recorded_graph(const std::shared_ptr<const Dataset>& local,
                                                      uint64_t chunk_bytes);

}  // namespace gls
