// Rows of a graph that is elsewhere, as many as a batch needs: docs/decisions/0041-rows.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/topology/row_index.h"
#include "sample/pick/options.h"
#include "sample/source/graph_source.h"

namespace gls {

// Who gives whole rows of the layout that `options` read, without the edges that they exclude.
Result<std::shared_ptr<const HopSource>> open_rows(const Dataset& whole,
                                                   const SamplerOptions& options);

// Used by one thread.
class FetchedGraph {
 public:
  // All of it must outlive this. `exclude`: besides what `rows` was opened with.
  struct Input {
    const Dataset& whole;
    const SamplerOptions& options;  // says which weights and times are read
    const HopSource* rows;          // NULL: nothing is ever fetched
    Layout layout;
    uint64_t epoch;
    uint64_t batch;
    std::vector<EdgeSet> exclude;
  };
  explicit FetchedGraph(Input input);

  // The graph with the rows that are here; those of other nodes are empty. Ids are those of the
  // whole; weights and times of edges, and times of neighbours, are found by position. It is to be
  // used until more is fetched, and not after this is gone.
  Result<std::shared_ptr<const Dataset>> dataset();
  // Whether nobody looked for a row that is not here.
  bool complete() const;
  // Asks for those that were looked for.
  Status fetch();

 private:
  struct Rows {
    RowIndex index;
    std::vector<int64_t> indptr = {0, 0};  // the first is the empty one
    std::vector<int64_t> neighbors;
    std::vector<int64_t> edges;
    std::vector<std::byte> weights;
    std::vector<std::byte> edge_times;
    std::vector<std::byte> neighbor_times;
  };
  // A column of which a row is needed for each position.
  struct ByPosition {
    const Column* column = nullptr;  // of the whole
    bool of_nodes = false;           // by neighbour, else by edge
    size_t type = 0;                 // of nodes or edges
    std::vector<std::byte> Rows::*rows = nullptr;
  };
  std::vector<ByPosition> columns_of(size_t edge_type) const;
  Status append(size_t type, const std::vector<int64_t>& nodes, const HopPicks& picks);
  Status fetch_columns(const std::vector<size_t>& before);
  size_t neighbor_type(size_t edge_type) const;

  const Input in_;
  std::vector<Rows> rows_;  // by edge type
};

}  // namespace gls
