// Considered edges whose other end is in the batch, too: docs/contract.md section 11, "Output".
#include "cuda/kernels/hash_table.h"
#include "cuda/kernels/picker.h"
#include "cuda/methods/hgt.h"
#include "cuda/primitives/grid.h"
#include "cuda/primitives/scan.h"

namespace gls::cuda {
namespace {

__device__ int64_t position_of(const PickStep& pick, int64_t k) {
  return static_cast<const int64_t*>(pick.edge_ids.data)[k];
}
__device__ int64_t anchor_of(const PickStep& pick, int64_t k) {
  return IdsIn{pick.anchors.data, pick.anchors.wide}[k];
}

__global__ void __launch_bounds__(kThreads) look_kernel(HgtCandidateEdges edges) {
  const PickStep& pick = edges.pick;
  const Slots slots = slots_of(edges.table);
  const int64_t first = *pick.first_node;
  const int64_t picks = *pick.num_picks;
  if (thread_number() == 0) {
    *edges.before = *edges.kept;
  }
  for (int64_t k = thread_number(); k < picks; k += num_threads()) {
    const int64_t position = position_of(pick, k);
    const FoundRow& row = pick.rows[anchor_of(pick, k) - first];
    const int64_t id = Picker::checked(RowEntries(pick, row).neighbor(position), position,
                                       pick.num_neighbors, &pick.faults->index);
    edges.locals[k] = static_cast<int32_t>(slots.find(key_of_node(id, 0, edges.num_nodes)));
  }
}

struct IsInside {
  const int32_t* locals;
  __device__ int64_t operator()(int64_t k) const { return locals[k] >= 0 ? 1 : 0; }
};
struct AddKept {
  const int64_t* before;
  int64_t* kept;
  __device__ void operator()(int64_t added) const { *kept = *before + added; }
};
struct WriteEdge {
  HgtCandidateEdges edges;
  __device__ void operator()(int64_t k, int64_t before, int64_t own) const {
    if (own == 0) {
      return;
    }
    const PickStep& pick = edges.pick;
    const int64_t edge = *edges.before + before;
    const int64_t anchor = anchor_of(pick, k);
    edges.anchors.set(edge, anchor);
    edges.neighbors.set(edge, edges.locals[k]);
    if (edges.edge_ids.data != nullptr) {
      const int64_t position = position_of(pick, k);
      StoredRows rows = pick;
      rows.stored_edge_ids = edges.stored_edge_ids;
      rows.hot_edge_ids = edges.hot_edge_ids;
      const RowEntries entries(rows, pick.rows[anchor - *pick.first_node]);
      edges.edge_ids.set(edge, Picker::checked(entries.edge(position), position, pick.num_edges,
                                               &pick.faults->edge_id));
    }
  }
};

}  // namespace

cudaError_t keep_hgt_candidates(const HgtCandidateEdges& edges, cudaStream_t stream) {
  const int64_t most = edges.pick.most_picks;
  const cudaError_t result = launch(look_kernel, grid_for(most, stream), edges);
  return result != cudaSuccess
             ? result
             : running_sums(IsInside{edges.locals}, AddKept{edges.before, edges.kept},
                            WriteEdge{edges}, edges.pick.num_picks, most, edges.sums, stream);
}

}  // namespace gls::cuda
