// Makes batches on a device, except for the work on a few hundred seeds.
#pragma once

#include <memory>
#include <utility>

#include "loader/produce/batch_producer.h"
#include "loader/seeds/batch_seeds.h"
#include "sample/device/device_sampler.h"
#include "sample/sampler.h"

namespace gls {

class DeviceProducer final : public BatchProducer {
 public:
  // Prepares what the first batch would otherwise prepare.
  static Result<std::unique_ptr<BatchProducer>> open(
      std::shared_ptr<const Sampler> sampler, std::shared_ptr<const DeviceSampler> device_sampler,
      std::shared_ptr<Device> device, std::shared_ptr<const BatchSeeds> seeds);

  Result<ProducedBatch> make(const EpochPlan& plan, uint64_t number) const override;
  bool samples_on_device() const override { return true; }
  Result<std::shared_ptr<Batch>> make_on_host(const EpochPlan& plan,
                                              uint64_t number) const override;
  std::unique_ptr<BatchProducer> share() const override;

 private:
  DeviceProducer(std::shared_ptr<const Sampler> sampler,
                 std::shared_ptr<const DeviceSampler> device_sampler,
                 std::shared_ptr<Device> device, std::shared_ptr<const BatchSeeds> seeds)
      : sampler_(std::move(sampler)),
        device_sampler_(std::move(device_sampler)),
        device_(std::move(device)),
        seeds_(std::move(seeds)) {}

  const std::shared_ptr<const Sampler> sampler_;
  const std::shared_ptr<const DeviceSampler> device_sampler_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<const BatchSeeds> seeds_;
};

}  // namespace gls
