// The sampler over a dataset: a plan, the method that makes its batches, and memory that batches
// reuse. See docs/decisions/0094-sampler-plan-and-methods.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"
#include "sample/batch/batch.h"
#include "sample/drivers/sampling_method.h"
#include "sample/kernels/kernels.h"
#include "sample/links/negatives.h"
#include "sample/neighbor/sampler_scratch.h"
#include "sample/plan/sampler_plan.h"
#include "sample/remote/remote_sampling.h"

namespace gls {

class Sampler : public std::enable_shared_from_this<Sampler> {
 public:
  // `table`: the kernels of benchmarks over a local dataset; NULL: those that the context's
  // settings choose.
  static Result<std::shared_ptr<const Sampler>> create(std::shared_ptr<const Dataset> dataset,
                                                       SamplerOptions options,
                                                       const kernels::Table* table = nullptr);

  // Any number of threads may call it at once. Works on the calling thread.
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request) const;

  // Frees the memory that is reused across batches.
  void trim() const { scratch_.trim(); }

  // Made when links of an edge type are first seeds.
  Result<std::shared_ptr<const NegativeSampler>> negatives(size_t edge_type) const {
    return plan_->negatives()->get(edge_type);
  }

  const SamplerPlan& plan() const { return *plan_; }
  const SamplingMethod& method() const { return *method_; }
  const ScratchPool& scratch() const { return scratch_; }

  const std::shared_ptr<const Dataset>& dataset() const { return plan_->dataset(); }
  const SamplerOptions& options() const { return plan_->options(); }
  size_t num_hops() const { return plan_->num_hops(); }
  // Of walks, including the walks of importance; else not set.
  const std::optional<WalkPlan>& walk_plan() const { return plan_->walk_plan(); }
  // Whether the options name edges that no batch uses.
  bool names_excluded() const { return plan_->names_excluded(); }
  // For a remote graph: a copy of the options' `exclude`, so that servers can make this sampler's
  // batches. Not set: it is too long to keep, or the graph is local.
  const std::optional<std::vector<EdgeSet>>& kept_exclude() const;

 private:
  Sampler(std::shared_ptr<const SamplerPlan> plan, std::unique_ptr<const SamplingMethod> method,
          std::unique_ptr<const RemotePreparation> remote);
  Result<std::shared_ptr<Batch>> sample_prepared(const SampleRequest& request) const;

  const std::shared_ptr<const SamplerPlan> plan_;
  const std::unique_ptr<const SamplingMethod> method_;
  const std::unique_ptr<const RemotePreparation> remote_;  // NULL: the graph is local
  const ScratchPool scratch_;
};

}  // namespace gls
