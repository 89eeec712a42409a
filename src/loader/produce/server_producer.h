// Receives batches from servers of the graph, which also gather the columns.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "loader/produce/batch_producer.h"
#include "loader/produce/batch_servers.h"

namespace gls {

class ServerProducer final : public BatchProducer {
 public:
  // Waits for one of the servers, which reports errors in the recipe. `most_requests`: how many
  // steps are requested at once; a thread waits for each.
  static Result<std::unique_ptr<BatchProducer>> open(const BatchRecipe& recipe,
                                                     uint32_t most_requests);

  Result<ProducedBatch> make(const EpochPlan& plan, uint64_t number) const override;
  Result<ProducedBatch> make_step(const EpochPlan& plan, uint64_t step,
                                  uint64_t round) const override;
  Result<std::shared_ptr<Batch>> make_on_host(const EpochPlan& plan,
                                              uint64_t number) const override;
  bool brings_columns() const override { return true; }
  ThreadPool* threads() const override { return threads_.get(); }
  uint64_t cancel_all() override { return steps_->cancel_all(); }
  void stop() override;
  std::unique_ptr<BatchProducer> share() const override;

 private:
  ServerProducer(std::unique_ptr<BatchClient> steps, std::unique_ptr<BatchClient> by_number,
                 std::shared_ptr<ThreadPool> threads, uint32_t most_requests)
      : steps_(std::move(steps)),
        by_number_(std::move(by_number)),
        threads_(std::move(threads)),
        most_requests_(most_requests) {}

  const std::unique_ptr<BatchClient> steps_;
  const std::unique_ptr<BatchClient> by_number_;  // cancel_all() does not cancel its requests
  const std::shared_ptr<ThreadPool> threads_;     // all loaders of the same batches share them
  const uint32_t most_requests_;
};

}  // namespace gls
