// Finds neighbours by personalised PageRank on the device: docs/contract.md section 9.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/methods/walk.h"
#include "cuda/primitives/id_pointer.h"
#include "host_device/ppr_rule.h"

namespace gls::cuda {

// A node that was chosen in one or several pushes: `begin` and `count` locate these.
struct PushedOnDevice {
  int64_t node;
  double value;
  uint32_t type;
  uint32_t channel;
  int32_t hop;
  uint32_t begin;
  uint32_t count;
  uint32_t chosen;
};

// Memory of each warp, which processes one seed at a time. Arrays of one kind are adjacent over all
// warps.
struct PushMemory {
  uint64_t slots;  // of the table of visited nodes, of which half can be used; a power of two
  uint64_t picked_slots;  // of the table of picked entries of a row; 0: rows have no limit
  uint64_t found_room;
  unsigned long long* keys;  // kFreeKey at the start
  PushState* states;         // by slot
  uint32_t* met;             // slots
  uint32_t* queue;           // slots
  unsigned long long* picked;
  PushedOnDevice* found;
  PushedOnDevice* candidates;  // only with channels
};

// The fault of a seed: FaultKind or kMetTooMany, an edge type, and the values of read_fault().
inline constexpr int64_t kMetTooMany = -1;
inline constexpr int64_t kPushFaultWords = 5;

// All pointers are to device memory.
struct PprWork {
  const WalkRows* rows;           // by edge type
  const int64_t* neighbor_types;  // by edge type
  const int64_t* step_begins;     // see PprPlan
  const int64_t* steps;
  const int64_t* type_begins;  // [types + 1]: nodes of all types are numbered consecutively
  const int64_t* places;       // by channel; NULL: no channels
  int64_t num_types;
  int64_t num_pushes;
  int64_t neighbors;
  double alpha;
  double factor;  // of a degree
  bool top_up;
  uint64_t max_edges;
  int64_t row_limit;  // 0: no limit
  int64_t columns;    // of a score
  uint64_t key;       // of the batch
  // Seeds by local id, and the local ids of the pending seeds.
  IdsIn seeds;
  int64_t seed_type;
  int64_t num_seeds;
  uint32_t* pending;
  int64_t num_pending;
  int64_t* next;  // index in `pending`
  int64_t num_warps;
  PushMemory memory;
  // Rows as they are found: those of one seed are adjacent and in order. [staged_room]
  int64_t* staged_ids;
  float* staged_scores;
  int64_t staged_room;
  int64_t* staged;      // number of rows
  int64_t* not_staged;  // rows without room
  // [types, seeds]: the number of rows, and their start.
  int64_t* counts;
  int64_t* begins;
  // Seeds that lacked memory, or room for their rows.
  uint32_t* undone;
  int64_t* num_undone;
  // PickFaults::kNoFault, or the first faulty seed; [seeds, kPushFaultWords].
  unsigned long long* fault;
  int64_t* faults;
};
// For pending seeds without rows, up to the first faulty one.
cudaError_t find_pushed(const PprWork& work, cudaStream_t stream);
// pending[i] = i, and *all = count * num_types
cudaError_t list_seeds(uint32_t* pending, int64_t count, int64_t num_types, int64_t* all,
                       cudaStream_t stream);

// The final destinations of rows: type by type, and seed by seed.
struct PprRows {
  const int64_t* counts;  // [types, seeds], which are `all`
  const int64_t* staged_begins;
  int64_t* begins;
  const int64_t* all;
  int64_t num_types;
  int64_t num_seeds;
  int64_t* type_begins;  // [types]
  int64_t* type_counts;  // [types]
  void* sums;            // importance_scan_bytes()
};
cudaError_t count_pushed(const PprRows& rows, int64_t* sum, cudaStream_t stream);
struct PprRowsOut {
  const int64_t* ids;
  const float* scores;
  int64_t columns;
  IdsOut out_seeds;  // local ids
  IdsOut out_ids;    // dataset ids
  float* out_scores;
};
cudaError_t write_pushed(const PprRows& rows, const PprRowsOut& out, cudaStream_t stream);

}  // namespace gls::cuda
