#include "loader/produce/device_producer.h"

namespace gls {

Result<std::unique_ptr<BatchProducer>> DeviceProducer::open(
    std::shared_ptr<const Sampler> sampler, std::shared_ptr<const DeviceSampler> device_sampler,
    std::shared_ptr<Device> device, std::shared_ptr<const BatchSeeds> seeds) {
  // For links of several types, the CPU draws the negatives.
  const SeedSets& sets = seeds->sets();
  if (sets.of_links() && sets.count() == 1 &&
      sampler->options().negatives.mode != NegativeMode::kNone) {
    GLS_TRY(device_sampler->prepare_negatives(sets[0].type()));
  }
  return std::unique_ptr<BatchProducer>(new DeviceProducer(
      std::move(sampler), std::move(device_sampler), std::move(device), std::move(seeds)));
}

Result<ProducedBatch> DeviceProducer::make(const EpochPlan& plan, uint64_t number) const {
  GLS_ASSIGN(DeviceStream stream, device_->stream());
  GLS_ASSIGN(std::shared_ptr<Batch> batch,
             seeds_->make(plan, number, *sampler_->dataset()->context()->buffers(),
                          [&](const SampleRequest& request) {
                            return device_sampler_->sample(request, stream);
                          }));
  return ProducedBatch{std::move(batch), std::move(stream)};
}

Result<std::shared_ptr<Batch>> DeviceProducer::make_on_host(const EpochPlan& plan,
                                                            uint64_t number) const {
  return seeds_->make(plan, number, *sampler_->dataset()->context()->buffers(),
                      [&](const SampleRequest& request) { return sampler_->sample(request); });
}

std::unique_ptr<BatchProducer> DeviceProducer::share() const {
  return std::unique_ptr<BatchProducer>(
      new DeviceProducer(sampler_, device_sampler_, device_, seeds_));
}

}  // namespace gls
