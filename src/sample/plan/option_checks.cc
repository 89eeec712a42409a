#include "sample/plan/option_checks.h"

#include <cmath>
#include <string_view>

#include "base/philox.h"
#include "graph/dataset/unknown_name.h"
#include "sample/plan/supervisions.h"

namespace gls {
namespace {

constexpr int64_t kMaxFanout = int64_t{1} << 28;

Status check_pick(const SamplerOptions& options) {
  const auto bad = [](const char* argument, std::string_view what) {
    return invalid("{}: {}", argument, what).with("argument", argument);
  };
  if (options.pick == Pick::kLayer) {
    if (options.replace != Replace::kNever) {
      return bad("pick", "by layer neighbours are distinct, so replacement has no meaning");
    }
    if (options.time_strategy == TimeStrategy::kLast) {
      return bad("pick", "by layer, but time_strategy takes the last; expected one of the two");
    }
    return {};
  }
  if (options.batch_dependency != 0) {
    return bad("batch_dependency", "neighbours are picked independently, so batches are, too");
  }
  if (options.layer_dependent) {
    return invalid(
               "GLS_SAMPLE_LAYER_DEPENDENT is set, but neighbours are picked independently, so "
               "hops "
               "are, too")
        .with("argument", "flags");
  }
  return {};
}

Status check_negatives(const SamplerOptions& sampler) {
  const NegativeOptions& options = sampler.negatives;
  if (options.mode == NegativeMode::kNone) {
    return {};
  }
  constexpr double kMost = 1 << 20;
  const bool whole = options.amount == std::floor(options.amount);
  const bool triplet = options.mode == NegativeMode::kTriplet;
  if (!(options.amount > 0) || options.amount > kMost || (triplet && !whole)) {
    return invalid("amount is {}, expected {} to {}", options.amount,
                   triplet ? "a whole number from 1" : "more than 0, up", kMost)
        .with("argument", "amount");
  }
  constexpr uint32_t kMostQuarters = 8;
  if (options.degree_quarters > kMostQuarters) {
    return invalid("degree_power is {}, expected a multiple of 0.25 from 0 to 2",
                   static_cast<double>(options.degree_quarters) / 4)
        .with("argument", "degree_power");
  }
  constexpr uint32_t kMostTries = 1 << 11;
  if (options.tries == 0 || options.tries > kMostTries) {
    return invalid("tries is {}, expected 1 to {}", options.tries, kMostTries)
        .with("argument", "tries");
  }
  if (options.oldest && !options.in_time) {
    return invalid("GLS_NEGATIVE_OLDEST is set without GLS_NEGATIVE_IN_TIME")
        .with("argument", "flags");
  }
  if (options.in_time && sampler.node_time.empty()) {
    return invalid("GLS_NEGATIVE_IN_TIME is set, but there is no node_time")
        .with("argument", "flags");
  }
  if (triplet && !options.source_weight.empty()) {
    return invalid("source_weight: triplets keep the source, so only targets are drawn")
        .with("argument", "source_weight");
  }
  if (options.degree_quarters > 0 &&
      !(options.source_weight.empty() && options.target_weight.empty())) {
    return invalid("degree_power is given and a column of weights, too; expected one of the two")
        .with("argument", "degree_power");
  }
  return {};
}

}  // namespace

Status check_layout(const SamplerPlan::Fields& plan, const EdgeType& type) {
  if (type.stores(plan.layout)) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "direction \"{}\" needs the {} of edge type \"{}\", which is not stored; import "
               "the dataset, or make the store, with that layout",
               plan.options.direction == Direction::kIn ? "in" : "out",
               plan.layout == Layout::kCsc ? "csc" : "csr", type.joined)
      .with("argument", "direction");
}

