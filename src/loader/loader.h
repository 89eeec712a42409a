// The loader: an epoch of batches, made ahead on the context's threads and handed out in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "feature/gather.h"
#include "loader/batch_maker.h"
#include "loader/columns.h"
#include "loader/device_batch.h"
#include "loader/epoch_plan.h"
#include "loader/pad_sizes.h"
#include "loader/seed_rule.h"
#include "loader/seed_sets.h"
#include "loader/source.h"
#include "sample/sampler.h"
#include "sample/sampler_on_device.h"

namespace gls {

struct LoaderOptions {
  size_t node_type = 0;
  std::optional<size_t> edge_type;  // the seeds are links of this type
  SeedRuleOptions rule;
  PlanOptions plan;  // num_seeds is filled in
  uint32_t num_workers = 0;
  uint32_t prefetch = 0;
  uint64_t prefetch_bytes = 0;
  std::vector<ColumnToGather> columns;
  Tensor times;   // of the seeds, where the sampler goes by times; undefined: their own
  Tensor labels;  // of links
  std::optional<PadOptions> pad;
  // The caller's own stage; may be empty. Called by several threads at once.
  std::function<Status(const std::shared_ptr<Batch>&)> transform;
  std::vector<Tensor> anchor_labels;  // by supervision; undefined: of its edge type
  // Seeds of several types, in place of `seeds` of create() and of what is said of their type,
  // their times and labels here.
  std::vector<SeedList::Given> seed_sets;
  // By the servers of the graph: `num_workers` is then how many are asked for at once, and here
  // they are only padded and transformed.
  bool made_by_servers = false;
  // Where batches are delivered; NULL: on the host.
  std::shared_ptr<Device> device;
  std::shared_ptr<const SamplerOnDevice> sampler_there;  // the same sampler on it; NULL: is made
  LocalPlace place;                                      // for setting device.group
};

class Loader : public BatchSource {
 public:
  // `seeds` undefined: all nodes, or all edges, of the type.
  static Result<std::shared_ptr<Loader>> create(std::shared_ptr<const Sampler> sampler,
                                                Tensor seeds, LoaderOptions options);
  // Drops what is not handed out, gives up what is in work and waits for the workers, unless in a
  // forked child.
  ~Loader() override;

  // Another loader of the same batches, for one of several trainers, or for a part of one's steps.
  struct Share {
    uint64_t rank = 0;
    uint64_t world_size = 1;
    uint64_t part = 0;
    uint64_t parts = 1;
    uint32_t prefetch = 0;
    // Columns are gathered by whoever takes a batch, see gather_to(). Not of batches that servers
    // make, that are transformed or that lie on a device.
    bool columns_later = false;
  };
  std::shared_ptr<Loader> share(const Share& share) const;
  // Whether batches come so: each column has its dtype and shape, and no memory, its data() is
  // NULL.
  bool columns_later() const { return columns_later_; }
  // Gathers the columns of such a batch, each to memory of its own that begins on a line and has
  // room for all its rows. After an error somebody may still write there, until the memory has no
  // owner. Given up by cancel() and seek(). Any number of threads at once.
  Status gather_to(std::span<const SharedBytes> memory, Batch* batch) const;
  // Nothing is in work, so that the destructor would not wait.
  bool idle() const;

  Result<Next> next(int64_t timeout_ms, std::shared_ptr<Batch>* out) override;
  Result<bool> notify(void (*function)(void*), void* user_data) override;
  void seek(uint64_t epoch) override;
  // The same, but the first `done` batches of the epoch, of all trainers, are done.
  void seek(uint64_t epoch, uint64_t done);
  void cancel() override;
  // Any batch of any epoch, made on the calling thread. Touches nothing of the above. `look` may be
  // empty; else it sees what was sampled before its columns, which have so many bytes, are
  // gathered, and its error is that of the batch. Not of batches that servers make.
  using Look = std::function<Status(const Batch& sampled, uint64_t column_bytes)>;
  Result<std::shared_ptr<Batch>> sample(uint64_t epoch, uint64_t batch,
                                        const Look& look = {}) const;
  // The same without columns.
  Result<std::shared_ptr<Batch>> sample_only(uint64_t epoch, uint64_t batch) const;

  LoaderPosition position() const override;
  LoaderCounts counts() const override {
    return {EpochPlan::num_batches(options_.plan), static_cast<uint64_t>(seeds_.size()),
            options_.plan.batch_size};
  }
  LoaderStats stats() const override;
  std::string save() const override;
  Status restore(std::string_view state) override;

  const std::shared_ptr<const Dataset>& dataset() const override { return sampler_->dataset(); }
  const std::optional<PadSizes>& pad_sizes() const override { return pad_sizes_; }
  const Loader* local() const override { return this; }
  const std::shared_ptr<const Sampler>& sampler() const { return sampler_; }
  const LoaderOptions& options() const { return options_; }
  const PlanOptions& plan_options() const { return options_.plan; }
  // Type of the seeds, of the first where there are several: of edges if those are links, else of
  // nodes.
  size_t input_type() const { return seeds_[0].type(); }
  bool of_links() const { return seeds_.of_links(); }

 private:
  Loader(std::shared_ptr<const Sampler> sampler, SeedSets seeds,
         std::shared_ptr<const SeedRule> rule, LoaderOptions options);
  Status open_maker();
  Status open_device();
  Status find_pad_sizes();

