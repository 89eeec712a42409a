// HGT sampling on the device: docs/contract.md section 11.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/pick.h"
#include "cuda/kernels/relabel.h"

namespace gls::cuda {

// The nodes that a batch has visited, of all types, in the order of first visit. The key of a node
// is its id plus the number of nodes of earlier types.
struct MetNodes {
  const int64_t* keys;
  double* scores;
  uint8_t* taken;  // 1: in the batch
  const int64_t* count;
};

// to[0] = first, to[1] = second.
cudaError_t set_numbers(int64_t* to, int64_t first, int64_t second, cudaStream_t stream);
// keys[i] = first_key + ids[i]
cudaError_t make_keys(const IdsIn& ids, int64_t count, int64_t first_key, int64_t* keys,
                      cudaStream_t stream);
// For visited nodes, by number.
cudaError_t mark_taken(const IdsIn& numbers, int64_t count, uint8_t* taken, cudaStream_t stream);

// Makes the picks of a step as positions without neighbours, in `memory` of this many bytes:
// `anchors` and, instead of edge ids, the positions. They are picked after they are counted.
uint64_t positions_bytes(const PickStep& step);
PickStep picking_positions(const PickStep& step, void* memory);

// ---- shares ------------------------------------------------------------------------------------

// The shares from some nodes of one type, along all edge types, in the CPU's order.
struct Shares {
  int64_t* next;       // [nodes]: the start of each node's shares along the next edge type
  int64_t* keys;       // [shares]: of neighbours
  double* values;      // [shares]
  int64_t* positions;  // [shares]: of edges
};
// Moves `next` behind the shares of earlier nodes along the edge type of a step, whose picks are
// counted. `first`: sets it.
cudaError_t begin_shares(const PickStep& step, bool first, const Shares& shares,
                         cudaStream_t stream);
// The shares along the edge type of a step, whose positions are picked. A neighbour that is not a
// node counts as the first of its type. faults->index becomes the lowest place of such a share.
// Then moves `next` behind the shares.
struct ShareStep {
  PickStep pick;
  int64_t first_key;  // of the neighbours' type
};
cudaError_t order_shares(const ShareStep& step, const Shares& shares, cudaStream_t stream);

// Adds up shares by numbers of visited nodes, in order. Overwrites the first two arrays, and writes
// as many elements to the others.
struct ShareSums {
  uint64_t* numbers;
  double* values;
  uint64_t* more_numbers;
  double* more_values;
  int64_t count;  // not 0
};
cudaError_t add_shares(const ShareSums& shares, const MetNodes& met, cudaStream_t stream);

// ---- draws, see hgt_draw.cu --------------------------------------------------------------------

// The candidates of a type, whose keys are in this range. At most `most` nodes were visited, not 0.
struct Candidates {
  MetNodes met;
  int64_t first_key;
  int64_t end_key;
  int64_t most;
  void* sums;  // kScanBytes of scan.h: hgt_scan_bytes()
};
uint64_t hgt_scan_bytes();
cudaError_t count_candidates(const Candidates& candidates, int64_t* count, cudaStream_t stream);
// Lists their numbers among the visited nodes, in the order of first scores.
cudaError_t list_candidates(const Candidates& candidates, int64_t* count, uint32_t* list,
                            cudaStream_t stream);

// Draws fewer candidates than there are, by the squares of their scores.
struct HgtDraw {
  const double* scores;  // of visited nodes
  const uint32_t* list;
  int64_t count;
  int64_t wanted;  // not 0
  uint64_t key;
  uint32_t word;
  uint32_t* picks;  // [wanted]: positions in the list, in the order of picking
  void* scratch;    // hgt_draw_bytes()
};
uint64_t hgt_draw_bytes(int64_t count, int64_t wanted);
cudaError_t draw_candidates(const HgtDraw& draw, cudaStream_t stream);

// Adds the picked candidates to the batch, and writes their ids. `picks` NULL: the whole list.
struct TakenCandidates {
  const uint32_t* list;
  const uint32_t* picks;
  int64_t count;  // not 0
  int64_t first_key;
  int64_t* ids;
};
cudaError_t take_candidates(const TakenCandidates& taken, const MetNodes& met, cudaStream_t stream);

// ---- edges, see hgt_considered.cu --------------------------------------------------------------

// Picks of an edge type that end in the batch, from a step whose positions are picked.
struct HgtCandidateEdges {
  PickStep pick;
  IdsIn stored_edge_ids;  // of all rows and of hot rows, because the step has no edge ids
  IdsIn hot_edge_ids;
  RelabelTable table;  // of the neighbours
  uint64_t num_nodes;  // of their type
  int32_t* locals;     // [picks]
  void* sums;          // hgt_scan_bytes()
  int64_t* before;     // becomes the number of earlier edges
  int64_t* kept;       // and of all edges; these are written behind the earlier ones:
  IdsOut anchors;
  IdsOut neighbors;
  IdsOut edge_ids;  // NULL: not requested
};
cudaError_t keep_hgt_candidates(const HgtCandidateEdges& edges, cudaStream_t stream);

}  // namespace gls::cuda
