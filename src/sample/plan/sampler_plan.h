// Everything that a sampler knows before its first batch: its options, checked against the dataset,
// and what follows from them. A plan never changes, so all threads and methods share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"
#include "sample/kernels/kernels.h"
#include "sample/links/negative_samplers.h"
#include "sample/methods/hgt_plan.h"
#include "sample/methods/ppr_plan.h"
#include "sample/methods/walk_plan.h"
#include "sample/pick/excluded_edges.h"
#include "sample/pick/pick.h"
#include "sample/pick/time_rule.h"

namespace gls {

// The methods of docs/contract.md: sections 3, 6, 8, 9 and 11.
enum class Method : uint8_t { kNeighbors, kWalks, kImportance, kPpr, kHgt };

class SamplerPlan {
 public:
  struct Fields {
    std::shared_ptr<const Dataset> dataset;
    SamplerOptions options;  // without `exclude`, which is only borrowed
    bool names_excluded = false;
    Method method = Method::kNeighbors;
    Layout layout = Layout::kCsc;
    const kernels::Table* kernels = nullptr;
    uint64_t direct_limit = 0;
    size_t num_hops = 0;
    std::optional<WalkPlan> walk;  // of walks, including the walks of importance
    std::optional<PprPlan> ppr;
    std::optional<HgtPlan> hgt;
    // The dataset whose rows the three plans point to, if that is not `dataset`.
    std::shared_ptr<const Dataset> planned;
    std::vector<Weights> weights;         // by edge type
    std::vector<ExcludedEdges> excluded;  // by edge type; for all batches
    std::vector<TimeRule> times;          // by edge type
    std::shared_ptr<const NegativeSamplers> negatives;
  };
  explicit SamplerPlan(Fields fields) : fields_(std::move(fields)) {}
  // For plans that are made from this one.
  const Fields& fields() const { return fields_; }

  const std::shared_ptr<const Dataset>& dataset() const { return fields_.dataset; }
  const SamplerOptions& options() const { return fields_.options; }
  // Whether the options name edges that no batch uses.
  bool names_excluded() const { return fields_.names_excluded; }
  Method method() const { return fields_.method; }
  Layout layout() const { return fields_.layout; }
  const kernels::Table& kernels() const { return *fields_.kernels; }
  // The limit in bytes of a table by node; beyond it, tables have the size of the batch.
  uint64_t direct_limit() const { return fields_.direct_limit; }
  // Of each batch; walks and personalised PageRank count as one.
  size_t num_hops() const { return fields_.num_hops; }
  const std::optional<WalkPlan>& walk_plan() const { return fields_.walk; }
  const std::optional<PprPlan>& ppr_plan() const { return fields_.ppr; }
  const std::optional<HgtPlan>& hgt_plan() const { return fields_.hgt; }
  const std::vector<Weights>& weights() const { return fields_.weights; }
  const std::vector<ExcludedEdges>& excluded() const { return fields_.excluded; }
  const std::vector<TimeRule>& times() const { return fields_.times; }
  const std::shared_ptr<const NegativeSamplers>& negatives() const { return fields_.negatives; }

 private:
  const Fields fields_;
};

}  // namespace gls
