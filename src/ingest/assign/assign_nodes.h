// Who owns each node when a graph is cut into parts: docs/decisions/0034-partitioning.md.
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
  kStream,  // fewer edges between parts than at random, in passes over the graph as it is mapped
  kMetis,   // few; the plugin "metis", memory for a copy of the graph and more
  kRandom,  // exactly even, without a look at the edges
  kHash,    // of the id alone, so that others can compute it: hashed_owner()
};

struct AssignOptions {
  PartitionMethod method = PartitionMethod::kStream;
  uint32_t parts = 1;  // 1 .. kMostParts
  uint64_t seed = 0;
  std::vector<std::string> balance_sets;  // id sets (e.g. training nodes): evenly shared, too
  bool balance_edges = false;             // in-degrees, too
  double imbalance = 0.05;                // of each thing balanced; parts * this over the mean
  Progress progress;
};

// By node type: uint8 [count] where parts <= 256, else uint16.
using NodeOwners = std::vector<Tensor>;

// The same for the same dataset, options and plugin, whatever the number of threads. With "metis"
// and "stream" no part has more than (1 + imbalance) times the mean, rounded up, of the nodes of
// any type; the same holds of balance sets, but for a node per type and combination of sets, and of
// edges as far as this allows. A balance set is the id sets of that name of all types that have
// one. Hashed owners and random ones fall as they do, and `balance_sets` and `balance_edges` are
// refused.
Result<NodeOwners> assign_nodes(const Dataset& dataset, const AssignOptions& options);

// The owner that "hash" gives a node; docs/contract.md section 12 states it in words.
constexpr uint32_t hashed_owner(uint64_t seed, uint32_t node_type, uint64_t node, uint32_t parts) {
  const uint64_t key = epoch_key(seed, node_type, KeyDomain::kOwner);
  return static_cast<uint32_t>(
      mul_high64(key_of(philox(lo32(node), hi32(node), 0, 0, key)), parts));
}

// What an assignment costs: for `gls partition` to print and tests to bound.
struct AssignmentQuality {
  std::vector<std::vector<int64_t>> nodes;  // [type][part]
  std::vector<int64_t> edges;               // [part], in-edges of all types
  int64_t cut_edges = 0;                    // ends in two parts
  int64_t all_edges = 0;
  std::vector<std::vector<int64_t>> balanced;  // [set][part]
};
Result<AssignmentQuality> assignment_quality(const Dataset& dataset, const NodeOwners& owners,
                                             uint32_t parts,
                                             const std::vector<std::string>& balance_sets = {},
                                             const Progress& progress = {});

// Owners made elsewhere, from a file: .npy (integers, one dimension) or text with one number per
// line (METIS', mt-KaHyPar's and ParMETIS' output).
// For all node types, one after another.
Result<NodeOwners> read_owners(const Dataset& dataset, uint32_t parts, const std::string& path);
// For one.
Result<Tensor> read_owners_of(const NodeType& type, uint32_t parts, const std::string& path);

}  // namespace gls
