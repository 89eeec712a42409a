// The quantities that parts share evenly. Nodes of one type in the same balance sets form a class.
// Each part has a fixed limit of nodes for each class, and these limits add up to the limits of
// each type and set. A node can therefore be placed by its own class alone, and some part always
// has room for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"

namespace gls {

// The id sets of this name, by node type; undefined for types without one.
Result<std::vector<Tensor>> balance_set(const Dataset& dataset, const std::string& name);
// The ids of one set, which are in range.
Result<IdSpan> set_ids(const NodeType& type, const std::string& name, const Tensor& ids);

class Balance {
 public:
  static constexpr size_t kMostSets = 8;

  // 1 <= parts, 0 <= imbalance. Reads the sets and, to balance edges, the degrees. Uses one byte
  // per node of a type with sets, and 8 bytes if in-degrees are not stored.
  static Result<Balance> make(const Dataset& dataset, uint32_t parts, double imbalance,
                              const std::vector<std::string>& sets, bool edges);

  uint32_t parts() const { return parts_; }
  size_t classes() const { return counts_.size(); }
  int64_t count(size_t node_class) const { return counts_[node_class]; }
  size_t class_of(size_t type, int64_t node) const {
    const TypeClasses& of = types_[type];
    return of.by_mask[of.masks.empty() ? 0 : of.masks[static_cast<size_t>(node)]];
  }
  // The limit of a class's nodes in a part.
  int64_t most(size_t node_class, uint32_t part) const { return most_[node_class * parts_ + part]; }

  // In-edges of all types; 0 if they are not balanced.
  bool edges() const { return edges_; }
  int64_t in_edges(size_t type, int64_t node) const;
  // The limit of a part. A single node may have more edges.
  double most_edges() const { return most_edges_; }

 private:
  struct TypeClasses {
    std::vector<uint8_t> masks;  // by node: the sets that contain it; empty: no sets
    std::vector<size_t> by_mask;
    std::vector<const int64_t*> indptrs;        // for stored in-edges
    std::vector<std::vector<int64_t>> degrees;  // where in-edges are not stored
  };

  Status add_sets(const Dataset& dataset, const std::vector<std::string>& sets);
  void add_classes(const Dataset& dataset, double imbalance);
  Status add_edges(const Dataset& dataset, double imbalance);

  uint32_t parts_ = 1;
  bool edges_ = false;
  double most_edges_ = 0;
  std::vector<TypeClasses> types_;
  std::vector<int64_t> counts_;
  std::vector<int64_t> most_;  // [class][part]
};

}  // namespace gls
