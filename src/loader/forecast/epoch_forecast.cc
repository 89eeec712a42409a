#include "loader/forecast/epoch_forecast.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "base/clock.h"
#include "context/parallel.h"
#include "loader/forecast/memory_budget.h"
#include "loader/forecast/memory_rates.h"
#include "loader/forecast/row_uses.h"
#include "loader/planned/stored_batch.h"
#include "loader/planned/temporary_folder.h"
#include "loader/replay/pass_sampler.h"
#include "tensor/dtype.h"

namespace gls {
namespace {

double seconds_since(uint64_t begun) { return static_cast<double>(now_ns() - begun) * 1e-9; }

// `before`: batches so far. A batch without a hop has none of its nodes or edges.
void add_counts(const Tensor& counts, uint64_t before, TypeForecast* of) {
  const size_t hops = counts.defined() ? static_cast<size_t>(counts.rows()) : 0;
  while (of->hops.size() < hops) {
    of->hops.emplace_back().least = before > 0 ? 0 : ~uint64_t{0};
  }
  uint64_t sum = 0;
  for (size_t hop = 0; hop < of->hops.size(); ++hop) {
    const auto count = hop < hops ? static_cast<uint64_t>(counts.as<int64_t>()[hop]) : 0;
    of->hops[hop].add(count);
    sum += count;
  }
  of->all.add(sum);
}

class Forecasting {
 public:
  Forecasting(const Loader& loader, const ForecastOptions& options)
      : loader_(loader),
        options_(options),
        sampler_(*loader.sampler()),
        dataset_(*sampler_.dataset()),
        context_(*dataset_.context()),
        plan_(loader.plan_options(), sampler_.options().seed, options.epoch, 0),
        batch_columns_(sampler_.dataset(), loader.options().columns) {}

  Result<EpochForecast> run() {
    GLS_TRY(check());
    describe();
    GLS_TRY(find_disk());
    GLS_TRY(visit_windows());
    for (RowUses& uses : row_uses_) {
      uses.close();
    }
    for (MemoryBudget& budget : budgets_) {
      budget.finish(row_uses_, planned_, out_);
      if (budget.of_a_loader()) {
        out_.memory.push_back(budget.found());
      } else {
        out_.curve.push_back(budget.point(planned_));
      }
    }
    for (size_t c = 0; c < planned_.size(); ++c) {
      ColumnForecast& column = out_.columns[planned_[c].index];
      column.uses = row_uses_[c].uses();
      column.distinct_rows = row_uses_[c].distinct();
    }
    return std::move(out_);
  }

 private:
  Status check() {
    if (loader_.options().made_by_servers) {
      return error(GLS_ERR_UNSUPPORTED,
                   "servers make the batches of the loader, and so it has no plan of its own")
          .with("argument", "loader");
    }
    if (loader_.samples_on_device()) {
      return error(GLS_ERR_UNSUPPORTED,
                   "the sampler runs on a GPU, and so the loader does not plan its reads")
          .with("argument", "loader");
    }
    if (plan_.steps() == 0) {
      return invalid("an epoch of the loader has no batches").with("argument", "loader");
    }
    if (options_.batches > plan_.steps()) {
      return invalid("batches is {}, but the epoch of this trainer has {}", options_.batches,
                     plan_.steps())
          .with("argument", "batches");
    }
    for (const uint64_t memory : options_.memory) {
      if (memory == 0) {
        return invalid("memory has a budget of 0 bytes").with("argument", "memory");
      }
    }
    return {};
  }

