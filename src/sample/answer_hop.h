// Answers a question about one hop from the local topology.
#pragma once

#include "base/status.h"
#include "query/hop_query.h"
#include "sample/sampler.h"

namespace gls {

// The options that picks of a hop depend on. Links, negatives, labels, induced subgraphs, reverse
// types and excluded edges act on picks, or come with the question.
SamplerOptions hop_options(const SamplerOptions& options);

// Any number of threads may call it at once. For neighbour samplers; works on the calling thread.
Result<HopPicks> answer_hop(const Sampler& sampler, const HopQuestion& question);

}  // namespace gls
