// Ways of sampling, [15, 10, 5] of 1024 seeds or --batch, against uniform sampling of the same
// graph; and other ways, two threads against one. Each against its memory limit, too: see
// cache_line_replay.h.
//
//   bench_methods FOLDER [--rounds N] [--seconds S] [--batch N] [--only WAY]... [--name NAME]
//
// FOLDER is a dataset with one edge type and its CSC. Weights and times are made up here; those of
// nodes are met in each row in no order.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "base/philox.h"
#include "bench/sample/cache_line_replay.h"
#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "graph/folder/dataset_folder.h"
#include "sample/sampler.h"

namespace gls::bench {
namespace {

constexpr int64_t kBatchSize = 1024;
constexpr int64_t kMostTime = 1000;

template <typename T, typename Value>
Column column(const char* name, int32_t role, DLDataType dtype, int64_t count, Value value) {
  auto block = std::make_shared<PageBlock>(static_cast<size_t>(count) * sizeof(T), true);
  auto* const out = reinterpret_cast<T*>(block->data());
  for (int64_t i = 0; i < count; ++i) {
    out[i] = value(i);
  }
  return {name, role, Tensor(std::move(block), out, dtype, {count})};
}

uint32_t mixed(int64_t i) {
  return static_cast<uint32_t>((static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 32);
}

// The graph in memory, with weights from 0 to 1, times that ascend in each row, and mixed ones.
std::shared_ptr<const Dataset> with_columns(const std::shared_ptr<const Dataset>& mapped) {
  const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
  std::vector<NodeType> nodes = mapped->node_types();
  nodes[0].columns.clear();
  nodes[0].id_sets.clear();
  nodes[0].columns.push_back(
      column<int64_t>("mixed", GLS_ROLE_TIME, kInt64, nodes[0].count,
                      [](int64_t i) { return int64_t{mixed(i)} % kMostTime; }));
  EdgeType edges = mapped->edge_types()[0];
  edges.columns.clear();
  edges.csr.reset();
  const Topology& from = *edges.csc;
  edges.csc = check(Topology::make(make_resident(*context, from.indptr_tensor),
                                   make_resident(*context, from.indices_tensor), Tensor(),
                                   from.num_rows, from.num_edges, from.num_neighbors, "bench"));
  const Topology& rows = *edges.csc;
  edges.columns.push_back(
      column<float>("weight", GLS_ROLE_WEIGHT, kFloat32, rows.num_edges,
                    [](int64_t i) { return static_cast<float>(mixed(i)) * 0x1p-32f; }));
  edges.columns.push_back(
      column<int32_t>("mixed", GLS_ROLE_TIME, kInt32, rows.num_edges,
                      [](int64_t i) { return static_cast<int32_t>(mixed(i) % kMostTime); }));
  int64_t row = 0;
  edges.columns.push_back(
      column<int32_t>("ascending", GLS_ROLE_TIME, kInt32, rows.num_edges, [&](int64_t i) {
        while (rows.indptr[row + 1] <= i) {
          ++row;
        }
        const int64_t degree = rows.indptr[row + 1] - rows.indptr[row];
        return static_cast<int32_t>((i - rows.indptr[row]) * kMostTime / degree);
      }));
  return check(Dataset::create(context, std::move(nodes), {edges}));
}

SamplerOptions uniform() {
  SamplerOptions options;
  options.seed = 1;
  options.num_hops = 3;
  options.fanouts = {{15, 10, 5}};
  options.int32 = true;
  return options;
}

std::shared_ptr<Batch> sample(const Sampler& sampler, uint64_t number,
                              int64_t batch_size = kBatchSize) {
  const auto nodes = static_cast<uint64_t>(sampler.dataset()->node_types()[0].count);
  std::vector<int64_t> seeds(static_cast<size_t>(batch_size));
  std::vector<int64_t> times(seeds.size(), kMostTime / 2);
  for (uint32_t i = 0; i < seeds.size(); ++i) {
    seeds[i] = static_cast<int64_t>(
        mul_high64(key_of(philox(i, lo32(number), hi32(number), 0, 77)), nodes));
  }
  SampleRequest request;
  request.batch = number;
  request.seeds = {
      {0, IdSpan(seeds.data(), true, batch_size),
       sampler.options().temporal() ? IdSpan(times.data(), true, batch_size) : IdSpan()}};
  return check(sampler.sample(request));
}

// A way of sampling, of batches of so many seeds; what is counted is its edges, unless it has none.
struct Way {
  std::shared_ptr<const Sampler> sampler;
  int64_t batch_size = kBatchSize;
  double units = 0;  // of a batch: steps or seeds; 0: its edges
  Reads reads;

  double count(const Batch& batch) const {
    return units > 0 ? units : static_cast<double>(batch.num_edges());
  }
  double step(uint64_t number) const { return count(*sample(*sampler, number, batch_size)); }
};

std::function<double()> stepper(Way way) {
  return [way = std::move(way), number = uint64_t{0}]() mutable { return way.step(number++); };
}

// Two threads, each with its own batches.
std::function<double()> double_stepper(Way way) {
  return two_threads([way = std::move(way)](uint64_t number) { return way.step(number); }, 4);
}

// The same with what tells what it touches: the ids of edges, the steps of walks whose ends alone
// are kept, and all nodes that were pushed.
SamplerOptions telling(SamplerOptions options) {
  if (options.importance.has_value()) {
    options.walk.emplace();
    options.walk->length = options.importance->traversals;
    options.walk->walks = options.importance->walks;
    options.importance.reset();
  }
  if (options.ppr.has_value()) {
    options.ppr->top_up = false;
    options.ppr->neighbors = size_t{1} << 20;
  }
  options.edge_ids = !options.ppr.has_value();
  return options;
}

// Some of the way's batches, replayed.
std::function<double()> limit_of(const Way& way, PageBlock* table) {
  constexpr uint64_t kBatches = 5;
  const auto& dataset = way.sampler->dataset();
  const auto teller = check(Sampler::create(dataset, telling(way.sampler->options())));
  auto touches = std::make_shared<CacheLineReplay>(*dataset, table, way.reads);
  double units = 0;
  for (uint64_t b = 0; b < kBatches; ++b) {
    const auto own = sample(*way.sampler, b, way.batch_size);
    touches->add(*sample(*teller, b, way.batch_size), *teller);
    touches->add_output(*own);
    units += way.count(*own);
  }
  touches->tune();
  return [touches, units] {
    touches->replay();
    return units;
  };
}

// How large batches are, and what an edge costs: of those picked, and of those in the rows looked
// at that are longer than the fanout, all of which picking by layer reads.
void print_sizes(const char* what, const Sampler& sampler, double rate) {
  constexpr uint64_t kBatches = 20;
  const int64_t* const indptr = sampler.dataset()->edge_types()[0].csc->indptr;
  double nodes = 0;
  double picked = 0;
  double read = 0;
  for (uint64_t b = 0; b < kBatches; ++b) {
    const auto batch = sample(sampler, b);
    const auto* const ids = batch->nodes[0].node.as<int32_t>();
    const auto* const per_hop = batch->nodes[0].num_nodes.as<int64_t>();
    nodes += static_cast<double>(batch->nodes[0].node.rows());
    picked += static_cast<double>(batch->num_edges());
    int64_t local = 0;
    for (size_t hop = 0; hop < sampler.num_hops(); ++hop) {
      for (const int64_t end = local + per_hop[hop]; local < end; ++local) {
        const int64_t degree = indptr[ids[local] + 1] - indptr[ids[local]];
        const bool drawn = degree > sampler.options().fanouts[0][hop];
        read += drawn ? static_cast<double>(degree) : 0;
      }
    }
  }
  fmt::print(
      "  {:<44} {:.0f} nodes and {:.0f} edges a batch; {:.1f} ns an edge, {:.2f} ns an edge "
      "read\n",
      what, nodes / kBatches, picked / kBatches, 1e9 / rate, 1e9 / rate * picked / read);
}

// Ways whose rates are not of the same edges, as in bench/peers/methods.py: two threads against
// one.
struct OtherWay {
  const char* what;
  const char* key;
  SamplerOptions options;
  int64_t batch_size;
  double units;
  Reads reads;
};

std::vector<OtherWay> other_ways() {
  constexpr int64_t kInduced = 20'000;
  constexpr int64_t kRoots = 2000;
  constexpr int64_t kEgo = 256;
  SamplerOptions none;
  none.seed = 1;
  none.int32 = true;
  SamplerOptions induced = none;
  induced.fanouts = {{}};
  induced.subgraph = Subgraph::kInduced;
  SamplerOptions ego = induced;
  ego.num_hops = 2;
  ego.fanouts = {{10, 10}};
  ego.disjoint = true;
  SamplerOptions walks = none;
  walks.walk.emplace();
  walks.walk->length = 10;
  walks.walk->walks = 10;
  SamplerOptions node2vec = walks;
  node2vec.walk->p = 0.5;
  node2vec.walk->q = 2;
  SamplerOptions weighted_walks = walks;
  weighted_walks.weight = "weight";
  SamplerOptions saint = none;
  saint.walk.emplace();
  saint.walk->length = 4;
  saint.subgraph = Subgraph::kInduced;
  SamplerOptions importance = none;
  importance.importance.emplace();
  importance.importance->neighbors = 10;
  SamplerOptions ppr = none;
  ppr.ppr.emplace();
  SamplerOptions hgt = none;
  hgt.hgt.emplace();
  hgt.hgt->num_hops = 3;
  hgt.hgt->samples = {{1024, 1024, 1024}};
  const Reads picks;
  const Reads rows = {RowsRead::kInduced, nullptr, 0};
  const Reads considered = {RowsRead::kSome, nullptr, hgt.hgt->most_neighbors};
  return {{"induced, 20,000 nodes", "induced", induced, kInduced, 0, rows},
          {"induced, of 256 trees", "ego", ego, kEgo, 0, rows},
          {"induced, of 2,000 walks", "saint", saint, kRoots, 0, rows},
          {"walks, steps", "walks", walks, kBatchSize, 100.0 * kBatchSize, picks},
          {"walks by weight, steps", "walks_weighted", weighted_walks, kBatchSize,
           100.0 * kBatchSize, picks},
          {"node2vec, steps", "node2vec", node2vec, kBatchSize, 100.0 * kBatchSize, picks},
          {"importance, seeds", "importance", importance, kBatchSize, kBatchSize, picks},
          {"ppr, seeds", "ppr", ppr, kBatchSize, kBatchSize, rows},
          {"budgets", "hgt", hgt, kBatchSize, 0, considered}};
}

struct Arguments {
  std::string folder;
  std::string name = "methods";
  std::vector<std::string> only;  // empty: everything
  int rounds = 5;
  double seconds = 1;
  int64_t batch = kBatchSize;
};

int run(const Arguments& arguments) {
  const std::string& folder = arguments.folder;
  const auto mapped = check(
      open_dataset(check(Context::create({}, nullptr, nullptr, nullptr)), folder, OpenOptions{}));
  if (mapped->edge_types().size() != 1 || !mapped->edge_types()[0].csc) {
    fmt::print(stderr, "bench_methods: {} is not a dataset with one edge type and its csc\n",
               folder);
    return 1;
  }
  print_machine();
  const auto dataset = with_columns(mapped);
  Context& context = *dataset->context();
  const auto make = [&](SamplerOptions options, const char* kept = "64G") {
    static_cast<void>(context.set("sample.weight_tables", kept));
    static_cast<void>(context.set("sample.row_times", kept));
    return check(Sampler::create(dataset, std::move(options)));
  };
  Contest contest;
  std::set<std::string> added;
  std::map<std::string, std::shared_ptr<const Sampler>> samplers;
  const auto wanted = [&](const std::string& what) {
    const std::vector<std::string>& only = arguments.only;
    return only.empty() || std::find(only.begin(), only.end(), what) != only.end();
  };
  const auto nodes = static_cast<size_t>(dataset->node_types()[0].count);
  PageBlock table(nodes * sizeof(uint32_t), true);
  const auto add_way = [&](const std::string& what, const Way& way) {
    contest.add(what, stepper(way));
    contest.add(what + ", limit", limit_of(way, &table));
    contest.add(what + ", two threads", double_stepper(way));
    added.insert(what);
    samplers[what] = way.sampler;
  };
  const auto data_of = [&](const std::string& name) -> const void* {
    for (const Column& column : dataset->edge_types()[0].columns) {
      if (column.name == name) {
        return column.data.data();
      }
    }
    return nullptr;
  };
  const auto add = [&](const std::string& what, const SamplerOptions& options,
                       RowsRead rows = RowsRead::kPicks, const char* kept = "64G") {
    if (wanted(what)) {
      const Reads reads = {rows, data_of(options.weight + options.edge_time), 0};
      add_way(what, {make(options, kept), arguments.batch, 0, reads});
    }
  };
  SamplerOptions options = uniform();
  add("uniform", options);
  options.weight = "weight";
  add("weighted", options);
  add("weighted, rows read", options, RowsRead::kColumn, "0");
  options.replace = Replace::kAlways;
  add("weighted, replaced", options);
  options = uniform();
  options.disjoint = true;
  add("disjoint", options);
  options.edge_time = "ascending";
  add("times, ascending rows", options);
  options.edge_time = "mixed";
  add("times, mixed rows", options, RowsRead::kColumn);
  add("times, mixed rows read", options, RowsRead::kColumn, "0");
  options.time_strategy = TimeStrategy::kLast;
  add("last, mixed rows", options, RowsRead::kColumn);
  add("last, mixed rows read", options, RowsRead::kColumn, "0");
  options.edge_time = "ascending";
  add("last, ascending rows", options);
  options.edge_time = "";
  options.node_time = "mixed";
  add("last, times of nodes", options);
  add("last, times of nodes read", options, RowsRead::kPicks, "0");
  options.time_strategy = TimeStrategy::kUniform;
  add("times of nodes", options);
  add("times of nodes read", options, RowsRead::kPicks, "0");
  options = uniform();
  options.pick = Pick::kLayer;
  add("labor", options, RowsRead::kChoice);
  options.batch_dependency = 32;
  add("labor, dependent batches", options, RowsRead::kChoice);
  options.batch_dependency = 0;
  options.layer_dependent = true;
  add("labor, dependent layers", options, RowsRead::kChoice);
  options.layer_dependent = false;
  options.weight = "weight";
  add("labor, weighted", options, RowsRead::kChoice);
  for (const OtherWay& other : other_ways()) {
    if (wanted(other.what)) {
      add_way(other.what, {make(other.options), other.batch_size, other.units, other.reads});
    }
  }
  contest.run(arguments.rounds, arguments.seconds);
  contest.print("M edges/s", 1e-6);
  for (const char* what :
       {"uniform", "labor", "labor, dependent batches", "labor, dependent layers"}) {
    if (const auto sampler = samplers.find(what); sampler != samplers.end()) {
      print_sizes(what, *sampler->second, contest.rate(what));
    }
  }
  std::map<std::string, double> ratios;
  const auto compare = [&](const char* key, const std::string& what, const std::string& with) {
    if (added.count(what) > 0 && added.count(with) > 0) {
      ratios[key] = contest.ratio(what, with);
    }
  };
  compare("weighted", "weighted", "uniform");
  compare("weighted_replaced", "weighted, replaced", "uniform");
  compare("weighted_rows_read", "weighted, rows read", "uniform");
  compare("times_ascending", "times, ascending rows", "disjoint");
  compare("times_mixed", "times, mixed rows", "disjoint");
  compare("times_mixed_of_ascending", "times, mixed rows", "times, ascending rows");
  compare("times_mixed_of_read", "times, mixed rows", "times, mixed rows read");
  compare("times_of_nodes_of_ascending", "times of nodes", "times, ascending rows");
  compare("times_of_nodes_of_read", "times of nodes", "times of nodes read");
  compare("last_mixed_of_ascending", "last, mixed rows", "last, ascending rows");
  compare("last_mixed_of_read", "last, mixed rows", "last, mixed rows read");
  compare("last_of_nodes_of_ascending", "last, times of nodes", "last, ascending rows");
  compare("last_of_nodes_of_read", "last, times of nodes", "last, times of nodes read");
  compare("last_ascending", "last, ascending rows", "disjoint");
  compare("walks_weighted", "walks by weight, steps", "walks, steps");
  compare("labor", "labor", "uniform");
  compare("labor_dependent_batches", "labor, dependent batches", "labor");
  compare("labor_dependent_layers", "labor, dependent layers", "labor");
  compare("labor_weighted", "labor, weighted", "weighted");
  for (const std::string& what : added) {
    std::string key = what;
    for (const OtherWay& other : other_ways()) {
      key = what == other.what ? other.key : key;
    }
    std::replace(key.begin(), key.end(), ' ', '_');
    key.erase(std::remove(key.begin(), key.end(), ','), key.end());
    ratios[key + "_of_limit"] = contest.ratio(what, what + ", limit");
    fmt::print("  {:<44} {:.2f} of its memory limit\n", what, ratios[key + "_of_limit"]);
  }
  const auto threads = [&](const char* key, const std::string& what) {
    if (added.count(what) > 0) {
      ratios[key] = contest.ratio(what + ", two threads", what);
    }
  };
  threads("threads_2", "uniform");
  threads("weighted_threads_2", "weighted");
  threads("weighted_replaced_threads_2", "weighted, replaced");
  threads("disjoint_threads_2", "disjoint");
  threads("times_threads_2", "times, ascending rows");
  threads("labor_threads_2", "labor");
  for (const OtherWay& other : other_ways()) {
    threads((std::string(other.key) + "_threads_2").c_str(), other.what);
  }
  print_json(arguments.name, ratios);
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("Ways of sampling against uniform sampling");
  gls::bench::Arguments arguments;
  app.add_option("folder", arguments.folder, "Dataset with one edge type and its CSC")->required();
  app.add_option("--rounds", arguments.rounds);
  app.add_option("--seconds", arguments.seconds, "Per contestant and round");
  app.add_option("--batch", arguments.batch, "Seeds of a batch")->check(CLI::PositiveNumber);
  app.add_option("--name", arguments.name, "Name in the last line");
  app.add_option("--only", arguments.only, "Measure these ways only, for example \"weighted\"");
  CLI11_PARSE(app, argc, argv);
  return gls::bench::run(arguments);
}
