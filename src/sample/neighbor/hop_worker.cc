#include "sample/neighbor/hop_worker.h"

#include <algorithm>

#include "base/philox.h"
#include "graph/dataset/topology_query.h"

namespace gls {
namespace {

using kernels::kChunkNodes;
using kernels::kChunkPicks;
using kernels::kSlack;

}  // namespace

HopWorker::HopWorker(const SamplerPlan& plan, SamplerScratch& scratch, uint64_t epoch,
                     uint64_t batch)
    : plan_(plan),
      scratch_(scratch),
      dataset_(*plan.dataset()),
      pool_(*dataset_.context()->buffers()),
      wide_(!plan.options().int32),
      disjoint_(plan.options().disjoint),
      key_(batch_key(plan.options().seed, epoch, batch)) {
  if (plan.options().pick == Pick::kLayer) {
    labor_keys_.emplace(plan.options(), epoch, batch);
  }
  // A failed batch may have left rows behind.
  scratch_.row_positions.clear();
  scratch_.row_runs.clear();
}

bool HopWorker::can_vectorise(size_t edge_type, int64_t fanout) const {
  return plan_.options().replace == Replace::kNever && !labor_keys_.has_value() &&
         !plan_.weights()[edge_type].column.defined() && !plan_.times()[edge_type].active() &&
         fanout > 0 && fanout <= int64_t{kernels::kMaxVectorFanout} &&
         dataset_.edge_types()[edge_type].topology(plan_.layout())->index == nullptr;
}

Status HopWorker::expand(const Hop& hop) {
  int64_t local = hop.frontier.begin;
  const int64_t end = hop.frontier.end;
  const bool labor = labor_keys_.has_value();
  if (!labor && hop.fanout != 0 && plan_.weights()[hop.edge_type].table != nullptr) {
    return expand_weighted(hop);
  }
  const TimeRule& rule = plan_.times()[hop.edge_type];
  const bool asks = rule.active() && hop.topology->index == nullptr;
  while (local < end) {
    if (asks) {
      ask_for_times(hop, local);
    }
    if (hop.vectorised) {
      GLS_ASSIGN(const int64_t next, pick_run(hop, local));
      if (next > local) {
        local = next;
        continue;
      }
    }
    const int64_t next = std::min(end, local + (labor ? LaborScratch::kRows : 1));
    if (labor) {
      GLS_TRY(pick_labor_block(hop, local, next));
    } else {
      GLS_TRY(pick_one(hop, local));
    }
    local = next;
    const bool full = static_cast<int64_t>(scratch_.row_positions.size()) >= kChunkPicks / 2;
    if (hop.vectorised || full || local == end) {
      GLS_TRY(flush_rows(hop));
    }
  }
  return {};
}

// Prefetches the times of the next rows, in stages.
void HopWorker::ask_for_times(const Hop& hop, int64_t local) const {
  constexpr int64_t kRowsAhead = 16;
  constexpr int64_t kTimesAhead = 8;
  constexpr int64_t kEntriesAhead = 3;
  const TimeRule& rule = plan_.times()[hop.edge_type];
  const IdArray& rows = *hop.frontier.rows;
  const int64_t last = hop.frontier.end - 1;
  rule.ask_for(rows[std::min(local + kRowsAhead, last)]);
  rule.ask_for_times(rows[std::min(local + kTimesAhead, last)]);
  const int64_t soon = std::min(local + kEntriesAhead, last);
  rule.ask_for_entries(rows[soon], tree_times_[static_cast<size_t>((*hop.frontier.trees)[soon])]);
}

int64_t HopWorker::end_of_run(const Hop& hop, int64_t from) const {
  const IdArray& rows = *hop.frontier.rows;
  const int64_t end =
      std::min({hop.frontier.end, from + kChunkNodes, from + kChunkPicks / hop.fanout});
  if (!exclusions_->any(hop.edge_type)) {
    return end;
  }
  int64_t clean = from;
  while (clean < end && !exclusions_->touches(hop.edge_type, rows[clean])) {
    ++clean;
  }
  return clean;
}

Result<int64_t> HopWorker::pick_run(const Hop& hop, int64_t from) {
  const int64_t end = end_of_run(hop, from);
  if (from == end) {
    return from;
  }
  const Topology& topology = *hop.topology;
  PickedEdges& edges = *hop.edges;
  edges.anchors.reserve(edges.count + (end - from) * hop.fanout, edges.count);
  const kernels::PickArgs args = {
      topology.indptr,
      static_cast<uint64_t>(topology.num_edges),
      hop.frontier.rows->data(),
      hop.frontier.nodes->data(),
      disjoint_ ? hop.frontier.trees->data() : nullptr,
      tree_keys_.data(),
      key_,
      hop.row_word,
      static_cast<uint32_t>(hop.fanout),
      hop.frontier.end,
  };
  const kernels::PickResult result = plan_.kernels().pick[wide_ ? 1 : 0](
      args, from, end, scratch_.positions, edges.anchors.at(edges.count));
  if (result.bad_row) {
    return bad_row(hop, result.next_node);
  }
  GLS_TRY(take_picks(hop, scratch_.positions, result.picks));
  return result.next_node;
}

Result<RowPick> HopWorker::row_of(const Hop& hop, int64_t local) {
  const Topology& topology = *hop.topology;
  const int64_t at = topology.row_of((*hop.frontier.rows)[local]);
  const int64_t begin = topology.indptr[at];
  const int64_t end = topology.indptr[at + 1];
  if (!is_row(begin, end, static_cast<uint64_t>(topology.num_edges))) {
    return bad_row(hop, local);
  }
  const size_t tree = disjoint_ ? static_cast<size_t>((*hop.frontier.trees)[local]) : 0;
  RowPick row = {static_cast<uint64_t>((*hop.frontier.nodes)[local]),
                 disjoint_ ? tree_keys_[tree] : key_,
                 hop.row_word,
                 begin,
                 end - begin,
                 hop.fanout,
                 plan_.options().replace,
                 {}};
  std::vector<int64_t>& excluded = scratch_.row_excluded;
  const auto exclude_within = [&](int64_t from, int64_t to) {
    exclusions_->find_within(hop.edge_type, from, to, &excluded);
    row.excluded = excluded;
  };
  const bool touched = exclusions_->touches(hop.edge_type, at);
  if (touched) {
    exclude_within(begin, end);
  }
  if (const TimeRule& rule = plan_.times()[hop.edge_type]; rule.active()) {
    const bool latest = plan_.options().time_strategy == TimeStrategy::kLast && hop.fanout > 0;
    const bool few = !labor_keys_.has_value() && !plan_.weights()[hop.edge_type].column.defined();
    GLS_ASSIGN(const TimeRule::Usable usable,
               rule.usable({at, tree_times_[tree], row.excluded, latest ? hop.fanout : -1,
                            few ? hop.fanout : -1},
                           &scratch_.row_entries));
    if (!usable.is_range) {
      row.entries = &scratch_.row_entries;
    } else {
      row.begin = usable.begin;
      row.degree = usable.end - usable.begin;
      if (touched) {
        exclude_within(usable.begin, usable.end);
      }
    }
  }
  return row;
}

Status HopWorker::pick_one(const Hop& hop, int64_t local) {
  GLS_ASSIGN(const RowPick row, row_of(hop, local));
  std::vector<int64_t>& out = scratch_.row_positions;
  const size_t before = out.size();
  const TimeRule& rule = plan_.times()[hop.edge_type];
  const Weights& weights = plan_.weights()[hop.edge_type];
  if (rule.active() && plan_.options().time_strategy == TimeStrategy::kLast && row.fanout > 0) {
    append_last(row, row.fanout, &out);  // the latest entries, if they are not a range
  } else if (labor_keys_.has_value() || weights.column.defined()) {
    Status status = labor_keys_.has_value()
                        ? pick_labor_row(hop, row)
                        : scratch_.picker.weighted(row, *hop.topology, weights, &out);
    if (!status.ok()) {
      const std::string& name = dataset_.edge_types()[hop.edge_type].joined;
      return std::move(status).prefixed(formatted("edge type \"{}\": ", name)).with("type", name);
    }
  } else {
    scratch_.picker.uniform(row, &out);
  }
  scratch_.row_runs.emplace_back(local, static_cast<int64_t>(out.size() - before));
  return {};
}

// Passes on the picks of rows that were processed one by one, a chunk at a time.
Status HopWorker::flush_rows(const Hop& hop) {
  const std::vector<int64_t>& positions = scratch_.row_positions;
  const auto total = static_cast<int64_t>(positions.size());
  PickedEdges& edges = *hop.edges;
  edges.anchors.reserve(edges.count + total, edges.count);
  int64_t at = edges.count;
  for (const auto& [local, picks] : scratch_.row_runs) {
    for (int64_t j = 0; j < picks; ++j) {
      edges.anchors.set(at++, local);
    }
  }
  for (int64_t begin = 0; begin < total; begin += kChunkPicks) {
    GLS_TRY(take_picks(hop, positions.data() + begin, std::min(kChunkPicks, total - begin)));
  }
  scratch_.row_positions.clear();
  scratch_.row_runs.clear();
  return {};
}

// ---- picks to edges ----------------------------------------------------------------------------

Status HopWorker::take_picks(const Hop& hop, const int64_t* positions, int64_t count) {
  if (count == 0) {
    return {};
  }
  GLS_TRY(
      load(hop, indices_of(hop), positions, count, hop.sink->wide_neighbors(), scratch_.neighbors));
  PickedEdges& edges = *hop.edges;
  GLS_TRY(take_edge_ids(hop, positions, count, edges.count));
  if (disjoint_) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t anchor = edges.anchors[edges.count + i];
      scratch_.edge_trees[i] = static_cast<uint32_t>((*hop.frontier.trees)[anchor]);
    }
  }
  GLS_TRY(hop.sink->take(count));
  edges.count += count;
  return {};
}

