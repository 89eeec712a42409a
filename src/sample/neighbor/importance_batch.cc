#include "sample/neighbor/importance_batch.h"

#include <algorithm>
#include <cstring>

#include "base/philox.h"
#include "sample/search/importance.h"

namespace gls {
namespace {

ImportanceScratch& scratch_of(SamplerScratch& scratch, size_t num_types) {
  if (scratch.near == nullptr) {
    scratch.near = std::make_unique<ImportanceScratch>();
    scratch.near->rows.resize(num_types);
  }
  for (ImportanceRows& rows : scratch.near->rows) {  // a failed batch may have left rows behind
    rows.clear();
  }
  return *scratch.near;
}

}  // namespace

Result<SeedSet> seeds_of_near(const Sampler& sampler, const SampleRequest& request) {
  if (!request.links.empty()) {
    return invalid("links are given, but this kind of sampler begins at nodes")
        .with("argument", "links");
  }
  const std::vector<NodeType>& types = sampler.dataset()->node_types();
  const std::optional<WalkPlan>& walks = sampler.walk_plan();
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

ImportanceBatch::ImportanceBatch(const Sampler& sampler, SamplerScratch& scratch,
                                 const SampleRequest& request)
    : sampler_(sampler),
      request_(request),
      dataset_(*sampler.dataset_),
      pool_(*dataset_.context()->buffers()),
      near_(scratch_of(scratch, dataset_.node_types().size())),
      wide_(!sampler.options_.int32),
      key_(batch_key(sampler.options_.seed, request.epoch, request.batch)),
      numbering_({dataset_, scratch, *sampler.kernels_, sampler.direct_limit_, wide_}),
      node_(dataset_.node_types().size()),
      per_hop_(dataset_.node_types().size()) {}

Result<std::shared_ptr<Batch>> ImportanceBatch::run() {
  GLS_TRY(read_seeds());
  if (!request_.exclude.empty()) {
    GLS_ASSIGN(excluded_, find_excluded(dataset_, sampler_.options_, request_.exclude));
  }
  GLS_TRY(sampler_.options_.importance.has_value() ? find_importance() : find_ppr());
  return finish();
}

Status ImportanceBatch::read_seeds() {
  GLS_ASSIGN(const SeedSet seeds, seeds_of_near(sampler_, request_));
  seed_type_ = seeds.node_type;
  seed_ = numbering_.number(seed_type_, seeds.ids);
  num_seeds_ = numbering_.count(seed_type_);
  for (size_t t = 0; t < per_hop_.size(); ++t) {
    per_hop_[t].push_back(numbering_.count(t));
  }
  return {};
}

std::vector<int64_t> ImportanceBatch::ids_of(int64_t begin, int64_t end) const {
  std::vector<int64_t> ids;
  for (int64_t local = begin; local < end; ++local) {
    ids.push_back(numbering_.id(seed_type_, local));
  }
  return ids;
}

Status ImportanceBatch::check_size() const {
  const int64_t most = std::min(sampler_.options_.most.nodes, Relabel::kMaxLocal);
  for (size_t t = 0; t < node_.size(); ++t) {
    if (near_.rows[t].size() + numbering_.count(t) > most) {
      return error(GLS_ERR_UNSUPPORTED,
                   "the batch has more than {} neighbours of type \"{}\"; use smaller batches",
                   most, dataset_.node_types()[t].name)
          .with("argument", "seeds");
    }
  }
  return {};
}

Status ImportanceBatch::find_importance() {
  const WalkPlan& plan = *sampler_.walk_plan_;
  ImportanceRows& rows = near_.rows[seed_type_];
  MostVisited finder(plan, *sampler_.options_.importance,
                     {dataset_, plan, sampler_.options_.direction, sampler_.weights_,
                      sampler_.excluded_, excluded_, *sampler_.kernels_, key_},
                     pool_);
  IdArray nodes(pool_, wide_, 0);
  int64_t done = 0;  // rows that have local ids
  int64_t begin = 0;
  for (size_t hop = 0; hop < sampler_.num_hops_; ++hop) {
    const int64_t end = numbering_.count(seed_type_);
    const std::vector<int64_t> frontier = ids_of(begin, end);
    for (int64_t from = 0; from < end - begin; from += kMostNodesUnchecked) {
      const int64_t count = std::min(kMostNodesUnchecked, end - begin - from);
      const auto part =
          std::span(frontier).subspan(static_cast<size_t>(from), static_cast<size_t>(count));
      GLS_TRY(finder.find(part, begin + from, static_cast<uint32_t>(hop), &rows));
      GLS_TRY(check_size());
    }
    const int64_t found = rows.size() - done;
    const Tensor local =
        numbering_.number(seed_type_, IdSpan(rows.node.data() + done, true, found));
    nodes.reserve(rows.size(), done);
    if (found > 0) {
      std::memcpy(nodes.at(done), local.data(), static_cast<size_t>(found * (wide_ ? 8 : 4)));
    }
    done = rows.size();
    for (size_t t = 0; t < per_hop_.size(); ++t) {
      per_hop_[t].push_back(t == seed_type_ ? numbering_.count(t) - end : 0);
    }
    begin = end;
  }
  node_[seed_type_] = nodes.finish(done);
  return {};
}

Status ImportanceBatch::find_ppr() {
  PprSearch search({dataset_, *sampler_.ppr_plan_, sampler_.excluded_, excluded_, key_},
                   near_.table);
  for (int64_t local = 0; local < num_seeds_; ++local) {
    GLS_TRY(search.run(seed_type_, numbering_.id(seed_type_, local), local, &near_.rows));
    GLS_TRY(check_size());
  }
  for (size_t t = 0; t < node_.size(); ++t) {
    node_[t] = numbering_.number(t, span_of(near_.rows[t].node));
    per_hop_[t].push_back(numbering_.count(t) - per_hop_[t][0]);
  }
  return {};
}

std::shared_ptr<Batch> ImportanceBatch::finish() {
  auto batch = std::make_shared<Batch>();
  batch->dataset = sampler_.dataset_;
  batch->epoch = request_.epoch;
  batch->number = request_.batch;
  batch->num_hops = sampler_.options_.importance.has_value() ? sampler_.num_hops_ : 1;
  const auto empty = [this] {
    return Tensor(nullptr, nullptr, wide_ ? kInt64 : kInt32, {0}, false);
  };
  const auto columns =
      static_cast<int64_t>(sampler_.ppr_plan_.has_value() ? sampler_.ppr_plan_->score_columns : 2);
  batch->near.resize(node_.size());
  for (size_t t = 0; t < node_.size(); ++t) {
    SampledNodes nodes;
    nodes.node = numbering_.finish(t);
    nodes.seed = t == seed_type_ ? seed_ : empty();
    nodes.num_nodes = counts_tensor(per_hop_[t]);
    batch->nodes.push_back(std::move(nodes));
    if (sampler_.walk_plan_.has_value() && t != seed_type_) {
      continue;  // importance has neighbours of one type only
    }
    const ImportanceRows& rows = near_.rows[t];
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
