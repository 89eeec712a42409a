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
  // All neighbours of these nodes, which are in range and may repeat. Neighbours are below
  // `num_neighbors`.
  Deferred<NeighborLists> ask(const IdSpan& nodes, int64_t num_neighbors);

 private:
  class Lists;
  NeighborStore(Spec spec, StoreOptions options);

  const Spec spec_;
};

}  // namespace gls
