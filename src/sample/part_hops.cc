#include "sample/part_hops.h"

#include <limits>

#include "graph/dataset/dataset.h"
#include "sample/answer_hop.h"
#include "sample/sampler.h"

namespace gls {
namespace {

const EdgeType* find_type(const Dataset& dataset, size_t edge_type) {
  return edge_type < dataset.edge_types().size() ? &dataset.edge_types()[edge_type] : nullptr;
}

// Converts ids in this part to global ids, in place, because the answer owns the memory.
template <typename T>
void translate(const Tensor& ids, const GlobalIds& whole) {
  auto* const values = reinterpret_cast<T*>(ids.mutable_data());
  constexpr int64_t kAhead = 32;
  const auto* const known = whole.ids().as<int64_t>();
  const int64_t count = ids.rows();
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      __builtin_prefetch(known + values[i + kAhead]);
    }
    values[i] = static_cast<T>(known[values[i]]);
  }
}

Status name_in_whole(const Tensor& ids, const GlobalIds& whole) {
  if (whole.is_all()) {
    return {};
  }
  if (same_dtype(ids.dtype(), kInt64)) {
    translate<int64_t>(ids, whole);
    return {};
  }
  if (whole.whole_count() > std::numeric_limits<int32_t>::max()) {
    return invalid("GLS_SAMPLE_INT32 is set, but there are {} ids in the whole graph",
                   whole.whole_count())
        .with("argument", "flags");
  }
  translate<int32_t>(ids, whole);
  return {};
}

}  // namespace

Result<HopPicks> answer_hop_of_part(const Sampler& sampler, const HopQuestion& question,
                                    const HaloRows* halo) {
  const Dataset& dataset = *sampler.dataset();
  const EdgeType* const type = find_type(dataset, question.edge_type);
  if (!dataset.part() || type == nullptr) {
    return invalid("hop: edge type number {} of a dataset with {} types{}", question.edge_type,
                   dataset.edge_types().size(),
                   dataset.part() ? "" : ", which is no part of a graph");
  }
  const bool in = sampler.options().direction == Direction::kIn;
  const NodeType& anchors = dataset.node_types()[in ? type->target : type->source];
  const NodeType& neighbors = dataset.node_types()[in ? type->source : type->target];
  const GlobalIds& owned = *anchors.whole;
  if (const int64_t bad = question.nodes.find_outside(owned.whole_count()); bad >= 0) {
    return invalid("hop: node {} at index {} is outside 0 .. {} of type \"{}\"",
                   question.nodes[bad], bad, owned.whole_count() - 1, anchors.name);
  }
  std::vector<int64_t> rows(static_cast<size_t>(question.nodes.size()));
  owned.locals_of_owned(question.nodes, rows.data());
  for (int64_t i = 0; i < question.nodes.size(); ++i) {
    int64_t& row = rows[static_cast<size_t>(i)];
    if (row < 0 && halo != nullptr) {
      row = halo->row_of(question.nodes[i]);
    }
    if (row < 0) {
      return invalid("hop: node {} of type \"{}\" is not owned by part {} of {}", question.nodes[i],
                     anchors.name, dataset.part()->number, dataset.part()->parts);
    }
  }
  HopQuestion local = question;
  local.rows = IdSpan(rows.data(), true, question.nodes.size());
  local.whole_neighbors = &*neighbors.whole;
  local.whole_edges = &*type->whole;
  GLS_ASSIGN(HopPicks picks, answer_hop(sampler, local));
  GLS_TRY(name_in_whole(picks.neighbors, *neighbors.whole));
  if (picks.edge_ids.defined()) {
    GLS_TRY(name_in_whole(picks.edge_ids, *type->whole));
  }
  return picks;
}

}  // namespace gls
