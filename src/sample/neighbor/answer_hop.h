// Answers a query for one hop from the topology of this process.
#pragma once

#include "base/status.h"
#include "sample/neighbor/sampler.h"
#include "sample/source/hop_query.h"

namespace gls {

// Any number of threads at once. For samplers of neighbourhoods; works on the calling thread.
Result<HopPicks> answer_hop(const Sampler& sampler, const HopQuestion& question);

}  // namespace gls
