// Neighbourhoods: docs/contract.md section 3. With LABOR, rows are picked in another way, and the
// hops are the same.
#pragma once

#include "sample/drivers/sampling_method.h"

namespace gls {

class NeighborMethod final : public SamplingMethod {
 public:
  using SamplingMethod::SamplingMethod;
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                        SamplerScratch& scratch) const override;
};

}  // namespace gls
