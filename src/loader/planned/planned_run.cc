#include "loader/planned/planned_run.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "context/parallel.h"
#include "context/stop_scope.h"
#include "loader/columns/column_rows.h"
#include "loader/planned/read_plan.h"
#include "loader/planned/stored_batch.h"
#include "loader/replay/each_item.h"

namespace gls {
namespace {

constexpr unsigned kReaders = 2;  // of packs: one reads while the other begins
constexpr unsigned kThreads = 3 + kReaders;

uint64_t sum(const std::vector<WindowPlan>& plans, uint64_t WindowPlan::*count) {
  uint64_t out = 0;
  for (const WindowPlan& plan : plans) {
    out += plan.*count;
  }
  return out;
}

// A small pool, because buffers have few sizes and return soon.
std::shared_ptr<BufferPool> make_pool(const Context& context, uint64_t bytes) {
  return std::make_shared<BufferPool>(context.huge_pages(), bytes);
}

}  // namespace

std::shared_ptr<PlannedRun::Room> PlannedRun::new_room(const PlannedSources& sources) {
  return std::make_shared<Room>(
      Room{std::make_unique<MemoryShares::Share>(sources.context->storage_memory(), sources.memory),
           {}});
}

PlannedRun::PlannedRun(std::shared_ptr<const PlannedSources> sources, const EpochPlan& plan,
                       Room& room)
    : sources_(std::move(sources)),
      plan_(plan),
      share_(std::move(room.share)),
      memory_(RunMemory::divide(share_->bytes(), !sources_->folder.empty())),
      sizes_({!sources_->folder.empty(), memory_.uses, sources_->temporary_bytes,
              sources_->most_batches, sources_->passes != nullptr},
             sources_->disk),
      pool_(make_pool(*sources_->context, memory_.idle)) {
  kept_ = std::move(room.kept);
  for (size_t c = kept_.size(); c < sources_->planned.size(); ++c) {
    kept_.emplace_back(sources_->planned[c].row_bytes,
                       kept_slots(sources_->planned, c, memory_.kept),
                       sources_->context->huge_pages());
  }
  returned_.resize(kept_.size());
  try {
    threads_ = std::make_unique<ThreadPool>(kThreads);
    threads_->submit([this] { run([this] { return sample_windows(); }); });
    // end() changes threads_ while its tasks run.
    ThreadPool& threads = *threads_;
    threads_->submit([this, &threads] { run([this, &threads] { return plan_windows(threads); }); });
    for (unsigned i = 0; i < kReaders; ++i) {
      threads_->submit([this] { run([this] { return read_packs(); }); });
    }
  } catch (...) {
    stop();
    throw;
  }
}

void PlannedRun::end() {
  stop();
  threads_.reset();
  share_.reset();
}

std::shared_ptr<PlannedRun::Room> PlannedRun::take_room() {
  stop();
  threads_.reset();
  for (KeptRows& kept : kept_) {
    kept.clear();
  }
  return std::make_shared<Room>(Room{std::move(share_), std::move(kept_)});
}

PlannedRun::~PlannedRun() {
  if (!sources_->context->in_forked_child()) {
    stop();
  }
}

void PlannedRun::run(const std::function<Status()>& loop) {
  const StopScope scope(stop_.get_token());
  Status status = guarded([&] { return or_no_space(loop); });
  if (!status.ok()) {
    fail(std::move(status));
  }
}

void PlannedRun::fail(Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_.ok()) {
      failed_ = std::move(status);
    }
    changed_.notify_all();
  }
  stop_.request_stop();  // wakes threads that then need the lock
}

void PlannedRun::stop() { fail(error(GLS_ERR_CANCELED, "the loader was cancelled")); }

bool PlannedRun::finished() const {
  const std::lock_guard lock(mutex_);
  return filled_ == plan_.steps();
}

DiskCounts PlannedRun::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

// Waits until `done`, or the end of the run. At the end of a wait the lock was free for a moment,
// in which another thread may have taken what this one waited for.
template <typename Done>
Status PlannedRun::wait(std::unique_lock<std::mutex>& lock, Done done) {
  for (;;) {
    const bool over = wait_ms_or_stop(changed_, lock, -1, [&] { return !failed_.ok() || done(); });
    if (!failed_.ok()) {
      return failed_.copy();
    }
    if (over) {
      return {};
    }
    if (is_given_up()) {
      return given_up();
    }
  }
}

