// What the parts of a graph share evenly. Nodes of one type that are in the same balance sets are a
// class; every part takes of each class no more than a number fixed beforehand, and these numbers
// add up to what is allowed of each type and set. So a node can be placed by looking at its own
// class alone, and there is always a part with room for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"

namespace gls {

// The id sets of this name, by node type; undefined where a type has none.
Result<std::vector<Tensor>> balance_set(const Dataset& dataset, const std::string& name);
// The ids of one, which are in range.
Result<IdSpan> set_ids(const NodeType& type, const std::string& name, const Tensor& ids);

class Balance {
 public:
  static constexpr size_t kMostSets = 8;

  // 1 <= parts, 0 <= imbalance. Reads the sets and, for edges, the degrees; a byte per node of a
  // type with sets, 8 bytes where in-degrees are not stored.
  static Result<Balance> make(const Dataset& dataset, uint32_t parts, double imbalance,
                              const std::vector<std::string>& sets, bool edges);

  uint32_t parts() const { return parts_; }
  size_t classes() const { return counts_.size(); }
  int64_t count(size_t node_class) const { return counts_[node_class]; }
  size_t class_of(size_t type, int64_t node) const {
    const TypeClasses& of = types_[type];
    return of.by_mask[of.masks.empty() ? 0 : of.masks[static_cast<size_t>(node)]];
  }
  // Nodes of a class that a part may have.
  int64_t most(size_t node_class, uint32_t part) const { return most_[node_class * parts_ + part]; }

  // In-edges of all types; 0 when they are not balanced.
  bool edges() const { return edges_; }
  int64_t in_edges(size_t type, int64_t node) const;
  // Of a part. One node may have more edges than that.
  double most_edges() const { return most_edges_; }

 private:
  struct TypeClasses {
    std::vector<uint8_t> masks;  // by node: which of the sets it is in; empty: none
    std::vector<size_t> by_mask;
    std::vector<const int64_t*> indptrs;        // of its stored in-edges
    std::vector<std::vector<int64_t>> degrees;  // where they are not stored
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
