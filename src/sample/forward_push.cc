#include "sample/forward_push.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/philox.h"
#include "graph/topology_query.h"

namespace gls {

void PushTable::clear() {
  entries_.clear();
  if (++seed_ == 0) {  // slots of as many seeds ago would look new
    std::fill(slots_.begin(), slots_.end(), Slot{});
    seed_ = 1;
  }
}

uint32_t PushTable::find(uint32_t type, int64_t node) const {
  for (size_t at = home(type, node); slots_[at].seed == seed_;
       at = (at + 1) & (slots_.size() - 1)) {
    const Entry& entry = entries_[slots_[at].index];
    if (entry.node == node && entry.type == type) {
      return slots_[at].index;
    }
  }
  return kNone;
}

uint32_t PushTable::add(uint32_t type, int64_t node) {
  if (2 * (entries_.size() + 1) > slots_.size()) {
    grow();
  }
  const auto index = static_cast<uint32_t>(entries_.size());
  Entry& entry = entries_.emplace_back();
  entry.node = node;
  entry.type = type;
  size_t at = home(type, node);
  while (slots_[at].seed == seed_) {
    at = (at + 1) & (slots_.size() - 1);
  }
  slots_[at] = {seed_, index};
  return index;
}

void PushTable::grow() {
  slots_.assign(2 * slots_.size(), Slot{});
  --shift_;
  for (uint32_t index = 0; index < entries_.size(); ++index) {
    size_t at = home(entries_[index].type, entries_[index].node);
    while (slots_[at].seed == seed_) {
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {seed_, index};
  }
}

ForwardPush::ForwardPush(const Input& input, PushTable& table)
    : in_(input),
      options_(input.plan.options),
      factor_(options_.alpha * options_.epsilon),
      excluded_(input.excluded, input.excluded_now),
      table_(table) {}

Status ForwardPush::run(size_t type, int64_t seed, int64_t local, std::vector<NearRows>* out) {
  table_.clear();
  queue_.clear();
  front_ = 0;
  edges_ = 0;
  const uint32_t first = table_.add(static_cast<uint32_t>(type), seed);
  GLS_ASSIGN(const int64_t own_degree, degree(static_cast<uint32_t>(type), seed));
  table_[first].limit = factor_ * static_cast<double>(own_degree);
  table_[first].residual = options_.alpha;
  table_[first].queued = true;
  queue_.push_back(first);
  while (front_ < queue_.size() && edges_ < options_.max_edges) {
    GLS_TRY(push(queue_[front_++]));
    if (front_ == queue_.size()) {
      queue_.clear();
      front_ = 0;
    }
  }
  for (size_t t = 0; t < out->size(); ++t) {
    choose(t, local, &(*out)[t]);
  }
  return {};
}

Status ForwardPush::push(uint32_t index) {
  PushTable::Entry& entry = table_[index];
  const double residual = entry.residual;
  entry.score += residual;
  entry.residual = 0;
  entry.pushed = true;
  entry.queued = false;
  const int32_t hop = entry.hop + 1;
  GLS_ASSIGN(const int64_t taken, read_rows(entry.type, entry.node));
  if (taken == 0) {
    return {};
  }
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (static_cast<int64_t>(table_.entries().size()) + taken > kMost) {
    return error(GLS_ERR_UNSUPPORTED, "a seed meets more than {} nodes; lower max_edges", kMost)
        .with("argument", "max_edges");
  }
  edges_ += static_cast<uint64_t>(taken);
  const double share = (1.0 - options_.alpha) * residual / static_cast<double>(taken);
  for (const Row& row : rows_) {
    GLS_TRY(spread(row, share, hop));
  }
  return {};
}

Result<int64_t> ForwardPush::read_rows(uint32_t type, int64_t node) {
  rows_.clear();
  positions_.clear();
  int64_t total = 0;
  for (const PushStep& step : in_.plan.steps[type]) {
    const EdgeType& edge_type = in_.dataset.edge_types()[step.edge_type];
    GLS_ASSIGN(const RowRange range, row_range(edge_type, *step.topology, node));
    Row row = {&step, range.begin, range.end, positions_.size(), range.size(), false};
    const bool touched = excluded_.touches(step.edge_type, node);
    const bool long_row = options_.row_limit > 0 && range.size() > options_.row_limit;
    if (touched || long_row) {
      RowPick pick = {static_cast<uint64_t>(node),
                      in_.batch_key,
                      row_word(0, static_cast<uint32_t>(step.edge_type)),
                      range.begin,
                      range.size(),
                      options_.row_limit > 0 ? options_.row_limit : -1,
                      Replace::kNever,
                      {}};
      if (touched) {
        excluded_.find_within(step.edge_type, range.begin, range.end, &row_excluded_);
        pick.excluded = row_excluded_;
      }
      picker_.uniform(pick, &positions_);
      row.listed = true;
      row.count = static_cast<int64_t>(positions_.size() - row.first_listed);
    }
    total += row.count;
    rows_.push_back(row);
  }
  return total;
}

Status ForwardPush::spread(const Row& row, double share, int32_t hop) {
  constexpr int64_t kBlock = 32;  // nodes whose slots are asked for together
  const Topology& topology = *row.step->topology;
  const auto type = static_cast<uint32_t>(row.step->to);
  std::array<int64_t, kBlock> nodes;
  for (int64_t begin = 0; begin < row.count; begin += kBlock) {
    const int64_t count = std::min(kBlock, row.count - begin);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t position = row.listed
                                   ? positions_[row.first_listed + static_cast<size_t>(begin + i)]
                                   : row.begin + begin + i;
      const int64_t node = topology.neighbor(position);
      if (static_cast<uint64_t>(node) >= static_cast<uint64_t>(topology.num_neighbors))
          [[unlikely]] {
        return bad_stored_id(in_.dataset.edge_types()[row.step->edge_type], "index", position, node,
                             topology.num_neighbors);
      }
      nodes[static_cast<size_t>(i)] = node;
      table_.prefetch(type, node);
      for (const PushStep& step : in_.plan.steps[type]) {
        __builtin_prefetch(step.topology->indptr + node);
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      GLS_TRY(arrive(type, nodes[static_cast<size_t>(i)], share, hop));
    }
  }
  return {};
}

Status ForwardPush::arrive(uint32_t type, int64_t node, double share, int32_t hop) {
  uint32_t index = table_.find(type, node);
  if (index == PushTable::kNone) {
    GLS_ASSIGN(const int64_t edges, degree(type, node));
    index = table_.add(type, node);
    table_[index].limit = factor_ * static_cast<double>(edges);
    table_[index].hop = hop;
  }
  PushTable::Entry& entry = table_[index];
  entry.residual += share;
  entry.hop = std::min(entry.hop, hop);
  if (!entry.queued && entry.residual > entry.limit) {
    entry.queued = true;
    queue_.push_back(index);
  }
  return {};
}

Result<int64_t> ForwardPush::degree(uint32_t type, int64_t node) {
  int64_t total = 0;
  for (const PushStep& step : in_.plan.steps[type]) {
    const EdgeType& edge_type = in_.dataset.edge_types()[step.edge_type];
    GLS_ASSIGN(const RowRange range, row_range(edge_type, *step.topology, node));
    total += range.size();
    if (excluded_.touches(step.edge_type, node)) {
      excluded_.find_within(step.edge_type, range.begin, range.end, &row_excluded_);
      total -= static_cast<int64_t>(row_excluded_.size());
    }
  }
  return total;
}

void ForwardPush::choose(size_t type, int64_t local, NearRows* out) {
  near_.clear();
  rest_.clear();
  for (const PushTable::Entry& entry : table_.entries()) {
    if (entry.type != type) {
      continue;
    }
    if (entry.pushed) {
      const double value = options_.top_up ? entry.score + entry.residual : entry.score;
      near_.push_back({value, entry.score, entry.node, entry.hop});
    } else if (options_.top_up && entry.residual > 0) {
      rest_.push_back({entry.residual, entry.residual, entry.node, entry.hop});
    }
  }
  const auto keep = [](std::vector<Near>& list, size_t most) {
    if (list.size() > most) {
      const auto end = list.begin() + static_cast<std::ptrdiff_t>(most);
      std::nth_element(list.begin(), end, list.end(), [](const Near& a, const Near& b) {
        return a.rank != b.rank ? a.rank > b.rank : a.node < b.node;
      });
      list.erase(end, list.end());
    }
  };
  keep(near_, options_.neighbors);
  keep(rest_, options_.neighbors - near_.size());
  near_.insert(near_.end(), rest_.begin(), rest_.end());
  std::sort(near_.begin(), near_.end(), [](const Near& a, const Near& b) {
    return a.value != b.value ? a.value > b.value : a.node < b.node;
  });
  for (const Near& near : near_) {
    out->add(local, near.node, near.value, 1.0 / (1.0 + static_cast<double>(near.hop)));
  }
}

}  // namespace gls
