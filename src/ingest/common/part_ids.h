// Determines the nodes and edges that a part of a graph stores, and their ids in the part.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/partition/partition_book.h"
#include "graph/topology/rank_bitset.h"

namespace gls {

// For a node or edge type: owned ids come first, then hot ones, then all others; each group
// ascends.
struct TypeIds {
  explicit TypeIds(int64_t limit) : owned(limit), hot(limit), others(limit) {}
  RankBitset owned;
  RankBitset hot;
  RankBitset others;

  int64_t count() const { return owned.count() + hot.count() + others.count(); }
  // The id in the part of a global id that the part stores.
  int64_t local(int64_t whole) const {
    if (const int64_t rank = owned.rank(whole); rank >= 0) {
      return rank;
    }
    if (const int64_t rank = hot.count() > 0 ? hot.rank(whole) : -1; rank >= 0) {
      return owned.count() + rank;
    }
    return owned.count() + hot.count() + others.rank(whole);
  }
  bool has(int64_t whole) const { return owned.has(whole) || hot.has(whole) || others.has(whole); }
  // Global ids, in the order of ids in the part.
  template <typename Body>
  Status each(const Body& body) const {
    GLS_TRY(owned.each(body));
    if (hot.count() > 0) {
      GLS_TRY(hot.each(body));
    }
    return others.each(body);
  }
};

struct PartIds {
  uint32_t number = 0;
  std::vector<TypeIds> nodes;        // by node type
  std::vector<RankBitset> in_rows;   // by node type: nodes with all of their in-edges in the part
  std::vector<RankBitset> out_rows;  // the same for out-edges
  std::vector<TypeIds> edges;        // by edge type
};

// By node type: how often a part requests each node.
using Visits = std::vector<std::vector<uint32_t>>;
using CountVisits =
    std::function<Result<Visits>(const std::vector<PartitionBook>& owners, uint32_t number)>;

struct PartIdOptions {
  uint32_t halo_hops = 0;
  double hot_fraction = 0;  // of the owned nodes
  int64_t hot_rows = 0;     // if not 0, used instead of the fraction
  CountVisits visits;       // determines the hot nodes; without it, ends of edges are counted
};

// The dataset must be valid. `owners` has a book for each node type.
Result<PartIds> find_part_ids(const Dataset& dataset, const std::vector<PartitionBook>& owners,
                              uint32_t number, const PartIdOptions& options);

// The layout whose rows determine the owner of an edge.
inline Layout owning_layout(const EdgeType& type) { return type.csc ? Layout::kCsc : Layout::kCsr; }
inline bool kept_for_owned(int32_t role) {
  return role == GLS_ROLE_FEATURE || role == GLS_ROLE_LABEL;
}

}  // namespace gls
