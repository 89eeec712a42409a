// Assigns each node of a graph to a part, which then owns it: docs/decisions/0034-partitioning.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/philox.h"
#include "base/progress.h"
#include "base/status.h"
#include "graph/dataset/dataset.h"

namespace gls {

inline constexpr uint32_t kMostParts = 65535;

enum class PartitionMethod : uint8_t {
  kStream,  // fewer edges between parts than at random, in passes over the mapped graph
  // Few edges between parts; needs the plugin "metis", and memory for a copy of the graph and more.
  kMetis,
  kRandom,  // exactly even, without reading edges
  kHash,    // from the id alone, so that other programs can compute it: hashed_owner()
};

struct AssignOptions {
  PartitionMethod method = PartitionMethod::kStream;
  uint32_t parts = 1;  // 1 .. kMostParts
  uint64_t seed = 0;
  std::vector<std::string> balance_sets;  // id sets (e.g. training nodes) to share evenly, too
  bool balance_edges = false;             // shares in-edges evenly, too
  // Limit for each balanced quantity: largest part over the mean, minus one.
  double imbalance = 0.05;
  Progress progress;
};

// By node type: uint8 [count] where parts <= 256, else uint16.
using NodeOwners = std::vector<Tensor>;

// Returns the same for the same dataset, options and plugin, for any number of threads. With
// "metis" and "stream", no part has more than (1 + imbalance) times the mean, rounded up, of the
// nodes of any type. The same holds for balance sets, except for one node per type and combination
// of sets. It holds for edges as far as this allows. A balance set consists of the id sets of that
// name in all types. "hash" and "random" refuse `balance_sets` and `balance_edges`.
Result<NodeOwners> assign_nodes(const Dataset& dataset, const AssignOptions& options);

// The owner that "hash" assigns to a node; docs/contract.md section 12 describes it in words.
constexpr uint32_t hashed_owner(uint64_t seed, uint32_t node_type, uint64_t node, uint32_t parts) {
  const uint64_t key = epoch_key(seed, node_type, KeyDomain::kOwner);
  return static_cast<uint32_t>(
      mul_high64(key_of(philox(lo32(node), hi32(node), 0, 0, key)), parts));
}

// The quality of an assignment, for `gls partition` to print and for tests to limit.
struct AssignmentQuality {
  std::vector<std::vector<int64_t>> nodes;  // [type][part]
  std::vector<int64_t> edges;               // [part], in-edges of all types
  int64_t cut_edges = 0;                    // with ends in two parts
  int64_t all_edges = 0;
  std::vector<std::vector<int64_t>> balanced;  // [set][part]
};
Result<AssignmentQuality> assignment_quality(const Dataset& dataset, const NodeOwners& owners,
                                             uint32_t parts,
                                             const std::vector<std::string>& balance_sets = {},
                                             const Progress& progress = {});

// Reads owners that another program wrote: .npy (integers, one dimension) or text with one number
// per line (the output of METIS, mt-KaHyPar and ParMETIS). For all node types, one after another.
Result<NodeOwners> read_owners(const Dataset& dataset, uint32_t parts, const std::string& path);
// For one node type.
Result<Tensor> read_owners_of(const NodeType& type, uint32_t parts, const std::string& path);

}  // namespace gls
