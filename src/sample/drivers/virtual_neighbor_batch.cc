#include "sample/drivers/virtual_neighbor_batch.h"

#include <algorithm>
#include <cstring>

#include "base/philox.h"
#include "sample/neighbor/request_seeds.h"

namespace gls {
namespace {

VirtualNeighborScratch& scratch_of(SamplerScratch& scratch, size_t num_types) {
  std::unique_ptr<VirtualNeighborScratch>& out = scratch.virtual_neighbors;
  if (out == nullptr) {
    out = std::make_unique<VirtualNeighborScratch>();
    out->rows.resize(num_types);
  }
  for (ImportanceRows& rows : out->rows) {  // a failed batch may have left rows behind
    rows.clear();
  }
  return *out;
}

}  // namespace

Result<SeedSet> seeds_of_one_type(const SamplerPlan& plan, const SampleRequest& request) {
  if (!request.links.empty()) {
    return invalid("links are given, but this kind of sampler begins at nodes")
        .with("argument", "links");
  }
  const std::vector<NodeType>& types = plan.dataset()->node_types();
  const std::optional<WalkPlan>& walks = plan.walk_plan();
  SeedSet out = {0, {}, {}};
  if (walks.has_value()) {
    out.node_type = walks->node_type();
  } else if (!request.seeds.empty()) {
    out.node_type = request.seeds[0].node_type;
  }
  for (const SeedSet& set : request.seeds) {
    if (set.node_type != out.node_type) {
      return invalid("seeds: of type \"{}\", expected only \"{}\"{}", types[set.node_type].name,
                     types[out.node_type].name,
                     walks.has_value() ? ", at which walks begin" : ", as the first")
          .with("argument", "seeds");
    }
    if (set.times.data() != nullptr) {
      return invalid("times are given, but this kind of sampler does not go by times")
          .with("argument", "times");
    }
  }
  if (!request.seeds.empty()) {
    out.ids = request.seeds[0].ids;
  }
  GLS_TRY(check_seed_ids(types[out.node_type], out.ids));
  return out;
}

VirtualNeighborBatch::VirtualNeighborBatch(const SamplerPlan& plan, SamplerScratch& scratch,
                                           const SampleRequest& request)
    : plan_(plan),
      dataset_(*plan.dataset()),
      pool_(*dataset_.context()->buffers()),
      scratch_(scratch_of(scratch, dataset_.node_types().size())),
      wide_(!plan.options().int32),
      key_(batch_key(plan.options().seed, request.epoch, request.batch)),
      numbering_({dataset_, scratch, plan.kernels(), plan.direct_limit(), wide_}),
      node_(dataset_.node_types().size()),
      per_hop_(dataset_.node_types().size()),
      request_(request) {}

Result<std::shared_ptr<Batch>> VirtualNeighborBatch::run() {
  GLS_TRY(read_seeds());
  if (!request_.exclude.empty()) {
    GLS_ASSIGN(excluded_, find_excluded(dataset_, plan_.options(), request_.exclude));
  }
  GLS_TRY(find());
  return finish();
}

Status VirtualNeighborBatch::read_seeds() {
  GLS_ASSIGN(const SeedSet seeds, seeds_of_one_type(plan_, request_));
  seed_type_ = seeds.node_type;
  seed_ = numbering_.number(seed_type_, seeds.ids);
  num_seeds_ = numbering_.count(seed_type_);
  for (size_t t = 0; t < per_hop_.size(); ++t) {
    per_hop_[t].push_back(numbering_.count(t));
  }
  return {};
}

Status VirtualNeighborBatch::check_size() const {
  const int64_t most = std::min(plan_.options().most.nodes, Relabel::kMaxLocal);
  for (size_t t = 0; t < node_.size(); ++t) {
    if (scratch_.rows[t].size() + numbering_.count(t) > most) {
      return error(GLS_ERR_UNSUPPORTED,
                   "the batch has more than {} neighbours of type \"{}\"; use smaller batches",
                   most, dataset_.node_types()[t].name)
          .with("argument", "seeds");
    }
  }
  return {};
}

std::shared_ptr<Batch> VirtualNeighborBatch::finish() {
  auto batch = std::make_shared<Batch>();
  batch->dataset = plan_.dataset();
  batch->epoch = request_.epoch;
  batch->number = request_.batch;
  batch->num_hops = plan_.num_hops();
  const auto empty = [this] {
    return Tensor(nullptr, nullptr, wide_ ? kInt64 : kInt32, {0}, false);
  };
  const auto columns =
      static_cast<int64_t>(plan_.ppr_plan().has_value() ? plan_.ppr_plan()->score_columns : 2);
  batch->near.resize(node_.size());
  for (size_t t = 0; t < node_.size(); ++t) {
    SampledNodes nodes;
    nodes.node = numbering_.finish(t);
    nodes.seed = t == seed_type_ ? seed_ : empty();
    nodes.num_nodes = counts_tensor(per_hop_[t]);
    batch->nodes.push_back(std::move(nodes));
    if (plan_.walk_plan().has_value() && t != seed_type_) {
      continue;  // importance has neighbours of one type only
    }
    const ImportanceRows& rows = scratch_.rows[t];
    IdArray seeds(pool_, wide_, rows.size());
    for (int64_t i = 0; i < rows.size(); ++i) {
      seeds.set(i, rows.seed[static_cast<size_t>(i)]);
    }
    const size_t bytes = rows.score.size() * sizeof(float);
    auto scores = std::make_shared<Buffer>(pool_.acquire(std::max<size_t>(bytes, 1)));
    if (bytes > 0) {
      std::memcpy(scores->as<>(), rows.score.data(), bytes);
    }
    const void* const start = scores->as<>();
    batch->near[t] = {seeds.finish(rows.size()),
                      node_[t],
                      Tensor(std::move(scores), start, kFloat32, {rows.size(), columns}, false),
                      {}};
  }
  for (size_t t = 0; t < dataset_.edge_types().size(); ++t) {
    SampledEdges out;
    out.index = no_edges(wide_);
    out.num_edges = counts_tensor(std::vector<int64_t>(batch->num_hops, 0));
    batch->edges.push_back(std::move(out));
  }
  return batch;
}

}  // namespace gls