// ---- the thread that samples -------------------------------------------------------------------

Status PlannedRun::sample_windows() {
  sources_->load_topology();
  for (uint64_t first = 0; first < plan_.steps();) {
    {
      std::unique_lock lock(mutex_);
      GLS_TRY(wait(lock, [&] { return sampled_.size() < 2; }));
    }
    const size_t batches = sizes_.next(first, plan_.steps(), sampled_sizes_);
    const uint64_t began = now_ns();
    GLS_ASSIGN(std::shared_ptr<Window> window, sample_window(first, batches));
    sources_->context->log().write(
        GLS_LOG_DEBUG, "loader", "sampled window: steps {} to {}, {:.2f} s", first,
        window->last_step(), static_cast<double>(now_ns() - began) * 1e-9);
    first += batches;
    const std::lock_guard lock(mutex_);
    sampled_.push_back(std::move(window));
    all_sampled_ = first == plan_.steps();
    changed_.notify_all();
  }
  return {};
}

Result<std::shared_ptr<Window>> PlannedRun::sample_window(uint64_t first, size_t batches) {
  auto window =
      std::make_shared<Window>(first, batches, sources_->planned.size(), sources_->folder);
  if (!sources_->folder.empty()) {
    window->sampled.resize(batches);
    GLS_ASSIGN(window->sampled_file, StoredBatches::create(sources_->folder));
  }
  const auto make = [&](size_t i, const WindowSampler::Sample& sample) -> Status {
    GLS_ASSIGN(const std::shared_ptr<Batch> batch, sample(plan_, plan_.batch(first + i)));
    GLS_TRY(window->note_rows(*sources_->columns, sources_->planned, *batch, i));
    if (!window->sampled.empty()) {
      GLS_ASSIGN(window->sampled[i],
                 window->sampled_file->put(*sources_->context->buffers(), *batch));
    }
    return {};
  };
  if (sources_->passes != nullptr) {
    GLS_ASSIGN(const uint64_t bytes, sources_->passes->run(batches, sources_->folder, make, {}));
    sampled_sizes_.bytes += bytes;
  } else {
    GLS_TRY(for_each_item(sources_->context->pool(), batches,
                          [&](size_t i) { return make(i, sources_->sample); }));
  }
  window->add_to(sources_->planned, &sampled_sizes_);
  return window;
}

// ---- the thread that plans and reads -----------------------------------------------------------

Status PlannedRun::plan_windows(ThreadPool& threads) {
  GLS_ASSIGN(const std::unique_ptr<IoQueue> reads, IoQueue::open({sources_->way, 128, 16}));
  GLS_ASSIGN(const std::unique_ptr<IoQueue> writes, IoQueue::open({sources_->way, 64, 8}));
  std::vector<uint64_t> slots;
  slots.reserve(kept_.size());
  for (const KeptRows& kept : kept_) {
    slots.push_back(planned_slots(kept.slots()));
  }
  std::vector<WindowPlan> earlier;  // what those of the window before left
  for (uint64_t steps = 0; steps < plan_.steps();) {
    std::shared_ptr<Window> window;
    std::shared_ptr<Window> later;
    {
      std::unique_lock lock(mutex_);
      const bool ahead = WindowSizes::looks_ahead(steps);
      GLS_TRY(wait(lock, [&] {
        return sampled_.size() > 1 || (!sampled_.empty() && (all_sampled_ || !ahead));
      }));
      window = sampled_.front();
      later = ahead && sampled_.size() > 1 ? sampled_[1] : nullptr;
    }
    const ReadPlan reading =
        plan_with_reads(sources_->planned, slots, earlier.empty() ? nullptr : &earlier, later.get(),
                        sources_->folder, sources_->disk, memory_.packs, window.get());
    steps += window->batches;
    {
      std::unique_lock lock(mutex_);
      sampled_.pop_front();
      for (size_t c = 0; c < window->plans.size(); ++c) {
        const uint64_t misses = window->plans[c].misses;
        counts_.rows += misses;
        counts_.row_bytes += misses * sources_->planned[c].row_bytes;
      }
      changed_.notify_all();
      // One window is consumed while the next one is read.
      GLS_TRY(wait(lock, [&] { return planned_.size() < 2; }));
    }
    GLS_TRY(load(window, reading.group, threads, *reads, *writes));
    earlier.clear();
    for (WindowPlan& plan : window->plans) {
      earlier.push_back(plan.take_rest());
    }
  }
  const std::lock_guard lock(mutex_);
  all_planned_ = true;
  changed_.notify_all();
  return {};
}

