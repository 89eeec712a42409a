// Fetches rows of a remote graph, as many as a batch needs: docs/decisions/0041-rows.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/topology/row_index.h"
#include "query/graph_source.h"
#include "query/sampler_options.h"

namespace gls {

// The source of whole rows in the layout that `options` read, without the edges that they exclude.
Result<std::shared_ptr<const HopSource>> open_rows(const Dataset& whole,
                                                   const SamplerOptions& options);

// Used by one thread.
class FetchedGraph {
 public:
  // All members must outlive this object. `exclude`: in addition to what `rows` was opened with.
  struct Input {
    const Dataset& whole;
    const SamplerOptions& options;  // determines the weights and times to read
    const HopSource* rows;          // NULL: nothing is ever fetched
    Layout layout;
    uint64_t epoch;
    uint64_t batch;
    std::vector<EdgeSet> exclude;
  };
  explicit FetchedGraph(Input input);

  // The graph with the rows fetched so far; rows of other nodes are empty. Ids are global. Weights
  // and times of edges, and times of neighbours, are indexed by position. Valid until more is
  // fetched, and not after this object is destroyed.
  Result<std::shared_ptr<const Dataset>> dataset();
  // Whether no missing row was requested.
  bool complete() const;
  // Fetches the rows that were requested.
  Status fetch();

 private:
  struct Rows {
    RowIndex index;
    std::vector<int64_t> indptr = {0, 0};  // the first row is empty
    std::vector<int64_t> neighbors;
    std::vector<int64_t> edges;
    std::vector<std::byte> weights;
    std::vector<std::byte> edge_times;
    std::vector<std::byte> neighbor_times;
  };
  // A column with one row for each position.
  struct ByPosition {
    const Column* column = nullptr;  // of the whole graph
    bool of_nodes = false;           // by neighbour; else by edge
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
