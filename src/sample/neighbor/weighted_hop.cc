// Picks a hop by weight with an alias table. The kernel handles many rows at once. Rows that it
// skips, and other fanouts, are handled one by one. Rows that are not in the table are read
// (pick.h). All ways give the same picks.
#include <algorithm>

#include "sample/neighbor/hop_worker.h"

namespace gls {

// A row that the kernel skips is picked by itself, and the kernel continues behind it.
Status HopWorker::expand_weighted(const Hop& hop) {
  const bool vectorised = hop.fanout > 0 && hop.fanout <= int64_t{kernels::kMaxVectorFanout};
  int64_t local = hop.frontier.begin;
  while (local < hop.frontier.end) {
    if (vectorised) {
      GLS_ASSIGN(const int64_t next, pick_weighted_run(hop, local));
      if (next > local) {
        local = next;
        continue;
      }
    }
    GLS_TRY(pick_weighted_one(hop, local));
    ++local;
    const bool full =
        static_cast<int64_t>(scratch_.row_positions.size()) >= kernels::kChunkPicks / 2;
    if (vectorised || full || local == hop.frontier.end) {
      GLS_TRY(flush_rows(hop));
    }
  }
  return {};
}

Result<int64_t> HopWorker::pick_weighted_run(const Hop& hop, int64_t from) {
  const int64_t end = end_of_run(hop, from);
  if (from == end) {
    return from;
  }
  const WeightTable& table = *plan_.weights()[hop.edge_type].table;
  const Replace replace = plan_.options().replace;
  PickedEdges& edges = *hop.edges;
  edges.anchors.reserve(edges.count + (end - from) * hop.fanout, edges.count);
  const kernels::WeightedArgs args = {
      table.rows(),
      table.slots(),
      hop.frontier.rows->data(),
      hop.frontier.nodes->data(),
      disjoint_ ? hop.frontier.trees->data() : nullptr,
      tree_keys_.data(),
      key_,
      hop.row_word,
      static_cast<uint32_t>(hop.fanout),
      hop.frontier.end,
      replace == Replace::kNever,
      replace != Replace::kAlways,
  };
  const kernels::WeightedResult result = plan_.kernels().weighted[wide_ ? 1 : 0](
      args, from, end, scratch_.positions, edges.anchors.at(edges.count));
  GLS_TRY(take_picks(hop, scratch_.positions, result.picks));
  return result.next_node;
}

Status HopWorker::pick_weighted_one(const Hop& hop, int64_t local) {
  const WeightTable& table = *plan_.weights()[hop.edge_type].table;
  const int64_t at = (*hop.frontier.rows)[local];
  const WeightTable::Row& row = table.rows()[at];
  if (row.positive == WeightTable::kUnknown || exclusions_->touches(hop.edge_type, at)) {
    return pick_one(hop, local);
  }
  std::vector<int64_t>& out = scratch_.row_positions;
  const size_t before = out.size();
  const Replace replace = plan_.options().replace;
  if (row.positive == 0 || hop.fanout < 0 ||
      (replace != Replace::kAlways && row.positive <= hop.fanout)) {
    table.append_positive(row, &out);
  } else {
    RowDraws draws(key_of_row(hop, local), hop.row_word,
                   static_cast<uint64_t>((*hop.frontier.nodes)[local]));
    if (replace == Replace::kNever) {
      scratch_.alias.distinct(table.slots_of(row), draws, hop.fanout, &out);
    } else {
      AliasPicker::repeated(table.slots_of(row), draws, hop.fanout, &out);
    }
    for (size_t i = before; i < out.size(); ++i) {
      out[i] += row.begin;
    }
  }
  scratch_.row_runs.emplace_back(local, static_cast<int64_t>(out.size() - before));
  return {};
}

}  // namespace gls
