// Any method over a remote graph whose rows the client fetches: docs/decisions/0041-rows.md.
#pragma once

#include <memory>

#include "query/graph_source.h"
#include "sample/drivers/sampling_method.h"

namespace gls {

class FetchedRowsMethod final : public SamplingMethod {
 public:
  // `rows` returns whole rows of the graph.
  FetchedRowsMethod(std::shared_ptr<const SamplerPlan> plan, std::shared_ptr<const HopSource> rows);
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                        SamplerScratch& scratch) const override;

 private:
  const std::shared_ptr<const HopSource> rows_;
};

// The plan of such a method: what it would be over a graph without rows, with the same errors.
Result<std::shared_ptr<const SamplerPlan>> plan_fetched_rows(SamplerPlan::Fields fields);

}  // namespace gls
