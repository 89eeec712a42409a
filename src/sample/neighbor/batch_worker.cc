#include "sample/neighbor/batch_worker.h"

#include <algorithm>
#include <utility>

#include "base/philox.h"

namespace gls {
namespace {

using kernels::kChunkPicks;
using kernels::kSlack;

// A little more than last time, so that most batches need no second block.
int64_t with_margin(int64_t last) {
  return std::max(SamplerScratch::kMinExpected, last + last / 16);
}

}  // namespace

class BatchWorker::Numbering final : public PickSink {
 public:
  Numbering(BatchWorker* worker, NodeState* neighbor, EdgeState* edges)
      : worker_(*worker), neighbor_(*neighbor), edges_(*edges) {}

  bool wide_neighbors() const override { return neighbor_.table->wide_neighbors(); }

  Status take(int64_t count) override {
    GLS_TRY(worker_.check_edges(edges_.count + count));
    edges_.neighbors.reserve(edges_.count + count, edges_.count);
    return worker_.relabel(neighbor_, count, worker_.scratch_.edge_trees,
                           edges_.neighbors.at(edges_.count));
  }

 private:
  BatchWorker& worker_;
  NodeState& neighbor_;
  EdgeState& edges_;
};

BatchWorker::BatchWorker(const SamplerPlan& plan, SamplerScratch& scratch,
                         const SampleRequest& request)
    : HopWorker(plan, scratch, request.epoch, request.batch),
      request_(request),
      nodes_(dataset_.node_types().size()),
      edges_(dataset_.edge_types().size()) {}

BatchWorker::~BatchWorker() {
  // Also after a failure: the entries must be old for the next batch.
  for (NodeState& type : nodes_) {
    if (type.table != nullptr) {
      type.table->end_batch(type.count);
    }
  }
}

Result<std::shared_ptr<Batch>> BatchWorker::run() {
  GLS_TRY(begin());
  for (size_t hop = 0; hop < plan_.num_hops(); ++hop) {
    GLS_TRY(run_hop(hop));
  }
  if (plan_.options().subgraph == Subgraph::kInduced) {
    GLS_TRY(induce(-1));
  } else if (plan_.options().subgraph == Subgraph::kBidirectional) {
    GLS_TRY(add_reverses());
  }
  return finish();
}

Result<std::shared_ptr<Batch>> BatchWorker::run_induced(int64_t most_of_row) {
  GLS_TRY(begin());
  GLS_TRY(induce(most_of_row));
  return finish();
}

Status BatchWorker::begin() {
  GLS_TRY(add_all_seeds());
  std::vector<EdgeSet> sets = edges_excluded(plan_.options(), request_);
  if (anchors_.has_value()) {
    sets.insert(sets.end(), anchors_->exclude.begin(), anchors_->exclude.end());
  }
  if (!sets.empty()) {
    GLS_TRY(exclude(std::move(sets)));
  }
  exclusions_.emplace(plan_.excluded(), excluded_);
  for (NodeState& type : nodes_) {
    type.frontier_end = type.count;
    type.per_hop.push_back(type.count);
  }
  return {};
}

Status BatchWorker::exclude(std::vector<EdgeSet> sets) {
  GLS_ASSIGN(excluded_, find_excluded(dataset_, plan_.options(), sets));
  return {};
}

// Makes the arrays and table of a node type at its first visit.
void BatchWorker::reach(size_t node_type) {
  NodeState& type = nodes_[node_type];
  if (type.table != nullptr) {
    return;
  }
  std::unique_ptr<Relabel>& table = scratch_.tables[node_type];
  if (table == nullptr) {
    table = std::make_unique<Relabel>(static_cast<uint64_t>(dataset_.node_types()[node_type].count),
                                      disjoint_, plan_.direct_limit(),
                                      dataset_.context()->huge_pages());
  }
  table->begin_batch();
  type.table = table.get();
  type.ids = IdArray(pool_, wide_, scratch_.expected_nodes[node_type]);
  if (disjoint_) {
    type.trees = IdArray(pool_, wide_, scratch_.expected_nodes[node_type]);
  }
}

void BatchWorker::reach_edges(size_t edge_type) {
  EdgeState& edges = edges_[edge_type];
  if (edges.reached) {
    return;
  }
  edges.reached = true;
  const int64_t expected = scratch_.expected_edges[edge_type];
  // The first of the two arrays has room for the second, which is copied behind it.
  const bool anchors_last = plan_.options().anchor_is_col();
  edges.anchors = IdArray(pool_, wide_, anchors_last ? expected : 2 * expected);
  edges.neighbors = IdArray(pool_, wide_, anchors_last ? 2 * expected : expected);
  if (plan_.options().edge_ids) {
    const bool wide = wide_ || dataset_.edge_types()[edge_type].count > Relabel::kMaxLocal;
    edges.edge_ids = IdArray(pool_, wide, expected);
  }
}

// ---- seeds -------------------------------------------------------------------------------------

Status BatchWorker::add_all_seeds() {
  if (!plan_.options().supervisions.empty()) {
    GLS_ASSIGN(anchors_,
               seeds_of_anchors(dataset_, plan_.options(), request_, key_, scratch_.picker));
    return add_lists(anchors_->lists, plan_.options().temporal());
  }
  if (request_.links.empty()) {
    for (const SeedSet& seeds : request_.seeds) {
      GLS_TRY(add_seeds(seeds));
    }
    return {};
  }
  GLS_ASSIGN(links_, find_link_seeds(plan_, request_, key_));
  return add_lists(links_.lists, links_.timed());
}

Status BatchWorker::add_lists(const std::vector<LinkSeeds::List>& lists, bool timed) {
  for (const LinkSeeds::List& list : lists) {
    GLS_TRY(add_seeds(seed_set(list, timed)));
  }
  return {};
}

Status BatchWorker::add_seeds(const SeedSet& seeds) {
  const NodeType& node_type = dataset_.node_types()[seeds.node_type];
  GLS_TRY(check_seed_ids(node_type, seeds.ids));
  GLS_TRY(check_seed_times(plan_.options(), node_type, seeds));
  if (seeds.ids.size() == 0) {
    return {};
  }
  if (disjoint_) {
    // The key of a node in a tree is tree * count + node, in 64 bits.
    const auto trees = tree_keys_.size() + static_cast<uint64_t>(seeds.ids.size());
    for (const NodeType& type : dataset_.node_types()) {
      if (static_cast<uint64_t>(type.count) > ~uint64_t{0} / trees) {
        return error(GLS_ERR_UNSUPPORTED,
                     "disjoint trees of {} seeds over the {} nodes of type \"{}\"; use smaller "
                     "batches",
                     trees, type.count, type.name)
            .with("argument", "seeds");
      }
    }
  }
  reach(seeds.node_type);
  NodeState& type = nodes_[seeds.node_type];
  IdArray local(pool_, wide_, seeds.ids.size());
  const bool wide_neighbors = type.table->wide_neighbors();
  for (int64_t begin = 0; begin < seeds.ids.size(); begin += kChunkPicks) {
    const int64_t count = std::min(kChunkPicks, seeds.ids.size() - begin);
    for (int64_t i = 0; i < count; ++i) {
      const auto id = static_cast<uint64_t>(seeds.ids[begin + i]);
      if (wide_neighbors) {
        static_cast<uint64_t*>(scratch_.neighbors)[i] = id;
      } else {
        static_cast<uint32_t*>(scratch_.neighbors)[i] = static_cast<uint32_t>(id);
      }
      if (disjoint_) {
        scratch_.edge_trees[i] = static_cast<uint32_t>(tree_keys_.size());
        tree_keys_.push_back(tree_key(key_, tree_keys_.size()));
      }
    }
    GLS_TRY(relabel(type, count, scratch_.edge_trees, local.at(begin)));
  }
  type.seed = local.finish(seeds.ids.size());
  if (plan_.options().temporal()) {
    IdArray times(pool_, true, seeds.ids.size());
    for (int64_t i = 0; i < seeds.times.size(); ++i) {
      times.set(i, seeds.times[i]);
      tree_times_.push_back(seeds.times[i]);
    }
    type.seed_time = times.finish(seeds.times.size());
  }
  return {};
}

// ---- hops --------------------------------------------------------------------------------------

Status BatchWorker::run_hop(size_t hop) {
  const bool in = plan_.options().direction == Direction::kIn;
  for (size_t t = 0; t < edges_.size(); ++t) {
    const EdgeType& type = dataset_.edge_types()[t];
    const int64_t fanout = plan_.options().fanouts[t][hop];
    EdgeState& edges = edges_[t];
    const int64_t before = edges.count;
    NodeState& anchor = nodes_[in ? type.target : type.source];
    if (fanout != 0 && anchor.frontier_end > anchor.frontier_begin) {
      const size_t neighbor_type = in ? type.source : type.target;
      reach(neighbor_type);
      reach_edges(t);
      Numbering numbering(this, &nodes_[neighbor_type], &edges);
      GLS_TRY(expand({t, &*type.topology(plan_.layout()),
                      frontier_of(anchor, anchor.frontier_begin, anchor.frontier_end), &edges,
                      &numbering, fanout,
                      row_word(static_cast<uint32_t>(hop), static_cast<uint32_t>(t)),
                      can_vectorise(t, fanout)}));
    }
    edges.per_hop.push_back(edges.count - before);
  }
  end_hop();
  return {};
}

void BatchWorker::end_hop() {
  for (NodeState& type : nodes_) {
    type.frontier_begin = type.frontier_end;
    type.frontier_end = type.count;
    type.per_hop.push_back(type.count - type.frontier_begin);
  }
}

Status BatchWorker::check_edges(int64_t count) const {
  const int64_t most = plan_.options().most.edges;
  if (count <= most) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "a batch of more than {} edges of one type; use smaller batches or fanouts", most);
}

