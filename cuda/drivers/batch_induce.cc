// Replaces the picked edges by all edges between nodes of the batch. No small bound exists for
// their number, so the host waits for it, edge type by edge type.
#include "cuda/drivers/batch_run.h"
#include "cuda/kernels/induce.h"

namespace gls::cuda {

bool BatchRun::induce() {
  if (!read_counters()) {
    return false;
  }
  std::vector<int64_t> counts;
  for (size_t t = 0; t < nodes_.size(); ++t) {
    counts.push_back(read(nodes_now(t)));
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    const device::EdgePlan& rows = plan_.edges[t].rows;
    if (rows.indptr != nullptr && counts[rows.anchor_type] > 0 && counts[rows.neighbor_type] > 0 &&
        !induce_type(t, counts[rows.anchor_type])) {
      return false;
    }
  }
  return true;
}

bool BatchRun::induce_type(size_t edge_type, int64_t num_nodes) {
  const OwnPlan::EdgeType& type = plan_.edges[edge_type];
  const size_t neighbor = type.rows.neighbor_type;
  InduceStep step = {};
  step.pick = pick_step(plan_.num_hops, edge_type);
  step.pick.first_node = counter(places_.zero);
  step.pick.most_nodes = num_nodes;
  step.table = nodes_[neighbor].slots;
  step.num_nodes = static_cast<uint64_t>(plan_.node_counts[neighbor]);
  if (!rows_.reserve(rows_bytes_of(edge_type, num_nodes), 0, error_) ||
      !picks_.reserve(static_cast<uint64_t>(num_nodes) * sizeof(int64_t), 0, error_)) {
    return false;
  }
  place_rows(rows_.data(), &step.pick);
  step.kept = reinterpret_cast<int64_t*>(picks_.data());
  if (!good(count_inside(step, cuda_stream_), "counting edges between nodes") || !read_counters()) {
    return false;
  }
  const int64_t count = read(places_.picks + step_number(plan_.num_hops, edge_type));
  if (count == 0) {
    return true;
  }
  if (!reserve_edges(edge_type, count)) {
    return false;
  }
  EdgeState& edges = edges_[edge_type];
  step.pick.anchors = {edges.anchors.data(), plan_.wide};
  step.pick.edge_ids = {plan_.edge_ids ? edges.edge_ids.data() : nullptr, type.wide_out};
  step.neighbors = {edges.neighbors.data(), plan_.wide};
  return good(take_inside(step, cuda_stream_), "edges between nodes");
}

}  // namespace gls::cuda
