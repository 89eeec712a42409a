// The loader: makes the batches of an epoch ahead of time on the context's threads, and returns
// them in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "context/thread_pool.h"
#include "loader/pipeline/batch_source.h"
#include "loader/pipeline/loader_options.h"
#include "loader/produce/batch_finisher.h"
#include "loader/produce/batch_producer.h"
#include "loader/seeds/batch_seeds.h"
#include "loader/seeds/epoch_plan.h"
#include "sample/sampler.h"

namespace gls {

class Loader : public BatchSource {
 public:
  // `seeds` undefined: all nodes, or all edges, of the type.
  // `producer` makes the batches; NULL: the options choose the producer.
  static Result<std::shared_ptr<Loader>> create(std::shared_ptr<const Sampler> sampler,
                                                Tensor seeds, LoaderOptions options,
                                                std::unique_ptr<BatchProducer> producer = nullptr);
  // Drops batches that were not returned, cancels current work and waits for the workers, except in
  // a forked child.
  ~Loader() override;

  // Makes another loader of the same batches, for one of several trainers, or for a part of one
  // trainer's steps.
  struct Share {
    uint64_t rank = 0;
    uint64_t world_size = 1;
    uint64_t part = 0;
    uint64_t parts = 1;
    uint32_t prefetch = 0;
    // The receiver of a batch gathers its columns; see gather_to(). Not for batches that servers
    // make, that are transformed, or that are on a device.
    bool columns_later = false;
  };
  std::shared_ptr<Loader> share(const Share& share) const;
  // Whether batches come without columns: each column has its dtype and shape, and no memory; its
  // data() is NULL.
  bool columns_later() const { return !finisher_.gathers_rows(); }
  // Gathers the columns of such a batch. Each entry of `memory` begins at a cache line and has room
  // for all rows. After an error, the memory may still be written to until its owner is released.
  // cancel() and seek() cancel it. Any number of threads may call it at once.
  Status gather_to(std::span<const SharedBytes> memory, Batch* batch) const;
  // No work is running, so the destructor would not wait.
  bool idle() const;

  Result<Next> next(int64_t timeout_ms, std::shared_ptr<Batch>* out) override;
  Result<bool> notify(void (*function)(void*), void* user_data) override;
  void seek(uint64_t epoch) override;
  // As seek(), after the first `done` batches of the epoch, over all trainers.
  void seek(uint64_t epoch, uint64_t done);
  void cancel() override;
  // Makes any batch of any epoch on the calling thread, without an effect on the position. `look`
  // may be empty. Not for batches that servers make.
  using Look = BatchFinisher::Look;
  Result<std::shared_ptr<Batch>> sample(uint64_t epoch, uint64_t batch,
                                        const Look& look = {}) const;
  // As sample(), on the host, without padding and columns.
  Result<std::shared_ptr<Batch>> sample_only(uint64_t epoch, uint64_t batch) const;

  LoaderPosition position() const override;
  LoaderCounts counts() const override {
    return {EpochPlan::num_batches(options_.plan), static_cast<uint64_t>(seeds_->sets().size()),
            options_.plan.batch_size};
  }
  LoaderStats stats() const override;
  // The disk of columns that do not fit into memory; NULL: no reads are planned.
  const DiskSpeed* disk() const { return producer_->disk(); }
  // Samples many batches at once, if the topology does not fit into memory; else NULL.
  const WindowSampler* window_sampler() const { return producer_->window_sampler(); }
  bool samples_on_device() const { return producer_->samples_on_device(); }
  std::string save() const override;
  Status restore(std::string_view state) override;

  const std::shared_ptr<const Dataset>& dataset() const override { return sampler_->dataset(); }
  const std::optional<PadSizes>& pad_sizes() const override { return finisher_.pad_sizes(); }
  const Loader* local() const override { return this; }
  const std::shared_ptr<const Sampler>& sampler() const { return sampler_; }
  const LoaderOptions& options() const { return options_; }
  const PlanOptions& plan_options() const { return options_.plan; }
  // Type of the seeds, of the first where there are several: of edges if those are links, else of
  // nodes.
  size_t input_type() const { return seeds_->sets()[0].type(); }
  bool of_links() const { return seeds_->sets().of_links(); }

