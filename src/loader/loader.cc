#include "loader/loader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "loader/column_rows.h"
#include "loader/landed_columns.h"
#include "loader/padding.h"

namespace gls {
namespace {

constexpr uint64_t kDefaultBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxBatchSize = uint64_t{1} << 30;
// Questions to servers at once; each has a thread that waits.
constexpr uint32_t kDefaultAsked = 8;
constexpr uint32_t kMostAsked = 32;
constexpr uint64_t kNextBatches = 32;  // that servers are told of
// Of a GPU that samples. One batch is sampled while rows of another come and the host prepares a
// third; the GPU does no more at once, and each takes its memory.
constexpr uint32_t kDeviceWorkers = 3;
constexpr uint32_t kDevicePrefetch = 4;

// In a handler: what was thrown while a batch was made.
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

Loader::Loader(std::shared_ptr<const Sampler> sampler, SeedList seeds,
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
    options_.prefetch_bytes = kDefaultBytes;
  }
  gather_ = GatherOptions::from(context);
}

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
  SeedList::Given given;
  given.links = options.edge_type.has_value();
  given.type = options.edge_type.value_or(options.node_type);
  given.ids = std::move(seeds);
  given.times = std::move(options.times);
  given.labels = std::move(options.labels);
  given.anchor_labels = std::move(options.anchor_labels);
  GLS_ASSIGN(SeedList list, SeedList::create(*sampler, std::move(given)));
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
  GLS_ASSIGN(maker_, servers->open_batches(
                         {*sampler_, seeds_.given(), options_, seeds_.size(), std::move(inputs)}));
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
  if (device_sampler_ != nullptr && seeds_.of_links() &&
      sampler_->options().negatives.mode != NegativeMode::kNone) {
    return device_sampler_->prepare_negatives(seeds_.type());
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
                              seeds_.type(),
                              seeds_.of_links(),
                              options_.rule.by == SeedsBy::kCluster,
                              static_cast<int64_t>(options_.plan.batch_size),
                              seeds_.label_widths(),
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
    return;  // the workers exist in the parent only
  }
  if (maker_ != nullptr) {
    maker_->stop();
    maker_by_number_->stop();
  }
  std::unique_lock lock(mutex_);
  stopping_ = true;
  ++generation_;
  call_ready(lock);
  idle_.wait(lock, [this] { return in_work_ == 0 && calls_ == 0; });
}

// ---- position ----------------------------------------------------------------------------------

std::deque<Loader::Slot> Loader::start_locked(uint64_t epoch, uint64_t first) {
  // What may fail comes first.
  std::deque<Slot> dropped;
  plan_ = std::make_shared<const EpochPlan>(options_.plan, sampler_->options().seed, epoch, first);
  ++generation_;
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

// Of what servers make, nobody is to wait for what nobody takes: all that is asked for next would.
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
  ready_.notify_all();
  call_ready(lock);
}

LoaderPosition Loader::position() const {
  const std::lock_guard lock(mutex_);
  return {epoch_, plan_->next_batch(next_step_), EpochPlan::count_steps(options_.plan, 0)};
}

// ---- pipeline ----------------------------------------------------------------------------------

// Whether one more batch may be started: bounded in number and bytes, but never so that nothing can
// move.
bool Loader::room_locked() const {
  const uint64_t undelivered = slots_.size();
  if (undelivered >= options_.prefetch) {
    return false;
  }
  if (undelivered == 0 && in_work_ == 0) {
    return true;
  }
  // Until one batch is done, nobody knows how large they are.
  return estimate_ > 0 && bytes_locked() + estimate_ <= options_.prefetch_bytes;
}

