// Relabelling on a graph whose table by node is large: the table against the hash table, in speed
// and in memory.
//
//   bench_huge_graph [--nodes N] [--degree N] [--batch-size N] [--rounds N] [--seconds S]
#include <CLI/CLI.hpp>

#include "base/philox.h"
#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "bench/support/memory_watch.h"
#include "context/parallel.h"
#include "sample/sampler.h"

namespace gls::bench {
namespace {

struct Options {
  int64_t nodes = 100'000'000;
  int64_t degree = 5;
  int64_t batch_size = 8192;
  int rounds = 5;
  double seconds = 2;
};

// Every node has the same number of random in-neighbours.
std::shared_ptr<const Dataset> make_graph(const Options& options) {
  const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
  const int64_t edges = options.nodes * options.degree;
  auto indptr_block = std::make_shared<PageBlock>(static_cast<size_t>(options.nodes + 1) * 8, true);
  auto* const indptr = reinterpret_cast<int64_t*>(indptr_block->data());
  for (int64_t node = 0; node <= options.nodes; ++node) {
    indptr[node] = node * options.degree;
  }
  auto indices_block = std::make_shared<PageBlock>(static_cast<size_t>(edges) * 4, true);
  auto* const indices = reinterpret_cast<int32_t*>(indices_block->data());
  const auto fill = [&](size_t begin, size_t end) -> Status {
    for (size_t i = begin; i < end; ++i) {
      const uint64_t word = key_of(philox(lo32(i), hi32(i), 0, 0, 11));
      indices[i] = static_cast<int32_t>(mul_high64(word, static_cast<uint64_t>(options.nodes)));
    }
    return {};
  };
  static_cast<void>(
      parallel_try(context->pool(), static_cast<size_t>(edges), size_t{1} << 20, fill));
  NodeType nodes;
  nodes.name = "node";
  nodes.count = options.nodes;
  EdgeType type;
  type.name = {"node", "to", "node"};
  type.joined = type.name.joined();
  type.count = edges;
  type.csc =
      check(Topology::make(Tensor(std::move(indptr_block), indptr, kInt64, {options.nodes + 1}),
                           Tensor(std::move(indices_block), indices, kInt32, {edges}), Tensor(),
                           options.nodes, edges, options.nodes, "bench"));
  return check(Dataset::create(context, {std::move(nodes)}, {std::move(type)}));
}

// Samples batch after batch; what the first one adds to the process's memory stays in *megabytes.
std::function<double()> stepper(const std::shared_ptr<const Dataset>& dataset,
                                const Options& options, const char* direct_table,
                                double* megabytes) {
  static_cast<void>(dataset->context()->set("sample.direct_table", direct_table));
  SamplerOptions sampling;
  sampling.seed = 1;
  sampling.num_hops = 3;
  sampling.fanouts = {{15, 10, 5}};
  sampling.int32 = true;
  auto sampler = check(Sampler::create(dataset, std::move(sampling)));
  const auto step = [sampler, size = options.batch_size, number = uint64_t{0}]() mutable {
    const auto nodes = static_cast<uint64_t>(sampler->dataset()->node_types()[0].count);
    std::vector<int64_t> seeds;
    for (int64_t i = 0; i < size; ++i) {
      const uint64_t word = key_of(philox(lo32(static_cast<uint64_t>(i)), lo32(number), 0, 0, 77));
      seeds.push_back(static_cast<int64_t>(mul_high64(word, nodes)));
    }
    SampleRequest request;
    request.batch = number++;
    request.seeds = {{0, IdSpan(seeds.data(), true, size)}};
    return static_cast<double>(check(sampler->sample(request))->num_edges());
  };
  const double before = anonymous_megabytes();
  auto first = step;
  const double edges = first();
  *megabytes = anonymous_megabytes() - before;
  fmt::print("{}: {:.0f} edges a batch, {:.0f} MB more memory\n", direct_table, edges, *megabytes);
  return step;
}

void run(const Options& options) {
  print_machine();
  const auto dataset = make_graph(options);
  fmt::print("{} nodes, {} edges, batches of {} seeds\n", options.nodes,
             dataset->edge_types()[0].count, options.batch_size);
  double hash_mb = 0;
  double table_mb = 0;
  Contest contest;
  contest.add("hash table", stepper(dataset, options, "0", &hash_mb));
  contest.add("table by node", stepper(dataset, options, "64G", &table_mb));
  contest.run(options.rounds, options.seconds);
  contest.print("M edges/s", 1e-6);
  print_json("large", {{"hash_vs_table", contest.ratio("hash table", "table by node")},
                       {"hash_mb", hash_mb},
                       {"table_mb", table_mb}});
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("Relabelling on large graphs");
  gls::bench::Options options;
  app.add_option("--nodes", options.nodes);
  app.add_option("--degree", options.degree);
  app.add_option("--batch-size", options.batch_size, "Seeds per batch");
  app.add_option("--rounds", options.rounds);
  app.add_option("--seconds", options.seconds, "Per contestant and round");
  CLI11_PARSE(app, argc, argv);
  gls::bench::run(options);
  return 0;
}
