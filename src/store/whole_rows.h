// Whole rows of a graph whose neighbours are in stores or in arrays.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "query/graph_source.h"
#include "store/neighbor_store.h"

namespace gls {

// The neighbours of one edge type, in the layout that is read.
struct RowsOfType {
  int64_t num_nodes = 0;                   // whose rows there are
  int64_t num_neighbors = 0;               // neighbours are below it
  std::shared_ptr<NeighborStore> store{};  // NULL: see `topology`
  const Topology* topology = nullptr;      // NULL: there are no rows
};

// All neighbours of some nodes, from a store or from a topology.
Deferred<NeighborLists> ask_lists(const RowsOfType& rows, const IdSpan& nodes);

class WholeRows final : public HopSource {
 public:
  // `types`: by edge type; `owner` keeps their topologies. Needs fanouts of -1 and 0 alone.
  static Result<std::shared_ptr<const HopSource>> open(std::shared_ptr<const Dataset> owner,
                                                       std::vector<RowsOfType> types,
                                                       const SamplerOptions& options);
  Deferred<HopPicks> ask(const HopQuestion& question) const override;

 private:
  // Edges of a type that are left out.
  struct Excluded {
    std::unordered_set<int64_t> ids;
    // The neighbours to leave out of a node's row, by node.
    std::unordered_map<int64_t, std::unordered_set<int64_t>> pairs;

    bool empty() const { return ids.empty() && pairs.empty(); }
  };
  explicit WholeRows(std::shared_ptr<const Dataset> owner) : owner_(std::move(owner)) {}
  Status exclude(const std::vector<EdgeSet>& sets, size_t edge_type, Excluded* out) const;
  Result<HopPicks> picks_of(size_t edge_type, const std::vector<int64_t>& nodes,
                            const Excluded& excluded, NeighborLists lists) const;

  const std::shared_ptr<const Dataset> owner_;
  std::vector<RowsOfType> types_;
  std::vector<Excluded> always_;  // by edge type
  bool csc_ = true;
};

}  // namespace gls