// False: no memory. Then nothing has changed, and the slot is not there.
bool Loader::start_step_locked() {
  try {
    slots_.emplace_back();
  } catch (const std::bad_alloc&) {
    return false;
  }
  try {
    // A raw `this`: the destructor waits for in_work_ to reach zero.
    pool().submit([this, step = issued_step_, generation = generation_, plan = plan_] {
      work(generation, step, plan.get());
    });
  } catch (const std::bad_alloc&) {
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

void Loader::work(uint64_t generation, uint64_t step, const EpochPlan* plan) {
  bool wanted = false;
  uint64_t round = 0;
  {
    const std::lock_guard lock(mutex_);
    wanted = generation == generation_ && !cancelled_;
    round = round_;
  }
  Slot result;
  result.done = true;
  if (wanted) {
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
    // Nobody waits for it any more. It must go while the loader still counts this task: afterwards
    // this could be the last reference to the context, whose threads cannot end themselves.
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
    // A cancelled batch was not made; seek() starts anew, so its slot is never read.
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
  idle_.notify_all();  // last: the loader may be gone once the lock is
}

Status Loader::pad(const DeviceStream* stream, Batch* batch) const {
  const SamplerOptions& options = sampler_->options();
  return pad_batch(*pad_sizes_, options.direction == Direction::kOut && options.toward_seeds,
                   *sampler_->dataset()->context()->buffers(), stream, batch);
}

Result<std::shared_ptr<Batch>> Loader::make(const EpochPlan& plan, uint64_t number,
                                            const Look& look) const {
  std::shared_ptr<Batch> batch;
  if (maker_ == nullptr) {
    GLS_ASSIGN(batch, make_here(plan, number, look));
  } else {
    GLS_ASSIGN(batch, maker_by_number_->make({plan.epoch(), number, {}, 0}));
  }
  GLS_TRY(pad_and_transform(batch));
  return batch;
}

Result<std::shared_ptr<Batch>> Loader::make_in_turn(const EpochPlan& plan, uint64_t step,
                                                    uint64_t round) {
  if (maker_ == nullptr) {
    return make(plan, plan.batch(step));
  }
  std::array<uint64_t, kNextBatches> next;  // behind those that are asked for by then
  size_t known = 0;
  for (uint64_t at = step + options_.num_workers; known < next.size() && at < plan.steps(); ++at) {
    next[known++] = plan.batch(at);
  }
  GLS_ASSIGN(std::shared_ptr<Batch> batch,
             maker_->make({plan.epoch(), plan.batch(step), std::span(next).first(known), round}));
  GLS_TRY(pad_and_transform(batch));
  return batch;
}

Status Loader::pad_and_transform(const std::shared_ptr<Batch>& batch) const {
  if (maker_ != nullptr) {
    batch->tiers.elsewhere = batch->gathered_rows();
  }
  if (maker_ != nullptr && pad_sizes_.has_value()) {  // else it was padded before columns came
    GLS_TRY(pad(nullptr, batch.get()));
    pad_columns(*sampler_->dataset()->context()->buffers(), batch.get());
  }
  if (maker_ != nullptr && delivery_ != nullptr) {
    GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
    GLS_TRY(delivery_->deliver({}, stream, batch.get()));
  }
  return options_.transform ? options_.transform(batch) : Status();
}

Result<std::shared_ptr<Batch>> Loader::make_here(const EpochPlan& plan, uint64_t number,
                                                 const Look& look) const {
  if (device_sampler_ != nullptr) {
    return make_there(plan, number, look);
  }
  const uint64_t started = now_ns();
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sample_batch(plan, number));
  if (pad_sizes_.has_value()) {
    GLS_TRY(pad(nullptr, batch.get()));
  }
  if (look) {
    GLS_TRY(look(*batch, column_bytes(*batch)));
  }
  const uint64_t sampled = now_ns();
  if (delivery_ != nullptr) {
    GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
    if (sampler_->dataset()->source() != nullptr) {
      batch->readers = std::make_shared<StreamReaders>();
      GLS_TRY(gather_columns({}, &stream, *batch));
    }
    GLS_TRY(deliver(stream, *batch));
  } else if (columns_later_) {
    describe_columns(*batch);
  } else {
    GLS_TRY(gather_columns({}, nullptr, *batch));
  }
  batch->sample_ns = sampled - started;
  batch->gather_ns = now_ns() - sampled;
  return batch;
}

// On the device, but for what is done of a few hundred seeds.
Result<std::shared_ptr<Batch>> Loader::make_there(const EpochPlan& plan, uint64_t number,
                                                  const Look& look) const {
  const uint64_t started = now_ns();
  GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sample_there(plan, number, stream));
  if (pad_sizes_.has_value()) {
    GLS_TRY(pad(&stream, batch.get()));
  }
  if (look) {
    GLS_TRY(look(*batch, column_bytes(*batch)));
  }
  const uint64_t sampled = now_ns();
  GLS_TRY(deliver(stream, *batch));
  batch->sample_ns = sampled - started;
  batch->gather_ns = now_ns() - sampled;
  return batch;
}

Result<std::shared_ptr<Batch>> Loader::sample_there(const EpochPlan& plan, uint64_t number,
                                                    const DeviceStream& stream) const {
  return sample_seeds(plan, number, [&](const SampleRequest& request) {
    return device_sampler_->sample(request, stream);
  });
}

// A batch that is asked for the shapes of its arrays alone, by whoever is to make the others.
Result<std::shared_ptr<Batch>> Loader::sample_sizes(const EpochPlan& plan, uint64_t number) const {
  if (device_sampler_ == nullptr) {
    return sample_batch(plan, number);
  }
  GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
  return sample_there(plan, number, stream);
}

Result<std::shared_ptr<Batch>> Loader::sample_batch(const EpochPlan& plan, uint64_t number) const {
  if (maker_ != nullptr) {
    GLS_ASSIGN(std::shared_ptr<Batch> batch, maker_by_number_->make({plan.epoch(), number, {}, 0}));
    batch->columns.clear();
    return batch;
  }
  return sample_seeds(plan, number,
                      [&](const SampleRequest& request) { return sampler_->sample(request); });
}

Result<std::shared_ptr<Batch>> Loader::sample_seeds(const EpochPlan& plan, uint64_t number,
                                                    const Sample& sample) const {
  const int64_t count = rule_->count(plan, number);
  BufferPool& pool = *sampler_->dataset()->context()->buffers();
  auto input = std::make_shared<Buffer>(pool.acquire(static_cast<size_t>(count) * 8));
  auto* const positions = input->as<int64_t>();
  rule_->fill(plan, number, positions);
  SampleRequest request;
  request.epoch = plan.epoch();
  request.batch = number;
  SeedList::Chosen chosen;
  seeds_.choose(std::span(positions, static_cast<size_t>(count)), &chosen, &request);
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sample(request));
  batch->input_type = seeds_.type();
  batch->input = Tensor(std::move(input), positions, kInt64, {count}, false);
  return batch;
}

