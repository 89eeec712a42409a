// Samplers of remote graphs. The owners of rows pick from them, or the client fetches the rows and
// picks itself. See docs/decisions/0037-sources.md, 0041-rows.md.
#include <algorithm>
#include <cstring>
#include <utility>

#include "query/graph_query.h"
#include "sample/neighbor/anchors.h"
#include "sample/neighbor/batch_worker.h"
#include "sample/neighbor/sampler.h"
#include "sample/pick/excluded_edges.h"
#include "sample/remote/fetched_graph.h"
#include "sample/remote/remote_reverse_edges.h"

namespace gls {
// Whether the options need more than picks of a frontier.
bool Sampler::reads_rows() const {
  return options_.walk.has_value() || options_.importance.has_value() || options_.ppr.has_value() ||
         options_.hgt.has_value() || options_.subgraph == Subgraph::kInduced;
}

namespace {

// A copy of the edges as they were given.
std::optional<std::vector<EdgeSet>> copies_of(const std::vector<EdgeSet>& sets, BufferPool& pool) {
  constexpr uint64_t kMostBytes = uint64_t{16} << 20;
  uint64_t bytes = 0;
  std::vector<EdgeSet> out;
  for (const auto& [edge_type, edges] : sets) {
    const auto row = static_cast<size_t>(edges.row_bytes());
    const auto rows = static_cast<size_t>(edges.rows());
    bytes += row * rows;
    if (bytes > kMostBytes) {
      return {};
    }
    auto memory = std::make_shared<Buffer>(pool.acquire(std::max<size_t>(row * rows, 1)));
    for (size_t i = 0; row > 0 && i < rows; ++i) {
      std::memcpy(memory->as<>() + i * row,
                  edges.data() + static_cast<int64_t>(i) * edges.row_stride(), row);
    }
    const std::byte* const data = memory->as<>();
    out.push_back({edge_type, Tensor(std::move(memory), data, edges.dtype(), edges.shape())});
  }
  return out;
}

}  // namespace

// The code that picks also checks weights, times and excluded edges.
Result<std::shared_ptr<const Sampler>> Sampler::create_elsewhere(std::shared_ptr<Sampler> sampler) {
  const Dataset& dataset = *sampler->dataset_;
  SamplerOptions& options = sampler->options_;
  for (const EdgeSet& set : options.exclude) {
    GLS_TRY(check_edge_set(dataset, set));
  }
  sampler->kept_exclude_ = copies_of(options.exclude, *dataset.context()->buffers());
  if (!sampler->reads_rows()) {
    GLS_TRY(sampler->check_options());
  }
  GLS_TRY(check_supervisions(dataset, options));
  GLS_TRY(sampler->check_reverse());
  GLS_TRY(check_times(dataset, options));
  GLS_TRY(sampler->open_sources());
  if (sampler->pair_rows_ != nullptr) {
    GLS_ASSIGN(options.exclude,
               with_reverses(dataset, options, *sampler->pair_rows_, options.exclude));
  }
  if (sampler->reads_rows()) {
    GLS_TRY(sampler->open_rows_elsewhere());
  } else {
    GLS_TRY(sampler->check_ids());
    GLS_ASSIGN(sampler->hops_, dataset.source()->open_hops(options));
    const size_t types = dataset.edge_types().size();
    sampler->times_.resize(types);
    sampler->weights_.resize(types);
    sampler->excluded_.resize(types);
  }
  options.exclude.clear();  // only borrowed
  return std::shared_ptr<const Sampler>(std::move(sampler));
}

// Opens the sources of the rows that are read before the first hop.
Status Sampler::open_sources() {
  SamplerOptions rows;
  rows.direction = Direction::kOut;
  if (anchor_type(*dataset_, options_).has_value()) {
    GLS_ASSIGN(label_rows_, open_rows(*dataset_, rows));
  }
  rows.direction = options_.direction;
  if (options_.exclude_mode != ExcludeMode::kSelf) {
    GLS_ASSIGN(pair_rows_, open_rows(*dataset_, rows));
  }
  return {};
}

// Asks for what is needed before the first hop: labels of anchors, and reverse edges of excluded
// edges.
Result<SampleRequest> Sampler::ask_first(const SampleRequest& request) const {
  SampleRequest out = request;
  if (label_rows_ != nullptr) {
    GLS_ASSIGN(FoundLabels found, find_labels(*dataset_, options_, request, *label_rows_));
    out.labels = std::move(found.labels);
    out.labels_found = true;
    out.exclude.insert(out.exclude.end(), found.exclude.begin(), found.exclude.end());
  }
  if (pair_rows_ == nullptr) {
    return out;
  }
  for (size_t i = 0; options_.exclude_links && i < request.links.size(); ++i) {
    const EdgeSet links = {request.links[i].edge_type, request.links[i].links};
    if (check_edge_set(*dataset_, links).ok()) {  // otherwise sampling reports the fault
      out.exclude.push_back(links);
    }
  }
  GLS_ASSIGN(out.exclude, with_reverses(*dataset_, options_, *pair_rows_, out.exclude));
  return out;
}

// The plans and errors are those of the same sampler over an empty graph.
Status Sampler::open_rows_elsewhere() {
  FetchedGraph none({*dataset_, options_, nullptr, layout_, 0, 0, {}});
  GLS_ASSIGN(auto nothing, none.dataset());
  GLS_ASSIGN(plans_, over(std::move(nothing)));
  num_hops_ = plans_->num_hops_;
  walk_plan_ = plans_->walk_plan_;
  ppr_plan_ = plans_->ppr_plan_;
  hgt_plan_ = plans_->hgt_plan_;
  GLS_ASSIGN(row_source_, open_rows(*dataset_, options_));
  return {};
}

Result<std::shared_ptr<const Sampler>> Sampler::over(std::shared_ptr<const Dataset> fetched) const {
  SamplerOptions options = options_;
  options.exclude.clear();  // the source of the rows excludes them
  options.exclude_links = false;
  options.exclude_mode = ExcludeMode::kSelf;
  std::shared_ptr<Sampler> sampler(new Sampler(std::move(fetched), std::move(options), kernels_));
  sampler->asked_for_ = this;
  sampler->direct_limit_ = 0;  // it makes one batch; tables by node would take longer than that
  return create_here(std::move(sampler));
}

namespace {

// Converts links given by id to pairs of ends, because fetched rows do not hold the ids.
Result<LinkSet> by_ends(const Dataset& dataset, const LinkSet& links) {
  LinkSet out = links;
  if (links.links.shape().size() != 1) {
    return out;
  }
  GLS_ASSIGN(const IdSpan ids, IdSpan::of(links.links, "links"));
  std::vector<int64_t> targets;
  auto ends = std::make_shared<std::vector<int64_t>>();
  GLS_TRY(find_edge_ends(dataset, links.edge_type, ids, "links", ends.get(), &targets));
  ends->insert(ends->end(), targets.begin(), targets.end());
  const int64_t* const data = ends->data();
  out.links = Tensor(std::move(ends), data, kInt64, {2, ids.size()});
  return out;
}

}  // namespace

// A batch is a function of the rows that it reads. It is made from the fetched rows, as if all
// other rows were empty. If it read a missing row, that is fetched, and the batch is made again.
Result<std::shared_ptr<Batch>> Sampler::sample_by_rows(const SampleRequest& request) const {
  for (const EdgeSet& set : request.exclude) {
    GLS_TRY(check_edge_set(*dataset_, set));
  }
  SampleRequest here = request;
  here.exclude.clear();
  std::vector<EdgeSet> exclude = request.exclude;
  for (LinkSet& set : here.links) {
    const EdgeSet links = {set.edge_type, set.links};
    if (options_.exclude_links && check_edge_set(*dataset_, links).ok()) {
      exclude.push_back(links);
    }
    GLS_ASSIGN(set, by_ends(*dataset_, set));
  }
  FetchedGraph graph({*dataset_, options_, row_source_.get(), layout_, request.epoch, request.batch,
                      std::move(exclude)});
  for (;;) {
    GLS_ASSIGN(auto rows, graph.dataset());
    GLS_ASSIGN(const auto sampler, over(std::move(rows)));
    Result<std::shared_ptr<Batch>> batch = sampler->sample(here);
    if (graph.complete()) {
      if (batch.ok()) {
        (*batch)->dataset = dataset_;
      }
      return batch;
    }
    if (!batch.ok() && batch.status().code() == GLS_ERR_OUT_OF_MEMORY) {
      return batch;
    }
    GLS_TRY(graph.fetch());
  }
}

}  // namespace gls