Status HopWorker::take_edge_ids(const Hop& hop, const int64_t* positions, int64_t count,
                                int64_t at) {
  if (!plan_.options().edge_ids || count == 0) {
    return {};
  }
  const Topology& topology = *hop.topology;
  IdArray& out = hop.edges->edge_ids;
  out.reserve(at + count, at);
  if (topology.edge_ids == nullptr) {
    for (int64_t i = 0; i < count; ++i) {
      out.set(at + i, positions[i]);
    }
    return {};
  }
  const StoredIds ids = {"edge id",
                         IdSpan(topology.edge_ids, topology.wide_edge_ids, topology.num_edges),
                         topology.num_edges};
  return load(hop, ids, positions, count, out.wide(), out.at(at));
}

HopWorker::StoredIds HopWorker::indices_of(const Hop& hop) {
  const Topology& topology = *hop.topology;
  return {"index", IdSpan(topology.indices, topology.wide_indices, topology.num_edges),
          topology.num_neighbors};
}

Status HopWorker::load(const Hop& hop, const StoredIds& stored, const int64_t* positions,
                       int64_t count, bool wide, void* out) const {
  const IdSpan& ids = stored.ids;
  if (plan_.kernels().load[ids.wide() ? 1 : 0][wide ? 1 : 0](
          ids.data(), positions, count, static_cast<uint64_t>(stored.limit), out)) {
    return {};
  }
  return name_bad_id(hop, stored, positions, count);
}

Status HopWorker::name_bad_id(const Hop& hop, const StoredIds& stored, const int64_t* positions,
                              int64_t count) const {
  const EdgeType& type = dataset_.edge_types()[hop.edge_type];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t id = stored.ids[positions[i]];
    if (id < 0 || id >= stored.limit) {
      return bad_stored_id(type, stored.what, positions[i], id, stored.limit);
    }
  }
  return error(GLS_ERR_INTERNAL, "edge type \"{}\": an {} changed while it was read", type.joined,
               stored.what);
}

Status HopWorker::bad_row(const Hop& hop, int64_t local) const {
  const std::string& name = dataset_.edge_types()[hop.edge_type].joined;
  const int64_t row = hop.topology->row_of((*hop.frontier.rows)[local]);
  return corrupt("edge type \"{}\": indptr of node {} goes from {} to {}, of {} edges", name, row,
                 hop.topology->indptr[row], hop.topology->indptr[row + 1], hop.topology->num_edges)
      .with("type", name)
      .with("offset", std::to_string(row));
}

}  // namespace gls
