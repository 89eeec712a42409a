// Random walks, 4 of 40 steps from each of 1024 seeds: against the memory limit, against one walk
// at a time, and with what makes a step dearer.
//
//   bench_walks FOLDER [--rounds N] [--seconds S] [--name NAME]
//
// FOLDER is a dataset with one edge type, between nodes of one type, and its CSC.
#include <CLI/CLI.hpp>

#include "base/philox.h"
#include "bench/sample/limit.h"
#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "graph/dataset/residency.h"
#include "graph/folder/dataset_folder.h"
#include "sample/sampler.h"

namespace gls::bench {
namespace {

constexpr int64_t kBatchSize = 1024;
constexpr size_t kWalks = 4;
constexpr size_t kLength = 40;

// In memory, on huge pages, without columns and stored edge ids.
std::shared_ptr<const Dataset> in_memory(const std::shared_ptr<const Dataset>& mapped) {
  const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
  std::vector<NodeType> nodes = mapped->node_types();
  nodes[0].columns.clear();
  nodes[0].id_sets.clear();
  EdgeType edges = mapped->edge_types()[0];
  edges.columns.clear();
  edges.csr.reset();
  const Topology& from = *edges.csc;
  edges.csc = check(Topology::make(make_resident(*context, from.indptr_tensor),
                                   make_resident(*context, from.indices_tensor), Tensor(),
                                   from.num_rows, from.num_edges, from.num_neighbors, "bench"));
  return check(Dataset::create(context, std::move(nodes), {edges}));
}

std::shared_ptr<const Sampler> make_walker(const std::shared_ptr<const Dataset>& dataset, double p,
                                           double q, double restart, bool edge_ids = false) {
  SamplerOptions options;
  options.seed = 1;
  options.int32 = true;
  options.edge_ids = edge_ids;
  WalkOptions& walk = options.walk.emplace();
  walk.length = kLength;
  walk.walks = kWalks;
  walk.p = p;
  walk.q = q;
  walk.restart = restart;
  return check(Sampler::create(dataset, std::move(options)));
}

std::vector<int64_t> seeds_of(uint64_t number, uint64_t nodes) {
  std::vector<int64_t> seeds(kBatchSize);
  for (uint32_t i = 0; i < kBatchSize; ++i) {
    seeds[i] = static_cast<int64_t>(
        mul_high64(key_of(philox(i, lo32(number), hi32(number), 0, 77)), nodes));
  }
  return seeds;
}

std::shared_ptr<Batch> sample(const Sampler& sampler, uint64_t number) {
  const std::vector<int64_t> seeds =
      seeds_of(number, static_cast<uint64_t>(sampler.dataset()->node_types()[0].count));
  SampleRequest request;
  request.batch = number;
  request.seeds = {{0, IdSpan(seeds.data(), true, kBatchSize)}};
  return check(sampler.sample(request));
}

double steps_of(const Batch& batch) {
  double steps = 0;
  const IdSpan ids(batch.walks->walk.data(), false,
                   batch.walks->walk.rows() * batch.walks->walk.row_elements());
  for (int64_t i = 0; i < ids.size(); ++i) {
    steps += ids[i] >= 0 ? 1 : 0;
  }
  return steps - static_cast<double>(batch.walks->walk.rows());
}

// A step that walks the next batch and returns how many steps its walks have.
std::function<double()> stepper(std::shared_ptr<const Sampler> sampler) {
  return [sampler = std::move(sampler), number = uint64_t{0}]() mutable {
    return steps_of(*sample(*sampler, number++));
  };
}

std::function<double()> double_stepper(std::shared_ptr<const Sampler> sampler) {
  return two_threads([sampler = std::move(sampler)](
                         uint64_t number) { return steps_of(*sample(*sampler, number)); },
                     8);
}

// What most libraries do: each walk to its end, the next step being found when the last has come.
// No local ids, no checks.
std::function<double()> one_at_a_time(const std::shared_ptr<const Dataset>& dataset) {
  return [dataset, number = uint64_t{0}]() mutable {
    const Topology& topology = *dataset->edge_types()[0].csc;
    const auto* const indices = static_cast<const int32_t*>(topology.indices);
    const std::vector<int64_t> seeds =
        seeds_of(number++, static_cast<uint64_t>(dataset->node_types()[0].count));
    std::vector<int32_t> walked(kBatchSize * kWalks * (kLength + 1));
    double steps = 0;
    uint64_t x = number;
    for (size_t w = 0; w < kBatchSize * kWalks; ++w) {
      int64_t node = seeds[w / kWalks];
      for (size_t s = 0; s < kLength; ++s) {
        const int64_t begin = topology.indptr[node];
        const auto degree = static_cast<uint64_t>(topology.indptr[node + 1] - begin);
        if (degree == 0) {
          break;
        }
        x = 6364136223846793005u * x + 1442695040888963407u;
        node = indices[begin + static_cast<int64_t>(mul_high64(x, degree))];
        walked[w * (kLength + 1) + s + 1] = static_cast<int32_t>(node);
        ++steps;
      }
    }
    return steps + (walked.back() < -1 ? 1 : 0);  // so that it is written
  };
}

// The addresses that the walks of a batch touch, step by step as they are walked: all walks of a
// group take a step before any takes the next.
void record_walks(const Batch& batch, Streams* out) {
  const int32_t* const nodes = batch.nodes[0].node.as<int32_t>();
  const int32_t* const walks = batch.walks->walk.as<int32_t>();
  const int32_t* const edges = batch.walks->edge.as<int32_t>();
  const auto rows = static_cast<size_t>(batch.walks->walk.rows());
  constexpr size_t kGroup = 256;
  for (size_t first = 0; first < rows; first += kGroup) {
    for (size_t s = 0; s < kLength; ++s) {
      for (size_t w = first; w < std::min(rows, first + kGroup); ++w) {
        if (edges[w * kLength + s] >= 0) {
          const int32_t* const at = walks + w * (kLength + 1) + s;
          out->positions.push_back(edges[w * kLength + s]);
          out->neighbors.push_back(nodes[at[1]]);
          out->frontier.push_back(nodes[at[0]]);
        }
      }
    }
  }
  out->output_bytes += 4 * (rows * (kLength + 1) + static_cast<size_t>(batch.nodes[0].node.rows()));
}

int run(const std::string& folder, const std::string& name, int rounds, double seconds) {
  const auto mapped = check(
      open_dataset(check(Context::create({}, nullptr, nullptr, nullptr)), folder, OpenOptions{}));
  if (mapped->edge_types().size() != 1 || !mapped->edge_types()[0].csc) {
    fmt::print(stderr, "bench_walks: {} is not a dataset with one edge type and its csc\n", folder);
    return 1;
  }
  print_machine();
  const auto dataset = in_memory(mapped);
  const Topology& topology = *dataset->edge_types()[0].csc;
  fmt::print("{}: {} nodes, {} edges\n", folder, dataset->node_types()[0].count,
             topology.num_edges);
  Streams streams;
  for (uint64_t number = 0; number < 4; ++number) {
    // Positions are what edge ids are where none are stored.
    record_walks(*sample(*make_walker(dataset, 1, 1, 0, true), number), &streams);
  }
  LimitReplay limit(topology, std::move(streams), true);

  Contest contest;
  const char* const first = "walks: int32, huge pages";
  contest.add(first, stepper(make_walker(dataset, 1, 1, 0)));
  contest.add("two threads", double_stepper(make_walker(dataset, 1, 1, 0)));
  contest.add("edge ids = positions", stepper(make_walker(dataset, 1, 1, 0, true)));
  contest.add("restart 0.15", stepper(make_walker(dataset, 1, 1, 0.15)));
  contest.add("node2vec, p 2", stepper(make_walker(dataset, 2, 1, 0)));
  const auto second = make_walker(dataset, 0.5, 2, 0);
  contest.add("node2vec, p 0.5, q 2", stepper(second));
  contest.add("one walk at a time, bare", one_at_a_time(dataset));
  for (int round = 0; round < rounds; ++round) {
    contest.run(1, seconds);
    limit.measure();
  }
  contest.print("M steps/s", 1e-6);
  const LimitParts parts = limit.parts();
  const double own_ns = 1e9 / contest.rate(first);
  fmt::print("rows {}ascend\n", second->walk_plan()->ascending ? "" : "do not ");
  fmt::print(
      "memory limit, ns per step: indices {:.2f}, indptr {:.2f}, table {:.2f}, output {:.2f}; "
      "sum {:.2f}; walks {:.2f}\n",
      parts.indices_ns, parts.indptr_ns, parts.table_ns, parts.output_ns, parts.total(), own_ns);
  print_json(name, {{"vs_limit", parts.total() / own_ns},
                    {"vs_one_at_a_time", contest.ratio(first, "one walk at a time, bare")},
                    {"threads_2", contest.ratio("two threads", first)},
                    {"edge_ids", contest.ratio("edge ids = positions", first)},
                    {"restart", contest.ratio("restart 0.15", first)},
                    {"node2vec_p", contest.ratio("node2vec, p 2", first)},
                    {"node2vec_pq", contest.ratio("node2vec, p 0.5, q 2", first)}});
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("Random walks against the memory limit");
  std::string folder;
  std::string name = "walks";
  int rounds = 9;
  double seconds = 1;
  app.add_option("folder", folder, "Dataset with one edge type and its CSC")->required();
  app.add_option("--rounds", rounds);
  app.add_option("--seconds", seconds, "Per contestant and round");
  app.add_option("--name", name, "Name in the last line");
  CLI11_PARSE(app, argc, argv);
  return gls::bench::run(folder, name, rounds, seconds);
}
