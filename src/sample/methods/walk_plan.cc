#include "sample/methods/walk_plan.h"

#include <algorithm>
#include <cmath>

#include "graph/dataset/topology_query.h"
#include "graph/dataset/unknown_name.h"

namespace gls {
namespace {

constexpr size_t kMostSteps = size_t{1} << 20;  // steps, and walks of a seed

Status check_numbers(const WalkOptions& options) {
  if (options.length > kMostSteps) {
    return invalid("length is {}, expected at most {} steps", options.length, kMostSteps)
        .with("argument", "length");
  }
  if (options.path.size() > kMostSteps) {
    return invalid("path has {} entries, expected at most {}", options.path.size(), kMostSteps)
        .with("argument", "path");
  }
  if (options.walks == 0 || options.walks > kMostSteps) {
    return invalid("walks is {}, expected 1 to {} of each seed", options.walks, kMostSteps)
        .with("argument", "walks");
  }
  for (const auto& [name, value] : {std::pair("p", options.p), std::pair("q", options.q)}) {
    if (!(value > 0) || std::isinf(value) || std::isinf(1 / value)) {
      return invalid("{} is {}, expected a finite number above 0", name, value)
          .with("argument", name);
    }
  }
  for (const auto& [name, value] :
       {std::pair("restart", options.restart), std::pair("stop", options.stop)}) {
    if (!(value >= 0 && value <= 1)) {
      return invalid("{} is {}, expected a probability, 0 to 1", name, value)
          .with("argument", name);
    }
  }
  return {};
}

// The edge types of the path, each beginning where the one before ends.
Result<std::vector<WalkStep>> find_path(const Dataset& dataset, const SamplerOptions& options,
                                        std::vector<size_t> given) {
  const std::vector<EdgeType>& types = dataset.edge_types();
  const std::vector<NodeType>& nodes = dataset.node_types();
  if (given.empty()) {
    if (types.size() != 1 || types[0].source != types[0].target) {
      return invalid("path: none is given, but {}; expected the edge types to walk in turn",
                     types.size() != 1 ? formatted("the dataset has {} edge types", types.size())
                                       : formatted("edge type \"{}\" leads from one node type to "
                                                   "another",
                                                   types[0].joined))
          .with("argument", "path");
    }
    given = {0};
  }
  const bool in = options.direction == Direction::kIn;
  const Layout layout = in ? Layout::kCsc : Layout::kCsr;
  std::vector<WalkStep> path;
  for (size_t i = 0; i < given.size(); ++i) {
    const EdgeType& type = types[given[i]];
    const size_t from = in ? type.target : type.source;
    if (i > 0 && path.back().to != from) {
      return invalid(
                 "path: entry {}, \"{}\", is walked from \"{}\", but entry {} ends at \"{}\" "
                 "(direction \"{}\")",
                 i, type.joined, nodes[from].name, i - 1, nodes[path.back().to].name,
                 in ? "in" : "out")
          .with("argument", "path");
    }
    if (!type.topology(layout)) {
      return error(GLS_ERR_UNSUPPORTED,
                   "direction \"{}\" needs the {} of edge type \"{}\", which is not stored; import "
                   "the dataset with that layout",
                   in ? "in" : "out", in ? "csc" : "csr", type.joined)
          .with("argument", "direction");
    }
    path.push_back({given[i], &*type.topology(layout), from, in ? type.source : type.target});
  }
  return path;
}

// Checks the path against the other options.
Status check_path(const Dataset& dataset, const WalkOptions& options, const WalkPlan& plan) {
  const std::vector<NodeType>& nodes = dataset.node_types();
  if (plan.length > plan.path.size() && plan.path.back().to != plan.node_type()) {
    return invalid(
               "length is {}, but the path has {} steps and cannot begin again: it ends at \"{}\" "
               "and begins at \"{}\"",
               plan.length, plan.path.size(), nodes[plan.path.back().to].name,
               nodes[plan.node_type()].name)
        .with("argument", "length");
  }
  const auto leaves_type = [&](const WalkStep& step) {
    return step.from != plan.node_type() || step.to != plan.node_type();
  };
  const auto other = std::find_if(plan.path.begin(), plan.path.end(), leaves_type);
  if (options.restart > 0 && other != plan.path.end()) {
    return invalid(
               "restart is {}, but the path leads from \"{}\" to another node type by \"{}\"; "
               "expected one node type, so that each column of the walks has one",
               options.restart, nodes[plan.node_type()].name,
               dataset.edge_types()[other->edge_type].joined)
        .with("argument", "restart");
  }
  const auto differs = [&](const WalkStep& step) {
    return step.edge_type != plan.path[0].edge_type || leaves_type(step);
  };
  if (plan.second_order && std::any_of(plan.path.begin(), plan.path.end(), differs)) {
    return invalid(
               "p is {} and q is {}, but the path has several types; expected one edge type "
               "between nodes of one type",
               options.p, options.q)
        .with("argument", options.p != 1 ? "p" : "q");
  }
  return {};
}

Status check_weights(const Dataset& dataset, const std::string& weight, const WalkPlan& plan) {
  bool found = weight.empty();
  for (const WalkStep& step : plan.path) {
    const EdgeType& type = dataset.edge_types()[step.edge_type];
    if (const Column* column = weight.empty() ? nullptr : type.find_column(weight)) {
      found = true;
      if (column->data.shape().size() != 1) {
        return invalid("weight: column \"{}\" of \"{}\" has shape {}, expected one number per edge",
                       column->name, type.joined, shape_text(column->data.shape()))
            .with("argument", "weight")
            .with("column", column->name)
            .with("type", type.joined);
      }
      GLS_TRY(need_all_rows(*column, type.count, type.joined, "weight"));
    }
  }
  if (!found) {
    std::vector<std::string> names;
    for (const WalkStep& step : plan.path) {
      for (const Column& column : dataset.edge_types()[step.edge_type].columns) {
        names.push_back(column.name);
      }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    // A partitioned graph may not know the columns of its parts.
    return not_found("weight: no edge type of the path has a column \"{}\"{}", weight,
                     names.empty() ? "" : "; there are: " + known_names(names, weight))
        .with("argument", "weight")
        .with("column", weight);
  }
  return {};
}

}  // namespace

Result<WalkPlan> plan_walks(const Dataset& dataset, const SamplerOptions& options,
                            const WalkOptions& given) {
  GLS_TRY(check_numbers(given));
  WalkPlan plan;
  GLS_ASSIGN(plan.path, find_path(dataset, options, given.path));
  if (given.length == 0 && given.path.empty()) {
    return invalid("length is 0, and there is no path to have as many steps as")
        .with("argument", "length");
  }
  plan.length = given.length != 0 ? given.length : plan.path.size();
  plan.walks = given.walks;
  plan.restart = given.restart;
  plan.stop = given.stop;
  plan.bias.back = 1 / given.p;
  plan.bias.away = 1 / given.q;
  plan.second_order = plan.bias.back != 1 || plan.bias.away != 1;
  GLS_TRY(check_path(dataset, given, plan));
  GLS_TRY(check_weights(dataset, options.weight, plan));
  if (plan.second_order && plan.bias.asks_links()) {
    plan.ascending = rows_ascend(dataset.context()->pool(), *plan.path[0].topology);
  }
  return plan;
}

}  // namespace gls
