#include "commands/bench_report.h"

#include <algorithm>

#include "terminal/format.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

Json distribution(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto quantile = [&](double share) {
    const auto rank = static_cast<size_t>(share * static_cast<double>(seconds.size()));
    return seconds[std::min(rank, seconds.size() - 1)];
  };
  double sum = 0;
  for (const double value : seconds) {
    sum += value;
  }
  return {{"mean", sum / static_cast<double>(seconds.size())},
          {"median", quantile(0.5)},
          {"p99", quantile(0.99)},
          {"max", seconds.back()}};
}

std::string time_cell(const Json& seconds) { return format_seconds(seconds.get<double>()); }

}  // namespace

Json bench_report(const BenchRun& run) {
  const auto count = static_cast<double>(run.latencies.size());
  const auto grown = [&](uint64_t gls_loader_stats_t::*field) {
    return static_cast<double>(run.after.*field - run.before.*field);
  };
  const double edges = grown(&gls_loader_stats_t::edges);
  const double bytes = grown(&gls_loader_stats_t::gathered_bytes);
  const auto per_second = [&](double value) { return value / run.seconds; };
  Json rates = {{"batches_per_second", per_second(count)},
                {"seeds_per_second", per_second(grown(&gls_loader_stats_t::seeds))},
                {"nodes_per_second", per_second(grown(&gls_loader_stats_t::nodes))},
                {"edges_per_second", per_second(edges)},
                {"rows_per_second", per_second(grown(&gls_loader_stats_t::gathered_rows))},
                {"gathered_bytes_per_second", per_second(bytes)}};
  const auto per_batch = [&](uint64_t gls_loader_stats_t::*field) {
    return grown(field) * 1e-9 / count;
  };
  Json stages = {{"sample", run.sample_seconds / count},
                 {"gather", run.gather_seconds / count},
                 {"worker_wait", per_batch(&gls_loader_stats_t::worker_wait_ns)},
                 {"caller_wait", per_batch(&gls_loader_stats_t::caller_wait_ns)}};
  const MemoryRates& machine = run.machine;
  Json memory = {{"threads", machine.threads},
                 {"buffer_bytes", machine.buffer_bytes},
                 {"copy_bytes_per_second", machine.copy_bytes_per_second},
                 {"random_lines_per_second", machine.random_lines_per_second},
                 // A gather reads each byte once and writes it once, as memcpy does.
                 {"gather_of_copy", per_second(2 * bytes) / machine.copy_bytes_per_second},
                 {"edges_of_random_lines", per_second(edges) / machine.random_lines_per_second}};
  return {{"threads", run.threads},
          {"batches", run.latencies.size()},
          {"seconds", run.seconds},
          {"cpus_used", run.cpu_seconds / run.seconds},
          {"open_seconds", run.open_seconds},
          {"rates", std::move(rates)},
          {"edges_per_batch", edges / count},
          {"nodes_per_batch", grown(&gls_loader_stats_t::nodes) / count},
          {"stage_seconds_per_batch", std::move(stages)},
          {"batch_seconds", distribution(run.latencies)},
          {"wait_seconds", distribution(run.waits)},
          {"peak_resident_bytes", run.peak_resident_bytes},
          {"peak_loader_bytes", run.after.peak_bytes},
          {"machine", std::move(memory)}};
}

std::string bench_text(const Json& report) {
  const Json& rates = report.at("rates");
  const Json& machine = report.at("machine");
  const auto scaled = [&](const char* key) {
    return format_scaled(rates.at(key).get<double>()) + "/s";
  };
  const auto gigabytes = [](const Json& value) {
    return formatted("{:.2f} GB/s", value.get<double>() * 1e-9);
  };
  std::string out = formatted(
      "{} batches in {} by {} threads, which got {:.2f} processors; opening took {}\n"
      "a batch has {} edges and {} nodes on average\n\n",
      format_count(report.at("batches").get<int64_t>()), time_cell(report.at("seconds")),
      report.at("threads").get<unsigned>(), report.at("cpus_used").get<double>(),
      time_cell(report.at("open_seconds")),
      format_scaled(report.at("edges_per_batch").get<double>()),
      format_scaled(report.at("nodes_per_batch").get<double>()));

  constexpr Table::Align kRight = Table::Align::kRight;
  Table speed({{"rate"}, {"", kRight}, {"of the machine's"}});
  speed.add({"batches", scaled("batches_per_second"), ""});
  speed.add({"seeds", scaled("seeds_per_second"), ""});
  speed.add({"edges", scaled("edges_per_second"),
             formatted("{:.2f} per random cache line ({}/s)",
                       machine.at("edges_of_random_lines").get<double>(),
                       format_scaled(machine.at("random_lines_per_second").get<double>()))});
  if (rates.at("rows_per_second").get<double>() > 0) {
    speed.add({"rows gathered", scaled("rows_per_second"), ""});
    speed.add({"bytes gathered", gigabytes(rates.at("gathered_bytes_per_second")),
               formatted("{:.2f} of memcpy (read + written, {})",
                         machine.at("gather_of_copy").get<double>(),
                         gigabytes(machine.at("copy_bytes_per_second")))});
  }
  out += speed.text();

  Table stages({{"stage, per batch"}, {"mean", kRight}});
  const Json& stage = report.at("stage_seconds_per_batch");
  stages.add({"sampling (worker)", time_cell(stage.at("sample"))});
  stages.add({"gathering (worker)", time_cell(stage.at("gather"))});
  stages.add({"waiting for room (worker)", time_cell(stage.at("worker_wait"))});
  stages.add({"waiting for a batch (caller)", time_cell(stage.at("caller_wait"))});
  out += "\n" + stages.text();

  Table latencies({{"time of a batch"}, {"median", kRight}, {"p99", kRight}, {"max", kRight}});
  for (const auto& [key, name] : {std::pair{"batch_seconds", "made by its worker"},
                                  std::pair{"wait_seconds", "waited for by the caller"}}) {
    const Json& times = report.at(key);
    latencies.add({name, time_cell(times.at("median")), time_cell(times.at("p99")),
                   time_cell(times.at("max"))});
  }
  out += "\n" + latencies.text();
  out += formatted("\npeak memory: {} resident (with mapped files), {} in batches\n",
                   format_bytes(report.at("peak_resident_bytes").get<uint64_t>()),
                   format_bytes(report.at("peak_loader_bytes").get<uint64_t>()));
  return out;
}

}  // namespace gls::tool
