#include "loader/loader.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "context/stop_scope.h"
#include "sample/pick/excluded_edges.h"
#include "system/cpu.h"

namespace gls {
namespace {

constexpr uint64_t kDefaultBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxBatchSize = uint64_t{1} << 30;
// Requests to servers in flight; a thread waits for each.
constexpr uint32_t kDefaultAsked = 8;
constexpr uint32_t kMostAsked = 32;
// For sampling on a GPU. One batch is sampled while rows of another arrive and the host prepares a
// third. The GPU runs no more at once, and each batch needs memory.
constexpr uint32_t kDeviceWorkers = 3;
constexpr uint32_t kDevicePrefetch = 4;

// Call it in a catch block: the error for an exception while a batch was made.
Status thrown_in(uint64_t batch, uint64_t epoch) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return or_out_of_memory([&] {
      return error(GLS_ERR_OUT_OF_MEMORY, "out of memory while making batch {} of epoch {}", batch,
                   epoch);
    });
  } catch (const std::exception& e) {
    return or_out_of_memory(
        [&] { return error(GLS_ERR_INTERNAL, "while making a batch: {}", e.what()); });
  }
}

Status cancelled() {
  return error(GLS_ERR_CANCELED, "the loader was cancelled; seek to an epoch to go on");
}

}  // namespace

void LoaderStats::count(const Batch& batch) {
  ++batches;
  seeds += static_cast<uint64_t>(batch.num_inputs());
  nodes += static_cast<uint64_t>(batch.num_nodes());
  edges += static_cast<uint64_t>(batch.num_edges());
  gathered_rows += batch.gathered_rows();
  for (const GatheredColumn& column : batch.columns) {
    gathered_bytes += column.data.span_bytes();
  }
  tiers.add(batch.tiers);
}

Loader::Loader(std::shared_ptr<const Sampler> sampler, SeedSets seeds,
               std::shared_ptr<const SeedRule> rule, LoaderOptions options)
    : sampler_(std::move(sampler)),
      seeds_(std::move(seeds)),
      rule_(std::move(rule)),
      options_(std::move(options)) {
  Context& context = *sampler_->dataset()->context();
  if (options_.made_by_servers) {
    options_.num_workers =
        options_.num_workers == 0 ? kDefaultAsked : std::min(options_.num_workers, kMostAsked);
  }
  if (options_.num_workers == 0) {
    options_.num_workers = context.pool().size();
  }
  if (options_.prefetch == 0) {
    constexpr uint32_t kMost = ~uint32_t{0};
    options_.prefetch = options_.num_workers < kMost / 2 ? 2 * options_.num_workers : kMost;
  }
  if (options_.prefetch_bytes == 0) {
    options_.prefetch_bytes = std::min(kDefaultBytes, usable_memory() / 4);
  }
  gather_ = GatherOptions::from(context);
}