Status BatchWorker::relabel(NodeState& type, int64_t count, const uint32_t* edge_trees, void* out) {
  const int64_t most = std::min(plan_.options().most.nodes, Relabel::kMaxLocal);
  if (type.count + count > most) {
    return error(GLS_ERR_UNSUPPORTED,
                 "a batch of more than {} nodes of one type; use smaller "
                 "batches or fanouts",
                 most);
  }
  type.ids.reserve(type.count + count, type.count);
  const auto next = static_cast<uint32_t>(type.count);
  if (disjoint_) {
    type.trees.reserve(type.count + count, type.count);
    type.count =
        type.table->run_disjoint(wide_, static_cast<const uint64_t*>(scratch_.neighbors),
                                 edge_trees, count, next, type.ids.data(), type.trees.data(), out);
    return {};
  }
  if (type.table->kind() == Relabel::Kind::kDirect) {
    // The vector kernel reads ahead, so a valid id must follow.
    auto* const neighbors = static_cast<uint32_t*>(scratch_.neighbors);
    std::fill_n(neighbors + count, kSlack, neighbors[count - 1]);
  }
  type.count = type.table->run(plan_.kernels().relabel[wide_ ? 1 : 0], wide_, scratch_.neighbors,
                               count, next, type.ids.data(), out);
  return {};
}

