#include "sample/drivers/hgt_method.h"

#include <utility>

#include "base/float_mode.h"
#include "base/philox.h"
#include "host_device/hgt_rule.h"
#include "sample/methods/hgt_budget.h"
#include "sample/neighbor/batch_worker.h"

namespace gls {
namespace {

HgtBudget& budget_of(SamplerScratch& scratch) {
  if (scratch.hgt == nullptr) {
    scratch.hgt = std::make_unique<HgtBudget>();
  }
  return *scratch.hgt;
}

class HgtBatch {
 public:
  HgtBatch(const SamplerPlan& plan, SamplerScratch& scratch, const SampleRequest& request);
  Result<std::shared_ptr<Batch>> run();

 private:
  Status take_seeds();
  // Adds the shares of the new nodes to the scores.
  Status share_out(NodeRows& rows);
  Status share_out(NodeRows& rows, size_t type, int64_t node);
  void draw(size_t hop);
  // The batch of the found nodes, with the edges between them.
  Result<std::shared_ptr<Batch>> with_edges();

  const SamplerPlan& plan_;
  const HgtPlan& hgt_;
  SamplerScratch& scratch_;
  const SampleRequest& request_;
  const Dataset& dataset_;
  HgtBudget& budget_;
  // By node type, as dataset ids.
  std::vector<std::vector<int64_t>> nodes_;  // the given seeds, then the drawn nodes
  std::vector<std::vector<int64_t>> new_;    // nodes whose shares were not added yet
  std::vector<int64_t> num_given_;           // number of seeds
  std::vector<std::vector<int64_t>> per_hop_;
};

HgtBatch::HgtBatch(const SamplerPlan& plan, SamplerScratch& scratch, const SampleRequest& request)
    : plan_(plan),
      hgt_(*plan.hgt_plan()),
      scratch_(scratch),
      request_(request),
      dataset_(*plan.dataset()),
      budget_(budget_of(scratch)),
      nodes_(dataset_.node_types().size()),
      new_(dataset_.node_types().size()),
      num_given_(dataset_.node_types().size()),
      per_hop_(dataset_.node_types().size()) {
  budget_.start(nodes_.size());
}

// The seeds of a request by node type, in the given order; an error names the first that is not a
// node.
Result<std::vector<std::vector<int64_t>>> seeds_of_hgt(const SamplerPlan& plan,
                                                       const SampleRequest& request) {
  if (!request.links.empty()) {
    return invalid("links are given, but this kind of sampler begins at nodes")
        .with("argument", "links");
  }
  const std::vector<NodeType>& types = plan.dataset()->node_types();
  std::vector<std::vector<int64_t>> out(types.size());
  for (const SeedSet& set : request.seeds) {
    GLS_TRY(check_seed_ids(types[set.node_type], set.ids));
    GLS_TRY(check_seed_times(plan.options(), types[set.node_type], set));
    for (int64_t i = 0; i < set.ids.size(); ++i) {
      out[set.node_type].push_back(set.ids[i]);
    }
  }
  return out;
}

Result<std::shared_ptr<Batch>> HgtBatch::run() {
  GLS_TRY(take_seeds());
  std::vector<ExcludedEdges> excluded;
  if (!request_.exclude.empty()) {
    GLS_ASSIGN(excluded, find_excluded(dataset_, plan_.options(), request_.exclude));
  }
  NodeRows rows({dataset_, hgt_.steps, plan_.excluded(), excluded,
                 batch_key(plan_.options().seed, request_.epoch, request_.batch),
                 hgt_.options.most_neighbors});
  for (size_t hop = 0; hop < hgt_.options.num_hops; ++hop) {
    GLS_TRY(share_out(rows));
    draw(hop);
  }
  return with_edges();
}

Status HgtBatch::take_seeds() {
  GLS_ASSIGN(nodes_, seeds_of_hgt(plan_, request_));
  for (size_t t = 0; t < nodes_.size(); ++t) {
    for (const int64_t node : nodes_[t]) {
      if (budget_.take(t, node)) {
        new_[t].push_back(node);
      }
    }
    num_given_[t] = std::ssize(nodes_[t]);
    per_hop_[t].push_back(std::ssize(new_[t]));
  }
  return {};
}

Status HgtBatch::share_out(NodeRows& rows) {
  for (size_t t = 0; t < new_.size(); ++t) {
    for (const int64_t node : new_[t]) {
      GLS_TRY(share_out(rows, t, node));
    }
  }
  return {};
}

Status HgtBatch::share_out(NodeRows& rows, size_t type, int64_t node) {
  GLS_ASSIGN(const int64_t considered, rows.read(static_cast<uint32_t>(type), node));
  if (static_cast<int64_t>(budget_.num_met()) + considered > kMostWeighted) {
    return error(GLS_ERR_UNSUPPORTED,
                 "the batch is next to more than {} nodes; use smaller batches or most_neighbors",
                 kMostWeighted)
        .with("argument", "seeds");
  }
  for (const NodeRows::Row& row : rows.rows()) {
    const double share = hgt_share(row.count);  // unused if the row is empty
    for (int64_t from = 0; from < row.count; from += NodeRows::kBlock) {
      GLS_ASSIGN(const std::span<const int64_t> neighbors, rows.neighbors(row, from));
      for (const int64_t neighbor : neighbors) {
        budget_.prefetch(row.step->to, neighbor);
      }
      for (const int64_t neighbor : neighbors) {
        budget_.add(row.step->to, neighbor, share);
      }
    }
  }
  return {};
}

void HgtBatch::draw(size_t hop) {
  const uint64_t key = hgt_key(plan_.options().seed, request_.epoch, request_.batch);
  for (size_t t = 0; t < nodes_.size(); ++t) {
    const uint32_t word = row_word(static_cast<uint32_t>(hop), static_cast<uint32_t>(t));
    RowDraws draws(key, word, 0);
    new_[t].clear();
    budget_.draw(t, draws, hgt_.options.samples[t][hop], &new_[t]);
    nodes_[t].insert(nodes_[t].end(), new_[t].begin(), new_[t].end());
    per_hop_[t].push_back(std::ssize(new_[t]));
  }
}

Result<std::shared_ptr<Batch>> HgtBatch::with_edges() {
  SampleRequest request;
  request.epoch = request_.epoch;
  request.batch = request_.batch;
  request.exclude = request_.exclude;
  // As seeds, they are numbered in this order.
  for (size_t t = 0; t < nodes_.size(); ++t) {
    request.seeds.push_back({t, span_of(nodes_[t])});
  }
  const bool whole = plan_.options().subgraph != Subgraph::kSampled;
  GLS_ASSIGN(
      std::shared_ptr<Batch> batch,
      BatchWorker(plan_, scratch_, request).run_induced(whole ? -1 : hgt_.options.most_neighbors));
  for (size_t t = 0; t < nodes_.size(); ++t) {
    SampledNodes& out = batch->nodes[t];
    const Tensor& local = out.seed;
    out.seed = Tensor(local.owner(), local.data(), local.dtype(), {num_given_[t]}, false);
    out.num_nodes = counts_tensor(per_hop_[t]);
  }
  return batch;
}

}  // namespace

Result<std::shared_ptr<Batch>> HgtMethod::sample(const SampleRequest& request,
                                                 SamplerScratch& scratch) const {
  const DefaultFloatMode float_mode;
  return HgtBatch(plan(), scratch, request).run();
}

Result<std::optional<std::vector<SeedSet>>> HgtMethod::node_seeds(
    const SampleRequest& request, std::vector<std::vector<int64_t>>* memory) const {
  GLS_ASSIGN(*memory, seeds_of_hgt(plan(), request));
  std::vector<SeedSet> seeds;
  seeds.reserve(memory->size());
  for (size_t t = 0; t < memory->size(); ++t) {
    seeds.push_back({t, span_of((*memory)[t]), {}});
  }
  return std::optional(std::move(seeds));
}

}  // namespace gls
