// Opening a dataset of 10 GB: time and private memory, through the C ABI.
//
//   bench_open [--folder FOLDER] [--gigabytes N]
//
// Without a folder one is made, in the temporary folder, and removed again.
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <gls.hpp>

#include "harness.h"

namespace bench = gls::bench;

namespace {

// Kilobytes of a line of /proc/self/smaps_rollup.
double kilobytes(const std::string& key) {
  std::ifstream in("/proc/self/smaps_rollup");
  std::string word;
  while (in >> word) {
    if (word == key) {
      double value = 0;
      in >> value;
      return value;
    }
  }
  return 0;
}

double private_megabytes() {
  return (kilobytes("Private_Clean:") + kilobytes("Private_Dirty:")) / 1024;
}

// A dataset with that many bytes of features, 400 a row. The features are pages nobody wrote to, so
// only the copy on disk takes room.
void make_dataset(const std::string& folder, double bytes) {
  int64_t shape[2] = {static_cast<int64_t>(bytes / 400), 100};
  const auto size = static_cast<size_t>(shape[0]) * 400;
  void* const zeros = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const DLTensor view = {zeros, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};
  const gls::Context context(1);
  gls::Builder builder(context);
  builder.add_node_type("node");
  builder.add_node_column("node", "x", GLS_ROLE_FEATURE, gls::Tensor::wrap(view, true));
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.no_row_padding = 1;
  builder.write(folder, options);
  munmap(zeros, size);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Opening a large dataset");
  std::string folder;
  double gigabytes = 10;
  app.add_option("--folder", folder, "An existing dataset");
  app.add_option("--gigabytes", gigabytes, "Size of the one made otherwise");
  CLI11_PARSE(app, argc, argv);
  std::string made;
  if (folder.empty()) {
    made = std::filesystem::temp_directory_path() / fmt::format("gls-bench-open-{}", getpid());
    folder = made;
    make_dataset(folder, gigabytes * 1e9);
  }
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  }
  bench::print_machine();
  gls::Context context(1);
  static_cast<void>(gls::Dataset::open(context, folder));  // files in the page cache, code loaded
  std::vector<double> times;
  double growth = 0;
  for (int round = 0; round < 21; ++round) {
    const double before = private_megabytes();
    const uint64_t begin = gls::now_ns();
    const gls::Dataset dataset = gls::Dataset::open(context, folder);
    times.push_back(static_cast<double>(gls::now_ns() - begin) * 1e-6);
    growth = std::max(growth, private_megabytes() - before);
  }
  fmt::print("{:.2f} GB opened in {:.3f} ms (slowest {:.3f}); private memory grew by {:.3f} MB\n",
             static_cast<double>(bytes) * 1e-9, bench::median(times),
             *std::max_element(times.begin(), times.end()), growth);
  if (!made.empty()) {
    std::filesystem::remove_all(made);
  }
  bench::print_json("open", {{"open_ms", bench::median(times)}, {"private_mb", growth}});
  return 0;
}
