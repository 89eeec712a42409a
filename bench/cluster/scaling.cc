// What a batch of a graph in parts costs on the network: requests and bytes, counted where they are
// answered, for 1 to 8 parts; what a model of them says, and what it says for many more. The model
// knows the sizes of a batch of the whole graph, how parts are cut, and how long messages are.
//
//   bench_scaling [--nodes N] [--batches B]
#include <CLI/CLI.hpp>
#include <cmath>
#include <random>

#include "bench/cluster/served.h"
#include "cluster/wire/messages.h"
#include "loader/pipeline/loader.h"
#include "query/graph_source.h"

namespace gls::bench {
namespace {

constexpr int64_t kBatch = 1024;
constexpr size_t kHops = 3;
constexpr int64_t kFanouts[kHops] = {15, 10, 5};
constexpr int64_t kCommunity = 1000;  // nodes that mostly have each other for neighbours
constexpr double kInside = 0.9;       // of the neighbours
constexpr double kPieceBytes = 4 << 20;
constexpr double kFrame = 24;

// Of an average batch. `elsewhere`: the share of the nodes that no part of the client's own has.
struct Sizes {
  std::vector<double> frontier = std::vector<double>(kHops);  // nodes asked for, by hop
  std::vector<double> picks = std::vector<double>(kHops);
  std::vector<double> frontier_elsewhere = std::vector<double>(kHops);
  double nodes = 0;
  double nodes_elsewhere = 0;
};

struct Traffic {
  double requests = 0;
  double bytes_out = 0;  // of the client
  double bytes_in = 0;
};

// How parts are cut, and where the client is.
struct Layout {
  const char* name;
  bool communities;  // each is in one part; else nodes are anywhere
  bool has_part;     // the client maps the first part, whose nodes are its seeds
  uint32_t halo_hops = 0;
};
constexpr Layout kLayouts[] = {
    {"at random, clients apart", false, false},
    {"communities together, clients apart", true, false},
    {"communities together, clients have a part", true, true},
    {"communities together, clients have a part with a halo of one hop", true, true, 1},
};

uint32_t owner_of(int64_t node, uint32_t parts, bool communities) {
  const int64_t key = communities ? node / kCommunity : node;
  return static_cast<uint32_t>((static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15U >> 33) % parts);
}

std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                    const Tensor& seeds) {
  SamplerOptions options;
  options.num_hops = kHops;
  options.fanouts = {{kFanouts[0], kFanouts[1], kFanouts[2]}};
  const auto sampler = check(Sampler::create(dataset, options));
  LoaderOptions loading;
  loading.plan.batch_size = kBatch;
  loading.plan.shuffle = true;
  loading.columns = default_columns(*sampler);
  return check(Loader::create(sampler, seeds, std::move(loading)));
}

using IsHere = std::function<bool(int64_t node)>;

// A part of the client's own has the rows of nodes up to `halo_hops` from its seeds.
Sizes sizes_of(Loader& loader, int batches, uint32_t halo_hops, const IsHere& is_here) {
  Sizes out;
  for (int b = 0; b < batches; ++b) {
    const auto batch = check(loader.sample(0, static_cast<uint64_t>(b)));
    const SampledNodes& nodes = batch->nodes[0];
    const auto elsewhere = [&](int64_t begin, int64_t end) {
      int64_t count = 0;
      for (int64_t i = begin; i < end; ++i) {
        count += is_here(nodes.node.as<int64_t>()[i]) ? 0 : 1;
      }
      return static_cast<double>(count);
    };
    int64_t begin = 0;
    for (size_t h = 0; h < kHops; ++h) {
      const int64_t count = nodes.num_nodes.as<int64_t>()[h];
      out.frontier[h] += static_cast<double>(count) / batches;
      const bool in_halo = halo_hops > 0 && h <= halo_hops;
      out.frontier_elsewhere[h] += in_halo ? 0 : elsewhere(begin, begin + count) / batches;
      out.picks[h] += static_cast<double>(batch->edges[0].num_edges.as<int64_t>()[h]) / batches;
      begin += count;
    }
    out.nodes += static_cast<double>(batch->num_nodes()) / batches;
    out.nodes_elsewhere += elsewhere(0, batch->num_nodes()) / batches;
  }
  return out;
}

// ---- the model ---------------------------------------------------------------------------------

// Lengths of messages without their arrays, each of which begins at a multiple of 64 bytes.
struct Lengths {
  double hop_request;
  double hop_reply;
  double rows_request;

