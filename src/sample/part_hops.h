// Answers a hop of the whole graph from one of its parts: docs/decisions/0036-hops.md.
#pragma once

#include "graph/partition/halo_rows.h"
#include "query/hop_query.h"
#include "sample/sampler.h"

namespace gls {

// As answer_hop(), with global ids, for a sampler of a part. `rows` of the question is not set. Its
// nodes are owned by this part, or in its `halo` of the rows that are picked from; null: no halo.
// An error names a node in neither.
Result<HopPicks> answer_hop_of_part(const Sampler& sampler, const HopQuestion& question,
                                    const HaloRows* halo = nullptr);

}  // namespace gls
