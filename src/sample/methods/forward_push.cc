#include "sample/methods/forward_push.h"

#include <algorithm>

namespace gls {

ForwardPush::ForwardPush(const Input& input, PushTable& table)
    : in_(input),
      options_(input.options),
      factor_(push_factor(options_.alpha, options_.epsilon)),
      table_(table),
      rows_({input.dataset, input.steps, input.excluded, input.excluded_now, input.batch_key,
             input.options.row_limit}) {}

Status ForwardPush::run(size_t type, int64_t seed) {
  table_.clear();
  queue_.clear();
  front_ = 0;
  edges_ = 0;
  const uint32_t first = table_.add(static_cast<uint32_t>(type), seed);
  GLS_ASSIGN(const int64_t own_degree, rows_.degree(static_cast<uint32_t>(type), seed));
  table_[first].state = seed_state(options_.alpha, push_limit(factor_, own_degree));
  queue_.push_back(first);
  while (front_ < queue_.size() && edges_ < options_.max_edges) {
    GLS_TRY(push(queue_[front_++]));
    if (front_ == queue_.size()) {
      queue_.clear();
      front_ = 0;
    }
  }
  return {};
}

Status ForwardPush::push(uint32_t index) {
  PushEntry& entry = table_[index];
  const double residual = start_push(&entry.state);
  const int32_t hop = entry.state.hop + 1;
  GLS_ASSIGN(const int64_t taken, rows_.read(entry.type, entry.node));
  if (taken == 0) {
    return {};
  }
  if (meets_too_many(static_cast<int64_t>(table_.entries().size()), taken)) {
    return error(GLS_ERR_UNSUPPORTED, "a seed meets more than {} nodes; lower max_edges", kMostMet)
        .with("argument", "max_edges");
  }
  edges_ += static_cast<uint64_t>(taken);
  const double share = push_share(options_.alpha, residual, taken);
  for (const NodeRows::Row& row : rows_.rows()) {
    GLS_TRY(spread(row, share, hop));
  }
  return {};
}

Status ForwardPush::spread(const NodeRows::Row& row, double share, int32_t hop) {
  const auto type = static_cast<uint32_t>(row.step->to);
  for (int64_t from = 0; from < row.count; from += NodeRows::kBlock) {
    GLS_ASSIGN(const std::span<const int64_t> nodes, rows_.neighbors(row, from));
    for (const int64_t node : nodes) {
      table_.prefetch(type, node);
      for (const RowStep& step : in_.steps[type]) {
        if (step.topology->index == nullptr) {
          __builtin_prefetch(step.topology->indptr + node);
        }
      }
    }
    for (const int64_t node : nodes) {
      GLS_TRY(arrive(type, node, share, hop));
    }
  }
  return {};
}

Status ForwardPush::arrive(uint32_t type, int64_t node, double share, int32_t hop) {
  uint32_t index = table_.find(type, node);
  if (index == PushTable::kNone) {
    GLS_ASSIGN(const int64_t edges, rows_.degree(type, node));
    index = table_.add(type, node);
    table_[index].state = met_state(push_limit(factor_, edges), hop);
  }
  if (receive_share(&table_[index].state, share, hop)) {
    queue_.push_back(index);
  }
  return {};
}

const std::vector<PushedNode>& ForwardPush::neighbors(size_t type) {
  near_.clear();
  rest_.clear();
  for (const PushEntry& entry : table_.entries()) {
    if (entry.type != type) {
      continue;
    }
    const PushChoice choice = push_choice(entry.state, options_.top_up);
    if (choice != PushChoice::kNever) {
      (choice == PushChoice::kFirst ? near_ : rest_)
          .push_back({push_value(entry.state, options_.top_up), push_rank(entry.state), entry.node,
                      entry.state.hop});
    }
  }
  const auto keep = [](std::vector<PushedNode>& list, size_t most) {
    if (list.size() > most) {
      const auto end = list.begin() + static_cast<std::ptrdiff_t>(most);
      std::nth_element(list.begin(), end, list.end(), [](const PushedNode& a, const PushedNode& b) {
        return comes_first(a.rank, a.node, b.rank, b.node);
      });
      list.erase(end, list.end());
    }
  };
  keep(near_, options_.neighbors);
  keep(rest_, options_.neighbors - near_.size());
  near_.insert(near_.end(), rest_.begin(), rest_.end());
  std::sort(near_.begin(), near_.end(), [](const PushedNode& a, const PushedNode& b) {
    return comes_first(a.value, a.node, b.value, b.node);
  });
  return near_;
}

}  // namespace gls