Result<std::shared_ptr<Batch>> Loader::sample(uint64_t epoch, uint64_t batch,
                                              const Look& look) const {
  if (const uint64_t count = EpochPlan::num_batches(options_.plan); batch >= count) {
    return invalid("batch is {}, but an epoch has {} batches", batch, count)
        .with("argument", "batch");
  }
  return make(EpochPlan(options_.plan, sampler_->options().seed, epoch, 0), batch, look);
}

Result<std::shared_ptr<Batch>> Loader::sample_only(uint64_t epoch, uint64_t batch) const {
  return sample_batch(EpochPlan(options_.plan, sampler_->options().seed, epoch, 0), batch);
}

int64_t Loader::rows_of(const Batch& batch, const ColumnToGather& wanted) {
  if (!wanted.of_nodes) {
    return batch.edges[wanted.type].edge.rows();
  }
  const SampledNodes& type = batch.nodes[wanted.type];
  if (!wanted.seeds_only) {
    return type.node.rows();
  }
  // Without padding only distinct seeds have rows.
  return batch.padding == Padding::kFits ? type.seed.rows() : type.num_seeds();
}

uint64_t Loader::column_bytes(const Batch& batch) const {
  uint64_t sum = 0;
  for (const ColumnToGather& wanted : options_.columns) {
    const std::vector<int64_t>& shape = wanted.column->shape();
    uint64_t row = dtype_bytes(wanted.dtype);
    for (size_t d = 1; d < shape.size(); ++d) {
      row *= static_cast<uint64_t>(shape[d]);
    }
    sum += row * static_cast<uint64_t>(rows_of(batch, wanted));
  }
  return sum;
}

DeviceDelivery::Rows Loader::rows_to_gather(const Batch& batch, const ColumnToGather& wanted) {
  const int64_t real = wanted.seeds_only
                           ? batch.nodes[wanted.type].num_seeds()
                           : sum_of_counts(wanted.of_nodes ? batch.nodes[wanted.type].num_nodes
                                                           : batch.edges[wanted.type].num_edges);
  return {real, rows_of(batch, wanted)};
}

