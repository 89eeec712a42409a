#include "sample/ppr_plan.h"

#include <algorithm>

namespace gls {
namespace {

constexpr double kLeastAlpha = 1e-6;
constexpr double kLeastEpsilon = 1e-12;
constexpr uint64_t kMostEdges = uint64_t{1} << 31;  // nodes met by a seed are counted in 32 bits

Status check_numbers(const PprOptions& options) {
  if (options.neighbors == 0) {
    return invalid("neighbors is 0, expected at least 1").with("argument", "neighbors");
  }
  if (!(options.alpha >= kLeastAlpha && options.alpha <= 1)) {
    return invalid("alpha is {}, expected {} to 1", options.alpha, kLeastAlpha)
        .with("argument", "alpha");
  }
  if (!(options.epsilon >= kLeastEpsilon && options.epsilon <= 1)) {
    return invalid("epsilon is {}, expected {} to 1", options.epsilon, kLeastEpsilon)
        .with("argument", "epsilon");
  }
  if (options.max_edges == 0 || options.max_edges > kMostEdges) {
    return invalid("max_edges is {}, expected 1 to {}", options.max_edges, kMostEdges)
        .with("argument", "max_edges");
  }
  return {};
}

}  // namespace

Result<PprPlan> plan_ppr(const Dataset& dataset, const SamplerOptions& options) {
  const PprOptions& given = *options.ppr;
  GLS_TRY(check_numbers(given));
  if (!options.weight.empty()) {
    return invalid("weight is \"{}\", but personalised PageRank is computed without weights",
                   options.weight)
        .with("argument", "weight");
  }
  const std::vector<EdgeType>& types = dataset.edge_types();
  std::vector<bool> chosen(types.size(), given.edge_types.empty());
  for (const size_t type : given.edge_types) {
    if (chosen[type]) {
      return invalid("edge_types: \"{}\" is named twice", types[type].joined)
          .with("argument", "edge_types");
    }
    chosen[type] = true;
  }
  PprPlan plan;
  plan.options = given;
  GLS_ASSIGN(plan.steps, find_steps(dataset, options.direction, chosen));
  return plan;
}

}  // namespace gls
