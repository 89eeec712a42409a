#include "sample/links/negative_samplers.h"

#include <utility>

#include "base/float_mode.h"

namespace gls {

NegativeSamplers::NegativeSamplers(std::shared_ptr<const Dataset> dataset, NegativeOptions options,
                                   NegativeTime time)
    : dataset_(std::move(dataset)), options_(std::move(options)), time_(std::move(time)) {}

Result<std::shared_ptr<const NegativeSampler>> NegativeSamplers::get(size_t edge_type) const {
  const DefaultFloatMode float_mode;  // sums are part of the contract, for every calling thread
  const std::lock_guard lock(mutex_);
  made_.resize(dataset_->edge_types().size());
  if (made_[edge_type] == nullptr) {
    GLS_ASSIGN(made_[edge_type], NegativeSampler::create(dataset_, edge_type, options_, time_));
  }
  return made_[edge_type];
}

}  // namespace gls
