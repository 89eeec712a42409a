// Picks along one edge type in one hop, for all nodes of the frontier: docs/contract.md section 2,
// uniform or by weight. host_device/row_rule.h determines the entries, as on a CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/relabel.h"
#include "cuda/primitives/id_pointer.h"
#include "cuda/primitives/stored_rows.h"
#include "host_device/exclusion_filter.h"
#include "host_device/row_rule.h"

namespace gls::cuda {

// `kNoFault`, or the lowest place of each fault. Faulty data are not read further: a faulty row has
// no picks, and a faulty id counts as 0.
struct PickFaults {
  static constexpr unsigned long long kNoFault = ~0ull;
  unsigned long long row;      // local id of a node with an invalid row
  unsigned long long index;    // position of a neighbour that is not a node
  unsigned long long edge_id;  // position of an invalid edge id
};

// Excluded edges of all batches, and of this one. A row with gaps has fewer entries than its
// length.
struct RowGaps {
  Gaps always;
  Gaps now;
};

// All pointers are to device memory, including the numbers of nodes and picks. This struct holds
// their upper bounds.
struct PickStep : StoredRows {
  int64_t fanout;  // not 0
  Replace replace;
  device::ExclusionFilter excluded_always;
  device::ExclusionFilter excluded_now;
  device::WeightsOfType weights;  // see by_weight()
  device::TimesOfType times;      // see has_times(); then it is disjoint
  const int64_t* tree_times;      // by tree
  // For LABOR: the keys of the numbers.
  bool by_labor;
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
  uint64_t key;               // without disjoint trees
  uint32_t row_word;
  // Data between the two halves of a step, see place_rows(): the size of the frontier, and data for
  // each of its nodes.
  int64_t* num_nodes;
  FoundRow* rows;
  RowGaps* gaps;  // NULL: no excluded edges
  // Lengths of rows whose times do not ascend, and of rows whose weights are read. `rows` has the
  // number of their usable entries, which are found when the whole row is read. 0: other rows.
  // NULL: there are no such rows.
  int64_t* listed;
  // For rows picked with alias tables: picks that draws did not find. NULL: no tables.
  int64_t* missing;
  int64_t* first_picks;
  void* sums;
  int64_t* num_picks;
  // The number of this type's edges in earlier hops: the number before the last hop, and its picks.
  // NULL: there was none.
  const int64_t* last_edges_before;
  const int64_t* last_num_picks;
  int64_t* edges_before;
  // The picks, in order.
  int64_t most_picks;
  IdsOut neighbors;   // [most_picks]; NULL: not requested
  IdsOut edge_trees;  // [most_picks], only with disjoint trees
  IdsOut anchors;     // from *edges_before on: local ids of the frontier's nodes
  IdsOut edge_ids;    // from *edges_before on; NULL: not requested
  // [most_picks]. Temporal: picks from listed rows. By weight: the entries taken.
  int64_t* ranks;
  PickFaults* faults;
  // For pick_rows(), of the required size.
  void* scratch;
  // Used if picks are entered in the hash table at once, see meets_picks(). Without a table, they
  // are not.
  Meetings meetings;
};

inline bool leaves_out(const PickStep& step) {
  return step.excluded_always.count > 0 || step.excluded_now.count > 0;
}
GLS_HOST_DEVICE bool has_times(const PickStep& step) {
  return step.times.edge.data != nullptr || step.times.node.data != nullptr;
}

// Whether rows have alias tables, or the weights of some are read: of all rows without tables, or
// of those with excluded edges. For these rows, the degree is the number of entries with positive
// weight.
GLS_HOST_DEVICE bool has_tables(const device::WeightsOfType& weights) {
  return weights.rows != nullptr;
}
GLS_HOST_DEVICE bool weighs_anew(const device::WeightsOfType& weights) {
  return weights.exact.data != nullptr;
}
GLS_HOST_DEVICE bool by_weight(const device::WeightsOfType& weights) {
  return has_tables(weights) || weighs_anew(weights);
}

// Data about rows are in `memory`, of this many bytes. `listed` and `tables`: there are such rows.
uint64_t rows_bytes(int64_t most_nodes, bool leaves_out, bool listed, bool tables);
void place_rows(void* memory, PickStep* step);
// Finds the stored rows, without excluded edges if there are no times. For rows with tables, the
// degree is the number of entries with positive weight.
cudaError_t find_rows(const PickStep& step, cudaStream_t stream);
// Finds the rows, and the number of picks from each.
cudaError_t count_picks(const PickStep& step, cudaStream_t stream);

// The second half. `scratch` has this many bytes, which may be 0.
uint64_t pick_scratch_bytes(int64_t fanout, Replace replace, uint64_t num_edges, int64_t most_nodes,
                            const device::WeightsOfType& weights);
cudaError_t pick_rows(const PickStep& step, cudaStream_t stream);
// Whether pick_rows() can enter the neighbours in the hash table.
bool meets_picks(const PickStep& step);

// Parts of the two halves, see temporal.cu: the entries of each row within the time limits, and the
// picks from listed rows.
cudaError_t find_rows_in_time(const PickStep& step, cudaStream_t stream);
cudaError_t pick_listed_rows(const PickStep& step, cudaStream_t stream);

// All LABOR picks of a step, see labor.cu.
cudaError_t pick_labor_rows(const PickStep& step, cudaStream_t stream);

// All picks of a step from rows with tables, see weighted_alias.cu.
uint64_t weighted_scratch_bytes(int64_t fanout, Replace replace,
                                const device::WeightsOfType& weights, int64_t most_nodes);
cudaError_t pick_weighted_rows(const PickStep& step, cudaStream_t stream);

// Rows whose weights are read, see weighted_filtered.cu: counts their entries, and makes all picks
// from them except LABOR picks.
cudaError_t count_weighed_rows(const PickStep& step, cudaStream_t stream);
uint64_t weighed_scratch_bytes(int64_t fanout, const device::WeightsOfType& weights,
                               int64_t most_nodes);
cudaError_t pick_weighed_rows(const PickStep& step, cudaStream_t stream);

// The details of a fault: node, begin and end of the row, or the id at the position. For walks also
// the node of a row whose weights have an infinite sum.
enum class FaultKind : uint8_t { kRow, kIndex, kEdgeId, kWeights };
cudaError_t read_fault(const PickStep& step, FaultKind kind, int64_t where, int64_t* values,
                       cudaStream_t stream);

// keys[i] = tree_key(key, i)
cudaError_t make_tree_keys(uint64_t key, int64_t count, uint64_t* keys, cudaStream_t stream);

}  // namespace gls::cuda
