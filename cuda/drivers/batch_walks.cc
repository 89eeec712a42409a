// The walks of a batch: from its seeds, and then the local ids of all visited nodes.
#include <iterator>
#include <vector>

#include "cuda/drivers/batch_run.h"

namespace gls::cuda {

// In words of the copied data.
constexpr size_t kWalkRowsWords = sizeof(WalkRows) / sizeof(int64_t);
static_assert(kWalkRowsWords * sizeof(int64_t) == sizeof(WalkRows));

size_t BatchRun::walk_words() const {
  const OwnPlan::Walks& walks = plan_.walks;
  return walks.length == 0
             ? 0
             : walks.path.size() * kWalkRowsWords +
                   (plan_.finds_virtual_neighbors() ? 0 : static_cast<size_t>(walks.length) + 1);
}

// The edge types of the path, and the node type of each column.
void BatchRun::copy_walk_plan(int64_t* to) const {
  const OwnPlan::Walks& walks = plan_.walks;
  if (walks.length == 0) {
    return;
  }
  auto* const path = reinterpret_cast<WalkRows*>(to);
  for (size_t i = 0; i < walks.path.size(); ++i) {
    const device::EdgePlan& rows = plan_.edges[walks.path[i]].rows;
    path[i] = {stored_rows(rows), rows.excluded, edges_[walks.path[i]].excluded, rows.weights};
  }
  int64_t* const types = to + walks.path.size() * kWalkRowsWords;
  for (int64_t column = 0; !plan_.finds_virtual_neighbors() && column <= walks.length; ++column) {
    types[column] = plan_.type_of_column(column);
  }
}

WalkWork BatchRun::walk_work() const {
  const OwnPlan::Walks& walks = plan_.walks;
  return {reinterpret_cast<const WalkRows*>(counter(places_.walks)),
          static_cast<int64_t>(walks.path.size()),
          walks.length,
          walks.walks,
          num_walks(),
          walks.restart,
          walks.stop,
          walks.second_order,
          walks.ascending,
          walks.bias,
          work_.key,
          counter(places_.seeds),
          {walk_.data(), plan_.wide},
          {plan_.edge_ids ? walk_edges_.data() : nullptr, walks.wide_edges},
          reinterpret_cast<unsigned long long*>(counter(places_.walk_fault))};
}

bool BatchRun::run_walks() {
  const OwnPlan::Walks& walks = plan_.walks;
  if (num_walks() == 0) {
    return true;
  }
  const auto nodes = static_cast<uint64_t>(num_walks() * (walks.length + 1));
  const auto steps = static_cast<uint64_t>(num_walks() * walks.length);
  if (!walk_.reserve(nodes * static_cast<uint64_t>(id_width(plan_.wide)), 0, error_) ||
      (plan_.edge_ids &&
       !walk_edges_.reserve(steps * static_cast<uint64_t>(id_width(walks.wide_edges)), 0,
                            error_)) ||
      !good(walk(walk_work(), cuda_stream_), "walking")) {
    return false;
  }
  std::vector<bool> done(nodes_.size());
  for (int64_t column = 0; column <= walks.length && column <= std::ssize(walks.path); ++column) {
    const auto type = static_cast<size_t>(plan_.type_of_column(column));
    if (!done[type] && !number_walks(type)) {
      return false;
    }
    done[type] = true;
  }
  return true;
}

bool BatchRun::number_walks(size_t node_type) {
  const int64_t columns = plan_.walks.length + 1;
  const int64_t count = num_walks() * columns;
  const auto width = static_cast<uint64_t>(id_width(plan_.wide));
  bounds_.add_nodes(node_type, count);
  if (bounds_.nodes(node_type) > BatchBounds::kMostLocal || count > kMostRelabeled) {
    return too_many_nodes();
  }
  WalkedNodes nodes = {};
  IdsOut local = {nullptr, plan_.wide};
  void* scratch = nullptr;
  const auto place = [&](char* memory) {
    Places places(memory);
    nodes.sums = places.next(collect_bytes());
    nodes.ids = {places.next(static_cast<uint64_t>(count) * width), plan_.wide};
    nodes.places = places.next<int64_t>(static_cast<uint64_t>(count) * sizeof(int64_t));
    local.data = places.next(static_cast<uint64_t>(count) * width);
    scratch = places.next(relabel_bytes(count));
    return places.size();
  };
  if (!picks_.reserve(place(nullptr), 0, error_) ||
      !reserve_nodes(node_type, bounds_.nodes(node_type))) {
    return false;
  }
  place(picks_.data());
  nodes.walks = {walk_.data(), plan_.wide};
  nodes.count = count;
  nodes.columns = columns;
  nodes.types = counter(places_.walks) + plan_.walks.path.size() * kWalkRowsWords;
  nodes.type = static_cast<int64_t>(node_type);
  nodes.all = counter(places_.walk_nodes);
  nodes.found = counter(places_.walked);
  const RelabelWork work = {{nodes.ids.data, plan_.wide}, {},     nodes.found, count, local,
                            counter(places_.zero),        scratch};
  return good(collect_walked(nodes, cuda_stream_), "collecting the nodes of walks") &&
         good(relabel(nodes_[node_type].slots, numbered(node_type), work, cuda_stream_),
              "numbering") &&
         good(put_local_ids(nodes, {local.data, plan_.wide}, cuda_stream_), "local ids of walks");
}

bool BatchRun::check_walk_fault() {
  const auto fault = static_cast<unsigned long long>(read(places_.walk_fault));
  if (fault == PickFaults::kNoFault ||
      plan_.finds_virtual_neighbors()) {  // otherwise its hop reported it
    return true;
  }
  const WalkWork work = walk_work();
  const WalkPlace place = place_of_fault(work, fault);
  const auto type = static_cast<size_t>(plan_.type_of_column(place.step));
  if (!good(read_walk_fault(work, place, {nodes_[type].ids.data(), plan_.wide},
                            counter(places_.values), cuda_stream_),
            "reading what is at fault") ||
      !read_counters()) {
    return false;
  }
  return say_walk_fault();
}

bool BatchRun::say_walk_fault() {
  return say_fault_of_kind(plan_.walks.path[static_cast<size_t>(read(places_.values + 1))]);
}

bool BatchRun::say_fault_of_kind(size_t edge_type) {
  const auto kind = static_cast<FaultKind>(read(places_.values));
  if (kind == FaultKind::kRow || kind == FaultKind::kWeights) {
    return say_fault(edge_type, kind, 0, places_.values + 2);
  }
  return say_fault(edge_type, kind, read(places_.values + 2), places_.values + 3);
}

}  // namespace gls::cuda
