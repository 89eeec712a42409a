// Hops of the whole graph, answered by a part of it: docs/decisions/0036-hops.md.
#pragma once

#include "sample/hop_answer.h"

namespace gls {

// As answer_hop(), in ids of the whole, for a sampler of a part: `rows` of the question is not set,
// and its nodes are all owned by this part. An error names one that is not.
Result<HopPicks> answer_hop_of_part(const Sampler& sampler, const HopQuestion& question);

}  // namespace gls
