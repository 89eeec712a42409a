// Picks along one edge type in one hop, from all nodes of the frontier: docs/contract.md section 2,
// uniform. Which entries they are is decided by sample/row_rule.h, as on a processor.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/ids.h"
#include "sample/row_rule.h"

namespace gls::cuda {

// `kNoFault`, or the least of what was at fault. What is at fault is read no further: such a row
// has no picks, and such an id counts as 0.
struct PickFaults {
  static constexpr unsigned long long kNoFault = ~0ull;
  unsigned long long row;      // local id of a node with an impossible row
  unsigned long long index;    // position of a neighbour that is no node
  unsigned long long edge_id;  // position of an edge id that is none
};

// What was found of a row, and where its entries begin among those of hot rows; -1: it is not hot.
struct FoundRow {
  int64_t begin;
  uint64_t degree;
  int64_t place;
};

// As device::HotRow.
struct HotRow {
  int64_t begin;
  int64_t end;
  int64_t place;
};

// Rows that lie elsewhere as well, as EdgePlan has them.
struct HotRows {
  const int32_t* slots;  // NULL: none
  const HotRow* rows;
  IdsIn indices;
  IdsIn edge_ids;
};

// All memory is the device's. Numbers of nodes and picks are there, too; here is how many there may
// be at most.
struct PickStep {
  // Rows, as EdgePlan has them.
  const int64_t* indptr;
  IdsIn indices;
  IdsIn stored_edge_ids;  // NULL: the id of an edge is its position
  HotRows hot;
  uint64_t num_edges;
  uint64_t num_neighbors;
  int64_t fanout;  // not 0
  Replace replace;
  // The frontier: the nodes [*first_node, *end_node) by local id.
  const int64_t* first_node;
  const int64_t* end_node;
  int64_t most_nodes;
  IdsIn nodes;
  IdsIn trees;                // NULL: not disjoint
  const uint64_t* tree_keys;  // by tree
  uint64_t key;               // not disjoint
  uint32_t row_word;
  // Between the two halves of a step, see place_rows(): the size of the frontier, and by node of
  // it.
  int64_t* num_nodes;
  FoundRow* rows;
  int64_t* first_picks;
  void* sums;
  int64_t* num_picks;
  // How many edges of this type the hops before have: what the last of them had, and its picks.
  // NULL: there was none.
  const int64_t* last_edges_before;
  const int64_t* last_num_picks;
  int64_t* edges_before;
  // What is picked, in order.
  int64_t most_picks;
  IdsOut neighbors;   // [most_picks]
  IdsOut edge_trees;  // [most_picks], disjoint only
  IdsOut anchors;     // from *edges_before on: local ids of the frontier's nodes
  IdsOut edge_ids;    // likewise; NULL: not asked for
  PickFaults* faults;
  // For pick_rows(), of the size it needs.
  void* scratch;
};

// What is found of rows lies in `memory`, of so many bytes.
uint64_t rows_bytes(int64_t most_nodes);
void place_rows(void* memory, PickStep* step);
// Finds the rows, and how many are picked of each.
cudaError_t count_picks(const PickStep& step, cudaStream_t stream);

// The other half. `scratch` of so many bytes, which may be 0.
uint64_t pick_scratch_bytes(int64_t fanout, Replace replace, uint64_t num_edges,
                            int64_t most_nodes);
cudaError_t pick_rows(const PickStep& step, cudaStream_t stream);

// What is said of a fault: node, begin and end of the row, or the id that is at the position.
enum class FaultKind : uint8_t { kRow, kIndex, kEdgeId };
cudaError_t read_fault(const PickStep& step, FaultKind kind, int64_t where, int64_t* values,
                       cudaStream_t stream);

// keys[i] = tree_key(key, i)
cudaError_t make_tree_keys(uint64_t key, int64_t count, uint64_t* keys, cudaStream_t stream);

}  // namespace gls::cuda