  void describe() {
    out_.epoch = options_.epoch;
    out_.epoch_batches = plan_.steps();
    out_.batches = options_.batches > 0 ? options_.batches : plan_.steps();
    out_.batch_size = loader_.plan_options().batch_size;
    out_.threads = context_.pool().size();
    out_.topology_bytes = topology_bytes(sampler_);
    out_.sampled_in_passes = loader_.window_sampler() != nullptr;
    for (const NodeType& type : dataset_.node_types()) {
      out_.nodes.push_back({type.name, {}, {}});
    }
    for (const EdgeType& type : dataset_.edge_types()) {
      out_.edges.push_back({type.joined, {}, {}});
    }
    for (const ColumnToGather& wanted : loader_.options().columns) {
      ColumnForecast& column = out_.columns.emplace_back();
      column.of_nodes = wanted.of_nodes;
      column.type = dataset_.type_name({wanted.of_nodes, wanted.type});
      column.name = wanted.column->name;
      column.dtype = dtype_name(wanted.dtype);
      if (wanted.column->is_local()) {
        const Tensor& data = wanted.column->data;
        column.row_bytes = static_cast<uint64_t>(data.row_bytes());
        column.num_rows = static_cast<uint64_t>(data.rows());
        column.file_bytes = is_in_file(*wanted.column) ? data.span_bytes() : 0;
      }
    }
  }

  // The columns whose reads are planned, the disk, and the sizes of memory to compare.
  Status find_disk() {
    StorageOptions storage = StorageOptions::from(context_.settings());
    uint64_t data = out_.topology_bytes;
    for (const ColumnForecast& column : out_.columns) {
      data += column.file_bytes;
    }
    std::vector<uint64_t> memory = options_.memory;
    if (memory.empty()) {
      for (const uint64_t percent : {10U, 25U, 50U, 75U}) {
        memory.push_back(std::max<uint64_t>(data / 100 * percent, 1));
      }
      if (loader_.disk() != nullptr) {
        memory.push_back(storage.memory);
      }
    }
    std::sort(memory.begin(), memory.end());
    memory.erase(std::unique(memory.begin(), memory.end()), memory.end());
    if (loader_.disk() == nullptr) {
      storage.memory = memory.front();
      if (storage.way == StorageWay::kMapped) {
        storage.way = StorageWay::kAuto;
      }
    }
    limits_ = {true, 0, ~uint64_t{0}, 0, false};
    GLS_ASSIGN(planned_, plan_columns(sampler_, loader_.options().columns, storage));
    if (planned_.empty() && data > out_.topology_bytes) {
      // All sizes hold all data. The columns are those of a size that does not.
      storage.memory = std::min(storage.memory, data - 1);
      GLS_ASSIGN(planned_, plan_columns(sampler_, loader_.options().columns, storage));
    }
    if (planned_.empty()) {
      return find_folder_of_passes(storage);
    }
    const uint64_t mapped = mapped_bytes(loader_.options().columns, planned_);
    for (const PlannedColumn& column : planned_) {
      out_.columns[column.index].planned = true;
      row_uses_.emplace_back(column.num_rows);
    }
    GLS_TRY(measure(storage));
    limits_ = {!out_.temporary_folder.empty(), 0, out_.temporary_bytes, storage.window,
               loader_.window_sampler() != nullptr};
    const bool passes = limits_.spilled && has_topology_in_files(sampler_) &&
                        PassSampler::why_not(sampler_) == nullptr;
    const uint64_t given = loader_.options().prefetch_bytes_given;
    const bool always = storage.way == StorageWay::kPlanned;
    for (const uint64_t bytes : memory) {
      const bool in_passes = passes && samples_in_passes(out_.topology_bytes, bytes);
      const uint64_t sampling = sampling_bytes(out_.topology_bytes, bytes, in_passes);
      const RunMemory divided =
          RunMemory::divide(MemoryShares::first(memory_for_rows(bytes, sampling + mapped,
                                                                planned_ahead_bytes(given, bytes))),
                            limits_.spilled);
      if (bytes == memory.front()) {
        limits_.memory = divided.uses;
        limits_.in_passes |= loader_.disk() == nullptr && in_passes;
      }
      budgets_.push_back(MemoryBudget::of_loader(bytes, divided, !always && data <= bytes, planned_,
                                                 in_passes ? num_passes() : 0));
    }
    for (const double share : {0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0}) {
      budgets_.push_back(MemoryBudget::of_curve(share, planned_));
    }
    return {};
  }

  // The passes of a window over all followed types: one for each hop.
  uint64_t num_passes() const { return sampler_.options().num_hops; }

