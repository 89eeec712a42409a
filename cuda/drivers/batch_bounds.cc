#include "cuda/drivers/batch_bounds.h"

#include <algorithm>

namespace gls::cuda {
namespace {

// Stands for any larger number, so that sums of bytes stay within 64 bits.
constexpr int64_t kVeryMany = int64_t{1} << 44;

int64_t product(int64_t a, int64_t b) { return a != 0 && b > kVeryMany / a ? kVeryMany : a * b; }

}  // namespace

OwnPlan::OwnPlan(const device::SamplerPlan& plan)
    : node_counts(plan.node_counts, plan.node_counts + plan.num_node_types),
      num_hops(plan.num_hops),
      replace(static_cast<Replace>(plan.replace)),
      wide(plan.wide),
      disjoint(plan.disjoint),
      edge_ids(plan.edge_ids),
      in_time(plan.in_time),
      times_strict(plan.times_strict),
      times_last(plan.times_last),
      time_window(plan.time_window) {
  edges.reserve(plan.num_edge_types);
  for (uint32_t t = 0; t < plan.num_edge_types; ++t) {
    const device::EdgePlan& rows = plan.edges[t];
    edges.push_back({rows,
                     rows.name,
                     {rows.fanouts, rows.fanouts + num_hops},
                     wide || rows.num_edges > static_cast<uint64_t>(BatchBounds::kMostLocal)});
    edges.back().rows.fanouts = nullptr;  // owned by the caller
    edges.back().rows.name = nullptr;
  }
  const device::WalksPlan& given = plan.walks;
  walks = {{given.path, given.path + given.path_length},
           given.length,
           given.walks,
           given.restart,
           given.stop,
           {given.back, given.away},
           given.back != 1 || given.away != 1,
           given.ascending,
           false};
  importance = plan.importance;
  most_neighbors = plan.budgets.most_neighbors;
  if (draws_hgt()) {
    samples.assign(plan.budgets.samples, plan.budgets.samples + node_counts.size() * num_hops);
  }
  if (plan.ppr.neighbors > 0) {
    const device::PprPlan& asked = plan.ppr;
    const size_t begins = asked.num_pushes * plan.num_node_types + 1;
    ppr.options = asked;
    ppr.step_begins.assign(asked.step_begins, asked.step_begins + begins);
    ppr.steps.assign(asked.steps, asked.steps + asked.step_begins[begins - 1]);
    if (asked.places != nullptr) {
      ppr.places.assign(asked.places, asked.places + asked.num_pushes);
      ppr.columns += 3 * static_cast<int64_t>(asked.num_pushes);
    }
    ppr.options.step_begins = nullptr;  // owned by the caller
    ppr.options.steps = nullptr;
    ppr.options.places = nullptr;
  }
  induced = plan.induced;
  by_labor = plan.by_labor;
  layer_dependent = plan.layer_dependent;
  anchors_last = plan.anchors_last;
  if (plan.mirrors != nullptr) {
    mirrors.assign(plan.mirrors, plan.mirrors + plan.num_edge_types);
  }
  for (const uint32_t t : walks.path) {
    walks.wide_edges |= edges[t].wide_out;
  }
}

int64_t OwnPlan::type_of_column(int64_t column) const {
  const auto at = static_cast<size_t>(column);
  return column == 0 ? edges[walks.path[0]].rows.anchor_type
                     : edges[walks.path[(at - 1) % walks.path.size()]].rows.neighbor_type;
}

BatchBounds::BatchBounds(const OwnPlan& plan)
    : plan_(&plan),
      nodes_(plan.node_counts.size(), 0),
      frontier_(plan.node_counts.size(), 0),
      next_(plan.node_counts.size(), 0),
      edges_(plan.edges.size(), 0) {}

// Without disjoint trees, equal nodes are merged.
int64_t BatchBounds::limited(size_t node_type, int64_t count) const {
  return std::min(count, plan_->disjoint ? kVeryMany : plan_->node_counts[node_type]);
}

bool BatchBounds::too_many_nodes() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](int64_t count) { return count > kMostLocal; });
}

void BatchBounds::add_seeds(size_t node_type, int64_t count) {
  nodes_[node_type] = limited(node_type, nodes_[node_type] + count);
  frontier_[node_type] = nodes_[node_type];
}

// Not limited by all rows together, because rows of a damaged graph may overlap.
int64_t BatchBounds::picks(size_t hop, size_t edge_type) const {
  const OwnPlan::EdgeType& type = plan_->edges[edge_type];
  const int64_t fanout = type.fanouts[hop];
  const auto longest = static_cast<int64_t>(type.rows.num_edges);
  int64_t of_row = fanout;
  if (fanout < 0 || (plan_->replace != Replace::kAlways && longest < fanout)) {
    of_row = longest;
  }
  return product(frontier_[type.rows.anchor_type], of_row);
}

void BatchBounds::add_picks(size_t edge_type, int64_t count) {
  const size_t type = plan_->edges[edge_type].rows.neighbor_type;
  edges_[edge_type] = std::min(kVeryMany, edges_[edge_type] + count);
  add_nodes(type, count);
}

void BatchBounds::add_nodes(size_t node_type, int64_t count) {
  nodes_[node_type] = limited(node_type, nodes_[node_type] + count);
  next_[node_type] = limited(node_type, next_[node_type] + count);
}

void BatchBounds::end_hop() {
  frontier_ = next_;
  std::fill(next_.begin(), next_.end(), 0);
}

void BatchBounds::set_nodes(size_t node_type, int64_t before, int64_t after) {
  nodes_[node_type] = after;
  frontier_[node_type] = after - before;
}

}  // namespace gls::cuda
