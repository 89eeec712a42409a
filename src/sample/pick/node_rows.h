// All rows of one node at a time, whatever their edge types, of each at most some edges: what
// personalised PageRank and budgets are computed on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/dataset/dataset.h"
#include "sample/pick/excluded_edges.h"
#include "sample/pick/options.h"
#include "sample/pick/pick.h"

namespace gls {

// One edge type that leads from the nodes of a type.
struct RowStep {
  size_t edge_type;
  const Topology* topology;  // of the dataset
  size_t to;                 // node type at the other end
};
// By the type of the node whose row it is, in the order of edge types.
using RowSteps = std::vector<std::vector<RowStep>>;

// Along the edge types chosen, in the direction of the options; an error names a layout that is not
// stored.
Result<RowSteps> find_steps(const Dataset& dataset, Direction direction,
                            const std::vector<bool>& chosen);

class NodeRows {
 public:
  // All of it must outlive this.
  struct Input {
    const Dataset& dataset;
    const RowSteps& steps;
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // of this request; may be empty
    uint64_t batch_key;
    int64_t limit;  // of a row; 0: none
  };
  struct Row {
    const RowStep* step;
    int64_t begin;
    int64_t end;
    size_t first_listed;  // in positions_; used when `listed`
    int64_t count;        // of edges taken
    bool listed;
  };

  explicit NodeRows(const Input& input);

  // Finds the edges that are taken of a node; returns their number. What was found before is gone.
  Result<int64_t> read(uint32_t type, int64_t node);
  const std::vector<Row>& rows() const { return rows_; }
  // The other ends of at most kBlock of the edges taken of a row, from the `from`-th on; gone with
  // the next call.
  static constexpr int64_t kBlock = 32;
  Result<std::span<const int64_t>> neighbors(const Row& row, int64_t from);
  // All edges of a node, but for those excluded.
  Result<int64_t> degree(uint32_t type, int64_t node);

 private:
  const Input in_;
  const ExclusionView excluded_;
  RowPicker picker_;
  std::vector<Row> rows_;
  std::vector<int64_t> positions_;
  std::vector<int64_t> row_excluded_;
  std::array<int64_t, kBlock> block_;
};

}  // namespace gls
