// Opening a dataset of 10 GB: time and private memory, through the C ABI.
//
//   bench_open [--folder FOLDER] [--gigabytes N]
//
// Without a folder one is made and removed again, in TMPDIR, which needs room for it.
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <gls.hpp>

#include "bench/support/harness.h"
#include "bench/support/memory_watch.h"

namespace bench = gls::bench;

namespace {

// Pages that nobody wrote to: only their copy on disk takes room.
class Zeros {
 public:
  explicit Zeros(int64_t bytes) : size_(static_cast<size_t>(bytes)) {
    data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data_ == MAP_FAILED) {
      throw std::runtime_error("no address space for the dataset");
    }
  }
  ~Zeros() { munmap(data_, size_); }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;

  gls::Tensor tensor(DLDataType dtype, std::vector<int64_t> shape) const {
    const DLTensor view = {
        data_, {kDLCPU, 0}, static_cast<int32_t>(shape.size()), dtype, shape.data(), nullptr, 0};
    return gls::Tensor::wrap(view, true);
  }

 private:
  size_t size_;
  void* data_;
};

// That many bytes: half of them features of 400 bytes a row, half of them edges.
void make_dataset(const std::string& folder, double bytes) {
  const auto nodes = static_cast<int64_t>(bytes / 2 / 400);
  const auto edges = static_cast<int64_t>(bytes / 2 / 4);
  const Zeros features(nodes * 400);
  const Zeros indices(edges * 4);
  std::vector<int64_t> indptr(static_cast<size_t>(nodes) + 1);
  for (int64_t node = 0; node <= nodes; ++node) {
    indptr[static_cast<size_t>(node)] = edges / nodes * node;
  }
  indptr.back() = edges;
  int64_t length = nodes + 1;
  const DLTensor rows = {indptr.data(), {kDLCPU, 0}, 1, {kDLInt, 64, 1}, &length, nullptr, 0};
  const gls::Context context(1);
  gls::Builder builder(context);
  builder.add_topology("node__to__node", GLS_LAYOUT_CSC, gls::Tensor::wrap(rows, true),
                       indices.tensor({kDLInt, 32, 1}, {edges}), gls::Tensor());
  builder.add_node_column("node", "x", GLS_ROLE_FEATURE,
                          features.tensor({kDLFloat, 32, 1}, {nodes, 100}));
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.compact_rows = 1;
  builder.write(folder, options);
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
    const double before = bench::private_megabytes();
    const uint64_t begin = gls::now_ns();
    const gls::Dataset dataset = gls::Dataset::open(context, folder);
    times.push_back(static_cast<double>(gls::now_ns() - begin) * 1e-6);
    growth = std::max(growth, bench::private_megabytes() - before);
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
