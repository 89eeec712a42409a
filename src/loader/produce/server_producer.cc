#include "loader/produce/server_producer.h"

#include <array>
#include <span>
#include <system_error>

namespace gls {
namespace {

constexpr uint64_t kNextBatches = 32;  // announced to servers

ProducedBatch received(std::shared_ptr<Batch> batch) {
  batch->tiers.remote = batch->gathered_rows();
  return {std::move(batch)};
}

}  // namespace

Result<std::unique_ptr<BatchProducer>> ServerProducer::open(const BatchRecipe& recipe,
                                                            uint32_t most_requests) {
  const BatchServers* const servers = BatchServers::of(*recipe.sampler.dataset());
  if (servers == nullptr) {
    return error(GLS_ERR_UNSUPPORTED,
                 "made_by is GLS_MADE_BY_SERVERS, but the dataset has none; expected one that was "
                 "opened as gls://host:port")
        .with("argument", "made_by");
  }
  GLS_ASSIGN(std::unique_ptr<BatchClient> steps, servers->open_batches(recipe));
  std::unique_ptr<BatchClient> by_number = steps->share();
  std::shared_ptr<ThreadPool> threads;
  try {
    threads = std::make_shared<ThreadPool>(most_requests);
  } catch (const std::system_error& e) {
    return error(GLS_ERR_OUT_OF_MEMORY, "{} threads that wait for servers: {}", most_requests,
                 e.what());
  }
  return std::unique_ptr<BatchProducer>(new ServerProducer(std::move(steps), std::move(by_number),
                                                           std::move(threads), most_requests));
}

Result<ProducedBatch> ServerProducer::make(const EpochPlan& plan, uint64_t number) const {
  GLS_ASSIGN(std::shared_ptr<Batch> batch, by_number_->fetch({plan.epoch(), number, {}, 0}));
  return received(std::move(batch));
}

Result<ProducedBatch> ServerProducer::make_step(const EpochPlan& plan, uint64_t step,
                                                uint64_t round) const {
  std::array<uint64_t, kNextBatches> next;  // after those that are requested already
  size_t known = 0;
  for (uint64_t at = step + most_requests_; known < next.size() && at < plan.steps(); ++at) {
    next[known++] = plan.batch(at);
  }
  GLS_ASSIGN(std::shared_ptr<Batch> batch,
             steps_->fetch({plan.epoch(), plan.batch(step), std::span(next).first(known), round}));
  return received(std::move(batch));
}

Result<std::shared_ptr<Batch>> ServerProducer::make_on_host(const EpochPlan& plan,
                                                            uint64_t number) const {
  GLS_ASSIGN(std::shared_ptr<Batch> batch, by_number_->fetch({plan.epoch(), number, {}, 0}));
  batch->columns.clear();
  return batch;
}

void ServerProducer::stop() {
  steps_->stop();
  by_number_->stop();
}

std::unique_ptr<BatchProducer> ServerProducer::share() const {
  return std::unique_ptr<BatchProducer>(
      new ServerProducer(steps_->share(), steps_->share(), threads_, most_requests_));
}

}  // namespace gls