// Takes slots for the rows that are placed while the window is read. Those of earlier windows and
// these have room at once, but rows of earlier batches may still be being copied.
Status PlannedRun::take_slots(ThreadPool& threads, Window* window) {
  window->placed.resize(kept_.size());
  std::unique_lock lock(mutex_);
  for (size_t c = 0; c < kept_.size(); ++c) {
    const size_t count = window->plans[c].placed.size();
    GLS_TRY(wait(lock, [&] {
      give_back_locked();
      return kept_[c].free_slots() >= count;
    }));
    window->placed[c] = kept_[c].take_free(count);
    lock.unlock();
    fault_in(kept_[c], window->placed[c], threads);
    lock.lock();
  }
  return {};
}

// Another thread takes memory for rows from the system, which clears it, while this one reads.
void PlannedRun::fault_in(const KeptRows& kept, const std::vector<uint32_t>& slots,
                          ThreadPool& threads) {
  if (slots.empty()) {
    return;
  }
  const auto [least, most] = std::minmax_element(slots.begin(), slots.end());
  threads.submit([this, &kept, begin = *least, end = *most + 1] {
    const auto at_once = static_cast<uint32_t>(std::max<uint64_t>(1, kHugePage / kept.row_bytes()));
    for (uint32_t at = begin; at < end && !stop_.stop_requested();) {
      const uint32_t next = end - at > at_once ? at + at_once : end;
      kept.fault_in(at, next);
      at = next;
    }
  });
}

// `group`: of ReadPlan.
Status PlannedRun::load(const std::shared_ptr<Window>& window, size_t group, ThreadPool& threads,
                        IoQueue& reads, IoQueue& writes) {
  const uint64_t began = now_ns();
  const WindowReads reader(sources_->planned, sources_->disk, reads, *pool_, memory_.requests / 4);
  DiskCounts counts;
  std::vector<uint64_t> bytes;
  bytes.reserve(window->batches);
  for (size_t batch = 1; batch <= window->batches; ++batch) {
    bytes.push_back(pack_offset(*window, sources_->planned, batch, sources_->planned.size()));
  }
  if (group == 0) {
    GLS_ASSIGN(window->file, PackFile::create(sources_->folder, bytes));
    GLS_TRY(take_slots(threads, window.get()));
    GLS_TRY(reader.write(*window, kept_, writes, memory_.requests / 4 * 3, &counts));
  }
  const auto publish = [&](bool written) {
    const std::lock_guard lock(mutex_);
    counts_.add(counts);
    planned_.push_back(window);
    if (written) {
      written_.push_back(window);
    }
    changed_.notify_all();
  };
  if (group == 0) {
    window->drop_rows();
    publish(true);
  } else {
    publish(false);
    for (size_t first = 0; first < window->batches; first += group) {
      const size_t count = std::min(group, window->batches - first);
      GLS_ASSIGN(std::vector<Pack> packs,
                 take_memory(window->first_step + first, std::span(bytes).subspan(first, count)));
      std::vector<std::byte*> to;
      to.reserve(packs.size());
      for (const Pack& pack : packs) {
        to.push_back(pack.memory.as<>());
      }
      DiskCounts of_group;
      GLS_TRY(reader.read(*window, first + 1, to, &of_group));
      counts.add(of_group);
      deliver(window->first_step + first, packs, of_group);
    }
    window->drop_rows();
  }
  sources_->context->log().write(
      GLS_LOG_DEBUG, "loader",
      "planned window: steps {} to {}, {} rows needed, {} missed, {} placed, {} bytes read, "
      "{} bytes packed, {:.2f} s",
      window->first_step, window->last_step(), sum(window->plans, &WindowPlan::uses),
      sum(window->plans, &WindowPlan::misses), window->num_placed(), counts.read_bytes,
      counts.packed_bytes, static_cast<double>(now_ns() - began) * 1e-9);
  return {};
}

