#include "sample/plan/make_plan.h"

#include <algorithm>
#include <utility>

#include "sample/methods/importance.h"
#include "sample/pick/weight_table.h"
#include "sample/plan/option_checks.h"
#include "sample/plan/supervisions.h"

namespace gls {
namespace {

Method method_of(const SamplerOptions& options) {
  return options.walk.has_value()         ? Method::kWalks
         : options.importance.has_value() ? Method::kImportance
         : options.ppr.has_value()        ? Method::kPpr
         : options.hgt.has_value()        ? Method::kHgt
                                          : Method::kNeighbors;
}

// Checks the options of the method, and finds what follows from them.
Status plan_method(SamplerPlan::Fields* plan) {
  const Dataset& dataset = *plan->dataset;
  const SamplerOptions& options = plan->options;
  switch (plan->method) {
    case Method::kNeighbors:
      return check_neighborhoods(*plan);
    case Method::kWalks: {
      GLS_ASSIGN(plan->walk, plan_walks(dataset, options, *options.walk));
      for (const EdgeType& type : dataset.edge_types()) {
        if (options.subgraph == Subgraph::kInduced) {
          GLS_TRY(check_layout(*plan, type));
        }
      }
      break;
    }
    case Method::kImportance: {
      GLS_ASSIGN(plan->walk, plan_importance(dataset, options));
      break;
    }
    case Method::kPpr: {
      GLS_ASSIGN(plan->ppr, plan_ppr(dataset, options));
      break;
    }
    case Method::kHgt: {
      GLS_ASSIGN(plan->hgt, plan_hgt(dataset, options));
      break;
    }
  }
  return {};
}

// Rows that depend on a time are always read, and so are those of LABOR.
bool draws_by_weight(const SamplerPlan::Fields& plan, size_t edge_type) {
  if (plan.walk.has_value()) {
    const auto walked = [&](const WalkStep& step) { return step.edge_type == edge_type; };
    return std::any_of(plan.walk->path.begin(), plan.walk->path.end(), walked);
  }
  const std::vector<int64_t>& fanouts = plan.options.fanouts[edge_type];
  return !plan.ppr.has_value() && plan.options.pick == Pick::kIndependent &&
         std::any_of(fanouts.begin(), fanouts.end(), [](int64_t fanout) { return fanout != 0; });
}

Result<std::vector<Weights>> find_weights(const SamplerPlan::Fields& plan) {
  const Dataset& dataset = *plan.dataset;
  const std::string& name = plan.options.weight;
  const uint64_t most_bytes = dataset.context()->settings().bytes(Setting::kSampleWeightTables);
  std::vector<Weights> out;
  for (size_t t = 0; t < dataset.edge_types().size(); ++t) {
    const EdgeType& type = dataset.edge_types()[t];
    const Column* column = name.empty() ? nullptr : type.find_column(name);
    Weights weights;
    if (column != nullptr) {
      weights.column = column->data;
      const std::optional<Topology>& rows = type.topology(plan.layout);
      weights.by_position = rows && rows->index != nullptr;
      if (draws_by_weight(plan, t) && most_bytes > 0 && !plan.times[t].active() &&
          !weights.by_position) {
        GLS_ASSIGN(weights.table, WeightTable::of(dataset, t, plan.layout, *column, most_bytes));
      }
    }
    out.push_back(std::move(weights));
  }
  return out;
}

// Finds the fields by edge type, after all other checks.
Result<std::shared_ptr<const SamplerPlan>> finish_plan(SamplerPlan::Fields plan) {
  GLS_TRY(check_id_width(plan));
  GLS_ASSIGN(plan.times, make_time_rules(*plan.dataset, plan.options, *plan.kernels));
  GLS_ASSIGN(plan.weights, find_weights(plan));
  GLS_ASSIGN(plan.excluded, find_excluded(*plan.dataset, plan.options, plan.options.exclude));
  plan.options.exclude.clear();  // only borrowed
  return std::make_shared<const SamplerPlan>(std::move(plan));
}

}  // namespace

SamplerPlan::Fields begin_plan(std::shared_ptr<const Dataset> dataset, SamplerOptions options,
                               const kernels::Table* table) {
  const Context& context = *dataset->context();
  SamplerPlan::Fields plan;
  plan.method = method_of(options);
  switch (plan.method) {
    case Method::kNeighbors:
      plan.num_hops = options.num_hops;
      break;
    case Method::kImportance:
      plan.num_hops = options.importance->hops;
      break;
    case Method::kHgt:
      plan.num_hops = options.hgt->num_hops;
      break;
    case Method::kWalks:
    case Method::kPpr:
      plan.num_hops = 1;
      break;
  }
  plan.names_excluded = !options.exclude.empty();
  options.disjoint |= options.temporal();  // each seed has its own time, so its own tree
  plan.layout = options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  plan.kernels = table != nullptr ? table : &kernels::table_for(static_cast<int>(context.simd()));
  plan.direct_limit =
      std::min(context.settings().bytes(Setting::kSampleDirectTable), options.most.table_bytes);
  plan.negatives = std::make_shared<const NegativeSamplers>(
      dataset, options.negatives, NegativeTime{options.node_time, options.time_strict});
  plan.dataset = std::move(dataset);
  plan.options = std::move(options);
  return plan;
}

Status check_shared_options(const SamplerPlan::Fields& plan) {
  GLS_TRY(check_supervisions(*plan.dataset, plan.options));
  GLS_TRY(check_reverse(plan));
  return check_times(*plan.dataset, plan.options);
}

Result<std::shared_ptr<const SamplerPlan>> plan_local(std::shared_ptr<const Dataset> dataset,
                                                      SamplerOptions options,
                                                      const kernels::Table* table) {
  SamplerPlan::Fields plan = begin_plan(std::move(dataset), std::move(options), table);
  GLS_TRY(plan_method(&plan));
  GLS_TRY(check_shared_options(plan));
  return finish_plan(std::move(plan));
}

Result<std::shared_ptr<const SamplerPlan>> plan_fetched(const SamplerPlan::Fields& remote,
                                                        std::shared_ptr<const Dataset> fetched) {
  SamplerOptions options = remote.options;
  options.exclude.clear();
  options.exclude_links = false;
  options.exclude_mode = ExcludeMode::kSelf;
  SamplerPlan::Fields plan = begin_plan(std::move(fetched), std::move(options), remote.kernels);
  plan.direct_limit = 0;  // it serves one batch; tables by node would take longer than that
  plan.negatives = remote.negatives;
  GLS_TRY(plan_method(&plan));
  return finish_plan(std::move(plan));
}

}  // namespace gls
