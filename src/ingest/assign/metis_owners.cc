#include "ingest/assign/metis_owners.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/philox.h"
#include "ingest/assign/metis_plugin.h"
#include "ingest/assign/union_graph.h"

namespace gls {
namespace {

// METIS forms the parts of its coarsest graph, which has 30 nodes for each. For fewer nodes, it
// does not keep several constraints, and prints complaints to standard output. Then it gets one
// constraint, and excess nodes are moved afterwards.
constexpr int64_t kLeastNodesPerPart = 64;
// With hardly more nodes than parts, or very loose limits, METIS would fail to form all parts.
constexpr int64_t kLeastNodesPerAnyPart = 2;
constexpr double kMostImbalance = 0.5;

struct Constraints {
  std::vector<int32_t> weights;  // [node][constraint]; empty: one constraint, with all weights 1
  std::vector<float> imbalance;  // [constraint]
};

// One for each class and, if they are balanced, one for the in-edges.
Result<Constraints> constraints_of(const Dataset& dataset, const Balance& balance, int64_t nodes,
                                   double imbalance) {
  const size_t width = balance.classes() + (balance.edges() ? 1 : 0);
  if (width == 1 || nodes < kLeastNodesPerPart * balance.parts()) {
    return Constraints{{}, {static_cast<float>(1 + imbalance)}};
  }
  if (static_cast<size_t>(nodes) > std::numeric_limits<int32_t>::max() / width) {
    return error(GLS_ERR_UNSUPPORTED,
                 "method: METIS takes at most {} weights of nodes, and there are {} things to "
                 "balance for each of {} nodes; use the method \"stream\"",
                 std::numeric_limits<int32_t>::max(), width, nodes)
        .with("argument", "method");
  }
  Constraints out;
  for (size_t c = 0; c < balance.classes(); ++c) {
    // A limit that no assignment can keep would prevent METIS from balancing the rest.
    const double mean = static_cast<double>(balance.count(c)) / balance.parts();
    const double most = std::ceil(mean);
    out.imbalance.push_back(static_cast<float>(std::max(1 + imbalance, 1.001 * most / mean)));
  }
  if (balance.edges()) {
    out.imbalance.push_back(static_cast<float>(1 + imbalance));
  }
  out.weights.resize(static_cast<size_t>(nodes) * width);
  int32_t* at = out.weights.data();
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    for (int64_t node = 0; node < dataset.node_types()[t].count; ++node, at += width) {
      at[balance.class_of(t, node)] = 1;
      if (balance.edges()) {
        at[balance.classes()] = static_cast<int32_t>(balance.in_edges(t, node));
      }
    }
  }
  return out;
}

// The alternative without METIS comes first, because most users without it cannot install it.
Result<const PluginHeader*> metis_plugin() {
  Result<const PluginHeader*> loaded = load_plugin("metis", kMetisInterface);
  if (!loaded.ok()) {
    return std::move(loaded.status())
        .prefixed("method: \"metis\" needs a plugin; use the method \"stream\" to do without it: ")
        .with("argument", "method");
  }
  return loaded;
}

// METIS checks very often whether to continue; this passes the check to the progress callback now
// and then.
struct Watched {
  static constexpr std::chrono::milliseconds kEvery{50};

  static int32_t keep_going(void* user_data) {
    auto& self = *static_cast<Watched*>(user_data);
    const auto now = std::chrono::steady_clock::now();
    if (now - self.last < kEvery) {
      return 1;
    }
    self.last = now;
    self.stopped = report(self.progress, "partitioning", 0, self.nodes, "nodes");
    return self.stopped.ok() ? 1 : 0;
  }

  const Progress& progress;
  uint64_t nodes;
  Status stopped = {};
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

}  // namespace

template <typename Owner>
Status metis_owners(const Dataset& dataset, const Balance& balance, uint64_t seed, double imbalance,
                    const Progress& progress, OwnerArrays<Owner>* owners) {
  GLS_ASSIGN(const PluginHeader* const header, metis_plugin());
  const auto& plugin = *reinterpret_cast<const MetisPlugin*>(header);
  const int64_t nodes = UnionNumbers(dataset).nodes();
  std::vector<int32_t> numbers(static_cast<size_t>(nodes));
  if (nodes >= kLeastNodesPerAnyPart * balance.parts()) {
    GLS_ASSIGN(UnionGraph graph, UnionGraph::make(dataset, progress));
    GLS_ASSIGN(Constraints constraints,
               constraints_of(dataset, balance, nodes, std::min(imbalance, kMostImbalance)));
    MetisGraph given = {static_cast<int32_t>(nodes),
                        static_cast<int32_t>(constraints.imbalance.size()),
                        graph.offsets.data(),
                        graph.neighbors.data(),
                        graph.weights.data(),
                        constraints.weights.empty() ? nullptr : constraints.weights.data(),
                        constraints.imbalance.data()};
    GLS_TRY(report(progress, "partitioning", 0, static_cast<uint64_t>(nodes), "nodes"));
    Watched watched{progress, static_cast<uint64_t>(nodes)};
    const MetisWatch watch = {Watched::keep_going, &watched};
    const MetisOutcome outcome =
        plugin.partition(&given, static_cast<int32_t>(balance.parts()),
                         epoch_key(seed, 0, KeyDomain::kOwner), &watch, numbers.data());
    if (outcome == MetisOutcome::kStopped) {
      return std::move(watched.stopped);
    }
    if (outcome == MetisOutcome::kNoMemory) {
      return error(GLS_ERR_OUT_OF_MEMORY,
                   "METIS ran out of memory with {} nodes and {} neighbours; use the method "
                   "\"stream\"",
                   nodes, graph.offsets.back());
    }
    if (outcome != MetisOutcome::kDone) {
      return error(GLS_ERR_INTERNAL, "METIS failed with {} nodes, {} neighbours and {} parts",
                   nodes, graph.offsets.back(), balance.parts());
    }
  }
  GLS_TRY(report(progress, "partitioning", static_cast<uint64_t>(nodes),
                 static_cast<uint64_t>(nodes), "nodes"));
  auto at = numbers.begin();
  for (std::vector<Owner>& of_type : *owners) {
    for (Owner& owner : of_type) {
      owner = static_cast<Owner>(*at++);
    }
  }
  return move_into_bounds(dataset, balance, progress, owners);
}

template Status metis_owners(const Dataset&, const Balance&, uint64_t, double, const Progress&,
                             OwnerArrays<uint8_t>*);
template Status metis_owners(const Dataset&, const Balance&, uint64_t, double, const Progress&,
                             OwnerArrays<uint16_t>*);

}  // namespace gls
