// Measures importing: makes an edge list once, as .npy arrays, text or gzip, then writes it as a
// dataset (or builds it in memory) and prints the time, the rate and the most private memory used.
//
//   bench_ingest DIR [--input arrays|text|gzip] [--ids dense|integer|string] [--nodes N] [--edges
//   N]
//                    [--memory SIZE] [--threads N] [--build] [--csr] [--verify]
#include <sys/resource.h>
#include <zlib.h>

#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "bench/support/memory_watch.h"
#include "context/settings.h"
#include "format/npy.h"
#include "graph/folder/dataset_folder.h"
#include "graph/folder/verify.h"
#include "ingest/build/builder.h"

namespace gls {
namespace {
using bench::check;
using bench::fail;

struct Options {
  std::string dir;
  std::string input = "arrays";
  std::string ids = "dense";
  int64_t nodes = 2'400'000;
  int64_t edges = 100'000'000;
  uint64_t memory = uint64_t{4} << 30;
  uint32_t threads = 0;
  bool build = false;
  bool csr = false;
  bool verify = false;
};

Options parse(int argc, char** argv) {
  Options out;
  const auto number = [](const std::string& text) {
    return static_cast<int64_t>(check(parse_size(text)));
  };
  for (int i = 1; i < argc; ++i) {
    const std::string key = argv[i];
    if (key == "--build") {
      out.build = true;
    } else if (key == "--csr") {
      out.csr = true;
    } else if (key == "--verify") {
      out.verify = true;
    } else if (!key.starts_with("--")) {
      out.dir = key;
    } else if (i + 1 == argc) {
      fail(key + " needs a value");
    } else if (const std::string value = argv[++i]; key == "--input") {
      out.input = value;
    } else if (key == "--ids") {
      out.ids = value;
    } else if (key == "--nodes") {
      out.nodes = number(value);
    } else if (key == "--edges") {
      out.edges = number(value);
    } else if (key == "--memory") {
      out.memory = static_cast<uint64_t>(number(value));
    } else if (key == "--threads") {
      out.threads = static_cast<uint32_t>(number(value));
    } else {
      fail("unknown option " + key);
    }
  }
  if (out.dir.empty()) {
    fail("name a folder to work in");
  }
  return out;
}

uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Sources are uniform; targets are skewed as in real graphs, a few nodes having very many edges.
int64_t source_of(const Options& options, int64_t edge) {
  return static_cast<int64_t>(mix(2 * static_cast<uint64_t>(edge)) %
                              static_cast<uint64_t>(options.nodes));
}
int64_t target_of(const Options& options, int64_t edge) {
  const uint64_t bits = mix(2 * static_cast<uint64_t>(edge) + 1);
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  const auto rank = static_cast<uint64_t>(u * u * u * static_cast<double>(options.nodes));
  return static_cast<int64_t>(rank * 1'000'003 % static_cast<uint64_t>(options.nodes));
}

std::string stem(const Options& options) {
  return fmt::format("{}/{}x{}", options.dir, options.nodes, options.edges);
}

void make_array(const Options& options, const std::string& path,
                int64_t (*end_of)(const Options&, int64_t)) {
  if (path_exists(path)) {
    return;
  }
  NpyWriter writer = check(NpyWriter::create(path, kInt64, {}));
  std::vector<int64_t> chunk;
  for (int64_t edge = 0; edge < options.edges; ++edge) {
    chunk.push_back(end_of(options, edge));
    if (chunk.size() == size_t{1} << 20 || edge + 1 == options.edges) {
      check(writer.append(std::as_bytes(std::span(chunk)), static_cast<int64_t>(chunk.size())));
      chunk.clear();
    }
  }
  check(writer.finish());
}

// "src,dst" lines, or with a letter in front of each where ids are to be text.
void make_text(const Options& options, const std::string& path, bool gzip) {
  if (path_exists(path)) {
    return;
  }
  const gzFile file = gzopen(path.c_str(), gzip ? "wb1" : "wbT");
  if (file == nullptr) {
    fail("cannot write " + path);
  }
  const char* const letter = options.ids == "string" ? "n" : "";
  std::string chunk;
  for (int64_t edge = 0; edge < options.edges; ++edge) {
    fmt::format_to(std::back_inserter(chunk), "{}{},{}{}\n", letter, source_of(options, edge),
                   letter, target_of(options, edge));
    if (chunk.size() > size_t{1} << 20 || edge + 1 == options.edges) {
      if (gzwrite(file, chunk.data(), static_cast<unsigned>(chunk.size())) == 0) {
        fail("cannot write " + path);
      }
      chunk.clear();
    }
  }
  if (gzclose(file) != Z_OK) {
    fail("cannot write " + path);
  }
}

// Processor time of all threads so far.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void add_input(const Options& options, Builder* builder) {
  const std::string base = stem(options);
  const std::string edge_type = "node__to__node";
  NodeTypeOptions nodes;
  nodes.ids = options.ids == "string"    ? NodeIds::kString
              : options.ids == "integer" ? NodeIds::kInteger
                                         : NodeIds::kDense;
  nodes.num_nodes = nodes.ids == NodeIds::kDense ? options.nodes : 0;
  check(builder->add_node_type("node", nodes));
  if (options.input == "arrays") {
    make_array(options, base + "-source.npy", source_of);
    make_array(options, base + "-target.npy", target_of);
    check(builder->add_edges(edge_type, check(map_npy(base + "-source.npy")),
                             check(map_npy(base + "-target.npy")), false));
    return;
  }
  const bool gzip = options.input == "gzip";
  const std::string path =
      base + (options.ids == "string" ? "-text" : "") + (gzip ? ".gz" : ".csv");
  make_text(options, path, gzip);
  TextOptions text;
  text.header = Header::kNo;
  check(builder->add_edges_text(edge_type, path, text));
}

void run(const Options& options) {
  check(make_folders(options.dir));
  ContextOptions context_options;
  context_options.num_threads = options.threads;
  const std::shared_ptr<Context> context =
      check(Context::create(context_options, nullptr, nullptr, nullptr));
  Builder builder(context);
  add_input(options, &builder);

  std::vector<std::pair<std::string, uint64_t>> stages;
  BuildOptions build;
  build.memory = options.memory;
  build.csr = options.csr;
  build.overwrite = true;
  build.progress = [&](const char* stage, uint64_t, uint64_t, const char*) {
    if (stages.empty() || stages.back().first != stage) {
      stages.emplace_back(stage, now_ns());
    }
    return true;
  };
  const std::string out = stem(options) + "-dataset";
  const uint64_t before = bench::status_kib("RssAnon");
  bench::MemoryWatch watch;
  const double cpu_before = cpu_seconds();
  const uint64_t start = now_ns();
  if (options.build) {
    check(builder.build(build));
  } else {
    check(builder.write(out, build));
  }
  const uint64_t end = now_ns();
  const double cpu = cpu_seconds() - cpu_before;
  const uint64_t peak = watch.stop();
  const double seconds = static_cast<double>(end - start) * 1e-9;
  fmt::print(
      "{} {} {}: {} edges in {:.2f} s ({:.2f} s of processor time), {:.2f} M edges/s; private "
      "memory {} MiB at most, bound {} MiB, whole process {} MiB\n",
      options.build ? "build" : "write", options.input, options.ids, options.edges, seconds, cpu,
      static_cast<double>(options.edges) * 1e-6 / seconds, (peak - std::min(before, peak)) >> 10,
      options.memory >> 20, bench::status_kib("VmHWM") >> 10);
  const double private_mb = static_cast<double>(peak - std::min(before, peak)) * 1024.0 / 1e6;
  for (size_t i = 0; i < stages.size(); ++i) {
    const uint64_t until = i + 1 < stages.size() ? stages[i + 1].second : end;
    fmt::print("  {:<20} {:8.2f} s\n", stages[i].first,
               static_cast<double>(until - stages[i].second) * 1e-9);
  }
  if (options.verify && !options.build) {
    const uint64_t from = now_ns();
    check(verify_dataset(*check(open_dataset(context, out, {})), {}));
    fmt::print("verify: {:.2f} s\n", static_cast<double>(now_ns() - from) * 1e-9);
  }
  bench::print_json("ingest",
                    {{"seconds", seconds},
                     {"million_edges_per_s", static_cast<double>(options.edges) * 1e-6 / seconds},
                     {"private_mb", private_mb}});
}

}  // namespace
}  // namespace gls

int main(int argc, char** argv) {
  gls::run(gls::parse(argc, argv));
  return 0;
}
