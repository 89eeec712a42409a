// Replaces the picked edges by edges in both directions. The host first waits for the number of
// picks, because its bounds are far above it.
#include "cuda/drivers/batch_run.h"
#include "cuda/kernels/bidirectional.h"

namespace gls::cuda {

bool BatchRun::join_bidirectional() {
  if (!read_counters()) {
    return false;
  }
  std::vector<EdgeState> joined;
  joined.reserve(edges_.size());
  for (size_t t = 0; t < edges_.size(); ++t) {
    const auto block = [&] { return DeviceBlock(kept_->gpu, stream_); };
    joined.push_back({block(), block(), block(), kNone, {}});
    if (!join_type(t, &joined.back())) {
      return false;
    }
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    edges_[t].anchors.swap(&joined[t].anchors);
    edges_[t].neighbors.swap(&joined[t].neighbors);
    edges_[t].edge_ids.swap(&joined[t].edge_ids);
  }
  return true;
}

PickedEdges BatchRun::picked(size_t edge_type) const {
  const EdgeState& edges = edges_[edge_type];
  PickedEdges out = {
      {edges.anchors.data(), plan_.wide},
      {edges.neighbors.data(), plan_.wide},
      {plan_.edge_ids ? edges.edge_ids.data() : nullptr, plan_.edges[edge_type].wide_out},
      0};
  for (size_t hop = 0; hop < plan_.num_hops; ++hop) {
    out.count += read(places_.picks + step_number(hop, edge_type));
  }
  return out;
}

bool BatchRun::join_type(size_t edge_type, EdgeState* joined) {
  BidirectionalEdges work = {};
  work.own = picked(edge_type);
  if (const int32_t mirror = plan_.mirrors[edge_type]; mirror >= 0) {
    work.mirror = picked(static_cast<size_t>(mirror));
  }
  const int64_t total = work.own.count + work.mirror.count;
  if (total == 0) {
    return true;
  }
  const bool wide_ids = plan_.edges[edge_type].wide_out;
  const auto room = [&](DeviceBlock* block, bool wide) {
    return block->reserve(static_cast<uint64_t>(total * id_width(wide)), 0, error_);
  };
  if (!picks_.reserve(bidirectional_bytes(total), 0, error_) ||
      !room(&joined->anchors, plan_.wide) || !room(&joined->neighbors, plan_.wide) ||
      (plan_.edge_ids && !room(&joined->edge_ids, wide_ids))) {
    return false;
  }
  work.scratch = picks_.data();
  work.total = counter(places_.joined);
  work.found = counter(places_.picks + step_number(plan_.num_hops, edge_type));
  work.anchors = {joined->anchors.data(), plan_.wide};
  work.neighbors = {joined->neighbors.data(), plan_.wide};
  work.edge_ids = {plan_.edge_ids ? joined->edge_ids.data() : nullptr, wide_ids};
  return good(cuda::join_bidirectional(work, cuda_stream_), "edges both ways");
}

}  // namespace gls::cuda
