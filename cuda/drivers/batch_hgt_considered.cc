// The considered edges between nodes of a batch, determined after all nodes. The picks are made
// again, and are equal, because they depend on the node alone.
#include "cuda/drivers/batch_run.h"

namespace gls::cuda {

bool BatchRun::consider() {
  if (!read_counters()) {
    return false;
  }
  std::vector<int64_t> counts;
  for (size_t t = 0; t < nodes_.size(); ++t) {
    counts.push_back(read(nodes_now(t)));
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    const device::EdgePlan& rows = plan_.edges[t].rows;
    if (counts[rows.anchor_type] > 0 && counts[rows.neighbor_type] > 0 &&
        !consider_range(t, {rows.anchor_type, 0, counts[rows.anchor_type]})) {
      return false;
    }
  }
  return true;
}

bool BatchRun::consider_range(size_t edge_type, const Range& range) {
  PickStep step = range_step(plan_.num_hops, edge_type);
  step.num_picks = counter(places_.shares);
  step.most_nodes = range.size();
  if (!rows_.reserve(rows_bytes_of(edge_type, range.size()), 0, error_) ||
      !good(set_numbers(counter(places_.range), range.first, range.end, cuda_stream_),
            "choosing nodes")) {
    return false;
  }
  place_rows(rows_.data(), &step);
  if (!good(count_picks(step, cuda_stream_), "counting edges considered") || !read_counters()) {
    return false;
  }
  step.most_picks = read(places_.shares);
  if (step.most_picks == 0) {
    return true;
  }
  char* picks = nullptr;
  const size_t neighbor = step.neighbor_type;
  HgtCandidateEdges edges = {};
  const auto place = [&](char* memory) {
    Places places(memory);
    picks = places.next<char>(positions_bytes(step));
    edges.locals = places.next<int32_t>(static_cast<uint64_t>(step.most_picks) * sizeof(int32_t));
    edges.sums = places.next(hgt_scan_bytes());
    return places.size();
  };
  const uint64_t bytes = place(nullptr);
  if (range.size() > 1 && bytes > most_bytes_ / 2) {
    return consider_range(edge_type, range.first_half()) &&
           consider_range(edge_type, range.second_half());
  }
  const size_t kept = places_.picks + step_number(plan_.num_hops, edge_type);
  if (!picks_.reserve(bytes, 0, error_) ||
      !reserve_edges(edge_type, read(kept) + step.most_picks)) {
    return false;
  }
  place(picks_.data());
  EdgeState& kept_edges = edges_[edge_type];
  edges.pick = picking_positions(step, picks);
  edges.stored_edge_ids = step.stored_edge_ids;
  edges.hot_edge_ids = step.hot_edge_ids;
  edges.table = nodes_[neighbor].slots;
  edges.num_nodes = static_cast<uint64_t>(plan_.node_counts[neighbor]);
  edges.before = counter(places_.shares + 1);
  edges.kept = counter(kept);
  edges.anchors = {kept_edges.anchors.data(), plan_.wide};
  edges.neighbors = {kept_edges.neighbors.data(), plan_.wide};
  edges.edge_ids = {plan_.edge_ids ? kept_edges.edge_ids.data() : nullptr,
                    plan_.edges[edge_type].wide_out};
  return good(pick_rows(edges.pick, cuda_stream_), "picking edges considered") &&
         good(keep_hgt_candidates(edges, cuda_stream_), "keeping edges considered");
}

}  // namespace gls::cuda
