// Neighbours that walks from a node visit most, on the device: docs/contract.md section 8.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/methods/walk.h"
#include "cuda/primitives/id_pointer.h"

namespace gls::cuda {

// Some nodes of the frontier of a hop, by number. All memory is the device's.
struct NearWork {
  const WalkRows* path;
  int64_t path_length;
  int64_t length;     // steps
  int64_t traversal;  // steps; their ends are visits
  int64_t walks;      // of each node
  double stop;
  int64_t most;  // neighbours of a node that are kept
  // What a processor does together, see NearPlan of device/gpu.h.
  int64_t together;
  int64_t at_once;
  uint64_t key;  // of the batch
  uint32_t hop;
  IdsIn nodes;         // dataset ids by local id
  int64_t first_node;  // local id of number 0 of the frontier
  int64_t first;       // number of the first of these
  int64_t count;       // not 0
  // [count, num_visits()]: nodes, -1 where there is none. Where they are ranked there, as many
  // numbers more, else NULL.
  int64_t* visits;
  uint64_t* runs;
  // [count, most_found()]: what is kept, best first, and how often each was visited.
  int64_t* found;
  int32_t* times;
  // [count]: how many are kept, of how many visits, and how many of the nodes before.
  int64_t* num_found;
  int64_t* num_visits_made;
  int64_t* before;
  int64_t* num_nodes;  // `count`
  int64_t* sum;        // of num_found
  void* sums;          // kScanBytes of scan.h: near_scan_bytes()
  // PickFaults::kNoFault, or the least of the places of faults: such a walk ends there.
  unsigned long long* fault;

  // More visits of a node have no room in memory that a block shares.
  static constexpr int kMostShared = 2048;
  GLS_HOST_DEVICE bool ranks_there() const { return num_visits() > kMostShared; }
  GLS_HOST_DEVICE int64_t num_visits() const { return walks * (length / traversal); }
  GLS_HOST_DEVICE int64_t most_found() const { return most < num_visits() ? most : num_visits(); }
};
uint64_t near_scan_bytes();
// Walks, and finds what is kept of each node.
cudaError_t find_near(const NearWork& work, cudaStream_t stream);

// Where the rows of these nodes go, the first of them at number `row` of all, and at `row_of_hop`
// of those of the hop.
struct NearRowsOut {
  IdsOut seeds;   // local ids of whom each is a neighbour
  float* scores;  // [rows, 2]
  int64_t row;
  IdsOut ids;  // dataset ids, of the hop
  int64_t row_of_hop;
  int64_t* num_of_hop;  // becomes the number of rows of the hop by now
};
cudaError_t write_near(const NearWork& work, const NearRowsOut& rows, cudaStream_t stream);

// Once more the walk that was at fault: FaultKind, the number of the edge type in the path, and
// what read_fault() of picks says.
cudaError_t read_near_fault(const NearWork& work, unsigned long long fault, int64_t* values,
                            cudaStream_t stream);

}  // namespace gls::cuda