namespace {

IdSpan ids_to_gather(const Batch& batch, const ColumnToGather& wanted, int64_t count) {
  const Tensor& ids =
      wanted.of_nodes ? batch.nodes[wanted.type].node : batch.edges[wanted.type].edge;
  return {ids.data(), same_dtype(ids.dtype(), kInt64), count};
}

}  // namespace

Status Loader::deliver(const DeviceStream& stream, Batch& batch) const {
  std::vector<DeviceDelivery::Rows> rows;
  if (sampler_->dataset()->source() == nullptr) {
    rows.reserve(options_.columns.size());
    for (const ColumnToGather& wanted : options_.columns) {
      rows.push_back(rows_to_gather(batch, wanted));
      if (batch.device == nullptr) {  // else it is no part of a graph
        GLS_TRY(check_rows(*sampler_->dataset(), wanted,
                           ids_to_gather(batch, wanted, rows.back().count), "columns"));
      }
    }
  }
  return delivery_->deliver(rows, stream, &batch);
}

// `stream`, where it is not NULL, is of the device to which rows go that come from elsewhere.
Status Loader::gather_columns(std::span<const SharedBytes> memory, const DeviceStream* stream,
                              Batch& batch) const {
  const Dataset& dataset = *sampler_->dataset();
  const GraphSource* const source = dataset.source().get();
  std::vector<Later<Tensor>> asked;
  std::optional<LandedColumns> landed;
  if (stream != nullptr && delivery_->landings() != nullptr) {
    landed.emplace(*source, *delivery_->landings(), *stream, batch.readers);
  }
  for (const ColumnToGather& wanted : options_.columns) {
    const auto [count, rows] = rows_to_gather(batch, wanted);
    const IdSpan ids = ids_to_gather(batch, wanted, count);
    const SharedBytes to = memory.empty() ? nullptr : memory[batch.columns.size()];
    batch.columns.push_back({wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only, {}});
    (source != nullptr ? batch.tiers.elsewhere : batch.tiers.host) += static_cast<uint64_t>(count);
    if (source != nullptr) {
      const bool in_trees = std::any_of(batch.nodes.begin(), batch.nodes.end(),
                                        [](const auto& of) { return of.tree.defined(); });
      const RowQuestion question = row_question(dataset, wanted, ids, in_trees);
      if (landed.has_value()) {
        GLS_TRY(landed->ask(question, rows, wanted.column->shape()));
      } else {
        asked.push_back(source->ask_rows(question, rows, to));
      }
    } else {
      GLS_ASSIGN(batch.columns.back().data,
                 gather_here(dataset, wanted, ids, gather_, "columns", rows, to));
    }
  }
  for (size_t i = 0; landed.has_value() && i < batch.columns.size(); ++i) {
    GLS_ASSIGN(batch.columns[i].data, landed->take());
  }
  if (landed.has_value() && !batch.columns.empty()) {
    delivery_->note_landings(landed->num_landed() > 0);
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    GLS_ASSIGN(batch.columns[i].data, asked[i]());
    if (stream != nullptr) {  // while the next ones are on their way
      Tensor* const moved[] = {&batch.columns[i].data};
      GLS_TRY(move_in(*stream, moved, batch.readers));
    }
  }
  return {};
}

void Loader::describe_columns(Batch& batch) const {
  for (const ColumnToGather& wanted : options_.columns) {
    std::vector<int64_t> shape = wanted.column->shape();
    const auto [count, rows] = rows_to_gather(batch, wanted);
    shape[0] = std::max(count, rows);
    batch.columns.push_back({wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only,
                             Tensor(nullptr, nullptr, wanted.dtype, std::move(shape), false)});
  }
}

Status Loader::gather_to(std::span<const SharedBytes> memory, Batch* batch) const try {
  batch->columns.clear();
  return gather_columns(memory, nullptr, *batch);
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
  call_ready(lock);  // who asked before is answered now
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
  wait_ms(ready_, lock, timeout_ms, done);
  finish();
  if (cancelled_) {
    return error(GLS_ERR_CANCELED, "the loader was cancelled while waiting for a batch");
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