namespace {

// What a loader of seeds of several types does not do.
Status check_options_of_several(const LoaderOptions& options) {
  const auto refused = [](const char* argument, std::string_view what) {
    return error(GLS_ERR_UNSUPPORTED, "{}: with seeds of several types, {}", argument, what)
        .with("argument", argument);
  };
  if (options.rule.by != SeedsBy::kOrder) {
    return refused("seed_rule", "each is taken once in an epoch; draws and clusters are of one");
  }
  if (options.pad.has_value()) {
    return refused("pad", "batches are not padded");
  }
  if (options.made_by_servers) {
    return refused("made_by", "servers make no batches; make them here");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<Loader>> Loader::create(std::shared_ptr<const Sampler> sampler, Tensor seeds,
                                               LoaderOptions options) {
  PlanOptions& plan = options.plan;
  if (plan.batch_size == 0 || plan.batch_size > kMaxBatchSize) {
    return invalid("batch_size is {}, expected 1 to {}", plan.batch_size, kMaxBatchSize)
        .with("argument", "batch_size");
  }
  if (plan.world_size == 0 || plan.rank >= plan.world_size) {
    return invalid("rank is {}, expected 0 to {} for world_size {}", plan.rank,
                   static_cast<int64_t>(plan.world_size) - 1, plan.world_size)
        .with("argument", "rank");
  }
  std::vector<SeedList::Given> sets = std::move(options.seed_sets);
  if (sets.empty()) {
    SeedList::Given& given = sets.emplace_back();
    given.links = options.edge_type.has_value();
    given.type = options.edge_type.value_or(options.node_type);
    given.ids = std::move(seeds);
    given.times = std::move(options.times);
    given.labels = std::move(options.labels);
    given.anchor_labels = std::move(options.anchor_labels);
  } else if (sets.size() > 1) {
    GLS_TRY(check_options_of_several(options));
  }
  GLS_ASSIGN(SeedSets list, SeedSets::create(*sampler, std::move(sets)));
  GLS_TRY(check_exclusion(sampler->options(), sampler->names_excluded(), list.of_links()));
  GLS_ASSIGN(std::unique_ptr<const SeedRule> rule,
             SeedRule::create(*sampler, list, options.rule, plan));
  plan.num_seeds = rule->size();
  const bool workers_chosen = options.num_workers != 0;
  const bool prefetch_chosen = options.prefetch != 0;
  std::shared_ptr<Loader> loader(
      new Loader(std::move(sampler), std::move(list), std::move(rule), std::move(options)));
  GLS_TRY(loader->open_maker());
  GLS_TRY(loader->open_device());
  if (loader->device_sampler_ != nullptr && !workers_chosen) {
    LoaderOptions& chosen = loader->options_;
    chosen.num_workers = std::min(chosen.num_workers, kDeviceWorkers);
    chosen.prefetch = prefetch_chosen ? chosen.prefetch : kDevicePrefetch;
  }
  loader->seek(0);
  GLS_TRY(loader->find_pad_sizes());
  return loader;
}

Status Loader::open_maker() {
  if (!options_.made_by_servers) {
    return {};
  }
  const auto* const servers =
      dynamic_cast<const BatchServers*>(sampler_->dataset()->source().get());
  if (servers == nullptr) {
    return error(GLS_ERR_UNSUPPORTED,
                 "made_by is GLS_MADE_BY_SERVERS, but the dataset has none; expected one that was "
                 "opened as gls://host:port")
        .with("argument", "made_by");
  }
  auto inputs = [rule = rule_, plan = options_.plan, seed = sampler_->options().seed](
                    uint64_t epoch, uint64_t number) {
    return rule->count(EpochPlan(plan, seed, epoch, 0), number);
  };
  GLS_ASSIGN(maker_, servers->open_batches({*sampler_, seeds_[0].given(), options_, seeds_.size(),
                                            std::move(inputs)}));
  maker_by_number_ = maker_->share();
  try {
    waiters_ = std::make_shared<ThreadPool>(options_.num_workers);
  } catch (const std::system_error& e) {
    return error(GLS_ERR_OUT_OF_MEMORY, "{} threads that wait for servers: {}",
                 options_.num_workers, e.what());
  }
  return {};
}

Status Loader::open_device() {
  const std::shared_ptr<Device>& device = options_.device;
  if (device == nullptr) {
    return {};
  }
  const Settings& settings = dataset()->context()->settings();
  const uint64_t kept = settings.bytes(Setting::kDeviceKeptMemory);
  GLS_TRY(device->keep_free(kept != 0 ? kept : device::kept_by_default(device->info())));
  GLS_ASSIGN(delivery_, DeviceDelivery::open(dataset(), device, options_.columns, options_.place));
  if (maker_ != nullptr) {
    return SamplerOnDevice::check_device_may_not(*dataset()->context(), "servers make the batches");
  }
  std::shared_ptr<const SamplerOnDevice> there = options_.sampler_there;
  if (there == nullptr) {
    GLS_ASSIGN(there, SamplerOnDevice::open(sampler_, device));
  }
  device_sampler_ = there->there();
  // Of links of several types the processor draws negatives.
  if (device_sampler_ != nullptr && seeds_.of_links() && seeds_.count() == 1 &&
      sampler_->options().negatives.mode != NegativeMode::kNone) {
    return device_sampler_->prepare_negatives(seeds_[0].type());
  }
  return {};
}

ThreadPool& Loader::pool() const {
  return waiters_ != nullptr ? *waiters_ : sampler_->dataset()->context()->pool();
}

Status Loader::find_pad_sizes() {
  if (!options_.pad.has_value()) {
    return {};
  }
  const EpochPlan plan(options_.plan, sampler_->options().seed, 0, 0);
  const PadSubject subject = {*sampler_,
                              seeds_[0].type(),
                              seeds_.of_links(),
                              options_.rule.by == SeedsBy::kCluster,
                              static_cast<int64_t>(options_.plan.batch_size),
                              seeds_[0].label_widths(),
                              EpochPlan::num_batches(options_.plan),
                              [&](uint64_t number) { return sample_sizes(plan, number); }};
  GLS_ASSIGN(pad_sizes_, gls::pad_sizes(subject, *options_.pad));
  return {};
}

std::shared_ptr<Loader> Loader::share(const Share& share) const {
  LoaderOptions options = options_;
  options.plan.rank = share.rank;
  options.plan.world_size = share.world_size;
  options.plan.part = share.part;
  options.plan.parts = share.parts;
  options.prefetch = share.prefetch;
  std::shared_ptr<Loader> out(new Loader(sampler_, seeds_, rule_, std::move(options)));
  out->pad_sizes_ = pad_sizes_;
  out->columns_later_ =
      share.columns_later && maker_ == nullptr && delivery_ == nullptr && !options_.transform;
  out->delivery_ = delivery_;
  out->device_sampler_ = device_sampler_;
  if (maker_ != nullptr) {
    out->maker_ = maker_->share();
    out->maker_by_number_ = maker_->share();
    out->waiters_ = waiters_;
  }
  out->seek(0);
  return out;
}

bool Loader::idle() const {
  const std::lock_guard lock(mutex_);
  return in_work_ == 0 && calls_ == 0;
}

Loader::~Loader() {
  if (sampler_->dataset()->context()->in_forked_child()) {
    return;  // only the parent has the workers
  }
  if (maker_ != nullptr) {
    maker_->stop();
    maker_by_number_->stop();
  }
  std::unique_lock lock(mutex_);
  stopping_ = true;
  ++generation_;
  stop_.request_stop();
  forget_queued_locked();
  call_ready(lock);
  idle_.wait(lock, [this] { return in_work_ == 0 && calls_ == 0; });
}

// No thread may begin them: tasks before them in the queue may wait for other work.
void Loader::forget_queued_locked() {
  for (const auto& begun : queued_) {
    in_work_ -= begun->exchange(true) ? 0 : 1;
  }
  queued_.clear();
}

// ---- position ----------------------------------------------------------------------------------

std::deque<Loader::Slot> Loader::start_locked(uint64_t epoch, uint64_t first) {
  // What may fail comes first.
  std::deque<Slot> dropped;
  plan_ = std::make_shared<const EpochPlan>(options_.plan, sampler_->options().seed, epoch, first);
  std::stop_source stop;
  ++generation_;
  stop_.request_stop();
  stop_ = std::move(stop);
  epoch_ = epoch;
  next_step_ = 0;
  issued_step_ = 0;
  slots_.swap(dropped);
  ready_batches_ = 0;
  ready_bytes_ = 0;
  cancelled_ = false;
  started_ = false;
  take_back_locked();
  return dropped;
}

// Drops requests to servers for batches that no trainer takes, so that no thread waits for them.
// All further requests would wait behind them.
void Loader::take_back_locked() {
  if (maker_ != nullptr) {
    round_ = maker_->cancel_all();
  }
}

void Loader::seek(uint64_t epoch) { seek(epoch, 0); }

void Loader::seek(uint64_t epoch, uint64_t done) {
  std::deque<Slot> dropped;
  std::unique_lock lock(mutex_);
  account_locked();
  dropped = start_locked(epoch, done);
  call_ready(lock);
}

void Loader::cancel() {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  take_back_locked();
  stop_.request_stop();
  ready_.notify_all();
  call_ready(lock);
}

LoaderPosition Loader::position() const {
  const std::lock_guard lock(mutex_);
  return {epoch_, plan_->next_batch(next_step_), EpochPlan::count_steps(options_.plan, 0)};
}

// ---- pipeline ----------------------------------------------------------------------------------

// Whether one more batch may be started. Number and bytes are limited, but one batch can always be
// made.
bool Loader::room_locked() const {
  const uint64_t undelivered = slots_.size();
  if (undelivered >= options_.prefetch) {
    return false;
  }
  if (undelivered == 0 && in_work_ == 0) {
    return true;
  }
  // The size of batches is unknown until one is done.
  return estimate_ > 0 && bytes_locked() + estimate_ <= options_.prefetch_bytes;
}

// False: no memory. Then nothing has changed, and the slot does not exist.
bool Loader::start_step_locked() {
  const size_t queued = queued_.size();
  try {
    slots_.emplace_back();
  } catch (const std::bad_alloc&) {
    return false;
  }
  try {
    auto begun = std::make_shared<std::atomic<bool>>(false);
    queued_.push_back(begun);
    // A plain `this`: the destructor waits for the tasks that have begun.
    pool().submit([this, begun, step = issued_step_, generation = generation_, plan = plan_] {
      if (!begun->exchange(true)) {
        work(begun, generation, step, plan.get());
      }
    });
  } catch (const std::bad_alloc&) {
    if (queued_.size() > queued) {
      queued_.pop_back();
    }
    slots_.pop_back();
    return false;
  }
  ++in_work_;
  ++issued_step_;
  return true;
}

void Loader::schedule_locked() {
  account_locked();
  const bool open = started_ && !cancelled_ && !stopping_;
  while (open && issued_step_ < plan_->steps() && in_work_ < options_.num_workers &&
         room_locked() && start_step_locked()) {
  }
  stats_.peak_bytes = std::max(stats_.peak_bytes, bytes_locked());
  const bool work_left = open && issued_step_ < plan_->steps();
  blocked_workers_ = work_left ? options_.num_workers - in_work_ : 0;
}

void Loader::account_locked() {
  const uint64_t now = now_ns();
  stats_.worker_wait_ns += blocked_workers_ * (now - accounted_at_);
  accounted_at_ = now;
}

void Loader::work(const std::shared_ptr<std::atomic<bool>>& begun, uint64_t generation,
                  uint64_t step, const EpochPlan* plan) {
  bool wanted = false;
  uint64_t round = 0;
  std::stop_token stop;
  {
    const std::lock_guard lock(mutex_);
    std::erase(queued_, begun);
    stop = stop_.get_token();
    wanted = generation == generation_ && !cancelled_;
    round = round_;
  }
  Slot result;
  result.done = true;
  if (wanted) {
    const StopScope scope(std::move(stop));
    try {
      Result<std::shared_ptr<Batch>> batch = make_in_turn(*plan, step, round);
      if (batch.ok()) {
        result.batch = batch.take();
        result.bytes = result.batch->bytes();
      } else {
        result.status = std::move(batch.status());
      }
    } catch (const std::exception&) {
      result.status = thrown_in(plan->batch(step), plan->epoch());
    }
  }
  std::unique_lock lock(mutex_);
  if (generation != generation_) {
    // No thread waits for the result any more. It must be destroyed while the loader still counts
    // this task. Deferred it could be the last reference to the context, whose threads cannot join
    // themselves.
    lock.unlock();
    result = Slot();
    lock.lock();
  }
  account_locked();
  --in_work_;
  if (generation == generation_ && result.done) {
    if (result.batch != nullptr) {
      stats_.sample_ns += result.batch->sample_ns;
      stats_.gather_ns += result.batch->gather_ns;
      estimate_ = std::max(estimate_, result.bytes);
      ++ready_batches_;
      ready_bytes_ += result.bytes;
    }
    // A cancelled batch was not made. seek() starts again, so its slot is never read.
    slots_[step - next_step_] = std::move(result);
    if (step == next_step_) {
      ready_.notify_all();
    }
  }
  if (!stopping_) {
    schedule_locked();
    if (starved_locked()) {
      ready_.notify_all();
    }
    if (ready_locked()) {
      call_ready(lock);
    }
  }
  idle_.notify_all();  // last: the loader may be destroyed after the lock is released
}

Status Loader::gather_to(std::span<const SharedBytes> memory, Batch* batch) const try {
  std::stop_token stop;
  {
    const std::lock_guard lock(mutex_);
    stop = stop_.get_token();
  }
  const StopScope scope(std::move(stop));
  batch->columns.clear();
  GLS_TRY(gather_columns(memory, nullptr, *batch));
  return sampler_->dataset()->check_files();
} catch (const std::exception&) {
  return thrown_in(batch->number, batch->epoch);
}

void Loader::begin_locked(uint64_t now) {
  if (!started_) {
    started_ = true;
    wall_mark_ = now;
  }
}

void Loader::call_ready(std::unique_lock<std::mutex>& lock) {
  const auto call = std::exchange(ready_call_, {});
  if (call.function == nullptr) {
    return;
  }
  ++calls_;
  lock.unlock();
  call.function(call.user_data);
  lock.lock();
  --calls_;
  idle_.notify_all();
}

Result<bool> Loader::notify(void (*function)(void*), void* user_data) {
  std::unique_lock lock(mutex_);
  call_ready(lock);  // an earlier notify() is answered now
  if (cancelled_) {
    return cancelled();
  }
  begin_locked(now_ns());
  schedule_locked();
  if (ready_locked()) {
    return true;
  }
  ready_call_ = {function, user_data};
  return false;
}

Result<Loader::Next> Loader::next(int64_t timeout_ms, std::shared_ptr<Batch>* out) {
  const uint64_t called = now_ns();
  std::unique_lock lock(mutex_);
  if (cancelled_) {
    return cancelled();
  }
  begin_locked(called);
  const auto finish = [&] {
    const uint64_t now = now_ns();
    stats_.caller_wait_ns += now - called;
    stats_.wall_ns += now - wall_mark_;
    wall_mark_ = now;
  };
  if (next_step_ == plan_->steps()) {
    finish();
    return Next::kEnd;
  }
  schedule_locked();
  const uint64_t generation = generation_;
  const auto done = [&] {
    return cancelled_ || generation != generation_ || starved_locked() ||
           (!slots_.empty() && slots_.front().done);
  };
  static_cast<void>(wait_ms_or_interrupt(ready_, lock, timeout_ms, done));
  finish();
  if (cancelled_) {
    return error(GLS_ERR_CANCELED, "the loader was cancelled while waiting for a batch");
  }
  if (is_given_up()) {
    return given_up();  // also where it came just now: it is for the next call
  }
  if (generation == generation_ && starved_locked()) {
    return Status::out_of_memory();  // the next call tries again
  }
  if (generation != generation_ || slots_.empty() || !slots_.front().done) {
    return Next::kNotYet;
  }
  Slot slot = std::move(slots_.front());
  slots_.pop_front();
  ++next_step_;
  if (slot.batch != nullptr) {
    --ready_batches_;
    ready_bytes_ -= slot.bytes;
    stats_.count(*slot.batch);
  }
  schedule_locked();
  if (!slot.status.ok()) {
    return std::move(slot.status);
  }
  *out = std::move(slot.batch);
  return Next::kBatch;
}

LoaderStats Loader::stats() const {
  const std::lock_guard lock(mutex_);
  LoaderStats out = stats_;
  out.worker_wait_ns += blocked_workers_ * (now_ns() - accounted_at_);
  out.ready_batches = ready_batches_;
  out.ready_bytes = ready_bytes_;
  return out;
}

}  // namespace gls
