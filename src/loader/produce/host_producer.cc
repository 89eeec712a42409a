#include "loader/produce/host_producer.h"

namespace gls {

Result<ProducedBatch> HostProducer::make(const EpochPlan& plan, uint64_t number) const {
  GLS_ASSIGN(std::shared_ptr<Batch> batch, make_on_host(plan, number));
  return ProducedBatch{std::move(batch)};
}

Result<std::shared_ptr<Batch>> HostProducer::make_on_host(const EpochPlan& plan,
                                                          uint64_t number) const {
  return seeds_->make(plan, number, *sampler_->dataset()->context()->buffers(),
                      [&](const SampleRequest& request) { return sampler_->sample(request); });
}

std::unique_ptr<BatchProducer> HostProducer::share() const {
  return std::make_unique<HostProducer>(sampler_, seeds_, threads_);
}

}  // namespace gls
