// Neighbourhoods of a remote graph whose parts make the picks: docs/decisions/0037-sources.md.
#pragma once

#include <memory>
#include <utility>

#include "query/graph_source.h"
#include "sample/drivers/sampling_method.h"

namespace gls {

class RemoteNeighborMethod final : public SamplingMethod {
 public:
  RemoteNeighborMethod(std::shared_ptr<const SamplerPlan> plan,
                       std::shared_ptr<const HopSource> hops)
      : SamplingMethod(std::move(plan)), hops_(std::move(hops)) {}
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                        SamplerScratch& scratch) const override;

 private:
  const std::shared_ptr<const HopSource> hops_;
};

}  // namespace gls
