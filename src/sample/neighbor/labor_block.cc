// Picks with LABOR. Every neighbour of a row longer than the fanout needs its number, so this reads
// more than independent picks. But rows are contiguous, and vector registers compute the numbers.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "host_device/labor_rule.h"
#include "sample/neighbor/hop_worker.h"

namespace gls {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

// Prefetch distances in rows. Each row prefetches a little, because the CPU drops most of many
// requests at once.
constexpr int64_t kIndptrAhead = 24;
constexpr int64_t kRowsAhead = 6;

// A bound that a few more than `fanout` of `degree` numbers are likely to be below. The picks do
// not depend on it: if too few are below, a larger bound is tried.
class Bound {
 public:
  explicit Bound(int64_t fanout) {
    const auto k = static_cast<double>(fanout);
    expected_ = k + 3 * std::sqrt(k) + 4;  // three standard deviations
  }
  uint64_t of(int64_t degree) const {
    const double share = expected_ / static_cast<double>(degree);
    return share < 1 ? static_cast<uint64_t>(share * 0x1.0p64) : kAll;
  }
  static uint64_t wider(uint64_t bound) { return bound > kAll / 8 ? kAll : 8 * bound; }

 private:
  double expected_;
};

}  // namespace

kernels::NumberArgs HopWorker::number_args(const Hop& hop) const {
  const EdgeType& type = dataset_.edge_types()[hop.edge_type];
  const size_t neighbor = plan_.options().direction == Direction::kIn ? type.source : type.target;
  const int64_t limit =
      whole_ids_ != nullptr ? whole_ids_->whole_count() : hop.topology->num_neighbors;
  return labor_keys_->args(neighbor, static_cast<uint64_t>(limit), hop.row_word & 0xff);
}

void HopWorker::ask_for_row(const Hop& hop, int64_t local) const {
  constexpr int64_t kAsked = 256;  // bytes; beyond them, sequential reads need no prefetch
  const Topology& topology = *hop.topology;
  if (topology.index != nullptr) {
    return;
  }
  const int64_t row = (*hop.frontier.rows)[local];
  const int64_t begin = topology.indptr[row];
  const int64_t end = topology.indptr[row + 1];
  if (begin < 0 || end < begin || end > topology.num_edges || end - begin <= hop.fanout) {
    return;  // damaged, or read later
  }
  const std::byte* const first = topology.stored_index(begin);
  const int64_t bytes = std::min(kAsked, topology.stored_index(end) - first);
  for (int64_t at = 0; at < bytes; at += int64_t{kCacheLine}) {
    __builtin_prefetch(first + at);
  }
}

Status HopWorker::pick_labor_block(const Hop& hop, int64_t from, int64_t to) {
  const Topology& topology = *hop.topology;
  const IdArray& rows = *hop.frontier.rows;
  const bool as_stored =
      !plan_.weights()[hop.edge_type].column.defined() && !plan_.times()[hop.edge_type].active();
  const int64_t last = hop.frontier.end - 1;
  const bool any_excluded = exclusions_->any(hop.edge_type);
  const kernels::NumberArgs args = number_args(hop);
  for (int64_t local = from; local < to; ++local) {
    if (topology.index != nullptr) {
      GLS_TRY(pick_one(hop, local));
      continue;
    }
    if (as_stored) {
      __builtin_prefetch(topology.indptr + rows[std::min(local + kIndptrAhead, last)]);
      if (local + kRowsAhead <= last) {
        ask_for_row(hop, local + kRowsAhead);
      }
    }
    const int64_t row = rows[local];
    const int64_t begin = topology.indptr[row];
    const int64_t end = topology.indptr[row + 1];
    if (begin < 0 || begin > end || end > topology.num_edges) {
      return bad_row(hop, local);
    }
    if (!as_stored || (any_excluded && exclusions_->touches(hop.edge_type, row))) {
      GLS_TRY(pick_one(hop, local));
      continue;
    }
    std::vector<int64_t>& out = scratch_.row_positions;
    const size_t before = out.size();
    if (hop.fanout < 0 || end - begin <= hop.fanout) {
      for (int64_t at = begin; at < end; ++at) {
        out.push_back(at);
      }
    } else {
      GLS_TRY(pick_stored_row(hop, args, begin, end));
    }
    scratch_.row_runs.emplace_back(local, static_cast<int64_t>(out.size() - before));
  }
  return {};
}