  // Threads that gather columns later, for batches without them.
  ThreadPool& gathering_pool() const;

 private:
  Loader(std::shared_ptr<const Sampler> sampler, std::shared_ptr<const BatchSeeds> seeds,
         LoaderOptions options, BatchFinisher finisher, std::unique_ptr<BatchProducer> producer);

  struct Slot {
    bool done = false;
    Status status;
    std::shared_ptr<Batch> batch;
    uint64_t bytes = 0;
  };

  // Below, "locked" means that the caller holds mutex_. Returns the batches that were ready.
  // Destroy them without the lock, because attached arrays then call their owner.
  [[nodiscard]] std::deque<Slot> start_locked(uint64_t epoch, uint64_t first);
  bool start_step_locked();
  // No batch is being made, for lack of memory.
  bool starved_locked() const {
    return started_ && !cancelled_ && slots_.empty() && in_work_ == 0 &&
           next_step_ < plan_->steps();
  }
  // Whether next() can return without waiting.
  bool ready_locked() const {
    return cancelled_ || starved_locked() || next_step_ == plan_->steps() ||
           (!slots_.empty() && slots_.front().done);
  }
  // Makes the call that notify() promised, if any, without the lock.
  void call_ready(std::unique_lock<std::mutex>& lock);
  void begin_locked(uint64_t now);
  void schedule_locked();
  bool room_locked() const;
  void forget_queued_locked();
  void account_locked();
  uint64_t bytes_locked() const { return ready_bytes_ + in_work_ * estimate_; }
  void work(const std::shared_ptr<std::atomic<bool>>& begun, uint64_t generation, uint64_t step,
            const EpochPlan* plan);
  ThreadPool& pool() const;
  EpochPlan plan_of(uint64_t epoch) const;
  Result<std::shared_ptr<Batch>> make_step(const EpochPlan& plan, uint64_t step,
                                           uint64_t round) const;

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<const BatchSeeds> seeds_;
  LoaderOptions options_;
  BatchFinisher finisher_;
  std::unique_ptr<BatchProducer> producer_;

  mutable std::mutex mutex_;
  std::condition_variable ready_;  // the first slot is done, or cancelled
  std::condition_variable idle_;   // a worker or a promised call finished
  struct {
    void (*function)(void*) = nullptr;
    void* user_data = nullptr;
  } ready_call_;
  uint64_t calls_ = 0;  // running calls of ready_call_
  std::shared_ptr<const EpochPlan> plan_;
  uint64_t epoch_ = 0;
  uint64_t generation_ = 0;  // grows when current work becomes void
  uint64_t round_ = 0;       // the round of producer_
  uint64_t next_step_ = 0;   // the next step to return
  uint64_t issued_step_ = 0;
  std::deque<Slot> slots_;  // for next_step_, next_step_ + 1, ...
  uint64_t in_work_ = 0;    // tasks queued or running, of this and earlier generations
  // Flags of the queued tasks. The thread that begins a task sets its flag, or the destructor does.
  std::vector<std::shared_ptr<std::atomic<bool>>> queued_;
  std::stop_source stop_;  // for current work, of this generation
  uint64_t ready_batches_ = 0;
  uint64_t ready_bytes_ = 0;
  uint64_t estimate_ = 0;  // bytes of the largest batch so far
  bool cancelled_ = false;
  bool stopping_ = false;
  bool started_ = false;  // next() was called in this epoch
  LoaderStats stats_;
  uint64_t accounted_at_ = 0;  // end of the time that worker_wait_ns includes
  uint64_t blocked_workers_ = 0;
  uint64_t wall_mark_ = 0;
};

}  // namespace gls
