// gls bench: measures the speed of a loader, and the limits of the machine.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "bench_report.h"
#include "commands.h"
#include "interrupt.h"
#include "sampler_flags.h"
#include "text.h"

namespace gls::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kPollMs = 100;

struct BenchOptions {
  std::string folder;
  std::string type;
  std::string set;
  SamplerFlags sampler;
  uint32_t batch_size = 1024;
  uint64_t batches = 0;
  double seconds = 10;
  uint64_t warmup = 10;
  bool no_columns = false;
  bool no_shuffle = false;
  uint32_t workers = 0;
  uint32_t prefetch = 0;
  std::string residency = "mapped";
};

// The next batch, in any epoch.
Batch next_batch(Loader& loader, uint64_t* epoch) {
  for (;;) {
    std::optional<Batch> batch;
    const gls_status_t state = loader.next(kPollMs, &batch);
    throw_if_interrupted();
    if (state == GLS_OK) {
      return std::move(*batch);
    }
    if (state == GLS_END) {
      loader.seek(++*epoch);
    }
  }
}

BenchRun run_loader(const BenchOptions& options, Loader& loader, Progress& progress) {
  if (loader.info().num_batches == 0) {
    throw Failure("there are no seeds to make a batch of");
  }
  uint64_t epoch = 0;
  for (uint64_t i = 0; i < options.warmup; ++i) {
    next_batch(loader, &epoch);
    progress.update("warming up", i + 1, options.warmup, "batches");
  }
  BenchRun run;
  run.before = loader.stats();
  const double cpu_before = cpu_seconds();
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  const auto going_on = [&] {
    return options.batches > 0
               ? run.latencies.size() < options.batches
               : std::chrono::duration<double>(now - start).count() < options.seconds;
  };
  while (going_on()) {
    const Clock::time_point asked = Clock::now();
    const Batch batch = next_batch(loader, &epoch);
    now = Clock::now();
    run.waits.push_back(std::chrono::duration<double>(now - asked).count());
    const gls_batch_info_t info = batch.info();
    run.sample_seconds += static_cast<double>(info.sample_ns) * 1e-9;
    run.gather_seconds += static_cast<double>(info.gather_ns) * 1e-9;
    run.latencies.push_back(static_cast<double>(info.sample_ns + info.gather_ns) * 1e-9);
    progress.update("loading", run.latencies.size(), options.batches, "batches");
  }
  run.seconds = std::chrono::duration<double>(now - start).count();
  run.cpu_seconds = cpu_seconds() - cpu_before;
  run.after = loader.stats();
  return run;
}

gls_loader_options_t loader_options(const BenchOptions& options) {
  gls_loader_options_t out = GLS_LOADER_OPTIONS_INIT;
  out.node_type = detail::or_null(options.type);
  out.id_set = detail::or_null(options.set);
  out.batch_size = options.batch_size;
  out.flags = (options.no_shuffle ? 0u : uint32_t{GLS_LOADER_SHUFFLE}) |
              (options.no_columns ? uint32_t{GLS_LOADER_NO_COLUMNS} : 0u);
  out.num_workers = options.workers;
  out.prefetch = options.prefetch;
  return out;
}

int bench(const Session& session, const BenchOptions& options) {
  SamplerFlags flags = options.sampler;
  if (flags.fanouts.empty()) {
    flags.fanouts.push_back("15,10,5");
  }
  const SamplerOptions sampler_options(flags);
  const Context context = make_context(session);
  gls_dataset_options_t dataset_options = GLS_DATASET_OPTIONS_INIT;
  dataset_options.residency = options.residency == "all"        ? GLS_RESIDENCY_ALL
                              : options.residency == "topology" ? GLS_RESIDENCY_TOPOLOGY
                                                                : GLS_RESIDENCY_MAPPED;
  Progress progress(session.progress_mode());
  dataset_options.progress = Progress::callback;
  dataset_options.progress_user_data = &progress;
  const Clock::time_point opening = Clock::now();
  const Dataset dataset = Dataset::open(context, options.folder, dataset_options);
  progress.finish();
  const double open_seconds = std::chrono::duration<double>(Clock::now() - opening).count();
  const Sampler sampler(dataset, sampler_options.get());
  BenchRun run;
  {
    Loader loader(sampler, Tensor(), loader_options(options));
    run = run_loader(options, loader, progress);
  }
  run.open_seconds = open_seconds;
  run.peak_resident_bytes = peak_resident_bytes();
  run.threads = options.workers > 0 ? options.workers : context_threads(session, context);
  // Measured while the loader's threads are idle, and after reading its peak.
  run.machine = measure_memory(run.threads);
  const Json report = bench_report(run);
  if (session.json) {
    print_json(report);
  } else {
    print("{}", bench_text(report));
  }
  return kSuccess;
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  CLI::App& command =
      add_command(app, "bench", "Measure a loader on a dataset, against what memory allows");
  const auto options = std::make_shared<BenchOptions>();
  command.add_option("FOLDER", options->folder, "The dataset")->required();
  command.add_option("--type", options->type, "Node type of the seeds");
  command.add_option("--set", options->set, "Id set of the seeds; default: all nodes")
      ->type_name("NAME");
  add_sampler_flags(command, options->sampler);
  command.get_option("--fanout")
      ->description("[TYPE=]N,N,...: neighbours per hop; default 15,10,5 for every edge type");
  command.add_option("--batch-size", options->batch_size, "Seeds per batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI::Option* const batches =
      command.add_option("--batches", options->batches, "Batches to measure")
          ->check(CLI::PositiveNumber);
  command.add_option("--seconds", options->seconds, "Or for how long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->excludes(batches);
  command.add_option("--warmup", options->warmup, "Batches to load before measuring")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_flag("--no-columns", options->no_columns, "Sample only, gather nothing");
  command.add_flag("--no-shuffle", options->no_shuffle, "Take the seeds in order");
  command.add_option("--workers", options->workers,
                     "Batches in work at once; default: the number of threads");
  command.add_option("--prefetch", options->prefetch, "Finished batches kept ready at most");
  command
      .add_option("--residency", options->residency,
                  "What is read into private memory: mapped (nothing), topology or all")
      ->check(CLI::IsMember({"mapped", "topology", "all"}))
      ->capture_default_str();
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback([options, &session] {
    session.command = [options, &session] { return bench(session, *options); };
  });
}

}  // namespace gls::tool