  struct Slot {
    bool done = false;
    Status status;
    std::shared_ptr<Batch> batch;
    uint64_t bytes = 0;
  };

  // Below, "locked" means: the caller holds mutex_.
  // The batches that were ready: to be dropped without the lock, as arrays that a transform
  // attached call their owner then.
  [[nodiscard]] std::deque<Slot> start_locked(uint64_t epoch, uint64_t first);
  bool start_step_locked();
  // Nothing is on its way, for want of memory.
  bool starved_locked() const {
    return started_ && !cancelled_ && slots_.empty() && in_work_ == 0 &&
           next_step_ < plan_->steps();
  }
  // Whether next() has something to say without waiting.
  bool ready_locked() const {
    return cancelled_ || starved_locked() || next_step_ == plan_->steps() ||
           (!slots_.empty() && slots_.front().done);
  }
  // Makes the call that notify() promised, if there is one, without the lock.
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
  Result<std::shared_ptr<Batch>> make(const EpochPlan& plan, uint64_t number,
                                      const Look& look = {}) const;
  Result<std::shared_ptr<Batch>> make_in_turn(const EpochPlan& plan, uint64_t step, uint64_t round);
  Status pad_and_transform(const std::shared_ptr<Batch>& batch) const;
  void take_back_locked();
  Result<std::shared_ptr<Batch>> make_here(const EpochPlan& plan, uint64_t number,
                                           const Look& look) const;
  Result<std::shared_ptr<Batch>> make_there(const EpochPlan& plan, uint64_t number,
                                            const Look& look) const;
  Result<std::shared_ptr<Batch>> sample_there(const EpochPlan& plan, uint64_t number,
                                              const DeviceStream& stream) const;
  Result<std::shared_ptr<Batch>> sample_sizes(const EpochPlan& plan, uint64_t number) const;
  Result<std::shared_ptr<Batch>> sample_batch(const EpochPlan& plan, uint64_t number) const;
  using Sample = std::function<Result<std::shared_ptr<Batch>>(const SampleRequest& request)>;
  Result<std::shared_ptr<Batch>> sample_seeds(const EpochPlan& plan, uint64_t number,
                                              const Sample& sample) const;
  // `stream`: of the device that the batch was sampled on, or NULL.
  Status pad(const DeviceStream* stream, Batch* batch) const;
  // To `memory` for each column; empty: to the pool's.
  Status gather_columns(std::span<const SharedBytes> memory, const DeviceStream* stream,
                        Batch& batch) const;
  void describe_columns(Batch& batch) const;
  Status deliver(const DeviceStream& stream, Batch& batch) const;
  static DeviceDelivery::Rows rows_to_gather(const Batch& batch, const ColumnToGather& wanted);
  uint64_t column_bytes(const Batch& batch) const;
  static int64_t rows_of(const Batch& batch, const ColumnToGather& wanted);
  const std::string& seeds_checksum() const;
  const std::string& rule_checksum() const;

  std::shared_ptr<const Sampler> sampler_;
  SeedSets seeds_;
  std::shared_ptr<const SeedRule> rule_;
  mutable std::once_flag seeds_summed_;  // on the first save or restore
  mutable std::string seeds_sum_;
  mutable std::string rule_sum_;
  LoaderOptions options_;
  GatherOptions gather_;
  std::optional<PadSizes> pad_sizes_;
  bool columns_later_ = false;
  std::shared_ptr<const DeviceDelivery> delivery_;       // NULL: on the host
  std::shared_ptr<const DeviceSampler> device_sampler_;  // NULL: batches are sampled here
  std::shared_ptr<BatchMaker> maker_;                    // NULL: batches are made here
  std::shared_ptr<BatchMaker> maker_by_number_;  // the same, of what is asked for by its number
  std::shared_ptr<ThreadPool> waiters_;          // that wait for it, of all who share

  mutable std::mutex mutex_;
  std::condition_variable ready_;  // the head slot is done, or cancelled
  std::condition_variable idle_;   // a worker, or a promised call, finished
  struct {
    void (*function)(void*) = nullptr;
    void* user_data = nullptr;
  } ready_call_;
  uint64_t calls_ = 0;  // of ready_call_ that are running
  std::shared_ptr<const EpochPlan> plan_;
  uint64_t epoch_ = 0;
  uint64_t generation_ = 0;  // grows when what is in work becomes void
  uint64_t round_ = 0;       // the same of maker_
  uint64_t next_step_ = 0;   // to be handed out
  uint64_t issued_step_ = 0;
  std::deque<Slot> slots_;  // of next_step_, next_step_ + 1, ...
  uint64_t in_work_ = 0;    // tasks queued or running, of this and older generations
  // Of those that are queued: the thread that begins it or the destructor sets it.
  std::vector<std::shared_ptr<std::atomic<bool>>> queued_;
  std::stop_source stop_;  // of what is in work, of this generation
  uint64_t ready_batches_ = 0;
  uint64_t ready_bytes_ = 0;
  uint64_t estimate_ = 0;  // bytes of the largest batch so far
  bool cancelled_ = false;
  bool stopping_ = false;
  bool started_ = false;  // next() was called in this epoch
  LoaderStats stats_;
  uint64_t accounted_at_ = 0;  // until when worker_wait_ns counts
  uint64_t blocked_workers_ = 0;
  uint64_t wall_mark_ = 0;
};

}  // namespace gls
