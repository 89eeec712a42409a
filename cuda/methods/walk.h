// Random walks on the device: docs/contract.md section 6.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/id_pointer.h"
#include "cuda/primitives/stored_rows.h"
#include "host_device/exclusion_filter.h"
#include "host_device/walk_rule.h"

namespace gls::cuda {

// An edge type of the path.
struct WalkRows : StoredRows {
  device::ExclusionFilter excluded_always;
  device::ExclusionFilter excluded_now;
  device::WeightsOfType weights;  // with weights, no edges are excluded
};

// All pointers are to device memory.
struct WalkWork {
  const WalkRows* path;
  int64_t path_length;
  int64_t length;  // steps
  int64_t walks;   // for each seed
  int64_t count;   // walks of all seeds; not 0
  double restart;
  double stop;
  bool second_order;  // the path then has one edge type, between nodes of one type
  bool ascending;     // its rows ascend
  WalkBias bias;
  uint64_t key;          // of the batch
  const int64_t* seeds;  // dataset ids
  IdsOut nodes;          // [count, length + 1]: dataset ids, -1 after the end
  IdsOut edges;          // [count, length]; NULL: not requested
  // PickFaults::kNoFault, or the lowest place of a fault, where that walk ends.
  unsigned long long* fault;
};
cudaError_t walk(const WalkWork& work, cudaStream_t stream);

// The place of a faulty walk, and the fault: FaultKind, the number of the edge type in the path,
// and the values of read_fault(). `ids` are the dataset ids by local id for the type of the node,
// because the array of walks may hold local ids by then.
struct WalkPlace {
  int64_t number;
  int64_t step;
};
WalkPlace place_of_fault(const WalkWork& work, unsigned long long fault);
cudaError_t read_walk_fault(const WalkWork& work, const WalkPlace& place, const IdsIn& ids,
                            int64_t* values, cudaStream_t stream);

// Nodes of one type in an array of walks, which get local ids.
struct WalkedNodes {
  IdsOut walks;  // [count]
  int64_t count;
  int64_t columns;
  const int64_t* types;  // [columns]: type of the nodes in each
  int64_t type;
  const int64_t* all;  // holds `count`
  int64_t* found;      // their number
  IdsOut ids;          // [count]
  int64_t* places;     // [count]: the place of each in the walks
  void* sums;          // collect_bytes()
};
uint64_t collect_bytes();
cudaError_t collect_walked(const WalkedNodes& nodes, cudaStream_t stream);
// Writes their local ids to their places.
cudaError_t put_local_ids(const WalkedNodes& nodes, const IdsIn& local, cudaStream_t stream);

}  // namespace gls::cuda
