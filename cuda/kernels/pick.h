// Picks along one edge type in one hop, from all nodes of the frontier: docs/contract.md section 2,
// uniform or by weight. Which entries they are is decided by rules/row_rule.h, as on a
// processor.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/relabel.h"
#include "cuda/primitives/id_pointer.h"
#include "cuda/primitives/stored_rows.h"
#include "rules/exclusion_filter.h"
#include "rules/row_rule.h"

namespace gls::cuda {

// `kNoFault`, or the least of what was at fault. What is at fault is read no further: such a row
// has no picks, and such an id counts as 0.
struct PickFaults {
  static constexpr unsigned long long kNoFault = ~0ull;
  unsigned long long row;      // local id of a node with an impossible row
  unsigned long long index;    // position of a neighbour that is no node
  unsigned long long edge_id;  // position of an edge id that is none
};

// Of all batches, and of this one. Entries of a row with gaps are fewer than it is long.
struct RowGaps {
  Gaps always;
  Gaps now;
};

// All memory is the device's. Numbers of nodes and picks are there, too; here is how many there may
// be at most.
struct PickStep : StoredRows {
  int64_t fanout;  // not 0
  Replace replace;
  device::LeftOut left_out_always;
  device::LeftOut left_out_now;
  device::WeightsOfType weights;  // see by_weight()
  device::TimesOfType times;      // see has_times(); then it is disjoint
  const int64_t* tree_times;      // by tree
  // Where nodes are picked by layer: what their numbers are made with.
  bool by_layer;
  device::NumberKeys numbers;
  uint32_t neighbor_type;
  uint32_t number_word;
  int64_t time_window;
  bool times_strict;
  bool times_last;
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
  RowGaps* gaps;  // NULL: no edges are left out
  // Of rows whose times do not ascend, and of those that are weighed anew, how long they are: what
  // of them can be picked is counted in `rows`, and found when all is read. 0: of others. NULL:
  // there are none of either.
  int64_t* listed;
  // Of rows that are picked from by their tables, picks that draws did not find. NULL: there are no
  // tables.
  int64_t* missing;
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
  IdsOut neighbors;   // [most_picks]; NULL: not asked for
  IdsOut edge_trees;  // [most_picks], disjoint only
  IdsOut anchors;     // from *edges_before on: local ids of the frontier's nodes
  IdsOut edge_ids;    // likewise; NULL: not asked for
  // [most_picks], in time: of picks from rows that are listed; by weight: the entries that were
  // taken
  int64_t* ranks;
  PickFaults* faults;
  // For pick_rows(), of the size it needs.
  void* scratch;
  // Where neighbours are met as they are picked, see meets_picks(). Without a table: they are not.
  Meetings meetings;
};

inline bool leaves_out(const PickStep& step) {
  return step.left_out_always.count > 0 || step.left_out_now.count > 0;
}
GLS_HOST_DEVICE bool has_times(const PickStep& step) {
  return step.times.edge.data != nullptr || step.times.node.data != nullptr;
}

// Rows have tables of their weights, or some are weighed anew: all without tables, and of others
// those that edges are left out of. Of these the entries of positive weight are counted, and the
// degree is their number.
GLS_HOST_DEVICE bool has_tables(const device::WeightsOfType& weights) {
  return weights.rows != nullptr;
}
GLS_HOST_DEVICE bool weighs_anew(const device::WeightsOfType& weights) {
  return weights.exact.data != nullptr;
}
GLS_HOST_DEVICE bool by_weight(const device::WeightsOfType& weights) {
  return has_tables(weights) || weighs_anew(weights);
}

// What is found of rows lies in `memory`, of so many bytes. `listed` and `tables`: there are such
// rows.
uint64_t rows_bytes(int64_t most_nodes, bool leaves_out, bool listed, bool tables);
void place_rows(void* memory, PickStep* step);
// Finds the rows as they are stored, less what is left out where there are no times. Of those that
// have tables the degree is the number of entries whose weight is positive.
cudaError_t find_rows(const PickStep& step, cudaStream_t stream);
// Finds the rows, and how many are picked of each.
cudaError_t count_picks(const PickStep& step, cudaStream_t stream);

// The other half. `scratch` of so many bytes, which may be 0.
uint64_t pick_scratch_bytes(int64_t fanout, Replace replace, uint64_t num_edges, int64_t most_nodes,
                            const device::WeightsOfType& weights);
cudaError_t pick_rows(const PickStep& step, cudaStream_t stream);
// Whether pick_rows() can meet the neighbours.
bool meets_picks(const PickStep& step);

// Parts of the two halves, see times.cu: what of each row is in time, and the picks from those that
// are listed.
cudaError_t find_rows_in_time(const PickStep& step, cudaStream_t stream);
cudaError_t pick_listed_rows(const PickStep& step, cudaStream_t stream);

// All picks of a step by layer, see layer.cu.
cudaError_t pick_layer_rows(const PickStep& step, cudaStream_t stream);

// All picks of a step from rows with tables, see weights.cu.
uint64_t weighted_scratch_bytes(int64_t fanout, Replace replace,
                                const device::WeightsOfType& weights, int64_t most_nodes);
cudaError_t pick_weighted_rows(const PickStep& step, cudaStream_t stream);

// Rows that are weighed anew, see weigh.cu: counts their entries, and makes all picks from them
// that are not by layer.
cudaError_t count_weighed_rows(const PickStep& step, cudaStream_t stream);
uint64_t weighed_scratch_bytes(int64_t fanout, const device::WeightsOfType& weights,
                               int64_t most_nodes);
cudaError_t pick_weighed_rows(const PickStep& step, cudaStream_t stream);

// What is said of a fault: node, begin and end of the row, or the id that is at the position. Of
// walks also the node of a row whose weights add up to infinity.
enum class FaultKind : uint8_t { kRow, kIndex, kEdgeId, kWeights };
cudaError_t read_fault(const PickStep& step, FaultKind kind, int64_t where, int64_t* values,
                       cudaStream_t stream);

// keys[i] = tree_key(key, i)
cudaError_t make_tree_keys(uint64_t key, int64_t count, uint64_t* keys, cudaStream_t stream);

}  // namespace gls::cuda
