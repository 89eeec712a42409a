// Makes the plan of a sampler, in steps that local and remote graphs share.
#pragma once

#include <memory>

#include "sample/plan/sampler_plan.h"

namespace gls {

// The fields that follow from the options alone. `table`: NULL for the kernels that the context's
// settings choose.
SamplerPlan::Fields begin_plan(std::shared_ptr<const Dataset> dataset, SamplerOptions options,
                               const kernels::Table* table);

// Checks the options that all methods share.
Status check_shared_options(const SamplerPlan::Fields& plan);

// The plan over local rows, with all checks.
Result<std::shared_ptr<const SamplerPlan>> plan_local(std::shared_ptr<const Dataset> dataset,
                                                      SamplerOptions options,
                                                      const kernels::Table* table);

// The plan of one batch over fetched rows. `remote`: the fields of the sampler of the remote graph,
// whose shared options are checked. The source of the rows excludes edges.
Result<std::shared_ptr<const SamplerPlan>> plan_fetched(const SamplerPlan::Fields& remote,
                                                        std::shared_ptr<const Dataset> fetched);

}  // namespace gls
