#include "sample/sampler.h"

#include <algorithm>
#include <utility>

#include "sample/plan/make_plan.h"
#include "sample/plan/supervisions.h"

namespace gls {
namespace {

// Whether the topologies are here, and all columns that picks depend on.
bool samples_here(const Dataset& dataset, const SamplerOptions& options) {
  const auto is_here = [](const auto& type, const std::string& name) {
    const Column* const column = name.empty() ? nullptr : type.find_column(name);
    return column == nullptr || column->is_local();
  };
  const auto& nodes = dataset.node_types();
  const auto& edges = dataset.edge_types();
  return dataset.topology_source() == nullptr &&
         std::all_of(nodes.begin(), nodes.end(),
                     [&](const NodeType& type) { return is_here(type, options.node_time); }) &&
         std::all_of(edges.begin(), edges.end(), [&](const EdgeType& type) {
           return is_here(type, options.weight) && is_here(type, options.edge_time) &&
                  is_here(type, options.reverse_column);
         });
}

}  // namespace

Sampler::Sampler(std::shared_ptr<const SamplerPlan> plan,
                 std::unique_ptr<const SamplingMethod> method,
                 std::unique_ptr<const RemotePreparation> remote)
    : plan_(std::move(plan)),
      method_(std::move(method)),
      remote_(std::move(remote)),
      scratch_(plan_->dataset()) {}

Result<std::shared_ptr<const Sampler>> Sampler::create(std::shared_ptr<const Dataset> dataset,
                                                       SamplerOptions options,
                                                       const kernels::Table* table) {
  if (dataset->source() != nullptr && !samples_here(*dataset, options)) {
    GLS_ASSIGN(RemoteSampling remote,
               open_remote_sampling(std::move(dataset), std::move(options), table));
    return std::shared_ptr<const Sampler>(new Sampler(
        std::move(remote.plan), std::move(remote.method), std::move(remote.preparation)));
  }
  GLS_ASSIGN(std::shared_ptr<const SamplerPlan> plan,
             plan_local(std::move(dataset), std::move(options), table));
  auto method = make_method(plan);
  return std::shared_ptr<const Sampler>(new Sampler(std::move(plan), std::move(method), nullptr));
}

const std::optional<std::vector<EdgeSet>>& Sampler::kept_exclude() const {
  static const std::optional<std::vector<EdgeSet>> kNone;
  return remote_ != nullptr ? remote_->kept_exclude() : kNone;
}

Result<std::shared_ptr<Batch>> Sampler::sample(const SampleRequest& request) const {
  if (remote_ == nullptr) {
    return sample_prepared(request);
  }
  GLS_ASSIGN(const SampleRequest prepared, remote_->prepare(request));
  return sample_prepared(prepared);
}

Result<std::shared_ptr<Batch>> Sampler::sample_prepared(const SampleRequest& request) const {
  if (options().supervisions.empty()) {
    GLS_TRY(check_given_labels(options(), request.labels, 0, "labels"));
  }
  std::unique_ptr<SamplerScratch> scratch = scratch_.borrow();
  Result<std::shared_ptr<Batch>> batch = method_->sample(request, *scratch);
  scratch_.give_back(std::move(scratch));
  GLS_TRY(dataset()->check_files());  // may also cause other errors
  return batch;
}

}  // namespace gls
