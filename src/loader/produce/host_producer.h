// Makes batches on the CPU of this process.
#pragma once

#include <memory>
#include <utility>

#include "loader/produce/batch_producer.h"
#include "loader/seeds/batch_seeds.h"
#include "sample/sampler.h"

namespace gls {

class HostProducer final : public BatchProducer {
 public:
  HostProducer(std::shared_ptr<const Sampler> sampler, std::shared_ptr<const BatchSeeds> seeds)
      : sampler_(std::move(sampler)), seeds_(std::move(seeds)) {}

  Result<ProducedBatch> make(const EpochPlan& plan, uint64_t number) const override;
  Result<std::shared_ptr<Batch>> make_on_host(const EpochPlan& plan,
                                              uint64_t number) const override;
  std::unique_ptr<BatchProducer> share() const override;

 private:
  const std::shared_ptr<const Sampler> sampler_;
  const std::shared_ptr<const BatchSeeds> seeds_;
};

}  // namespace gls
