#include "sample/remote/remote_sampling.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sample/neighbor/anchors.h"
#include "sample/pick/excluded_edges.h"
#include "sample/plan/make_plan.h"
#include "sample/plan/option_checks.h"
#include "sample/remote/fetched_graph.h"
#include "sample/remote/fetched_rows_method.h"
#include "sample/remote/remote_neighbor_method.h"
#include "sample/remote/remote_reverse_edges.h"

namespace gls {
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

SamplerOptions without_exclude(SamplerOptions options) {
  options.exclude.clear();
  return options;
}

// Whether the client reads whole rows: the method needs more than the picks of a frontier, or the
// source does not pick.
bool reads_rows(const SamplerPlan::Fields& plan) {
  return plan.method != Method::kNeighbors || plan.options.subgraph == Subgraph::kInduced ||
         !plan.dataset->source()->picks(plan.options);
}

// Refuses what needs the ids of edges that have none.
Status check_edge_ids(const SamplerPlan::Fields& plan) {
  const SamplerOptions& options = plan.options;
  const bool by_fanouts =
      plan.method == Method::kNeighbors && options.subgraph != Subgraph::kInduced;
  const std::vector<bool> followed = followed_types(*plan.dataset, options);
  for (size_t t = 0; t < followed.size(); ++t) {
    const EdgeType& type = plan.dataset->edge_types()[t];
    if (!type.remote || type.remote->edge_ids || (by_fanouts && !followed[t])) {
      continue;
    }
    const auto has = [&](const std::string& name) {
      return !name.empty() && type.find_column(name) != nullptr;
    };
    const char* const argument = options.edge_ids                             ? "flags"
                                 : has(options.weight)                        ? "weight"
                                 : has(options.edge_time)                     ? "edge_time"
                                 : options.exclude_mode != ExcludeMode::kSelf ? "exclude"
                                                                              : nullptr;
    if (argument != nullptr) {
      return error(GLS_ERR_UNSUPPORTED,
                   "{}: this needs the ids of edges, and the store of \"{}\" has none", argument,
                   type.joined)
          .with("argument", argument)
          .with("type", type.joined);
    }
  }
  return {};
}

}  // namespace

RemotePreparation::RemotePreparation(std::shared_ptr<const Dataset> dataset,
                                     const SamplerOptions& options)
    : dataset_(std::move(dataset)),
      kept_exclude_(copies_of(options.exclude, *dataset_->context()->buffers())),
      options_(without_exclude(options)) {}

Result<std::unique_ptr<const RemotePreparation>> RemotePreparation::open(
    std::shared_ptr<const Dataset> dataset, const SamplerOptions& options) {
  std::unique_ptr<RemotePreparation> out(new RemotePreparation(std::move(dataset), options));
  SamplerOptions rows;
  rows.direction = Direction::kOut;
  if (anchor_type(*out->dataset_, options).has_value()) {
    GLS_ASSIGN(out->label_rows_, open_rows(*out->dataset_, rows));
  }
  rows.direction = options.direction;
  if (options.exclude_mode != ExcludeMode::kSelf) {
    GLS_ASSIGN(out->pair_rows_, open_rows(*out->dataset_, rows));
  }
  return std::unique_ptr<const RemotePreparation>(std::move(out));
}

Result<std::vector<EdgeSet>> RemotePreparation::excluded_with_reverses(
    const std::vector<EdgeSet>& sets) const {
  if (pair_rows_ == nullptr) {
    return sets;
  }
  return with_reverses(*dataset_, options_, *pair_rows_, sets);
}

Result<SampleRequest> RemotePreparation::prepare(const SampleRequest& request) const {
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
  GLS_ASSIGN(out.exclude, excluded_with_reverses(out.exclude));
  return out;
}

Result<RemoteSampling> open_remote_sampling(std::shared_ptr<const Dataset> dataset,
                                            SamplerOptions options, const kernels::Table* table) {
  SamplerPlan::Fields plan = begin_plan(std::move(dataset), std::move(options), table);
  const Dataset& whole = *plan.dataset;
  for (const EdgeSet& set : plan.options.exclude) {
    GLS_TRY(check_edge_set(whole, set));
  }
  if (plan.method == Method::kNeighbors && plan.options.subgraph != Subgraph::kInduced) {
    GLS_TRY(check_neighborhoods(plan));
  }
  GLS_TRY(check_shared_options(plan));
  GLS_TRY(check_edge_ids(plan));
  RemoteSampling out;
  GLS_ASSIGN(out.preparation, RemotePreparation::open(plan.dataset, plan.options));
  GLS_ASSIGN(plan.options.exclude, out.preparation->excluded_with_reverses(plan.options.exclude));
  if (reads_rows(plan)) {
    const SamplerOptions of_rows = plan.options;
    plan.options.exclude.clear();  // only borrowed
    GLS_ASSIGN(out.plan, plan_fetched_rows(std::move(plan)));
    GLS_ASSIGN(auto rows, open_rows(whole, of_rows));
    out.method = std::make_unique<FetchedRowsMethod>(out.plan, std::move(rows));
    return out;
  }
  GLS_TRY(check_id_width(plan));
  GLS_ASSIGN(auto hops, whole.source()->open_hops(plan.options));
  plan.options.exclude.clear();  // only borrowed
  const size_t types = whole.edge_types().size();
  plan.times.resize(types);
  plan.weights.resize(types);
  plan.excluded.resize(types);
  out.plan = std::make_shared<const SamplerPlan>(std::move(plan));
  out.method = std::make_unique<RemoteNeighborMethod>(out.plan, std::move(hops));
  return out;
}

}  // namespace gls