// ---- packs -------------------------------------------------------------------------------------

// Memory is given in the order of steps: later packs must not keep earlier ones out.
Result<std::vector<PlannedRun::Pack>> PlannedRun::take_memory(uint64_t step,
                                                              std::span<const uint64_t> bytes) {
  uint64_t sum = 0;
  for (const uint64_t of : bytes) {
    sum += of;
  }
  {
    std::unique_lock lock(mutex_);
    GLS_TRY(wait(lock,
                 [&] { return granted_ == step && (held_ == 0 || held_ + sum <= memory_.packs); }));
    held_ += sum;
    granted_ += bytes.size();
    changed_.notify_all();
  }
  std::vector<Pack> packs;
  packs.reserve(bytes.size());
  for (const uint64_t of : bytes) {
    packs.push_back({pool_->acquire(std::max<uint64_t>(of, 1)), of});
  }
  return packs;
}

void PlannedRun::deliver(uint64_t step, std::span<Pack> packs, const DiskCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_.add(counts);
  for (size_t i = 0; i < packs.size(); ++i) {
    const uint64_t at = step + i - first_pack_;
    if (packs_.size() <= at) {
      packs_.resize(at + 1);
    }
    packs_[at] = std::move(packs[i]);
  }
  changed_.notify_all();
}

Status PlannedRun::read_packs() {
  GLS_ASSIGN(const std::unique_ptr<IoQueue> queue, IoQueue::open({sources_->way, 8, 4}));
  for (;;) {
    std::shared_ptr<Window> window;
    size_t pack = 0;
    {
      std::unique_lock lock(mutex_);
      GLS_TRY(wait(lock, [&] { return !written_.empty() || all_planned_; }));
      if (written_.empty()) {
        return {};
      }
      window = written_.front();
      pack = next_pack_++;
      if (next_pack_ == window->batches) {
        written_.pop_front();
        next_pack_ = 0;
      }
    }
    const PackFile& file = *window->file;
    const uint64_t step = window->first_step + pack;
    const uint64_t bytes = file.memory_bytes(pack);
    GLS_ASSIGN(std::vector<Pack> packs, take_memory(step, std::span(&bytes, 1)));
    GLS_TRY(file.read(*queue, pack, packs[0].memory.as<>()));
    file.discard(pack);
    deliver(step, packs, {});
  }
}

// ---- the loader's threads ----------------------------------------------------------------------

Result<std::shared_ptr<Batch>> PlannedRun::make(uint64_t step) {
  const uint64_t began = now_ns();
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sampled(step));
  const uint64_t sampled_at = now_ns();
  GLS_TRY(fill(step, batch.get()));
  batch->sample_ns = sampled_at - began;
  batch->gather_ns = now_ns() - sampled_at;
  return batch;
}

Result<std::shared_ptr<Batch>> PlannedRun::sampled(uint64_t step) {
  std::shared_ptr<Window> window;
  {
    std::unique_lock lock(mutex_);
    GLS_TRY(wait(lock, [&] { return !planned_.empty() && step <= planned_.back()->last_step(); }));
    window = *std::find_if(planned_.begin(), planned_.end(),
                           [step](const auto& of) { return step <= of->last_step(); });
  }
  if (window->sampled.empty()) {
    return sources_->sample(plan_, plan_.batch(step));
  }
  return window->sampled_file->get(sources_->context->buffers(),
                                   window->sampled[step - window->first_step]);
}

Status PlannedRun::fill(uint64_t step, Batch* batch) {
  std::vector<BatchRows> gathered(sources_->planned.size());
  Pack pack;
  GLS_TRY(take_turn(step, *batch, &gathered, &pack));
  const auto take = [&](size_t c) -> Result<Tensor> {
    return gathered[c].take(*sources_->context, sources_->planned[c], &kept_[c]);
  };
  GLS_TRY(add_columns(*sources_->columns, sources_->planned, take, batch));
  pack.memory = Buffer();
  const std::lock_guard lock(mutex_);
  held_ -= pack.bytes;
  ++filled_;
  gathering_[step - first_gathering_].done = true;
  free_slots_locked();
  changed_.notify_all();
  return {};
}

