// Finds the neighbours that walks from a node visit most, as PinSAGE samples, on the device:
// docs/contract.md section 8.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/methods/walk.h"
#include "cuda/primitives/id_pointer.h"

namespace gls::cuda {

// Some nodes of a hop's frontier, by number. All pointers are to device memory.
struct ImportanceWork {
  const WalkRows* path;
  int64_t path_length;
  int64_t length;     // steps
  int64_t traversal;  // steps; walks visit the ends of traversals
  int64_t walks;      // for each node
  double stop;
  int64_t most;  // most neighbours of a node
  // The number of nodes that a CPU processes together, see ImportancePlan of device/gpu.h.
  int64_t together;
  int64_t at_once;
  uint64_t key;  // of the batch
  uint32_t hop;
  IdsIn nodes;         // dataset ids by local id
  int64_t first_node;  // local id of the frontier's number 0
  int64_t first;       // number of the first of these nodes
  int64_t count;       // not 0
  // [count, num_visits()]: visited nodes, or -1. If they are ranked in this memory, twice as many
  // elements; if not, NULL.
  int64_t* visits;
  uint64_t* runs;
  // [count, most_found()]: the neighbours, best first, and the number of visits of each.
  int64_t* found;
  int32_t* times;
  // [count]: the number of neighbours, of all visits, and of the neighbours of earlier nodes.
  int64_t* num_found;
  int64_t* num_visits_made;
  int64_t* before;
  int64_t* num_nodes;  // holds `count`
  int64_t* sum;        // sum of num_found
  void* sums;          // kScanBytes of scan.h: importance_scan_bytes()
  // PickFaults::kNoFault, or the lowest place of a fault, where that walk ends.
  unsigned long long* fault;

  // More visits of a node do not fit in a block's shared memory.
  static constexpr int kMostShared = 2048;
  GLS_HOST_DEVICE bool ranks_in_memory() const { return num_visits() > kMostShared; }
  GLS_HOST_DEVICE int64_t num_visits() const { return walks * (length / traversal); }
  GLS_HOST_DEVICE int64_t most_found() const { return most < num_visits() ? most : num_visits(); }
};
uint64_t importance_scan_bytes();
// Walks, and finds the neighbours of each node.
cudaError_t find_importance(const ImportanceWork& work, cudaStream_t stream);

// The destinations of these nodes' rows. The first is at number `row` of all rows, and at
// `row_of_hop` of the hop's rows.
struct ImportanceRowsOut {
  IdsOut seeds;   // local ids of the nodes that have the neighbours
  float* scores;  // [rows, 2]
  int64_t row;
  IdsOut ids;  // dataset ids of neighbours, for the hop
  int64_t row_of_hop;
  int64_t* num_of_hop;  // becomes the number of the hop's rows so far
};
cudaError_t write_importance(const ImportanceWork& work, const ImportanceRowsOut& rows,
                             cudaStream_t stream);

// Repeats the faulty walk, and writes FaultKind, the number of the edge type in the path, and the
// values of read_fault().
cudaError_t read_importance_fault(const ImportanceWork& work, unsigned long long fault,
                                  int64_t* values, cudaStream_t stream);

}  // namespace gls::cuda