// Picks from a row of more than `fanout` entries, all of which may be picked.
Status HopWorker::pick_stored_row(const Hop& hop, const kernels::NumberArgs& args, int64_t begin,
                                  int64_t end) {
  LaborEntries& entries = scratch_.labor.entries;
  uint64_t bound = Bound(hop.fanout).of(end - begin);
  while (true) {
    entries.clear();
    for (int64_t at = begin; at < end; at += LaborScratch::kChunk) {
      const int64_t count = std::min(LaborScratch::kChunk, end - at);
      GLS_ASSIGN(const uint64_t* const numbers, stored_numbers(hop, args, at, count));
      entries.add_below(plan_.kernels(), numbers, count, bound, at);
    }
    if (entries.size() >= hop.fanout) {
      break;
    }
    bound = Bound::wider(bound);
  }
  entries.take_smallest(plan_.kernels(), hop.fanout, &scratch_.row_positions);
  return {};
}

// The numbers of the neighbours stored from `begin` on; views scratch memory.
Result<const uint64_t*> HopWorker::stored_numbers(const Hop& hop, const kernels::NumberArgs& args,
                                                  int64_t begin, int64_t count) {
  std::vector<uint64_t>& numbers = scratch_.labor.numbers;
  const auto room = static_cast<size_t>(count + kernels::kDrawLanes);
  if (numbers.size() < room) {
    numbers.resize(room);
  }
  const Topology& topology = *hop.topology;
  if (whole_ids_ == nullptr && plan_.kernels().numbers[topology.wide_indices ? 1 : 0](
                                   args, topology.stored_index(begin), count, numbers.data())) {
    return numbers.data();
  }
  std::vector<int64_t>& positions = scratch_.labor.positions;
  positions.resize(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), begin);
  GLS_TRY(load_neighbors(hop, positions));
  if (whole_ids_ != nullptr &&
      plan_.kernels().numbers[1](args, scratch_.labor.neighbors.data(), count, numbers.data())) {
    return numbers.data();
  }
  return error(GLS_ERR_INTERNAL, "an index changed while it was read");
}

// Reads the neighbours at `positions` into scratch memory, as the ids that the numbers depend on.
Status HopWorker::load_neighbors(const Hop& hop, const std::vector<int64_t>& positions) {
  std::vector<int64_t>& neighbors = scratch_.labor.neighbors;
  neighbors.resize(positions.size() + static_cast<size_t>(kernels::kSlack));
  GLS_TRY(load(hop, indices_of(hop), positions.data(), static_cast<int64_t>(positions.size()), true,
               neighbors.data()));
  if (whole_ids_ != nullptr) {
    for (size_t i = 0; i < positions.size(); ++i) {
      neighbors[i] = whole_ids_->whole_of(neighbors[i]);
    }
  }
  return {};
}

// Picks from any row: with excluded entries, time limits, or weights.
Status HopWorker::pick_labor_row(const Hop& hop, const RowPick& row) {
  const Weights& weights = plan_.weights()[hop.edge_type];
  const bool weighted = weights.column.defined();
  std::vector<int64_t>& positions = scratch_.labor.positions;
  std::vector<double>& divisors = scratch_.labor.weights;
  positions.clear();
  divisors.clear();
  if (weighted) {
    GLS_TRY(scratch_.picker.load_weights(row, *hop.topology, weights));
    const std::span<const int64_t> loaded = scratch_.picker.loaded_positions();
    for (size_t i = 0; i < loaded.size(); ++i) {
      if (const double weight = scratch_.picker.loaded_weights()[i]; weight > 0) {
        positions.push_back(loaded[i]);
        divisors.push_back(weight);
      }
    }
  } else {
    append_entries(row, &positions);
  }
  std::vector<int64_t>& out = scratch_.row_positions;
  const auto size = static_cast<int64_t>(positions.size());
  if (row.fanout < 0 || size <= row.fanout) {
    out.insert(out.end(), positions.begin(), positions.end());
    return {};
  }
  GLS_TRY(load_neighbors(hop, positions));
  const kernels::NumberArgs args = number_args(hop);
  std::vector<uint64_t>& numbers = scratch_.labor.numbers;
  numbers.resize(std::max(numbers.size(), static_cast<size_t>(size + kernels::kDrawLanes)));
  plan_.kernels().numbers[1](args, scratch_.labor.neighbors.data(), size, numbers.data());
  if (weighted) {
    for (size_t i = 0; i < positions.size(); ++i) {
      numbers[i] = number_by_weight(numbers[i], divisors[i]);
    }
  }
  LaborEntries& entries = scratch_.labor.entries;
  entries.clear();
  entries.add_below(plan_.kernels(), numbers.data(), size, kAll, 0);
  const size_t before = out.size();
  entries.take_smallest(plan_.kernels(), row.fanout, &out);
  for (size_t i = before; i < out.size(); ++i) {
    out[i] = positions[static_cast<size_t>(out[i])];
  }
  return {};
}

}  // namespace gls
