// Who owns each node, by every method: how long it takes against a plain pass over the edges, how
// much private memory, and which part of the edges is cut. The ratio is one of processor time.
//
//   bench_partition FOLDER [--parts N] [--methods METHOD...] [--sets SET...] [--edges]
//
// FOLDER is any dataset. METIS needs its plugin beside the program or in GLS_PLUGIN_PATH.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "bench/support/memory_watch.h"
#include "graph/folder/dataset_folder.h"
#include "ingest/assign/assign_nodes.h"

namespace gls::bench {
namespace {

struct Arguments {
  std::string folder;
  std::string name = "partition";
  std::vector<std::string> methods = {"hash", "random", "stream", "metis"};
  std::vector<std::string> sets;
  uint32_t parts = 4;
  bool edges = false;
};

const std::map<std::string, PartitionMethod> kMethods = {{"metis", PartitionMethod::kMetis},
                                                         {"stream", PartitionMethod::kStream},
                                                         {"random", PartitionMethod::kRandom},
                                                         {"hash", PartitionMethod::kHash}};

// Of processor time, of all threads: what else the machine does matters less to it.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Reads the owner of both ends of each edge once, on one thread.
double plain_pass(const Dataset& dataset, const NodeOwners& owners) {
  const double begin = cpu_seconds();
  uint64_t cut = 0;
  for (const EdgeType& type : dataset.edge_types()) {
    const bool csc = type.csc.has_value();
    const Topology& topology = csc ? *type.csc : *type.csr;
    const auto* const own = owners[csc ? type.target : type.source].as<uint8_t>();
    const auto* const other = owners[csc ? type.source : type.target].as<uint8_t>();
    for (int64_t row = 0; row < topology.num_rows; ++row) {
      for (int64_t at = topology.indptr[row]; at < topology.indptr[row + 1]; ++at) {
        cut += own[row] != other[topology.neighbor(at)] ? 1 : 0;
      }
    }
  }
  const volatile uint64_t kept = cut;
  static_cast<void>(kept);
  return cpu_seconds() - begin;
}

// Of the fullest part to the mean.
double excess(const std::vector<int64_t>& parts) {
  int64_t all = 0;
  for (const int64_t part : parts) {
    all += part;
  }
  return all == 0 ? 0
                  : static_cast<double>(*std::max_element(parts.begin(), parts.end())) *
                        static_cast<double>(parts.size()) / static_cast<double>(all);
}

int run(const Arguments& arguments) {
  const auto dataset = check(open_dataset(check(Context::create({}, nullptr, nullptr, nullptr)),
                                          arguments.folder, OpenOptions{}));
  print_machine();
  AssignOptions options;
  options.parts = arguments.parts;
  options.method = PartitionMethod::kHash;
  const NodeOwners hashed = check(assign_nodes(*dataset, options));
  plain_pass(*dataset, hashed);
  std::map<std::string, double> ratios;
  for (const std::string& method : arguments.methods) {
    options.method = kMethods.at(method);
    const bool drawn = method == "hash" || method == "random";
    options.balance_edges = arguments.edges && !drawn;
    options.balance_sets = drawn ? std::vector<std::string>() : arguments.sets;
    const double plain = median(
        {plain_pass(*dataset, hashed), plain_pass(*dataset, hashed), plain_pass(*dataset, hashed)});
    const uint64_t before = status_kib("RssAnon");
    MemoryWatch watch;
    const uint64_t begin = now_ns();
    const double cpu_begin = cpu_seconds();
    const NodeOwners owners = check(assign_nodes(*dataset, options));
    const double cpu = cpu_seconds() - cpu_begin;
    const double seconds = static_cast<double>(now_ns() - begin) * 1e-9;
    const uint64_t peak = watch.stop();
    const auto quality = check(assignment_quality(*dataset, owners, options.parts, arguments.sets));
    const double cut =
        static_cast<double>(quality.cut_edges) / static_cast<double>(quality.all_edges);
    fmt::print("  {:<8} {:>8.2f} s, {:>7.1f} plain passes, {:>6} MiB, cut {:.4f}; fullest part:",
               method, seconds, cpu / plain, (peak - std::min(before, peak)) >> 10, cut);
    for (size_t t = 0; t < quality.nodes.size(); ++t) {
      fmt::print(" {} {:.3f}", dataset->node_types()[t].name, excess(quality.nodes[t]));
    }
    for (size_t s = 0; s < quality.balanced.size(); ++s) {
      fmt::print(" {} {:.3f}", arguments.sets[s], excess(quality.balanced[s]));
    }
    fmt::print(" edges {:.3f}\n", excess(quality.edges));
    std::fflush(stdout);
    ratios[method + "_passes"] = cpu / plain;
    ratios[method + "_cut"] = cut;
  }
  print_json(arguments.name, ratios);
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("Ways of cutting a graph into parts");
  gls::bench::Arguments arguments;
  app.add_option("folder", arguments.folder, "Dataset")->required();
  app.add_option("--parts", arguments.parts)->check(CLI::Range(1, 256));
  app.add_option("--methods", arguments.methods)
      ->check(CLI::IsMember({"hash", "random", "stream", "metis"}));
  app.add_option("--sets", arguments.sets, "Id sets to be shared evenly");
  app.add_flag("--edges", arguments.edges, "Balance edges, too");
  app.add_option("--name", arguments.name, "Name in the last line");
  CLI11_PARSE(app, argc, argv);
  return gls::bench::run(arguments);
}
