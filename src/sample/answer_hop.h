// Answers a question about one hop from the local topology.
#pragma once

#include "base/status.h"
#include "query/hop_query.h"
#include "sample/sampler.h"

namespace gls {

// Any number of threads may call it at once. For neighbour samplers; works on the calling thread.
Result<HopPicks> answer_hop(const Sampler& sampler, const HopQuestion& question);

}  // namespace gls
