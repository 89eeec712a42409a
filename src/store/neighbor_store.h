// The neighbours of an edge type that a store has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/topology/schema.h"
#include "query/graph_source.h"
#include "store/store.h"

namespace gls {

class NeighborStore final : public Store {
 public:
  struct Spec {
    EdgeTypeName type;
    int64_t num_edges = 0;
    Layout layout = Layout::kCsc;
    bool edge_ids = false;
  };
  static Result<std::shared_ptr<NeighborStore>> create(Spec spec, StoreOptions options);

  const Spec& spec() const { return spec_; }
  // The number of nodes that neighbours may be. Datasets that share a store have the same.
  Status set_num_neighbors(int64_t count);
  // All neighbours of these nodes, which are in range.
  Deferred<NeighborLists> ask(const IdSpan& nodes);

 private:
  class Lists;
  NeighborStore(Spec spec, StoreOptions options);
  Limits limits() const override { return {num_neighbors_, spec_.num_edges, spec_.edge_ids}; }

  const Spec spec_;
  std::atomic<int64_t> num_neighbors_ = -1;
};

}  // namespace gls
