// Importance neighbours, which random walks visit most: docs/contract.md section 8.
#pragma once

#include "sample/drivers/sampling_method.h"

namespace gls {

class ImportanceMethod final : public SamplingMethod {
 public:
  using SamplingMethod::SamplingMethod;
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                        SamplerScratch& scratch) const override;
  Result<std::optional<std::vector<SeedSet>>> node_seeds(
      const SampleRequest& request, std::vector<std::vector<int64_t>>* memory) const override;
};

}  // namespace gls
