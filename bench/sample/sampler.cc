// Neighbour sampling, [15, 10, 5] of 1024 seeds: against the memory limit, and every part that can
// be switched against the fastest form.
//
//   bench_sampler FOLDER [--rounds N] [--seconds S] [--name NAME]
//
// FOLDER is a dataset with one edge type and its CSC.
#include "sample/sampler.h"

#include <CLI/CLI.hpp>
#include <thread>

#include "base/philox.h"
#include "bench/sample/ablation_kernels.h"
#include "bench/sample/limit.h"
#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "graph/folder/dataset_folder.h"

namespace gls::bench {
namespace {

constexpr int64_t kBatchSize = 1024;

// The graph in one form: index width, pages, stored edge ids.
struct Form {
  bool wide = false;
  bool huge_pages = true;
  bool edge_ids = false;  // stored ones, as after an import of unsorted edges
};

Tensor widened(const Tensor& indices, bool huge_pages) {
  auto block = std::make_shared<PageBlock>(static_cast<size_t>(indices.rows()) * 8, huge_pages);
  auto* const out = reinterpret_cast<int64_t*>(block->data());
  const IdSpan ids(indices.data(), same_dtype(indices.dtype(), kInt64), indices.rows());
  for (int64_t i = 0; i < ids.size(); ++i) {
    out[i] = ids[i];
  }
  return Tensor(std::move(block), out, kInt64, {ids.size()});
}

// A permutation of the positions: what the ids of an unsorted edge list look like.
Tensor scattered_ids(int64_t count, bool huge_pages) {
  auto block = std::make_shared<PageBlock>(static_cast<size_t>(count) * 4, huge_pages);
  auto* const out = reinterpret_cast<int32_t*>(block->data());
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<int32_t>(i);
  }
  for (int64_t i = count - 1; i > 0; --i) {
    const uint64_t j = mul_high64(key_of(philox(lo32(static_cast<uint64_t>(i)), 0, 0, 0, 5)),
                                  static_cast<uint64_t>(i + 1));
    std::swap(out[i], out[static_cast<int64_t>(j)]);
  }
  return Tensor(std::move(block), out, kInt32, {count});
}

std::shared_ptr<const Dataset> reshape(const std::shared_ptr<const Dataset>& mapped,
                                       const Form& form) {
  const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
  if (!form.huge_pages) {
    static_cast<void>(context->set("memory.huge_pages", "false"));
  }
  std::vector<NodeType> nodes = mapped->node_types();
  nodes[0].columns.clear();
  nodes[0].id_sets.clear();
  EdgeType edges = mapped->edge_types()[0];
  edges.columns.clear();
  edges.csr.reset();
  const Topology& from = *edges.csc;
  Tensor indices = form.wide ? widened(from.indices_tensor, form.huge_pages)
                             : make_resident(*context, from.indices_tensor);
  Tensor ids = form.edge_ids ? scattered_ids(from.num_edges, form.huge_pages) : Tensor();
  edges.csc = check(Topology::make(make_resident(*context, from.indptr_tensor), std::move(indices),
                                   std::move(ids), from.num_rows, from.num_edges,
                                   from.num_neighbors, "bench"));
  return check(Dataset::create(context, std::move(nodes), {edges}));
}

SamplerOptions options_for(bool int32) {
  SamplerOptions options;
  options.seed = 1;
  options.num_hops = 3;
  options.fanouts = {{15, 10, 5}};
  options.int32 = int32;
  return options;
}

std::shared_ptr<const Sampler> make_sampler(const std::shared_ptr<const Dataset>& dataset,
                                            const char* simd, const char* direct_table,
                                            SamplerOptions options,
                                            const kernels::Table* table = nullptr) {
  Context& context = *dataset->context();
  static_cast<void>(context.set("cpu.simd", simd));
  static_cast<void>(context.set("sample.direct_table", direct_table));
  return check(Sampler::create(dataset, std::move(options), table));
}

std::shared_ptr<Batch> sample(const Sampler& sampler, uint64_t number) {
  const auto nodes = static_cast<uint64_t>(sampler.dataset()->node_types()[0].count);
  std::vector<int64_t> seeds(kBatchSize);
  for (uint32_t i = 0; i < kBatchSize; ++i) {
    seeds[i] = static_cast<int64_t>(
        mul_high64(key_of(philox(i, lo32(number), hi32(number), 0, 77)), nodes));
  }
  SampleRequest request;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, kBatchSize)}};
  return check(sampler.sample(request));
}

// A step that samples the next batch and returns its edges.
std::function<double()> stepper(std::shared_ptr<const Sampler> sampler) {
  return [sampler = std::move(sampler), number = uint64_t{0}]() mutable {
    return static_cast<double>(sample(*sampler, number++)->num_edges());
  };
}

// Two threads, each with its own batches.
std::function<double()> double_stepper(std::shared_ptr<const Sampler> sampler) {
  return two_threads(
      [sampler = std::move(sampler)](uint64_t number) {
        return static_cast<double>(sample(*sampler, number)->num_edges());
      },
      8);
}

