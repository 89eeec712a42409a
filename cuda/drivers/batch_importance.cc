// Importance neighbours by walks, hop by hop, from the nodes that were new in the previous hop.
#include <algorithm>

#include "cuda/drivers/batch_run.h"

namespace gls::cuda {

namespace {

// The number of nodes processed together: a multiple of the CPU's lists, so that faults are found
// in the CPU's order.
int64_t nodes_at_once(const device::ImportancePlan& plan, int64_t first, int64_t end,
                      uint64_t bytes_each, uint64_t most_bytes) {
  const auto room = static_cast<int64_t>(
      std::min<uint64_t>(most_bytes / std::max<uint64_t>(bytes_each, 1), INT32_MAX));
  if (room >= plan.at_once) {
    return std::min(end - first, room / plan.at_once * plan.at_once);
  }
  const int64_t most = std::max(room / plan.together, int64_t{1}) * plan.together;
  const int64_t next = (first / plan.at_once + 1) * plan.at_once;
  return std::min(most, std::min(end, next) - first);
}

}  // namespace

bool BatchRun::run_importance(size_t hop) {
  const OwnPlan::Walks& walks = plan_.walks;
  const auto type = static_cast<size_t>(plan_.type_of_column(0));
  if (!read_counters()) {
    return false;
  }
  const int64_t begin = hop == 0 ? 0 : read(nodes_after(hop - 1, type));
  const int64_t end = read(nodes_after(hop, type));
  bounds_.set_nodes(type, begin, end);
  ImportanceWork work = {};
  work.path = reinterpret_cast<const WalkRows*>(counter(places_.walks));
  work.path_length = static_cast<int64_t>(walks.path.size());
  work.length = walks.length;
  work.traversal = plan_.importance.traversal;
  work.walks = walks.walks;
  work.stop = walks.stop;
  work.most = plan_.importance.neighbors;
  work.together = plan_.importance.together;
  work.at_once = plan_.importance.at_once;
  work.key = work_.key;
  work.hop = static_cast<uint32_t>(hop);
  work.nodes = {nodes_[type].ids.data(), plan_.wide};
  work.first_node = begin;
  work.num_nodes = counter(places_.virtual_nodes);
  work.sum = counter(places_.importance_found);
  work.fault = reinterpret_cast<unsigned long long*>(counter(places_.walk_fault));
  int64_t found = 0;
  while (work.first < end - begin) {
    if (!find_importance_of(&work, end - begin, &found)) {
      return false;
    }
    if (num_importance_ + end > BatchBounds::kMostLocal) {
      return too_many_nodes();
    }
    work.first += work.count;
  }
  importance_of_[type] = {0, num_importance_};
  bounds_.add_nodes(type, found);
  if (found == 0) {
    return true;
  }
  const auto width = static_cast<uint64_t>(id_width(plan_.wide));
  const auto before = static_cast<uint64_t>(num_importance_ - found);
  if (!importance_nodes_.reserve(static_cast<uint64_t>(num_importance_) * width, before * width,
                                 error_) ||
      !picks_.reserve(relabel_bytes(found), 0, error_) ||
      !reserve_nodes(type, bounds_.nodes(type))) {
    return false;
  }
  const RelabelWork numbering = {{importance_ids_.data(), plan_.wide},
                                 {},
                                 counter(places_.importance_of_hop),
                                 found,
                                 {importance_nodes_.data() + before * width, plan_.wide},
                                 counter(places_.zero),
                                 picks_.data()};
  return good(relabel(nodes_[type].slots, numbered(type), numbering, cuda_stream_), "numbering");
}

// Finds the neighbours of the next nodes, whose number becomes work->count. `row_of_hop`: rows of
// the hop.
bool BatchRun::find_importance_of(ImportanceWork* work, int64_t end, int64_t* row_of_hop) {
  const auto visits = static_cast<uint64_t>(work->num_visits());
  const auto most = static_cast<uint64_t>(work->most_found());
  const uint64_t runs = work->ranks_in_memory() ? visits : 0;
  const uint64_t bytes_each = (visits + runs) * sizeof(int64_t) +
                              most * (sizeof(int64_t) + sizeof(int32_t)) + 3 * sizeof(int64_t);
  work->count = nodes_at_once(plan_.importance, work->first, end, bytes_each, most_bytes_ / 2);
  const auto count = static_cast<uint64_t>(work->count);
  const auto place = [&](char* memory) {
    Places places(memory);
    work->visits = places.next<int64_t>(count * visits * sizeof(int64_t));
    work->runs = places.next<uint64_t>(count * runs * sizeof(uint64_t));
    work->found = places.next<int64_t>(count * most * sizeof(int64_t));
    work->times = places.next<int32_t>(count * most * sizeof(int32_t));
    work->num_found = places.next<int64_t>(count * sizeof(int64_t));
    work->num_visits_made = places.next<int64_t>(count * sizeof(int64_t));
    work->before = places.next<int64_t>(count * sizeof(int64_t));
    work->sums = places.next(importance_scan_bytes());
    return places.size();
  };
  if (!walk_.reserve(place(nullptr), 0, error_)) {
    return false;
  }
  place(walk_.data());
  if (!good(find_importance(*work, cuda_stream_), "walking") || !read_counters()) {
    return false;
  }
  if (const auto fault = static_cast<unsigned long long>(read(places_.walk_fault));
      fault != PickFaults::kNoFault) {
    return good(read_importance_fault(*work, fault, counter(places_.values), cuda_stream_),
                "reading what is at fault") &&
           read_counters() && say_walk_fault();
  }
  const int64_t found = read(places_.importance_found);
  const auto width = static_cast<uint64_t>(id_width(plan_.wide));
  const auto rows = static_cast<uint64_t>(num_importance_);
  const auto rows_of_hop = static_cast<uint64_t>(*row_of_hop);
  const auto more = static_cast<uint64_t>(found);
  constexpr uint64_t kScoreBytes = 2 * sizeof(float);
  if (!importance_seeds_.reserve((rows + more) * width, rows * width, error_) ||
      !importance_scores_.reserve((rows + more) * kScoreBytes, rows * kScoreBytes, error_) ||
      !importance_ids_.reserve((rows_of_hop + more) * width, rows_of_hop * width, error_)) {
    return false;
  }
  const ImportanceRowsOut out = {{importance_seeds_.data(), plan_.wide},
                                 reinterpret_cast<float*>(importance_scores_.data()),
                                 num_importance_,
                                 {importance_ids_.data(), plan_.wide},
                                 *row_of_hop,
                                 counter(places_.importance_of_hop)};
  num_importance_ += found;
  *row_of_hop += found;
  return good(write_importance(*work, out, cuda_stream_), "writing neighbours");
}

}  // namespace gls::cuda
