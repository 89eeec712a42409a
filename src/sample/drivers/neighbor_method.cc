#include "sample/drivers/neighbor_method.h"

#include "base/float_mode.h"
#include "sample/neighbor/batch_worker.h"

namespace gls {

Result<std::shared_ptr<Batch>> NeighborMethod::sample(const SampleRequest& request,
                                                      SamplerScratch& scratch) const {
  std::optional<DefaultFloatMode> float_mode;  // some hundred instructions, for weights only
  if (!plan().options().weight.empty() || !request.links.empty()) {
    float_mode.emplace();
  }
  return BatchWorker(plan(), scratch, request).run();
}

}  // namespace gls
