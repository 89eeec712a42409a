// Makes batches on the CPU of this process.
#pragma once

#include <memory>
#include <semaphore>
#include <utility>

#include "loader/produce/batch_producer.h"
#include "loader/seeds/batch_seeds.h"
#include "sample/sampler.h"

namespace gls {

class HostProducer final : public BatchProducer {
 public:
  // `threads`: for batches that wait for a source of rows or edges; NULL: those of the context.
  HostProducer(std::shared_ptr<const Sampler> sampler, std::shared_ptr<const BatchSeeds> seeds,
               std::shared_ptr<ThreadPool> threads = nullptr)
      : sampler_(std::move(sampler)),
        seeds_(std::move(seeds)),
        threads_(std::move(threads)),
        sampling_(sampler_->dataset()->context()->pool().size()) {}

  Result<ProducedBatch> make(const EpochPlan& plan, uint64_t number) const override;
  Result<std::shared_ptr<Batch>> make_on_host(const EpochPlan& plan,
                                              uint64_t number) const override;
  ThreadPool* threads() const override { return threads_.get(); }
  std::unique_ptr<BatchProducer> share() const override;

 private:
  const std::shared_ptr<const Sampler> sampler_;
  const std::shared_ptr<const BatchSeeds> seeds_;
  const std::shared_ptr<ThreadPool> threads_;
  // So many batches are sampled at once if that only computes. More threads than the context's
  // gather.
  mutable std::counting_semaphore<> sampling_;
};

}  // namespace gls
