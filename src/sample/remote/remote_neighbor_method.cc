#include "sample/remote/remote_neighbor_method.h"

#include <algorithm>
#include <vector>

#include "base/float_mode.h"
#include "sample/neighbor/batch_worker.h"
#include "sample/pick/excluded_edges.h"

namespace gls {
namespace {

using kernels::kChunkPicks;

// Asks the parts for each hop, checks their answers, and numbers the nodes.
class RemoteBatchWorker final : public BatchWorker {
 public:
  RemoteBatchWorker(const SamplerPlan& plan, SamplerScratch& scratch, const SampleRequest& request,
                    const HopSource& hops)
      : BatchWorker(plan, scratch, request), hops_(hops) {}

 private:
  Status run_hop(size_t hop) override;
  Status exclude(std::vector<EdgeSet> sets) override;
  Status number_picks(size_t edge_type, const HopPicks& picks);

  const HopSource& hops_;
  std::vector<EdgeSet> exclude_;  // sent with each question to the parts
};

Status RemoteBatchWorker::exclude(std::vector<EdgeSet> sets) {
  for (const EdgeSet& set : sets) {
    GLS_TRY(check_edge_set(dataset_, set));
  }
  exclude_ = std::move(sets);
  return {};
}

Status RemoteBatchWorker::run_hop(size_t hop) {
  const bool in = plan_.options().direction == Direction::kIn;
  std::vector<std::vector<int64_t>> times(nodes_.size());  // the questions view them
  std::vector<Deferred<HopPicks>> asked(edges_.size());
  for (size_t t = 0; t < edges_.size(); ++t) {
    const EdgeType& type = dataset_.edge_types()[t];
    const size_t anchor_type = in ? type.target : type.source;
    const NodeState& anchor = nodes_[anchor_type];
    const int64_t count = anchor.frontier_end - anchor.frontier_begin;
    if (plan_.options().fanouts[t][hop] == 0 || count == 0) {
      continue;
    }
    HopQuestion question;
    question.edge_type = t;
    question.hop = hop;
    question.epoch = request_.epoch;
    question.batch = request_.batch;
    question.nodes = IdSpan(anchor.ids.at(anchor.frontier_begin), wide_, count);
    question.exclude = exclude_;
    if (disjoint_) {
      question.trees = IdSpan(anchor.trees.at(anchor.frontier_begin), wide_, count);
    }
    if (plan_.options().temporal()) {
      std::vector<int64_t>& of = times[anchor_type];
      for (auto i = static_cast<int64_t>(of.size()); i < count; ++i) {
        of.push_back(tree_times_[static_cast<size_t>(question.trees[i])]);
      }
      question.times = IdSpan(of.data(), true, count);
    }
    asked[t] = hops_.ask(question);
  }
  // Numbering moves memory that the questions view, so all answers are waited for first.
  std::vector<HopPicks> picks(edges_.size());
  for (size_t t = 0; t < edges_.size(); ++t) {
    if (asked[t]) {
      GLS_ASSIGN(picks[t], asked[t]());
      asked[t] = nullptr;
    }
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    const int64_t before = edges_[t].count;
    if (picks[t].counts.defined()) {
      GLS_TRY(number_picks(t, picks[t]));
    }
    edges_[t].per_hop.push_back(edges_[t].count - before);
  }
  end_hop();
  return {};
}

Status RemoteBatchWorker::number_picks(size_t edge_type, const HopPicks& picks) {
  const bool in = plan_.options().direction == Direction::kIn;
  const EdgeType& type = dataset_.edge_types()[edge_type];
  const NodeState& anchor = nodes_[in ? type.target : type.source];
  const size_t neighbor_type = in ? type.source : type.target;
  const bool edge_ids = plan_.options().edge_ids;
  const int64_t nodes = anchor.frontier_end - anchor.frontier_begin;
  GLS_TRY(check_picks(picks, type, dataset_.node_types()[neighbor_type].count));
  GLS_TRY(check_edges(edges_[edge_type].count + picks.neighbors.rows()));
  reach(neighbor_type);
  reach_edges(edge_type);
  EdgeState& edges = edges_[edge_type];
  const int64_t total = picks.neighbors.rows();
  edges.anchors.reserve(edges.count + total, edges.count);
  edges.neighbors.reserve(edges.count + total, edges.count);
  int64_t at = edges.count;
  for (int64_t i = 0; i < nodes; ++i) {
    for (int32_t j = 0; j < picks.counts.as<int32_t>()[i]; ++j) {
      edges.anchors.set(at++, anchor.frontier_begin + i);
    }
  }
  if (edge_ids) {
    const IdSpan ids(picks.edge_ids.data(), same_dtype(picks.edge_ids.dtype(), kInt64), total);
    edges.edge_ids.reserve(edges.count + total, edges.count);
    for (int64_t i = 0; i < total; ++i) {
      edges.edge_ids.set(edges.count + i, ids[i]);
    }
  }
  NodeState& neighbor = nodes_[neighbor_type];
  const bool wide = neighbor.table->wide_neighbors();
  const IdSpan ids(picks.neighbors.data(), same_dtype(picks.neighbors.dtype(), kInt64), total);
  for (int64_t begin = 0; begin < total; begin += kChunkPicks) {
    const int64_t count = std::min(kChunkPicks, total - begin);
    for (int64_t i = 0; i < count; ++i) {
      if (wide) {
        static_cast<uint64_t*>(scratch_.neighbors)[i] = static_cast<uint64_t>(ids[begin + i]);
      } else {
        static_cast<uint32_t*>(scratch_.neighbors)[i] = static_cast<uint32_t>(ids[begin + i]);
      }
    }
    if (disjoint_) {
      for (int64_t i = 0; i < count; ++i) {
        scratch_.edge_trees[i] =
            static_cast<uint32_t>(anchor.trees[edges.anchors[edges.count + i]]);
      }
    }
    GLS_TRY(relabel(neighbor, count, scratch_.edge_trees, edges.neighbors.at(edges.count)));
    edges.count += count;
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<Batch>> RemoteNeighborMethod::sample(const SampleRequest& request,
                                                            SamplerScratch& scratch) const {
  std::optional<DefaultFloatMode> float_mode;  // some hundred instructions, for weights only
  if (!plan().options().weight.empty() || !request.links.empty()) {
    float_mode.emplace();
  }
  return RemoteBatchWorker(plan(), scratch, request, *hops_).run();
}

}  // namespace gls