// Earlier steps may still read a slot that a later one freed.
void PlannedRun::free_slots_locked() {
  while (!gathering_.empty() && gathering_.front().done) {
    for (size_t c = 0; c < kept_.size(); ++c) {
      const std::vector<uint32_t>& freed = gathering_.front().freed[c];
      returned_[c].insert(returned_[c].end(), freed.begin(), freed.end());
    }
    gathering_.pop_front();
    ++first_gathering_;
  }
}

// Finds the rows of a batch, and leaves those that stay for later batches. One step at a time.
Status PlannedRun::take_turn(uint64_t step, const Batch& batch, std::vector<BatchRows>* gathered,
                             Pack* pack) {
  std::shared_ptr<Window> window;
  {
    std::unique_lock lock(mutex_);
    GLS_TRY(wait(lock, [&] { return turn_ == step && !packs_.empty() && packs_[0].has_value(); }));
    *pack = std::move(*packs_[0]);
    packs_.pop_front();
    ++first_pack_;
    window = planned_.front();
  }
  const size_t number = step - window->first_step + 1;
  for (size_t c = 0; c < kept_.size(); ++c) {
    BatchRows& of = (*gathered)[c];
    if (number == 1) {
      kept_[c].begin_window(
          window->plans[c], window->before[c],
          window->placed.empty() ? std::span<const uint32_t>() : window->placed[c], &of.freed);
    }
    of.pack = pack->memory.as<>() + pack_offset(*window, sources_->planned, number, c);
    const PlannedColumn& column = sources_->planned[c];
    GLS_TRY(of.find(sources_->columns->ids(column.wanted, batch), column.num_rows,
                    window->plans[c].moves[number], number, &kept_[c]));
  }
  {
    std::unique_lock lock(mutex_);
    bool taken = false;
    const auto take = [&] {
      give_back_locked();
      taken = taken || take_slots_locked(gathered);
      return taken;
    };
    GLS_TRY(wait(lock, [&] { return take() || gathering_.empty(); }));
    if (!taken) {
      // Rows must go before others come.
      lock.unlock();
      for (size_t c = 0; c < kept_.size(); ++c) {
        BatchRows& of = (*gathered)[c];
        of.done = of.gather(*sources_->context, sources_->planned[c], &kept_[c]);
      }
      lock.lock();
      for (size_t c = 0; c < kept_.size(); ++c) {
        for (const uint32_t slot : std::exchange((*gathered)[c].freed, {})) {
          kept_[c].give_back(slot);
        }
      }
      if (!take()) {
        return error(GLS_ERR_INTERNAL, "a plan keeps more rows than there is memory for");
      }
    }
  }
  for (size_t c = 0; c < kept_.size(); ++c) {
    (*gathered)[c].leave(number, &kept_[c]);
  }
  const std::lock_guard lock(mutex_);
  if (step == window->last_step()) {
    planned_.pop_front();
  }
  Gathering& now = gathering_.emplace_back();
  for (BatchRows& of : *gathered) {
    now.freed.push_back(std::move(of.freed));
  }
  ++turn_;
  changed_.notify_all();
  return {};
}

void PlannedRun::give_back_locked() {
  for (size_t c = 0; c < kept_.size(); ++c) {
    for (const uint32_t slot : std::exchange(returned_[c], {})) {
      kept_[c].give_back(slot);
    }
  }
}

// For the rows of a batch that stay; false: not all slots are free.
bool PlannedRun::take_slots_locked(std::vector<BatchRows>* gathered) {
  for (size_t c = 0; c < kept_.size(); ++c) {
    if (kept_[c].free_slots() < (*gathered)[c].needed_slots) {
      return false;
    }
  }
  for (size_t c = 0; c < kept_.size(); ++c) {
    (*gathered)[c].taken = kept_[c].take_free((*gathered)[c].needed_slots);
  }
  return true;
}

}  // namespace gls
