// Checks of a sampler's options against its dataset. Each error names the option.
#pragma once

#include "sample/plan/sampler_plan.h"

namespace gls {

// Whether the dataset stores the layout that the direction needs.
Status check_layout(const SamplerPlan::Fields& plan, const EdgeType& type);
// The options of neighbourhoods: fanouts, weight, picks and negatives.
Status check_neighborhoods(const SamplerPlan::Fields& plan);
// Whether local ids of 32 bits can hold all nodes.
Status check_id_width(const SamplerPlan::Fields& plan);
// The options that name reverse edges.
Status check_reverse(const SamplerPlan::Fields& plan);

}  // namespace gls
