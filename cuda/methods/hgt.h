// Samples by budget on the device: docs/contract.md section 11.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/pick.h"
#include "cuda/kernels/relabel.h"

namespace gls::cuda {

// Nodes that a batch has met, of all types, in the order in which they were met. The key of a node
// is its id above those of the types before.
struct MetNodes {
  const int64_t* keys;
  double* scores;
  uint8_t* taken;  // 1: of the batch
  const int64_t* count;
};

// to[0] = first, to[1] = second.
cudaError_t set_numbers(int64_t* to, int64_t first, int64_t second, cudaStream_t stream);
// keys[i] = first_key + ids[i]
cudaError_t make_keys(const IdsIn& ids, int64_t count, int64_t first_key, int64_t* keys,
                      cudaStream_t stream);
// Of nodes met, by number.
cudaError_t mark_taken(const IdsIn& numbers, int64_t count, uint8_t* taken, cudaStream_t stream);

// Picks of a step as positions, without neighbours, in `memory` of so many bytes: `anchors` and, in
// place of edge ids, what is picked. To be picked once they are counted.
uint64_t positions_bytes(const PickStep& step);
PickStep picking_positions(const PickStep& step, void* memory);

// ---- shares ------------------------------------------------------------------------------------

// Those of some nodes of one type, along all edge types, in the order in which a processor gives
// them.
struct Shares {
  int64_t* next;       // [nodes]: where the shares of each go along the next edge type
  int64_t* keys;       // [shares]: of neighbours
  double* values;      // [shares]
  int64_t* positions;  // [shares]: of edges
};
// Moves `next` behind the shares of the nodes before along the edge type of a step, whose picks are
// counted. `first`: sets it.
cudaError_t begin_shares(const PickStep& step, bool first, const Shares& shares,
                         cudaStream_t stream);
// Those along the edge type of a step, whose positions are picked. A neighbour that is no node
// counts as the first of its type; faults->index becomes the least place of such a share. Then
// moves `next` behind them.
struct ShareStep {
  PickStep pick;
  int64_t first_key;  // of the neighbours' type
};
cudaError_t order_shares(const ShareStep& step, const Shares& shares, cudaStream_t stream);

// Adds up shares, by numbers of nodes met, in their order. The first two are used up, and the
// others, as many, written.
struct ShareSums {
  uint64_t* numbers;
  double* values;
  uint64_t* more_numbers;
  double* more_values;
  int64_t count;  // not 0
};
cudaError_t add_shares(const ShareSums& shares, const MetNodes& met, cudaStream_t stream);

// ---- draws, see budget_draw.cu -----------------------------------------------------------------

// The candidates of a type, whose keys are these. There are `most` nodes met at most, not 0.
struct Candidates {
  MetNodes met;
  int64_t first_key;
  int64_t end_key;
  int64_t most;
  void* sums;  // kScanBytes of scan.h: budget_scan_bytes()
};
uint64_t budget_scan_bytes();
cudaError_t count_candidates(const Candidates& candidates, int64_t* count, cudaStream_t stream);
// Their numbers among the nodes met, in the order of first scores.
cudaError_t list_candidates(const Candidates& candidates, int64_t* count, uint32_t* list,
                            cudaStream_t stream);

// Draws fewer of them than there are, by the squares of their scores.
struct BudgetDraw {
  const double* scores;  // of nodes met
  const uint32_t* list;
  int64_t count;
  int64_t wanted;  // not 0
  uint64_t key;
  uint32_t word;
  uint32_t* picks;  // [wanted]: places in the list, in the order of picking
  void* scratch;    // budget_draw_bytes()
};
uint64_t budget_draw_bytes(int64_t count, int64_t wanted);
cudaError_t draw_candidates(const BudgetDraw& draw, cudaStream_t stream);

// Those picked join the batch: their ids are told. `picks` NULL: all of the list.
struct TakenCandidates {
  const uint32_t* list;
  const uint32_t* picks;
  int64_t count;  // not 0
  int64_t first_key;
  int64_t* ids;
};
cudaError_t take_candidates(const TakenCandidates& taken, const MetNodes& met, cudaStream_t stream);

// ---- edges, see considered.cu ------------------------------------------------------------------

// Picks of an edge type that end in the batch, of a step whose positions are picked.
struct ConsideredEdges {
  PickStep pick;
  IdsIn stored_edge_ids;  // of all and of hot rows, as the step has none
  IdsIn hot_edge_ids;
  RelabelTable table;  // of the neighbours
  uint64_t num_nodes;  // of their type
  int32_t* locals;     // [picks]
  void* sums;          // budget_scan_bytes()
  int64_t* before;     // becomes the number of edges that there were
  int64_t* kept;       // and of all, behind which these are written:
  IdsOut anchors;
  IdsOut neighbors;
  IdsOut edge_ids;  // NULL: not asked for
};
cudaError_t keep_considered(const ConsideredEdges& edges, cudaStream_t stream);

}  // namespace gls::cuda
