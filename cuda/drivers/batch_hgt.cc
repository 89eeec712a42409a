// HGT sampling, hop by hop: the shares from nodes that were new in the previous hop, then draws
// from the nodes with shares. The host waits for both numbers, so that arrays are no larger than
// needed.
#include <algorithm>
#include <cstdio>

#include "cuda/drivers/batch_run.h"
#include "host_device/alias_rule.h"

namespace gls::cuda {

namespace {

// Bytes of shares, and of everything computed from them.
uint64_t bytes_of_shares(int64_t count) {
  constexpr uint64_t kArrays = 6;  // keys, positions, and sums with room to sort
  return static_cast<uint64_t>(count) * kArrays * sizeof(int64_t) + relabel_bytes(count);
}

// Bytes for this many visited nodes.
uint64_t bytes_of_met(int64_t count, uint64_t num_keys) {
  return static_cast<uint64_t>(count) * (sizeof(int64_t) + sizeof(double) + 1) +
         table_bytes(table_slots(count), fits_packed(num_keys));
}

}  // namespace

bool BatchRun::run_hgt(size_t hop) {
  if (hop == 0) {
    if (!read_counters()) {
      return false;
    }
    for (size_t t = 0; t < nodes_.size(); ++t) {
      bounds_.set_nodes(t, 0, read(nodes_after(0, t)));
    }
    if (!meet_seeds()) {
      return false;
    }
  }
  for (size_t t = 0; t < nodes_.size(); ++t) {
    const Range range = {t, bounds_.nodes(t) - bounds_.frontier(t), bounds_.nodes(t)};
    if (range.size() > 0 && !share_out(hop, range)) {
      return false;
    }
  }
  return draw_hgt(hop);
}

// ---- visited nodes -----------------------------------------------------------------------------

int64_t BatchRun::first_key(size_t node_type) const {
  int64_t key = 0;
  for (size_t t = 0; t < node_type; ++t) {
    key += plan_.node_counts[t];
  }
  return key;
}

MetNodes BatchRun::met_nodes() const {
  return {reinterpret_cast<const int64_t*>(met_.ids.data()),
          reinterpret_cast<double*>(scores_.data()), reinterpret_cast<uint8_t*>(taken_.data()),
          counter(places_.met)};
}

// Entries behind the existing ones have no score, and are not taken.
bool BatchRun::reserve_met(int64_t count) {
  const auto used = static_cast<int64_t>(taken_.bytes());
  if (count > used) {
    const auto bytes = static_cast<uint64_t>(std::max(count, 2 * used));
    const auto before = static_cast<uint64_t>(used);
    if (!met_.ids.reserve(bytes * sizeof(int64_t), before * sizeof(int64_t), error_) ||
        !scores_.reserve(bytes * sizeof(double), before * sizeof(double), error_) ||
        !taken_.reserve(bytes, before, error_) ||
        !good(cudaMemsetAsync(scores_.data() + before * sizeof(double), 0,
                              (bytes - before) * sizeof(double), cuda_stream_),
              "clearing scores") ||
        !good(cudaMemsetAsync(taken_.data() + before, 0, bytes - before, cuda_stream_),
              "clearing what is taken")) {
      return false;
    }
  }
  const NumberedNodes numbered = {counter(places_.met), {met_.ids.data(), true}, {}, 0};
  return reserve_table(&met_, numbered, num_met_keys(), used, count);
}

// The numbers of `count` keys, whose true number is in the counter of shares. There is room for
// them.
bool BatchRun::meet(int64_t* keys, int64_t count, const IdsOut& numbers, void* scratch) {
  const NumberedNodes numbered = {counter(places_.met), {met_.ids.data(), true}, {}, 0};
  const RelabelWork work = {{keys, true},          {},     counter(places_.shares), count, numbers,
                            counter(places_.zero), scratch};
  return good(set_numbers(counter(places_.shares), count, 0, cuda_stream_), "counting shares") &&
         good(relabel(met_.slots, numbered, work, cuda_stream_), "numbering nodes met");
}

bool BatchRun::meet_seeds() {
  int64_t met = 0;
  for (size_t t = 0; t < nodes_.size(); ++t) {
    const int64_t count = bounds_.nodes(t);
    if (count == 0) {
      continue;
    }
    const auto bytes = static_cast<uint64_t>(count) * sizeof(int64_t);
    if (!shares_.reserve(2 * bytes + relabel_bytes(count), 0, error_) ||
        !reserve_met(met + count)) {
      return false;
    }
    auto* const keys = reinterpret_cast<int64_t*>(shares_.data());
    int64_t* const numbers = keys + count;
    if (!good(
            make_keys({nodes_[t].ids.data(), plan_.wide}, count, first_key(t), keys, cuda_stream_),
            "keys of seeds") ||
        !meet(keys, count, {numbers, true}, numbers + count) ||
        !good(mark_taken({numbers, true}, count, met_nodes().taken, cuda_stream_),
              "taking seeds")) {
      return false;
    }
    met += count;
  }
  return true;
}

// ---- shares ------------------------------------------------------------------------------------

// Entries considered of a range's nodes, along one edge type. Their rows are not placed yet.
PickStep BatchRun::range_step(size_t hop, size_t edge_type) const {
  PickStep step = pick_step(hop, edge_type);
  step.fanout = plan_.most_neighbors;
  step.replace = Replace::kNever;
  step.row_word = row_word(0, static_cast<uint32_t>(edge_type));
  step.first_node = counter(places_.range);
  step.end_node = counter(places_.range + 1);
  step.last_edges_before = nullptr;
  step.last_num_picks = nullptr;
  return step;
}

// The rows of all edge types, the number of picks of each, and the start of their shares.
bool BatchRun::count_range(size_t hop, const Range& range, std::vector<RangeStep>* steps,
                           Shares* shares) {
  const auto bytes_of_next = static_cast<uint64_t>(range.size()) * sizeof(int64_t);
  Places sizes;
  sizes.next(bytes_of_next);
  for (size_t t = 0; t < edges_.size(); ++t) {
    if (plan_.edges[t].rows.anchor_type == range.node_type) {
      steps->push_back({t, range_step(hop, t)});
      steps->back().pick.most_nodes = range.size();
      sizes.next(rows_bytes_of(t, range.size()));
    }
  }
  if (!rows_.reserve(sizes.size(), 0, error_) ||
      !good(set_numbers(counter(places_.range), range.first, range.end, cuda_stream_),
            "choosing nodes")) {
    return false;
  }
  Places places(rows_.data());
  shares->next = places.next<int64_t>(bytes_of_next);
  for (RangeStep& step : *steps) {
    place_rows(places.next(rows_bytes_of(step.edge_type, range.size())), &step.pick);
    if (!good(count_picks(step.pick, cuda_stream_), "counting shares") ||
        !good(begin_shares(step.pick, &step == &steps->front(), *shares, cuda_stream_),
              "placing shares")) {
      return false;
    }
  }
  return true;
}

bool BatchRun::share_out(size_t hop, const Range& range) {
  std::vector<RangeStep> steps;
  Shares shares = {};
  if (!count_range(hop, range, &steps, &shares) || !read_counters() || !check_shares(hop)) {
    return false;
  }
  int64_t total = 0;
  uint64_t picking = 0;
  bool sound = true;
  for (RangeStep& step : steps) {
    const size_t number = step_number(hop, step.edge_type);
    const auto bad_row = static_cast<unsigned long long>(read(places_.faults + 3 * number));
    sound = sound && bad_row >= static_cast<unsigned long long>(range.end);
    step.pick.most_picks = read(places_.picks + number);
    total += step.pick.most_picks;
    picking = std::max(picking, positions_bytes(step.pick));
  }
  const bool too_many = read(places_.met) + total > kAllParts;
  const uint64_t bytes = bytes_of_shares(total) + bytes_of_met(total, num_met_keys()) + picking;
  if (range.size() > 1 && (too_many || bytes > most_bytes_ / 2)) {
    return share_out(hop, range.first_half()) && share_out(hop, range.second_half());
  }
  if (sound && too_many) {  // with the CPU's error text
    error_->code = GLS_ERR_UNSUPPORTED;
    static_cast<void>(std::snprintf(
        error_->text, sizeof error_->text,
        "the batch is next to more than %d nodes; use smaller batches or most_neighbors",
        kAllParts));
    return false;
  }
  if (total > 0 && !too_many &&
      (!picks_.reserve(picking, 0, error_) || !give_shares(steps, total, &shares))) {
    return false;
  }
  shared_ = range;
  shared_places_ = shares;
  return sound || (read_counters() && check_shares(hop));
}

bool BatchRun::give_shares(const std::vector<RangeStep>& steps, int64_t total, Shares* shares) {
  if (!shares_.reserve(bytes_of_shares(total), 0, error_) ||
      !reserve_met(read(places_.met) + total)) {
    return false;
  }
  shares->keys = reinterpret_cast<int64_t*>(shares_.data());
  shares->positions = shares->keys + total;
  auto* const numbers = reinterpret_cast<uint64_t*>(shares->positions + total);
  shares->values = reinterpret_cast<double*>(numbers + total);
  auto* const more = reinterpret_cast<uint64_t*>(shares->values + total);
  const ShareSums sums = {numbers, shares->values, more, reinterpret_cast<double*>(more + total),
                          total};
  for (const RangeStep& step : steps) {
    if (step.pick.most_picks == 0) {
      continue;
    }
    const ShareStep giving = {picking_positions(step.pick, picks_.data()),
                              first_key(step.pick.neighbor_type)};
    if (!good(pick_rows(giving.pick, cuda_stream_), "picking what gets shares") ||
        !good(order_shares(giving, *shares, cuda_stream_), "giving shares")) {
      return false;
    }
  }
  return meet(shares->keys, total, {numbers, true}, more + 2 * total) &&
         good(add_shares(sums, met_nodes(), cuda_stream_), "adding shares");
}

// Reports the fault of the last shared nodes, after numbers were read. Earlier nodes had none.
bool BatchRun::check_shares(size_t hop) {
  constexpr auto kSound = PickFaults::kNoFault;
  unsigned long long row = kSound;
  unsigned long long share = kSound;
  size_t type_of_row = 0;
  size_t type_of_share = 0;
  for (size_t t = 0; t < edges_.size(); ++t) {
    if (plan_.edges[t].rows.anchor_type != shared_.node_type) {
      continue;
    }
    const size_t faults = places_.faults + 3 * step_number(hop, t);
    const auto bad_row = static_cast<unsigned long long>(read(faults));
    const auto bad_share = static_cast<unsigned long long>(read(faults + 1));
    if (bad_row < row && bad_row < static_cast<unsigned long long>(shared_.end)) {
      row = bad_row;
      type_of_row = t;
    }
    if (bad_share < share) {
      share = bad_share;
      type_of_share = t;
    }
  }
  const auto look_up = [&](const int64_t* number, int64_t* found) {
    if (!good(cudaMemcpyAsync(counter(places_.values), number, sizeof(int64_t),
                              cudaMemcpyDeviceToDevice, cuda_stream_),
              "looking up what is at fault") ||
        !read_counters()) {
      return false;
    }
    *found = read(places_.values);
    return true;
  };
  if (row != kSound && share != kSound) {
    // The end of the previous node's shares; all shares were written by now.
    const auto number = static_cast<int64_t>(row) - shared_.first;
    int64_t begin = 0;
    if (number > 0 && !look_up(shared_places_.next + number - 1, &begin)) {
      return false;
    }
    (static_cast<int64_t>(share) < begin ? row : share) = kSound;
  }
  if (row != kSound) {
    return tell_fault(hop, type_of_row, FaultKind::kRow, static_cast<int64_t>(row));
  }
  int64_t position = 0;
  return share == kSound || (look_up(shared_places_.positions + share, &position) &&
                             tell_fault(hop, type_of_share, FaultKind::kIndex, position));
}

// ---- draws -------------------------------------------------------------------------------------

bool BatchRun::draw_hgt(size_t hop) {
  const auto wanted = [&](size_t t) { return plan_.samples[t * plan_.num_hops + hop]; };
  const auto most = static_cast<int64_t>(taken_.bytes());
  Candidates all = {met_nodes(), 0, 0, most, nullptr};
  for (size_t t = 0; most > 0 && t < nodes_.size(); ++t) {
    if (wanted(t) == 0) {
      continue;
    }
    all.first_key = first_key(t);
    all.end_key = all.first_key + plan_.node_counts[t];
    if (!candidates_.reserve(hgt_scan_bytes(), 0, error_)) {
      return false;
    }
    all.sums = candidates_.data();
    if (!good(count_candidates(all, counter(places_.candidates + t), cuda_stream_),
              "counting candidates")) {
      return false;
    }
  }
  if (most == 0) {
    return true;
  }
  if (!read_counters() || !check_shares(hop)) {
    return false;
  }
  for (size_t t = 0; t < nodes_.size(); ++t) {
    const int64_t candidates = wanted(t) == 0 ? 0 : read(places_.candidates + t);
    if (candidates > 0 && !draw_type(hop, t, candidates)) {
      return false;
    }
  }
  return true;
}

bool BatchRun::draw_type(size_t hop, size_t node_type, int64_t candidates) {
  const int64_t given = plan_.samples[node_type * plan_.num_hops + hop];
  const bool all = given < 0 || given >= candidates;
  const int64_t count = all ? candidates : given;
  const auto taken = static_cast<uint64_t>(count);
  HgtDraw draw = {};
  TakenCandidates take = {};
  void* sums = nullptr;
  uint32_t* list = nullptr;
  int64_t* numbers = nullptr;
  void* scratch = nullptr;
  const auto place = [&](char* memory) {
    Places places(memory);
    sums = places.next(hgt_scan_bytes());
    list = places.next<uint32_t>(static_cast<uint64_t>(candidates) * sizeof(uint32_t));
    draw.picks = places.next<uint32_t>(all ? 0 : taken * sizeof(uint32_t));
    draw.scratch = places.next(all ? 0 : hgt_draw_bytes(candidates, count));
    take.ids = places.next<int64_t>(taken * sizeof(int64_t));
    numbers = places.next<int64_t>(taken * sizeof(int64_t));
    scratch = places.next(relabel_bytes(count));
    return places.size();
  };
  if (!candidates_.reserve(place(nullptr), 0, error_)) {
    return false;
  }
  place(candidates_.data());
  const Candidates listed = {met_nodes(), first_key(node_type),
                             first_key(node_type) + plan_.node_counts[node_type],
                             static_cast<int64_t>(taken_.bytes()), sums};
  if (!good(list_candidates(listed, counter(places_.candidates + node_type), list, cuda_stream_),
            "listing candidates")) {
    return false;
  }
  if (!all) {
    draw.scores = met_nodes().scores;
    draw.list = list;
    draw.count = candidates;
    draw.wanted = count;
    draw.key = work_.hgt_key;
    draw.word = row_word(static_cast<uint32_t>(hop), static_cast<uint32_t>(node_type));
    if (!good(draw_candidates(draw, cuda_stream_), "drawing candidates")) {
      return false;
    }
  }
  take.list = list;
  take.picks = all ? nullptr : draw.picks;
  take.count = count;
  take.first_key = first_key(node_type);
  bounds_.add_nodes(node_type, count);
  if (bounds_.nodes(node_type) > BatchBounds::kMostLocal) {
    return too_many_nodes();
  }
  const RelabelWork work = {
      {take.ids, true},      {},     counter(places_.shares), count, {numbers, true},
      counter(places_.zero), scratch};
  return reserve_nodes(node_type, bounds_.nodes(node_type)) &&
         good(take_candidates(take, met_nodes(), cuda_stream_), "taking candidates") &&
         good(set_numbers(counter(places_.shares), count, 0, cuda_stream_), "counting nodes") &&
         good(relabel(nodes_[node_type].slots, numbered(node_type), work, cuda_stream_),
              "numbering nodes");
}

}  // namespace gls::cuda
