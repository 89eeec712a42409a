// The seeds of a request, checked: nodes, and the ends of links with their negatives.
#pragma once

#include <functional>
#include <span>

#include "query/sampler_options.h"
#include "sample/links/links.h"
#include "sample/plan/sampler_plan.h"

namespace gls {

// An error names the first seed that is not a node of the type.
Status check_seed_ids(const NodeType& type, const IdSpan& ids);
// Checks that each seed has a time, or that the sampler is not temporal and there are no times.
Status check_seed_times(const SamplerOptions& options, const NodeType& type, const SeedSet& seeds);

// The seeds of the links of a request, with its negatives; `key` is the batch's.
Result<LinkSeedSets> find_link_seeds(const SamplerPlan& plan, const SampleRequest& request,
                                     uint64_t key);
// The seeds of the links of a request. `draw` draws the negatives of one edge type; it gets the
// sampler that draws them on the CPU.
using DrawForLinks = std::function<Result<DrawnNegatives>(
    const NegativeSampler& on_host, const LinkSet& links, std::span<const int64_t> sources)>;
Result<LinkSeedSets> find_link_seeds(const SamplerPlan& plan, const SampleRequest& request,
                                     const DrawForLinks& draw);
SeedSet seed_set(const LinkSeeds::List& list, bool timed);

}  // namespace gls
