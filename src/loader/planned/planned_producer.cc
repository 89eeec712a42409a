#include "loader/planned/planned_producer.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/clock.h"
#include "context/parallel.h"
#include "context/stop_scope.h"
#include "loader/columns/column_rows.h"
#include "loader/planned/temporary_folder.h"
#include "system/file_guard.h"
#include "system/read_ahead.h"

namespace gls {
namespace {

Status run_cancelled() { return error(GLS_ERR_CANCELED, "the loader was cancelled"); }

}  // namespace

Result<std::unique_ptr<BatchProducer>> PlannedProducer::open(
    const Sampler& sampler, std::unique_ptr<BatchProducer> host,
    const std::vector<ColumnToGather>& columns, std::vector<PlannedColumn> planned,
    std::shared_ptr<const WindowSampler> passes, const StorageOptions& options,
    uint64_t ahead_bytes, uint32_t num_workers) {
  const std::shared_ptr<const Dataset>& dataset = sampler.dataset();
  std::optional<StorageFile> topology;
  if (planned.empty()) {
    GLS_ASSIGN(topology, open_mapped(largest(topology_arrays(sampler))));
  }
  const std::string& path = topology.has_value() ? topology->path() : largest(planned).file.path();
  GLS_ASSIGN(TemporaryFolder folder, TemporaryFolder::find(options.folder, path));
  if (passes != nullptr && folder.path.empty()) {
    dataset->context()->log().write(
        GLS_LOG_WARN, "loader",
        "the topology stays mapped, although it does not fit: no folder can hold temporary files");
    passes = nullptr;
    if (planned.empty()) {
      return host;
    }
  }
  auto sources = std::make_shared<PlannedSources>();
  sources->context = dataset->context();
  sources->columns = std::make_shared<const BatchColumns>(dataset, columns);
  const uint64_t mapped =
      sampling_bytes(topology_bytes(sampler), options.memory, passes != nullptr) +
      mapped_bytes(columns, planned);
  sources->memory = memory_for_rows(options.memory, mapped, ahead_bytes);
  if (planned.empty()) {
    constexpr uint64_t kEnough = uint64_t{64} << 20;  // there are no rows
    sources->memory = std::min(sources->memory, kEnough);
  }
  // Otherwise sampling reads it page by page.
  if (passes == nullptr && mapped < options.memory && ahead_bytes < options.memory - mapped) {
    sources->load_topology = [arrays = topology_arrays(sampler)] {
      const FileReadScope scope;
      for (const Tensor& array : arrays) {
        constexpr uint64_t kAtOnce = uint64_t{64} << 20;
        for (uint64_t at = 0; at < array.span_bytes() && !is_given_up(); at += kAtOnce) {
          read_all(array.data() + at, std::min(kAtOnce, array.span_bytes() - at));
        }
      }
    };
  } else {
    sources->load_topology = [] {};
  }
  sources->most_batches = options.window;
  sources->planned = std::move(planned);
  sources->passes = std::move(passes);
  GLS_ASSIGN(const std::unique_ptr<IoQueue> queue, IoQueue::open({options.reads, 64, 16}));
  sources->way = options.reads;
  GLS_ASSIGN(
      sources->disk,
      measure_disk(*queue, topology.has_value() ? *topology : largest(sources->planned).file));
  sources->folder = std::move(folder.path);
  sources->temporary_bytes =
      options.temporary_bytes > 0 ? options.temporary_bytes : folder.free_bytes / 2;
  std::shared_ptr<BatchProducer> shared_host = std::move(host);
  sources->sample = [shared_host](const EpochPlan& plan, uint64_t number) {
    return shared_host->make_on_host(plan, number);
  };
  constexpr double kRow = 512;
  dataset->context()->log().write(
      GLS_LOG_INFO, "loader",
      "{} columns are read by plan, with {} bytes of memory; {}; the disk reads {:.0f} MB/s and "
      "finds {:.0f} rows of {:.0f} bytes a second",
      sources->planned.size(), sources->memory,
      sources->passes != nullptr ? "the topology is sampled in passes" : "the topology is mapped",
      sources->disk.sequential / 1e6, 1 / std::max(1e-9, sources->disk.seconds(1, kRow)), kRow);
  std::shared_ptr<ThreadPool> threads;
  try {
    threads = std::make_shared<ThreadPool>(num_workers);
  } catch (const std::system_error& e) {
    return error(GLS_ERR_OUT_OF_MEMORY, "{} threads of a loader: {}", num_workers, e.what());
  }
  return std::unique_ptr<BatchProducer>(
      new PlannedProducer(std::move(shared_host), std::move(sources), std::move(threads)));
}

PlannedProducer::~PlannedProducer() {
  if (sources_->context->in_forked_child()) {
    static_cast<void>(room_.release());  // another thread may have held its lock
  }
}

Result<ProducedBatch> PlannedProducer::make(const EpochPlan& plan, uint64_t number) const {
  const uint64_t began = now_ns();
  GLS_ASSIGN(std::shared_ptr<Batch> batch, host_->make_on_host(plan, number));
  const uint64_t sampled = now_ns();
  GLS_ASSIGN(const std::unique_ptr<IoQueue> queue, IoQueue::open({sources_->way, 64, 16}));
  RowReadOptions options;
  options.largest_gap = sources_->disk.largest_gap();
  DiskCounts counts;
  const auto read = [&](size_t c) -> Result<Tensor> {
    const PlannedColumn& column = sources_->planned[c];
    const IdSpan ids = sources_->columns->ids(column.wanted, *batch);
    GLS_TRY(check_rows(*batch->dataset, column.wanted, ids, "columns"));
    return read_directly(*sources_->context, column, ids, options, *queue, &counts);
  };
  GLS_TRY(add_columns(*sources_->columns, sources_->planned, read, batch.get()));
  batch->sample_ns = sampled - began;
  batch->gather_ns = now_ns() - sampled;
  const std::lock_guard lock(mutex_);
  counts_.add(counts);
  return ProducedBatch{std::move(batch)};
}

Result<std::shared_ptr<Batch>> PlannedProducer::make_on_host(const EpochPlan& plan,
                                                             uint64_t number) const {
  return host_->make_on_host(plan, number);
}

Result<std::shared_ptr<PlannedRun>> PlannedProducer::run_of(const EpochPlan& plan,
                                                            uint64_t round) const {
  // One thread ends the runs before and creates the next one, while the others wait.
  const std::lock_guard creating(creating_);
  std::vector<std::shared_ptr<PlannedRun>> ended;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || round != round_) {
      return run_cancelled();
    }
    if (run_ != nullptr) {
      return run_;
    }
    if (!not_created_.ok()) {
      return not_created_.copy();
    }
    ended.swap(retired_);
  }
  for (const std::shared_ptr<PlannedRun>& run : ended) {
    run->end();
  }
  // Memory of the epoch before, unless that was little, as another loader had the rest. It may be
  // large: other threads do not wait while it is freed.
  auto room = std::static_pointer_cast<PlannedRun::Room>(room_->take());
  if (room == nullptr || room->share->bytes() < MemoryShares::first(sources_->memory)) {
    room = nullptr;
    room = PlannedRun::new_room(*sources_);
  }
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<PlannedRun>& run : ended) {
    counts_.add(run->counts());
  }
  if (stopped_ || round != round_) {
    return run_cancelled();
  }
  try {
    run_ = std::make_shared<PlannedRun>(sources_, plan, *room);
  } catch (const std::exception& e) {
    // Later steps would wait for those before, which no run makes.
    not_created_ =
        error(GLS_ERR_OUT_OF_MEMORY, "threads and memory of a planned loader: {}", e.what());
    return not_created_.copy();
  }
  return run_;
}

