#include "sample/methods/hgt_plan.h"

#include "base/philox.h"

namespace gls {
namespace {

constexpr int64_t kMostDrawn = int64_t{1} << 28;  // drawn nodes, and neighbours considered

}  // namespace

Result<HgtPlan> plan_hgt(const Dataset& dataset, const SamplerOptions& options) {
  const HgtOptions& given = *options.hgt;
  if (given.num_hops == 0 || given.num_hops > kMaxHops) {
    return invalid("samples: {} hops, expected 1 to {}", given.num_hops, kMaxHops)
        .with("argument", "samples");
  }
  const std::vector<NodeType>& types = dataset.node_types();
  for (size_t t = 0; t < types.size(); ++t) {
    if (t >= given.samples.size() || given.samples[t].size() != given.num_hops) {
      return invalid("samples: not {} hops for node type \"{}\"", given.num_hops, types[t].name)
          .with("argument", "samples");
    }
    for (const int64_t count : given.samples[t]) {
      if (count < -1 || count > kMostDrawn) {
        return invalid("samples: {} for node type \"{}\", expected -1 to {}", count, types[t].name,
                       kMostDrawn)
            .with("argument", "samples");
      }
    }
  }
  if (given.most_neighbors < 1 || given.most_neighbors > kMostDrawn) {
    return invalid("most_neighbors is {}, expected 1 to {}", given.most_neighbors, kMostDrawn)
        .with("argument", "most_neighbors");
  }
  if (!options.weight.empty()) {
    return invalid("weight is \"{}\", but nodes are drawn by budgets, which know no weights",
                   options.weight)
        .with("argument", "weight");
  }
  HgtPlan plan;
  plan.options = given;
  GLS_ASSIGN(plan.steps, find_steps(dataset, options.direction,
                                    std::vector<bool>(dataset.edge_types().size(), true)));
  return plan;
}

}  // namespace gls
