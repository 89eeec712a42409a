// A hop whose rows are picked from by weight: many at once where there is a table of running parts,
// else, and where entries may not be picked, row by row (pick.h), which gives the same.
#include <algorithm>

#include "sample/hop_worker.h"

namespace gls {

// How many rows of this hop are picked together; 0: it cannot be done here.
int64_t HopWorker::rows_in_weighted_block(const Hop& hop) const {
  if (sampler_.weights_[hop.edge_type].table == nullptr) {
    return 0;
  }
  constexpr int64_t kWholeRows = 8;  // however long
  return hop.fanout < 0
             ? kWholeRows
             : WeightedBlock::room(hop.fanout, sampler_.options_.replace == Replace::kNever);
}

// Three blocks are worked on at a time, each one step ahead of the next.
Status HopWorker::expand_weighted(const Hop& hop, int64_t rows_in_block) {
  const int64_t begin = hop.frontier.begin;
  const int64_t end = hop.frontier.end;
  const int64_t blocks = (end - begin + rows_in_block - 1) / rows_in_block;
  const auto rows_of = [&](int64_t block) -> WeightedRows& {
    return scratch_.weighted_rows[static_cast<size_t>(block) % scratch_.weighted_rows.size()];
  };
  for (int64_t step = 0; step < blocks + 2; ++step) {
    if (step < blocks) {
      WeightedRows& rows = rows_of(step);
      rows.from = begin + step * rows_in_block;
      rows.to = std::min(end, rows.from + rows_in_block);
      begin_weighted_block(hop, &rows);
    }
    if (step >= 1 && step <= blocks) {
      rows_of(step - 1).block.draw(*sampler_.kernels_, hop.row_word);
    }
    if (step >= 2) {
      GLS_TRY(take_weighted_block(hop, &rows_of(step - 2)));
      const bool full =
          static_cast<int64_t>(scratch_.row_positions.size()) >= kernels::kChunkPicks / 2;
      if (full || step == blocks + 1) {
        GLS_TRY(flush_rows(hop));
      }
    }
  }
  return {};
}

void HopWorker::begin_weighted_block(const Hop& hop, WeightedRows* rows) {
  const WeightTable& table = *sampler_.weights_[hop.edge_type].table;
  const IdArray& row_ids = *hop.frontier.rows;
  // Those of the next block; of this one, too, if it is the first.
  const int64_t next = std::min(rows->to + (rows->to - rows->from), hop.frontier.end);
  for (int64_t local = rows->from == hop.frontier.begin ? rows->from : rows->to; local < next;
       ++local) {
    __builtin_prefetch(table.rows() + row_ids[local]);
  }
  rows->block.start(table, hop.fanout, sampler_.options_.replace == Replace::kNever);
  rows->ways.clear();
  for (int64_t local = rows->from; local < rows->to; ++local) {
    const WeightedWay way = weighted_way(hop, local);
    rows->ways.push_back(way);
    if (way == WeightedWay::kDrawn) {
      rows->block.add(row_ids[local], (*hop.frontier.nodes)[local], key_of_row(hop, local));
    }
  }
}

Status HopWorker::take_weighted_block(const Hop& hop, WeightedRows* rows) {
  const WeightTable& table = *sampler_.weights_[hop.edge_type].table;
  rows->block.finish(*sampler_.kernels_);
  std::vector<int64_t>& out = scratch_.row_positions;
  size_t drawn = 0;
  for (int64_t local = rows->from; local < rows->to; ++local) {
    const WeightedWay way = rows->ways[static_cast<size_t>(local - rows->from)];
    if (way == WeightedWay::kRead) {
      GLS_TRY(pick_one(hop, local));
      continue;
    }
    const size_t before = out.size();
    if (way == WeightedWay::kDrawn) {
      rows->block.append(drawn++, &out);
    } else {
      table.append_positive(table.rows()[(*hop.frontier.rows)[local]], &out);
    }
    scratch_.row_runs.emplace_back(local, static_cast<int64_t>(out.size() - before));
  }
  return {};
}

WeightedWay HopWorker::weighted_way(const Hop& hop, int64_t local) const {
  const int64_t at = (*hop.frontier.rows)[local];
  const WeightTable::Row& row = sampler_.weights_[hop.edge_type].table->rows()[at];
  if (row.positive == WeightTable::kUnknown || exclusions_->touches(hop.edge_type, at)) {
    return WeightedWay::kRead;
  }
  const bool all = row.positive == 0 || hop.fanout < 0 ||
                   (sampler_.options_.replace != Replace::kAlways && row.positive <= hop.fanout);
  return all ? WeightedWay::kAll : WeightedWay::kDrawn;
}

}  // namespace gls
