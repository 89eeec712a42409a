// Reads all rows of one node over all edge types, with at most some edges of each. Personalised
// PageRank and HGT use it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"
#include "sample/pick/excluded_edges.h"
#include "sample/pick/pick.h"

namespace gls {

// One edge type that starts at the nodes of a type.
struct RowStep {
  size_t edge_type;
  const Topology* topology;  // of the dataset
  size_t to;                 // node type at the other end
};
// By the type of the row's node, in the order of edge types.
using RowSteps = std::vector<std::vector<RowStep>>;

// Uses the chosen edge types, in the direction of the options; an error names a layout that is not
// stored.
Result<RowSteps> find_steps(const Dataset& dataset, Direction direction,
                            const std::vector<bool>& chosen);

class NodeRows {
 public:
  // All members must outlive this object.
  struct Input {
    const Dataset& dataset;
    const RowSteps& steps;
    const std::vector<ExcludedEdges>& excluded;      // by edge type
    const std::vector<ExcludedEdges>& excluded_now;  // for this request; may be empty
    uint64_t batch_key;
    int64_t limit;  // of a row; 0: no limit
  };
  struct Row {
    const RowStep* step;
    int64_t begin;
    int64_t end;
    size_t first_listed;  // index in positions_; used when `listed`
    int64_t count;        // of edges used
    bool listed;
  };

  explicit NodeRows(const Input& input);

  // Finds the edges to use for a node, and returns their number. Replaces the previous result.
  Result<int64_t> read(uint32_t type, int64_t node);
  const std::vector<Row>& rows() const { return rows_; }
  // The neighbours along at most kBlock of a row's used edges, from the `from`-th on; valid until
  // the next call.
  static constexpr int64_t kBlock = 32;
  Result<std::span<const int64_t>> neighbors(const Row& row, int64_t from);
  // The number of a node's edges, without excluded ones.
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
