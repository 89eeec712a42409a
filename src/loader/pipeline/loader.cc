#include "loader/pipeline/loader.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "context/stop_scope.h"

namespace gls {
namespace {

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

Loader::Loader(std::shared_ptr<const Sampler> sampler, std::shared_ptr<const BatchSeeds> seeds,
               LoaderOptions options, BatchFinisher finisher,
               std::unique_ptr<BatchProducer> producer)
    : sampler_(std::move(sampler)),
      seeds_(std::move(seeds)),
      options_(std::move(options)),
      finisher_(std::move(finisher)),
      producer_(std::move(producer)) {
  seek(0, 0);
}

bool Loader::idle() const {
  const std::lock_guard lock(mutex_);
  return in_work_ == 0 && calls_ == 0;
}

Loader::~Loader() {
  if (sampler_->dataset()->context()->in_forked_child()) {
    return;  // only the parent has the workers
  }
  producer_->stop();
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
  // No thread may wait for batches that no trainer takes: later steps would wait behind them.
  round_ = producer_->cancel_all();
  return dropped;
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
  round_ = producer_->cancel_all();
  stop_.request_stop();
  ready_.notify_all();
  call_ready(lock);
}

LoaderPosition Loader::position() const {
  const std::lock_guard lock(mutex_);
  return {epoch_, plan_->next_batch(next_step_), EpochPlan::count_steps(options_.plan, 0)};
}

EpochPlan Loader::plan_of(uint64_t epoch) const {
  return {options_.plan, sampler_->options().seed, epoch, 0};
}

// ---- batches by number -------------------------------------------------------------------------

Result<std::shared_ptr<Batch>> Loader::sample(uint64_t epoch, uint64_t batch,
                                              const Look& look) const {
  if (const uint64_t count = EpochPlan::num_batches(options_.plan); batch >= count) {
    return invalid("batch is {}, but an epoch has {} batches", batch, count)
        .with("argument", "batch");
  }
  const uint64_t began = now_ns();
  GLS_ASSIGN(ProducedBatch produced, producer_->make(plan_of(epoch), batch));
  return finisher_.finish(std::move(produced), producer_->brings_columns(), began, look);
}

Result<std::shared_ptr<Batch>> Loader::sample_only(uint64_t epoch, uint64_t batch) const {
  return producer_->make_on_host(plan_of(epoch), batch);
}

// ---- pipeline ----------------------------------------------------------------------------------

ThreadPool& Loader::pool() const {
  ThreadPool* const own = producer_->threads();
  return own != nullptr ? *own : sampler_->dataset()->context()->pool();
}

ThreadPool& Loader::gathering_pool() const {
  // The other threads of a producer of whole batches wait for servers.
  return producer_->brings_columns() ? sampler_->dataset()->context()->pool() : pool();
}

Result<std::shared_ptr<Batch>> Loader::make_step(const EpochPlan& plan, uint64_t step,
                                                 uint64_t round) const {
  const uint64_t began = now_ns();
  GLS_ASSIGN(ProducedBatch produced, producer_->make_step(plan, step, round));
  return finisher_.finish(std::move(produced), producer_->brings_columns(), began, {});
}

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
      Result<std::shared_ptr<Batch>> batch = make_step(*plan, step, round);
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
  GLS_TRY(finisher_.columns().gather(memory, batch));
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
  out.disk = producer_->disk_counts();
  return out;
}

}  // namespace gls