Result<ProducedBatch> PlannedProducer::make_step(const EpochPlan& plan, uint64_t step,
                                                 uint64_t round) const {
  GLS_ASSIGN(std::shared_ptr<PlannedRun> run, run_of(plan, round));
  std::shared_ptr<Batch> batch;
  Status status = guarded([&]() -> Status {
    GLS_ASSIGN(batch, run->make(step));
    return {};
  });
  if (!status.ok()) {
    run->fail(status.copy());
    return status;
  }
  if (run->finished()) {
    GLS_TRY(guarded([&]() -> Status {
      finish(run);
      return {};
    }));
  }
  return ProducedBatch{std::move(batch)};
}

// Memory of rows is for the next epoch, unless another loader needs it meanwhile.
void PlannedProducer::finish(const std::shared_ptr<PlannedRun>& run) const {
  const std::lock_guard creating(creating_);
  {
    const std::lock_guard lock(mutex_);
    if (run_ != run) {
      return;
    }
    counts_.add(run->counts());
    run_ = nullptr;
  }
  room_->keep(run->take_room());
}

uint64_t PlannedProducer::cancel_all() {
  const std::lock_guard lock(mutex_);
  if (run_ != nullptr) {
    run_->stop();
    retired_.push_back(std::move(run_));
    run_ = nullptr;
  }
  not_created_ = Status();
  return ++round_;
}

void PlannedProducer::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (run_ != nullptr) {
    run_->stop();
  }
}

std::unique_ptr<BatchProducer> PlannedProducer::share() const {
  return std::unique_ptr<BatchProducer>(new PlannedProducer(host_, sources_, threads_));
}

DiskCounts PlannedProducer::disk_counts() const {
  const std::lock_guard lock(mutex_);
  DiskCounts out = counts_;
  for (const std::shared_ptr<PlannedRun>& run : retired_) {
    out.add(run->counts());
  }
  if (run_ != nullptr) {
    out.add(run_->counts());
  }
  return out;
}

}  // namespace gls
