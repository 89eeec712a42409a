// Hops of the whole graph, answered by a part of it: docs/decisions/0036-hops.md.
#pragma once

#include "graph/partition/halo_rows.h"
#include "sample/neighbor/sampler.h"
#include "sample/source/hop_query.h"

namespace gls {

// As answer_hop(), in ids of the whole, for a sampler of a part: `rows` of the question is not set,
// and its nodes are all owned by this part or in its `halo` of the rows that are picked from; null:
// there is none. An error names a node that is in neither.
Result<HopPicks> answer_hop_of_part(const Sampler& sampler, const HopQuestion& question,
                                    const HaloRows* halo = nullptr);

}  // namespace gls
