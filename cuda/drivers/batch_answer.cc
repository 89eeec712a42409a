// The end of a batch: reports faults, and copies its arrays to one block of the right size.
#include <cstdio>

#include "cuda/drivers/batch_run.h"

namespace gls::cuda {

bool BatchRun::check_faults() {
  const size_t hops = plan_.num_hops + (plan_.edges_last() ? 1 : 0);
  for (size_t hop = 0; hop < hops; ++hop) {
    for (size_t t = 0; t < edges_.size(); ++t) {
      for (size_t k = 0; k < 3; ++k) {
        const int64_t where = read(places_.faults + 3 * step_number(hop, t) + k);
        if (static_cast<unsigned long long>(where) != PickFaults::kNoFault) {
          return tell_fault(hop, t, static_cast<FaultKind>(k), where);
        }
      }
    }
  }
  return true;
}

// Uses the CPU's error texts, see src/sample/neighbor/hop_worker.cc.
bool BatchRun::tell_fault(size_t hop, size_t edge_type, FaultKind kind, int64_t where) {
  if (!good(
          read_fault(pick_step(hop, edge_type), kind, where, counter(places_.values), cuda_stream_),
          "reading what is at fault") ||
      !read_counters()) {
    return false;
  }
  return say_fault(edge_type, kind, where, places_.values);
}

bool say_bad_row(const char* edge_type, uint64_t num_edges, const int64_t* values,
                 device::GpuError* error) {
  error->code = GLS_ERR_CORRUPT_DATA;
  static_cast<void>(
      std::snprintf(error->text, sizeof error->text,
                    "edge type \"%s\": indptr of node %lld goes from %lld to %lld, of %llu edges",
                    edge_type, static_cast<long long>(values[0]), static_cast<long long>(values[1]),
                    static_cast<long long>(values[2]), static_cast<unsigned long long>(num_edges)));
  return false;
}

bool BatchRun::say_fault(size_t edge_type, FaultKind kind, int64_t where, size_t values) {
  const OwnPlan::EdgeType& type = plan_.edges[edge_type];
  const auto value = [&](size_t i) { return static_cast<long long>(read(values + i)); };
  if (kind == FaultKind::kRow) {
    const int64_t found[] = {read(values), read(values + 1), read(values + 2)};
    return say_bad_row(type.name.c_str(), type.rows.num_edges, found, error_);
  }
  error_->code = GLS_ERR_CORRUPT_DATA;
  if (kind == FaultKind::kWeights) {
    static_cast<void>(
        std::snprintf(error_->text, sizeof error_->text,
                      "edge type \"%s\": the weights of the edges of node %lld add up to infinity",
                      type.name.c_str(), value(0)));
    return false;
  }
  const bool index = kind == FaultKind::kIndex;
  const uint64_t limit = index ? type.rows.num_neighbors : type.rows.num_edges;
  static_cast<void>(
      std::snprintf(error_->text, sizeof error_->text,
                    "edge type \"%s\": %s at position %lld is %lld, expected 0 .. %lld",
                    type.name.c_str(), index ? "index" : "edge id", static_cast<long long>(where),
                    value(0), static_cast<long long>(limit) - 1));
  return false;
}

// ---- result ------------------------------------------------------------------------------------

bool BatchRun::finish(device::SampleAnswer* answer) {
  if (!read_counters() || !check_negative_fault()) {
    return false;
  }
  answer->block = nullptr;
  answer->no_negative = read(places_.no_negative);
  if (answer->no_negative >= 0) {
    finished_ = true;
    return true;
  }
  if (!check_faults() || !check_walk_fault()) {
    return false;
  }
  finished_ = true;
  Places sizes;
  lay_out(&sizes, answer, false);
  answer->bytes = sizes.size();
  if (sizes.size() == 0) {
    return true;
  }
  DeviceBlock block(kept_->gpu, stream_);
  if (!block.reserve(sizes.size(), 0, error_)) {
    return false;
  }
  Places places(block.data());
  lay_out(&places, answer, true);
  if (!good(copy_arrays(copies_.data(), copies_.size(), cuda_stream_), "copying a batch")) {
    return false;
  }
  answer->block = block.give();
  return true;
}

// The next `count` ids of the block.
void* BatchRun::copied(Places* places, const void* from, int64_t count, bool wide, bool copy) {
  if (count == 0) {
    return nullptr;
  }
  const auto bytes = static_cast<uint64_t>(count * id_width(wide));
  void* const to = places->next(bytes);
  if (copy) {
    copies_.push_back({from, to, bytes});
  }
  return to;
}

// Both ends of `count` edges, as two adjacent arrays.
void BatchRun::copy_ends(Places* places, const EdgeState& type, int64_t count, bool copy,
                         device::EdgeArrays* out) {
  out->anchors = nullptr;
  out->neighbors = nullptr;
  if (count == 0) {
    return;
  }
  const auto bytes = static_cast<uint64_t>(count * id_width(plan_.wide));
  void* const first = places->next(2 * bytes);
  // NULL while only sizes are added up.
  void* const second = copy ? static_cast<std::byte*>(first) + bytes : nullptr;
  out->anchors = plan_.anchors_last ? second : first;
  out->neighbors = plan_.anchors_last ? first : second;
  if (copy) {
    copies_.push_back({type.anchors.data(), out->anchors, bytes});
    copies_.push_back({type.neighbors.data(), out->neighbors, bytes});
  }
}

// Local ids of the seeds at a list of positions, which begins at number `at` of all positions.
void* BatchRun::taken(Places* places, size_t list, int64_t at, bool copy) {
  const device::SeedPlaces& wanted = work_.places[list];
  if (wanted.count == 0) {
    return nullptr;
  }
  void* const to = places->next(static_cast<uint64_t>(wanted.count * id_width(plan_.wide)));
  if (copy) {
    good(take_at({nodes_[wanted.node_type].seed, plan_.wide},
                 counter(places_.places + static_cast<size_t>(at)), wanted.count, {to, plan_.wide},
                 cuda_stream_),
         "local ids of seeds");
  }
  return to;
}

void BatchRun::lay_out(Places* places, device::SampleAnswer* answer, bool copy) {
  for (size_t t = 0; t < nodes_.size(); ++t) {
    const NodeState& type = nodes_[t];
    device::NodeArrays& out = answer->nodes[t];
    const int64_t count = read(nodes_now(t));
    out.ids = copied(places, type.ids.data(), count, plan_.wide, copy);
    out.trees =
        plan_.disjoint ? copied(places, type.trees.data(), count, plan_.wide, copy) : nullptr;
    out.seed = copied(places, type.seed, type.num_seeds, plan_.wide, copy);
    out.num_seeds = type.num_seeds;
    for (size_t hop = 0; hop <= plan_.num_hops; ++hop) {
      out.per_hop[hop] = read(nodes_after(hop, t)) - (hop == 0 ? 0 : read(nodes_after(hop - 1, t)));
    }
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    const EdgeState& type = edges_[t];
    device::EdgeArrays& out = answer->edges[t];
    int64_t count = 0;
    if (plan_.edges_last()) {
      count = read(places_.picks + step_number(plan_.num_hops, t));
      out.per_hop[0] = count;
    }
    for (size_t hop = 0; !plan_.edges_last() && hop < plan_.num_hops; ++hop) {
      out.per_hop[hop] = read(places_.picks + step_number(hop, t));
      count += out.per_hop[hop];
    }
    copy_ends(places, type, count, copy, &out);
    out.edge_ids = plan_.edge_ids
                       ? copied(places, type.edge_ids.data(), count, plan_.edges[t].wide_out, copy)
                       : nullptr;
  }
  if (plan_.finds_virtual_neighbors() || plan_.pushes()) {
    const int64_t width = id_width(plan_.wide);
    const int64_t columns = plan_.ppr.columns;
    for (size_t t = 0; t < importance_of_.size(); ++t) {
      const auto [first, count] = importance_of_[t];
      static_assert(sizeof(float) == sizeof(int32_t));
      const int64_t score = first * columns * int64_t{sizeof(float)};
      answer->virtual_neighbors[t] = {
          copied(places, importance_seeds_.data() + first * width, count, plan_.wide, copy),
          copied(places, importance_nodes_.data() + first * width, count, plan_.wide, copy),
          copied(places, importance_scores_.data() + score, columns * count, false, copy), count};
    }
  } else if (plan_.walks.length > 0) {
    answer->walk =
        copied(places, walk_.data(), num_walks() * (plan_.walks.length + 1), plan_.wide, copy);
    answer->walk_edge = plan_.edge_ids
                            ? copied(places, walk_edges_.data(), num_walks() * plan_.walks.length,
                                     plan_.walks.wide_edges, copy)
                            : nullptr;
  }
  int64_t at = 0;
  for (size_t l = 0; l < work_.num_places; ++l) {
    answer->at_places[l] = taken(places, l, at, copy);
    at += work_.places[l].count;
  }
}

}  // namespace gls::cuda