Status check_neighborhoods(const SamplerPlan::Fields& plan) {
  const std::vector<EdgeType>& types = plan.dataset->edge_types();
  const bool weighted = !plan.options.weight.empty();
  bool has_weights = false;
  const bool induced = plan.options.subgraph == Subgraph::kInduced;
  const std::vector<bool> followed = followed_types(*plan.dataset, plan.options);
  if ((plan.num_hops == 0 && !induced) || plan.num_hops > kMaxHops) {
    return invalid("fanouts: {} hops, expected 1 to {}", plan.num_hops, kMaxHops)
        .with("argument", "fanouts");
  }
  for (size_t t = 0; t < types.size(); ++t) {
    const EdgeType& type = types[t];
    if (t >= plan.options.fanouts.size() || plan.options.fanouts[t].size() != plan.num_hops) {
      return invalid("fanouts: not {} hops for edge type \"{}\"", plan.num_hops, type.joined)
          .with("argument", "fanouts");
    }
    bool used = induced && followed[t];
    for (const int64_t fanout : plan.options.fanouts[t]) {
      if (fanout < -1 || fanout > kMaxFanout) {
        return invalid("fanouts: {} for edge type \"{}\", expected -1 to {}", fanout, type.joined,
                       kMaxFanout)
            .with("argument", "fanouts");
      }
      used |= fanout != 0;
    }
    if (used && !followed[t]) {
      return invalid(
                 "fanouts: edge type \"{}\" is a supervision, which is not sampled; expected 0, or "
                 "GLS_SUPERVISION_SAMPLED",
                 type.joined)
          .with("argument", "fanouts");
    }
    if (used) {
      GLS_TRY(check_layout(plan, type));
    }
    if (const Column* column = weighted ? type.find_column(plan.options.weight) : nullptr) {
      has_weights = true;
      if (column->data.shape().size() != 1) {
        return invalid("weight: column \"{}\" of \"{}\" has shape {}, expected one number per edge",
                       column->name, type.joined, shape_text(column->data.shape()))
            .with("argument", "weight")
            .with("column", column->name)
            .with("type", type.joined);
      }
      if (column->is_local()) {
        GLS_TRY(need_all_rows(*column, type.count, type.joined, "weight"));
      }
    }
  }
  if (plan.num_hops == 0 && (weighted || plan.options.replace != Replace::kNever)) {
    const char* const argument = weighted ? "weight" : "replace";
    return invalid("{} is set, but there are no fanouts, so no neighbours are picked", argument)
        .with("argument", argument);
  }
  if (weighted && !has_weights) {
    return no_edge_column("weight", *plan.dataset, plan.options.weight);
  }
  GLS_TRY(check_pick(plan.options));
  return check_negatives(plan.options);
}

Status check_id_width(const SamplerPlan::Fields& plan) {
  if (plan.options.int32) {
    constexpr int64_t kMaxInt32 = 0x7fffffff;
    for (const NodeType& type : plan.dataset->node_types()) {
      if (type.count > kMaxInt32) {
        return invalid("GLS_SAMPLE_INT32 is set, but node type \"{}\" has {} nodes", type.name,
                       type.count)
            .with("argument", "flags");
      }
    }
  }
  return {};
}

Status check_reverse(const SamplerPlan::Fields& plan) {
  const std::vector<EdgeType>& types = plan.dataset->edge_types();
  if (plan.options.exclude_mode == ExcludeMode::kReverseId) {
    bool found = false;
    for (const EdgeType& type : types) {
      const Column* column = type.find_column(plan.options.reverse_column);
      if (column == nullptr) {
        continue;
      }
      found = true;
      if (!same_dtype(column->data.dtype(), kInt64) || column->data.shape().size() != 1 ||
          !column->data.contiguous()) {
        return invalid("reverse_column: column \"{}\" of \"{}\" is {} {}, expected int64 [edges]",
                       column->name, type.joined, dtype_name(column->data.dtype()),
                       shape_text(column->data.shape()))
            .with("argument", "reverse_column")
            .with("column", column->name)
            .with("type", type.joined);
      }
      if (column->is_local()) {
        GLS_TRY(need_all_rows(*column, type.count, type.joined, "reverse_column"));
      }
    }
    if (!found) {
      return no_edge_column("reverse_column", *plan.dataset, plan.options.reverse_column);
    }
  }
  for (const auto& [one, other] : plan.options.reverse_types) {
    if (types[one].count != types[other].count) {
      return invalid("reverse_types: \"{}\" has {} edges and \"{}\" has {}, expected as many",
                     types[one].joined, types[one].count, types[other].joined, types[other].count)
          .with("argument", "reverse_types");
    }
    if (!types[other].stores(plan.layout) || !types[one].stores(plan.layout)) {
      return error(GLS_ERR_UNSUPPORTED, "reverse_types: \"{}\" and \"{}\" need the {} layout",
                   types[one].joined, types[other].joined,
                   plan.layout == Layout::kCsc ? "csc" : "csr")
          .with("argument", "reverse_types");
    }
    const bool opposite =
        types[one].source == types[other].target && types[one].target == types[other].source;
    if (plan.options.subgraph == Subgraph::kBidirectional && !opposite) {
      return invalid("reverse_types: \"{}\" and \"{}\" do not join the same types of nodes",
                     types[one].joined, types[other].joined)
          .with("argument", "reverse_types");
    }
  }
  return {};
}

}  // namespace gls