  // For a loader that plans nothing but passes over the topology.
  Status find_folder_of_passes(const StorageOptions& storage) {
    if (loader_.window_sampler() == nullptr) {
      return {};
    }
    out_.disk = *loader_.disk();
    GLS_ASSIGN(const StorageFile topology, open_mapped(largest(topology_arrays(sampler_))));
    GLS_ASSIGN(TemporaryFolder folder, TemporaryFolder::find(storage.folder, topology.path()));
    out_.temporary_folder = std::move(folder.path);
    out_.temporary_bytes =
        storage.temporary_bytes > 0 ? storage.temporary_bytes : folder.free_bytes / 2;
    limits_ = {true, 0, out_.temporary_bytes, storage.window, true};
    return {};
  }

  Status measure(const StorageOptions& storage) {
    const PlannedColumn& of = largest(planned_);
    GLS_ASSIGN(const std::unique_ptr<IoQueue> queue, IoQueue::open({storage.reads, 64, 16}));
    if (loader_.disk() != nullptr) {
      out_.disk = *loader_.disk();
    } else {
      GLS_ASSIGN(out_.disk, measure_disk(*queue, of.file));
    }
    GLS_ASSIGN(out_.read_rate, measure_long(*queue, of.file, nullptr, 0));
    GLS_ASSIGN(TemporaryFolder folder, TemporaryFolder::find(storage.folder, of.file.path()));
    out_.temporary_folder = std::move(folder.path);
    out_.temporary_bytes =
        storage.temporary_bytes > 0 ? storage.temporary_bytes : folder.free_bytes / 2;
    if (!out_.temporary_folder.empty()) {
      GLS_ASSIGN(const StorageFile to, StorageFile::create_unnamed(out_.temporary_folder, true));
      Result<double> mixed = measure_long(*queue, of.file, &to, out_.temporary_bytes);
      if (mixed.ok()) {
        out_.mixed_rate = *mixed;
      } else {  // the folder may be full, and counts need no rate
        context_.log().write(GLS_LOG_WARN, "loader", "the rate of writing is not known: {}",
                             mixed.status().message());
      }
    }
    out_.gather_rate = measure_gather(context_, of.row_bytes);
    out_.new_memory_rate = measure_new_memory(context_);
    return {};
  }

  // Each window is planned when the next one has been sampled, as a loader does it. The first ones,
  // whose batches come at once, are not.
  Status visit_windows() {
    const WindowSizes sizes(limits_, out_.disk);
    SampledSizes sizes_so_far;
    Sampled last;
    for (uint64_t first = 0; first < out_.batches;) {
      const auto batches = static_cast<size_t>(
          std::min<uint64_t>(sizes.next(first, plan_.steps(), sizes_so_far), out_.batches - first));
      GLS_ASSIGN(Sampled next, sample(first, batches));
      next.window->add_to(planned_, &sizes_so_far);
      sizes_so_far.bytes += next.pass_bytes;
      if (last.window != nullptr) {
        GLS_TRY(plan(
            last, WindowSizes::looks_ahead(last.window->first_step) ? next.window.get() : nullptr));
      }
      last = std::move(next);
      first += batches;
    }
    return plan(last, nullptr);
  }

  struct Sampled {
    std::unique_ptr<Window> window;
    WindowTimes times;
    uint64_t pass_bytes = 0;  // of temporary files
  };

  Result<Sampled> sample(uint64_t first, size_t batches) {
    auto window = std::make_unique<Window>(first, batches, planned_.size(), out_.temporary_folder);
    window->sampled.resize(batches);
    std::atomic<uint64_t> noting{0};  // ns, of all threads
    const uint64_t begun = now_ns();
    const auto note = [&](size_t at, const Batch& batch) -> Status {
      const uint64_t noted = now_ns();
      GLS_TRY(or_no_space([&] { return window->note_rows(batch_columns_, planned_, batch, at); }));
      noting += now_ns() - noted;
      window->sampled[at].bytes = out_.temporary_folder.empty() ? 0 : stored_bytes(batch);
      return {};
    };
    uint64_t pass_bytes = 0;
    if (loader_.window_sampler() != nullptr) {
      GLS_ASSIGN(pass_bytes, sample_in_passes(first, batches, note));
    } else {
      GLS_TRY(sample_one_by_one(first, batches, note));
    }
    Sampled sampled = {std::move(window), {}, pass_bytes};
    sampled.times.sample = seconds_since(begun);
    sampled.times.note = static_cast<double>(noting.load()) * 1e-9 / out_.threads;
    out_.sample_seconds += sampled.times.sample - sampled.times.note;
    return sampled;
  }