// ---- result ------------------------------------------------------------------------------------

std::shared_ptr<Batch> BatchWorker::finish() {
  auto batch = std::make_shared<Batch>();
  batch->dataset = plan_.dataset();
  batch->epoch = request_.epoch;
  batch->number = request_.batch;
  batch->num_hops = plan_.num_hops();
  for (size_t i = 0; i < links_.sets.size(); ++i) {
    const LinkSeeds& seeds = links_.sets[i];
    const auto ids_at = [&](const std::vector<int64_t>& places, size_t node_type) {
      return local_ids(places, nodes_[node_type].seed, pool_, wide_);
    };
    batch->links.push_back(link_arrays(
        request_.links[i], seeds, plan_.options().negatives.mode,
        {ids_at(seeds.source, seeds.source_type), ids_at(seeds.target, seeds.target_type),
         ids_at(seeds.negative, seeds.target_type)},
        pool_));
  }
  if (anchors_.has_value()) {
    std::vector<Tensor> local;
    for (const AnchorSeeds::Labels& labels : anchors_->labels) {
      local.push_back(local_ids(labels.places, nodes_[labels.node_type].seed, pool_, wide_));
    }
    batch->labels = label_arrays(plan_.options(), *anchors_, local);
  }
  const DLDataType dtype = wide_ ? kInt64 : kInt32;
  const auto empty = [&] { return Tensor(nullptr, nullptr, dtype, {0}, false); };
  for (size_t t = 0; t < nodes_.size(); ++t) {
    NodeState& type = nodes_[t];
    SampledNodes out;
    if (type.table != nullptr) {
      scratch_.expected_nodes[t] = with_margin(type.count);
      out.node = type.ids.finish(type.count);
      out.tree = disjoint_ ? type.trees.finish(type.count) : Tensor();
    } else {
      out.node = empty();
      out.tree = disjoint_ ? empty() : Tensor();
    }
    out.seed = type.seed.defined() ? std::move(type.seed) : empty();
    if (plan_.options().temporal()) {
      out.seed_time = type.seed_time.defined() ? std::move(type.seed_time)
                                               : Tensor(nullptr, nullptr, kInt64, {0}, false);
    }
    out.num_nodes = counts_tensor(type.per_hop);
    batch->nodes.push_back(std::move(out));
  }
  const bool anchor_is_col = plan_.options().anchor_is_col();
  if (plan_.options().subgraph == Subgraph::kSampled) {
    batch->frontier = anchor_is_col ? Frontier::kCol : Frontier::kRow;
    batch->frontier_is_target = plan_.options().direction == Direction::kIn;
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    EdgeState& type = edges_[t];
    SampledEdges out;
    if (type.reached) {
      scratch_.expected_edges[t] = with_margin(type.count);
      out.index = anchor_is_col ? type.neighbors.finish_with(type.anchors, type.count)
                                : type.anchors.finish_with(type.neighbors, type.count);
      out.edge = plan_.options().edge_ids ? type.edge_ids.finish(type.count) : Tensor();
    } else {
      out.index = no_edges(wide_);
      const bool wide_ids = wide_ || dataset_.edge_types()[t].count > Relabel::kMaxLocal;
      out.edge = plan_.options().edge_ids
                     ? Tensor(nullptr, nullptr, wide_ids ? kInt64 : kInt32, {0}, false)
                     : Tensor();
    }
    out.num_edges = counts_tensor(type.per_hop);
    batch->edges.push_back(std::move(out));
  }
  return batch;
}

}  // namespace gls
