#include "loader/produce/host_producer.h"

namespace gls {
namespace {

class Held {
 public:
  // NULL: nothing is held.
  explicit Held(std::counting_semaphore<>* semaphore) : semaphore_(semaphore) {
    if (semaphore_ != nullptr) {
      semaphore_->acquire();
    }
  }
  ~Held() {
    if (semaphore_ != nullptr) {
      semaphore_->release();
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::counting_semaphore<>* const semaphore_;
};

}  // namespace

Result<ProducedBatch> HostProducer::make(const EpochPlan& plan, uint64_t number) const {
  GLS_ASSIGN(std::shared_ptr<Batch> batch, make_on_host(plan, number));
  return ProducedBatch{std::move(batch)};
}

Result<std::shared_ptr<Batch>> HostProducer::make_on_host(const EpochPlan& plan,
                                                          uint64_t number) const {
  const Dataset& dataset = *sampler_->dataset();
  const bool computes = threads_ != nullptr && dataset.topology_source() == nullptr;
  const Held held(computes ? &sampling_ : nullptr);
  return seeds_->make(plan, number, *dataset.context()->buffers(),
                      [&](const SampleRequest& request) { return sampler_->sample(request); });
}

std::unique_ptr<BatchProducer> HostProducer::share() const {
  return std::make_unique<HostProducer>(sampler_, seeds_, threads_);
}

}  // namespace gls