  static Lengths measure() {
    const auto pool = context_of(1)->buffers();
    cluster::RowsRequest rows;
    rows.column = "x";
    rows.dtype = kFloat32;
    HopPicks picks;
    picks.counts = tensor_of(std::vector<int32_t>(1), kInt32, {0});
    picks.neighbors = tensor_of(std::vector<int32_t>(1), kInt32, {0});
    const auto size = [](const net::Message& message) {
      return static_cast<double>(message.size()) + kFrame;
    };
    return {size(check(cluster::encode(pool, cluster::HopRequest{}))),
            size(cluster::encode(pool, picks)), size(cluster::encode(pool, rows))};
  }
};

// Of so many nodes that are anywhere in `parts`: how many parts have one or more.
double owners(double nodes, double parts) { return parts * (1 - std::pow(1 - 1 / parts, nodes)); }

// `others`: the parts that are not the client's own, of which the sizes speak.
Traffic predict(double others, const Sizes& sizes, const Lengths& lengths) {
  constexpr double kPad = 32;  // before an array, on average
  constexpr double kPick = 8;  // bytes of a neighbour's id
  Traffic out;
  if (others < 1) {
    return out;
  }
  for (size_t h = 0; h < kHops; ++h) {
    const double nodes = sizes.frontier_elsewhere[h];
    const double picks = sizes.picks[h] * nodes / sizes.frontier[h];
    const double asked = owners(nodes, others);
    out.requests += asked;
    out.bytes_out += asked * (lengths.hop_request + kPad) + nodes * 4;
    out.bytes_in += asked * (lengths.hop_reply + 2 * kPad) + nodes * 4 + picks * kPick;
  }
  const double rows = sizes.nodes_elsewhere;
  const double asked = owners(rows, others);
  const double pieces = asked * std::ceil(rows / asked * kWidth * 4 / kPieceBytes);
  out.requests += pieces;
  out.bytes_out += pieces * (lengths.rows_request + kPad) + rows * 4;
  out.bytes_in += pieces * kFrame + rows * kWidth * 4;
  return out;
}

// What is elsewhere when there are more parts and each community is where it was drawn.
Sizes in_more_parts(const Sizes& sizes, double parts, double more) {
  const double factor = (1 - 1 / more) / (1 - 1 / parts);
  Sizes out = sizes;
  for (double& nodes : out.frontier_elsewhere) {
    nodes *= factor;
  }
  out.nodes_elsewhere *= factor;
  return out;
}

// ---- what is counted ---------------------------------------------------------------------------

Traffic total(const Cluster& servers) {
  Traffic out;
  for (const auto& server : servers.servers) {
    const PartServiceStats stats = server->requests();
    const auto requests = static_cast<double>(stats.requests);
    out.requests += requests;
    out.bytes_out += static_cast<double>(stats.request_bytes) + requests * kFrame;
    out.bytes_in += static_cast<double>(stats.reply_bytes) + requests * kFrame;
  }
  return out;
}

Traffic count(const std::string& path, uint32_t parts, const Layout& layout, const Tensor& seeds,
              int batches) {
  const Cluster servers(path, parts, true, layout.has_part ? 1 : 0);
  const auto loader = make_loader(servers.open(context_of(1), true, layout.has_part), seeds);
  check(loader->sample(1, 0));  // what is asked once
  const Traffic before = total(servers);
  for (int b = 0; b < batches; ++b) {
    check(loader->sample(0, static_cast<uint64_t>(b)));
  }
  const Traffic after = total(servers);
  return {(after.requests - before.requests) / batches,
          (after.bytes_out - before.bytes_out) / batches,
          (after.bytes_in - before.bytes_in) / batches};
}

void print(const char* what, uint32_t parts, const Traffic& traffic) {
  fmt::print("  {:>5} parts {:<10} {:>8.1f} requests {:>9.1f} KB out {:>9.1f} KB in\n", parts, what,
             traffic.requests, traffic.bytes_out / 1000, traffic.bytes_in / 1000);
}

int run(int argc, char** argv) {
  int64_t nodes = 400000;
  int batches = 10;
  CLI::App app("What a batch of a graph in parts costs on the network");
  app.add_option("--nodes", nodes)->check(CLI::Range(10000, 10000000));
  app.add_option("--batches", batches)->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  prepare_network(GLS_BENCH_PLUGINS);
  print_machine();

  const WorkFolder folder;
  std::mt19937_64 random(7);
  const auto draw = [&](int64_t node) {
    const bool inside = random() % 1000 < static_cast<uint64_t>(kInside * 1000);
    const int64_t first = inside ? node / kCommunity * kCommunity : 0;
    const int64_t size = inside ? std::min(kCommunity, nodes - first) : nodes;
    return first + static_cast<int64_t>(random() % static_cast<uint64_t>(size));
  };
  const auto graph = make_graph(context_of(2), nodes, draw);
  const Lengths lengths = Lengths::measure();
  std::map<std::string, double> ratios;
  double worst_requests = 1;
  double worst_bytes = 1;
  const auto worse = [](double ratio, double* worst) {
    *worst = std::max({*worst, ratio, 1 / ratio});
  };
  int number = 0;
  for (const Layout& layout : kLayouts) {
    fmt::print("{}\n", layout.name);
    Sizes sizes;
    const uint32_t own = layout.has_part ? 1 : 0;
    for (const uint32_t parts : {1U, 2U, 4U, 8U}) {
      const auto owner = [&](int64_t v) { return owner_of(v, parts, layout.communities); };
      const std::string path = folder.file(std::to_string(number++));
      cut(*graph, parts, path, owner, layout.halo_hops);
      std::vector<int64_t> ids;
      for (int64_t v = 0; v < nodes; ++v) {
        if (!layout.has_part || owner(v) == 0) {
          ids.push_back(v);
        }
      }
      const auto size = static_cast<int64_t>(ids.size());
      const Tensor seeds = tensor_of(std::move(ids), kInt64, {size});
      sizes = sizes_of(*make_loader(graph, seeds), batches, layout.halo_hops,
                       [&](int64_t v) { return layout.has_part && owner(v) == 0; });
      const Traffic counted = count(path, parts, layout, seeds, batches);
      const Traffic predicted = predict(parts - own, sizes, lengths);
      print("counted", parts, counted);
      print("predicted", parts, predicted);
      if (counted.requests > 0) {
        worse(predicted.requests / counted.requests, &worst_requests);
        worse((predicted.bytes_out + predicted.bytes_in) / (counted.bytes_out + counted.bytes_in),
              &worst_bytes);
      }
    }
    for (const uint32_t parts : {16U, 64U, 256U, 1000U}) {
      const Sizes of = own > 0 ? in_more_parts(sizes, 8, parts) : sizes;
      print("predicted", parts, predict(parts - own, of, lengths));
    }
  }
  ratios["worst_requests"] = worst_requests;
  ratios["worst_bytes"] = worst_bytes;
  print_json("scaling", ratios);
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) { return gls::bench::run(argc, argv); }