int run(const std::string& folder, const std::string& name, int rounds, double seconds) {
  const auto mapped = check(
      open_dataset(check(Context::create({}, nullptr, nullptr, nullptr)), folder, OpenOptions{}));
  if (mapped->edge_types().size() != 1 || !mapped->edge_types()[0].csc) {
    fmt::print(stderr, "bench_sampler: {} is not a dataset with one edge type and its csc\n",
               folder);
    return 1;
  }
  print_machine();
  const auto native = reshape(mapped, {});
  const auto plain64 = reshape(mapped, {true, false, false});
  const auto with_ids = reshape(mapped, {false, true, true});
  const Topology& topology = *native->edge_types()[0].csc;
  fmt::print("{}: {} nodes, {} edges\n", folder, native->node_types()[0].count, topology.num_edges);

  // Positions are what edge ids are where none are stored.
  SamplerOptions recording = options_for(true);
  recording.edge_ids = true;
  const auto recorder = make_sampler(native, "auto", "256M", recording);
  constexpr uint64_t kBatches = 4;
  const auto recorded = [&](uint64_t first) {
    Streams streams;
    for (uint64_t b = first; b < first + kBatches; ++b) {
      record(*sample(*recorder, b), topology, &streams);
    }
    return streams;
  };
  Streams streams = recorded(0);
  const double batches = kBatches;
  fmt::print("per batch: {:.0f} edges, {:.0f} expanded nodes\n",
             static_cast<double>(streams.positions.size()) / batches,
             static_cast<double>(streams.frontier.size()) / batches);
  LimitReplay limit(topology, std::move(streams), true);
  // Two at a time, each with batches of its own: what two workers could gain at most.
  LimitReplay left(topology, recorded(kBatches), true);
  LimitReplay right(topology, recorded(2 * kBatches), true);

  Contest contest;
  contest.add("native: int32, huge pages",
              stepper(make_sampler(native, "auto", "256M", options_for(true))));
  contest.add("native, two threads",
              double_stepper(make_sampler(native, "auto", "256M", options_for(true))));
  contest.add("int32 indices, int64 output",
              stepper(make_sampler(native, "auto", "256M", options_for(false))));
  contest.add("int64, ordinary pages",
              stepper(make_sampler(plain64, "auto", "256M", options_for(false))));
  contest.add("native, AVX2", stepper(make_sampler(native, "avx2", "256M", options_for(true))));
  contest.add("native, plain", stepper(make_sampler(native, "plain", "256M", options_for(true))));
  contest.add("native, hash table", stepper(make_sampler(native, "auto", "0", options_for(true))));
  contest.add("native, edge ids = positions", stepper(recorder));
  contest.add("native, stored edge ids",
              stepper(make_sampler(with_ids, "auto", "256M", recording)));
  const bool avx512 = detect_simd() == Simd::kAvx512;
  if (avx512) {
    contest.add("native, a hash for Philox",
                stepper(make_sampler(native, "auto", "256M", options_for(true),
                                     &kernels::hashing_table())));
    contest.add("native, indices not checked",
                stepper(make_sampler(native, "auto", "256M", options_for(true),
                                     &kernels::unchecked_table())));
  }
  for (int round = 0; round < rounds; ++round) {
    contest.run(1, seconds);
    limit.measure();
    std::thread other([&] { right.measure(); });
    left.measure();
    other.join();
  }
  contest.print("M edges/s", 1e-6);

  const LimitParts parts = limit.parts();
  const double limit_threads_2 =
      parts.total() / left.parts().total() + parts.total() / right.parts().total();
  const double own_ns = 1e9 / contest.rate("native: int32, huge pages");
  fmt::print(
      "memory limit, ns per edge: indices {:.2f}, indptr {:.2f}, table {:.2f}, output {:.2f}; "
      "sum {:.2f}; sampler {:.2f}\n",
      parts.indices_ns, parts.indptr_ns, parts.table_ns, parts.output_ns, parts.total(), own_ns);
  fmt::print("two replays at a time: {:.2f} times one\n", limit_threads_2);
  std::map<std::string, double> ratios = {
      {"vs_limit", parts.total() / own_ns},
      {"limit_threads_2", limit_threads_2},
      {"threads_2", contest.ratio("native, two threads", "native: int32, huge pages")},
      {"int64_ordinary", contest.ratio("int64, ordinary pages", "native: int32, huge pages")},
      {"avx2", contest.ratio("native, AVX2", "native: int32, huge pages")},
      {"plain", contest.ratio("native, plain", "native: int32, huge pages")},
      {"hash_table", contest.ratio("native, hash table", "native: int32, huge pages")},
      {"edge_ids", contest.ratio("native, edge ids = positions", "native: int32, huge pages")},
      {"stored_edge_ids", contest.ratio("native, stored edge ids", "native: int32, huge pages")},
  };
  if (avx512) {
    ratios["philox_vs_hash"] =
        contest.ratio("native: int32, huge pages", "native, a hash for Philox");
    ratios["checked_vs_unchecked"] =
        contest.ratio("native: int32, huge pages", "native, indices not checked");
  }
  print_json(name, ratios);
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("Neighbour sampling against the memory limit");
  std::string folder;
  std::string name = "sampler";
  int rounds = 9;
  double seconds = 1;
  app.add_option("folder", folder, "Dataset with one edge type and its CSC")->required();
  app.add_option("--rounds", rounds);
  app.add_option("--seconds", seconds, "Per contestant and round");
  app.add_option("--name", name, "Name in the last line");
  CLI11_PARSE(app, argc, argv);
  return gls::bench::run(folder, name, rounds, seconds);
}