  using Note = std::function<Status(size_t at, const Batch& batch)>;

  Status sample_one_by_one(uint64_t first, size_t batches, const Note& note) {
    std::vector<std::shared_ptr<Batch>> slots(4 * out_.threads + 4);
    std::vector<size_t> numbers(slots.size());
    size_t fed = 0;
    const auto feed = [&](size_t slot) -> Result<bool> {
      numbers[slot] = fed;
      return fed++ < batches;
    };
    const auto work = [&](size_t slot) -> Status {
      const size_t at = numbers[slot];
      GLS_ASSIGN(slots[slot], loader_.sample_only(options_.epoch, plan_.batch(first + at)));
      return note(at, *slots[slot]);
    };
    const auto drain = [&](size_t slot) -> Status {
      count(*std::exchange(slots[slot], nullptr));
      ++done_;
      return report_sampled();
    };
    return run_pipeline(context_.pool(), slots.size(), {feed, work, drain});
  }

  // The result is the bytes of temporary files.
  Result<uint64_t> sample_in_passes(uint64_t first, size_t batches, const Note& note) {
    const auto make = [&](size_t at, const WindowSampler::Sample& sample) -> Status {
      GLS_ASSIGN(const std::shared_ptr<Batch> batch, sample(plan_, plan_.batch(first + at)));
      GLS_TRY(note(at, *batch));
      const std::lock_guard lock(counting_);
      count(*batch);
      ++done_;
      return {};
    };
    return loader_.window_sampler()->run(batches, out_.temporary_folder, make,
                                         [&] { return report_sampled(); });
  }

  Status report_sampled() const {
    uint64_t done = 0;
    {
      const std::lock_guard lock(counting_);
      done = done_;
    }
    return report(options_.progress, "sample", done, out_.batches, "batches");
  }

  void count(const Batch& batch) {
    for (size_t t = 0; t < out_.nodes.size(); ++t) {
      add_counts(batch.nodes[t].num_nodes, done_, &out_.nodes[t]);
    }
    for (size_t t = 0; t < out_.edges.size(); ++t) {
      add_counts(batch.edges[t].num_edges, done_, &out_.edges[t]);
    }
    out_.seeds += static_cast<uint64_t>(batch.num_inputs());
    const std::vector<ColumnToGather>& wanted = batch_columns_.wanted();
    for (size_t i = 0; i < wanted.size(); ++i) {
      out_.columns[i].rows += static_cast<uint64_t>(batch_columns_.ids(wanted[i], batch).size());
    }
  }

  Status plan(const Sampled& sampled, const Window* later) {
    const Window& window = *sampled.window;
    for (size_t c = 0; c < planned_.size(); ++c) {
      row_uses_[c].add(window.rows[c]);
    }
    const auto tick = [&] { return report_sampled(); };
    return parallel_try(
        context_.pool(), budgets_.size(), 1,
        [&](size_t begin, size_t end) -> Status {
          for (size_t i = begin; i < end; ++i) {
            GLS_TRY(or_no_space(
                [&] { return budgets_[i].add(window, later, planned_, sampled.times, out_); }));
          }
          return {};
        },
        tick);
  }

  const Loader& loader_;
  const ForecastOptions& options_;
  const Sampler& sampler_;
  const Dataset& dataset_;
  Context& context_;
  const EpochPlan plan_;
  const BatchColumns batch_columns_;
  std::vector<PlannedColumn> planned_;
  std::vector<RowUses> row_uses_;  // by planned column
  std::vector<MemoryBudget> budgets_;
  WindowSizes::Limits limits_;
  mutable std::mutex counting_;  // of batches that were sampled
  uint64_t done_ = 0;
  EpochForecast out_;
};

}  // namespace

Result<EpochForecast> forecast_epoch(const Loader& loader, const ForecastOptions& options) {
  return Forecasting(loader, options).run();
}

}  // namespace gls
