#include "sample/drivers/sampling_method.h"

#include "sample/drivers/hgt_method.h"
#include "sample/drivers/importance_method.h"
#include "sample/drivers/neighbor_method.h"
#include "sample/drivers/ppr_method.h"
#include "sample/drivers/walk_method.h"

namespace gls {

std::unique_ptr<const SamplingMethod> make_method(std::shared_ptr<const SamplerPlan> plan) {
  switch (plan->method()) {
    case Method::kWalks:
      return std::make_unique<WalkMethod>(std::move(plan));
    case Method::kImportance:
      return std::make_unique<ImportanceMethod>(std::move(plan));
    case Method::kPpr:
      return std::make_unique<PprMethod>(std::move(plan));
    case Method::kHgt:
      return std::make_unique<HgtMethod>(std::move(plan));
    case Method::kNeighbors:
      break;
  }
  return std::make_unique<NeighborMethod>(std::move(plan));
}

}  // namespace gls
