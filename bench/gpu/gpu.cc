// What a GPU does against what its memory gives, and against the processor. Each part is a run of
// its own and ends with a line of JSON; scripts/bench.sh gpu runs all, and bench/gpu/report.py
// makes one line of theirs.
//
//   bench_gpu products|billion|gather|zero_copy|loader [--rounds N] [--seconds S]
//   bench_gpu hold
//
// products and billion sample [15, 10, 5] on made-up graphs of 2.4 million nodes and 124 million
// edges, and of 20 million nodes and a billion edges. --nodes and --edges give others. hold keeps
// the GPU in use until its input ends: some drivers leave with the last process that uses one, and
// each of many that follow would wait for them to come back.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "bench/gpu/parts.h"
#include "bench/support/harness.h"

namespace gls::bench {

void print_part(const Settings& settings, const Device& device,
                const std::map<std::string, double>& ratios) {
  std::string text;
  for (const auto& [key, value] : ratios) {
    text += fmt::format("{}\"{}\": {:.4f}", text.empty() ? "" : ", ", key, value);
  }
  const bool emulated = std::string_view(device.info().name).starts_with("CUDA on host");
  if (emulated) {
    fmt::print("This is the emulated runtime: the figures mean nothing.\n");
  }
  fmt::print("{{\"bench\": \"gpu\", \"part\": \"{}\", \"device\": \"{}\", \"emulated\": {}, ",
             settings.part, device.info().name, emulated);
  fmt::print("\"ratios\": {{{}}}}}\n", text);
}

namespace {

void hold() {
  fmt::print("held\n");
  while (std::getchar() != EOF) {
  }
}

int run(const Settings& settings) {
  // Who ends this in the middle has what was said before.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  print_machine();
  const auto device = check(Device::open(settings.device));
  fmt::print("GPU {}: {}, {} MB, of which {} MB are free, compute capability {}.{}\n", device->id(),
             device->info().name, device->info().bytes >> 20, check(device->free_memory()) >> 20,
             device->info().major, device->info().minor);
  if (settings.part == "hold") {
    hold();
  } else if (settings.part == "gather") {
    gather(settings, device);
  } else if (settings.part == "zero_copy") {
    zero_copy(settings, device);
  } else if (settings.part == "loader") {
    loader(settings, device);
  } else {
    sample(settings, device);
  }
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("What a GPU does against what its memory gives, and against the processor");
  gls::bench::Settings settings;
  app.add_option("part", settings.part)
      ->required()
      ->check(CLI::IsMember({"products", "billion", "gather", "zero_copy", "loader", "hold"}));
  app.add_option("--rounds", settings.rounds);
  app.add_option("--seconds", settings.seconds, "Per contestant and round");
  app.add_option("--warm-up", settings.warm_up, "Seconds at least before each time");
  app.add_option("--device", settings.device);
  app.add_option("--nodes", settings.nodes, "Of the graph; 0: as the part has it");
  app.add_option("--edges", settings.edges);
  app.add_option("--features", settings.features, "Of a node, for loader");
  app.add_option("--table-bytes", settings.table_bytes, "Of rows on the GPU, for gather");
  app.add_option("--pinned-bytes", settings.pinned_bytes, "Of rows on the host, for zero_copy");
  app.add_option("--move-bytes", settings.move_bytes, "By a gather");
  app.add_option("--reads", settings.reads, "By a kernel that reads at random");
  app.add_option("--batches", settings.batches, "Of a thread and step, for products and billion");
  app.add_option("--batch-sizes", settings.batch_sizes);
  CLI11_PARSE(app, argc, argv);
  return gls::bench::run(settings);
}
