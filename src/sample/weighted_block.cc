// Weighted picks from many rows at once, with the table of running sums. Each pass over the block
// asks for the memory that the next one reads, so that waiting for one row is waiting for all. What
// a block cannot do is done row by row (pick.h), which gives the same.
#include <algorithm>

#include "sample/batch_worker.h"

namespace gls {
namespace {

constexpr int64_t kFewPicks = 32;  // so many are compared one by one

// Draws of a row that are made with the block, two from each Philox block; none where the fanout is
// very large.
size_t draws_ahead(int64_t fanout) {
  const auto draws = static_cast<size_t>(std::max<int64_t>(fanout, 0) + 1) / 2 * 2;
  return draws > WeightedBlock::kDraws ? 0 : draws;
}

// Whether all of `count` draws were decided, and no two are the same.
bool all_differ(const int64_t* found, int64_t count) {
  bool good = true;
  for (int64_t j = 0; j < count; ++j) {
    good &= found[j] >= 0;
    for (int64_t i = 0; i < j; ++i) {
      good &= found[i] != found[j];
    }
  }
  return good;
}

}  // namespace

// How many rows of this hop are picked together; 0: it cannot be done here.
int64_t BatchWorker::rows_in_weighted_block(const Hop& hop) const {
  if (sampler_.weights_[hop.edge_type].table == nullptr) {
    return 0;
  }
  constexpr auto kRows = static_cast<int64_t>(WeightedBlock::kRows);
  constexpr auto kDraws = static_cast<int64_t>(WeightedBlock::kDraws);
  return hop.fanout < 0 ? kRows / 8  // whole rows, however long
                        : std::clamp<int64_t>(kDraws / (hop.fanout + 1), 1, kRows);
}

Status BatchWorker::pick_weighted_block(const Hop& hop, int64_t from, int64_t to) {
  using Way = WeightedBlock::Way;
  const WeightTable& table = *sampler_.weights_[hop.edge_type].table;
  const IdArray& ids = hop.anchor->ids;
  // The next block's rows; this one's if it is the first.
  const int64_t next = std::min(to + (to - from), hop.anchor->frontier_end);
  for (int64_t local = from == hop.anchor->frontier_begin ? from : to; local < next; ++local) {
    __builtin_prefetch(table.rows() + ids[local]);
  }
  draw_weighted_block(hop, from, to);
  search_weighted_block(hop);
  std::vector<int64_t>& out = scratch_.row_positions;
  const int64_t* found = scratch_.block.entries.data();
  for (int64_t local = from; local < to; ++local) {
    const WeightTable::Row& row = table.rows()[ids[local]];
    const size_t before = out.size();
    bool done = false;
    const Way way = scratch_.block.ways[static_cast<size_t>(local - from)];
    if (way == Way::kDrawn) {
      done = take_drawn(hop, local, row, found);
      found += draws_ahead(hop.fanout);
    } else if (way == Way::kAll) {
      for (int64_t at = row.begin; at < row.begin + row.degree; ++at) {
        out.push_back(at);
      }
      done = true;
    }
    if (done) {
      scratch_.row_runs.emplace_back(local, static_cast<int64_t>(out.size() - before));
    } else {
      GLS_TRY(pick_one(hop, local));
    }
  }
  return {};
}

// kAlone: by pick_one.
WeightedBlock::Way BatchWorker::weighted_way(const Hop& hop, int64_t local) const {
  const auto node = static_cast<uint64_t>(hop.anchor->ids[local]);
  const WeightTable::Row& row = sampler_.weights_[hop.edge_type].table->rows()[node];
  if (row.positive == WeightTable::kUnknown || may_touch_excluded(hop.edge_type, node)) {
    return WeightedBlock::Way::kAlone;
  }
  const bool all = hop.fanout < 0 ||
                   (sampler_.options_.replace != Replace::kAlways && row.positive <= hop.fanout);
  if (!all && row.positive > 0) {
    return WeightedBlock::Way::kDrawn;
  }
  return row.positive == row.degree ? WeightedBlock::Way::kAll : WeightedBlock::Way::kAlone;
}

// Makes the draws of the block's rows.
void BatchWorker::draw_weighted_block(const Hop& hop, int64_t from, int64_t to) {
  const WeightTable& table = *sampler_.weights_[hop.edge_type].table;
  WeightedBlock& block = scratch_.block;
  const size_t ahead = draws_ahead(hop.fanout);
  size_t blocks = 0;
  block.count = 0;
  block.highest = 0;
  for (int64_t local = from; local < to; ++local) {
    const WeightedBlock::Way way = weighted_way(hop, local);
    block.ways[static_cast<size_t>(local - from)] = way;
    if (way != WeightedBlock::Way::kDrawn) {
      continue;
    }
    const int64_t node = hop.anchor->ids[local];
    const WeightTable::Row& row = table.rows()[node];
    block.rows[block.count] = &row;
    block.tops[block.count] = WeightTable::top_level(row);
    block.highest = std::max(block.highest, block.tops[block.count]);
    ++block.count;
    const uint64_t key = key_of_row(hop, local);
    for (size_t b = 0; b < ahead / 2; ++b) {
      block.nodes[blocks] = static_cast<uint64_t>(node);
      block.keys[blocks] = key;
      block.blocks[blocks] = b;
      ++blocks;
    }
  }
  sampler_.kernels_->draw({block.nodes.data(), block.keys.data(), block.blocks.data(),
                           static_cast<int64_t>(blocks), hop.row_word, block.draws.data()});
}

// Finds the positions of the block's draws.
void BatchWorker::search_weighted_block(const Hop& hop) {
  const WeightTable& table = *sampler_.weights_[hop.edge_type].table;
  WeightedBlock& block = scratch_.block;
  const size_t ahead = draws_ahead(hop.fanout);
  const size_t searched = ahead == 0 ? 0 : static_cast<size_t>(hop.fanout);
  const auto each = [&](const auto& work) {
    for (size_t i = 0; i < block.count; ++i) {
      for (size_t j = i * ahead; j < i * ahead + searched; ++j) {
        work(*block.rows[i], block.tops[i], j);
      }
    }
  };
  each([&](const WeightTable::Row& row, int32_t top, size_t j) {
    const double x = RowDraws::unit_of(block.draws[j]) * row.total;
    block.sums[j] = WeightTable::key_of(row, x);
    block.entries[j] = table.guess_top(row, top, block.sums[j]);
    table.prefetch_top(top, block.entries[j]);
  });
  each([&](const WeightTable::Row& row, int32_t top, size_t j) {
    block.entries[j] = table.search_top(row, top, block.entries[j], block.sums[j]);
    if (top > 0) {
      table.prefetch_below(top - 1, block.entries[j]);
    }
  });
  for (int32_t level = block.highest - 1; level >= 0; --level) {
    for (size_t i = 0; i < block.count; ++i) {
      if (block.tops[i] <= level) {
        continue;
      }
      for (size_t j = i * ahead; j < i * ahead + searched; ++j) {
        block.entries[j] =
            table.search_below(*block.rows[i], level, block.entries[j], block.sums[j]);
        if (level > 0) {
          table.prefetch_below(level - 1, block.entries[j]);
        }
      }
    }
  }
  each([&](const WeightTable::Row& row, int32_t, size_t j) {
    block.entries[j] = table.decided(row, block.entries[j], block.sums[j]) ? block.entries[j] : -1;
  });
}

// `found` are the positions of the draws ahead. False: the row must be read after all; then nothing
// was picked.
bool BatchWorker::take_drawn(const Hop& hop, int64_t local, const WeightTable::Row& row,
                             const int64_t* found) {
  const WeightTable& table = *sampler_.weights_[hop.edge_type].table;
  const bool distinct = sampler_.options_.replace == Replace::kNever;
  const bool few = hop.fanout <= kFewPicks;
  const int64_t searched = draws_ahead(hop.fanout) == 0 ? 0 : hop.fanout;
  const int64_t most = distinct ? 8 * hop.fanout : hop.fanout;
  std::vector<int64_t>& out = scratch_.row_positions;
  const size_t before = out.size();
  if (distinct && few && all_differ(found, hop.fanout)) {
    out.insert(out.end(), found, found + hop.fanout);
    return true;
  }
  out.resize(before + static_cast<size_t>(hop.fanout));
  int64_t* const picks = out.data() + before;
  int64_t taken = 0;
  if (distinct && !few) {
    scratch_.taken.start(static_cast<uint64_t>(row.degree), static_cast<uint64_t>(hop.fanout));
  }
  RowDraws draws(key_of_row(hop, local), hop.row_word,
                 static_cast<uint64_t>(hop.anchor->ids[local]));
  for (int64_t j = 0; taken < hop.fanout && j < most; ++j) {
    const int64_t position =
        j < searched ? found[j]
                     : table.search(row, draws.unit(static_cast<uint32_t>(j)) * row.total);
    if (position < 0) {
      break;
    }
    bool is_new = true;
    if (distinct && few) {
      for (int64_t i = 0; i < taken; ++i) {
        is_new &= picks[i] != position;
      }
    } else if (distinct) {
      is_new = scratch_.taken.insert(position - row.begin);
    }
    picks[taken] = position;
    taken += is_new ? 1 : 0;
  }
  if (taken < hop.fanout) {
    out.resize(before);
    return false;
  }
  return true;
}

}  // namespace gls
