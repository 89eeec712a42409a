// What a sampler of a remote graph consists of. The owners of rows pick from them, or the client
// fetches the rows and picks itself. See docs/decisions/0037-sources.md, 0041-rows.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/graph_source.h"
#include "query/sampler_options.h"
#include "sample/drivers/sampling_method.h"
#include "sample/kernels/kernels.h"
#include "sample/plan/sampler_plan.h"

namespace gls {

// Fetches what is needed before the first hop of a batch: labels of anchors, and the reverse edges
// of excluded edges.
class RemotePreparation {
 public:
  // Opens the sources of these rows.
  static Result<std::unique_ptr<const RemotePreparation>> open(
      std::shared_ptr<const Dataset> dataset, const SamplerOptions& options);

  // These edges with their reverse edges, if the options exclude those.
  Result<std::vector<EdgeSet>> excluded_with_reverses(const std::vector<EdgeSet>& sets) const;
  // The request with its labels and all its excluded edges.
  Result<SampleRequest> prepare(const SampleRequest& request) const;
  // A copy of the options' `exclude` as the caller gave it. Not set: it is too long to keep.
  const std::optional<std::vector<EdgeSet>>& kept_exclude() const { return kept_exclude_; }

 private:
  RemotePreparation(std::shared_ptr<const Dataset> dataset, const SamplerOptions& options);

  const std::shared_ptr<const Dataset> dataset_;
  const std::optional<std::vector<EdgeSet>> kept_exclude_;
  SamplerOptions options_;                       // without `exclude`, which is only borrowed
  std::shared_ptr<const HopSource> label_rows_;  // NULL: no labels of edge types
  std::shared_ptr<const HopSource> pair_rows_;   // NULL: no reverse edges
};

struct RemoteSampling {
  std::shared_ptr<const SamplerPlan> plan;
  std::unique_ptr<const SamplingMethod> method;
  std::unique_ptr<const RemotePreparation> preparation;
};

// Checks the options, and opens the sources. The code that picks also checks weights, times and
// excluded edges.
Result<RemoteSampling> open_remote_sampling(std::shared_ptr<const Dataset> dataset,
                                            SamplerOptions options, const kernels::Table* table);

}  // namespace gls
