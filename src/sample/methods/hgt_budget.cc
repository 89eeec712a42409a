#include "sample/methods/hgt_budget.h"

#include <algorithm>

#include "host_device/hgt_rule.h"

namespace gls {

void HgtBudget::start(size_t num_types) {
  met_.clear();
  candidates_.resize(num_types);
  for (std::vector<uint32_t>& list : candidates_) {
    list.clear();
  }
}

bool HgtBudget::take(size_t type, int64_t node) {
  const auto of = static_cast<uint32_t>(type);
  uint32_t index = met_.find(of, node);
  if (index == NodeScoreTable<Met>::kNone) {
    index = met_.add(of, node);
  }
  const bool is_new = !met_[index].taken;
  met_[index].taken = true;
  return is_new;
}

void HgtBudget::add(size_t type, int64_t node, double share) {
  const auto of = static_cast<uint32_t>(type);
  uint32_t index = met_.find(of, node);
  if (index == NodeScoreTable<Met>::kNone) {
    index = met_.add(of, node);
    candidates_[type].push_back(index);
  }
  if (!met_[index].taken) {
    met_[index].score += share;
  }
}

void HgtBudget::draw(size_t type, RowDraws& draws, int64_t count, std::vector<int64_t>* out) {
  std::vector<uint32_t>& list = candidates_[type];
  if (count == 0 || list.empty()) {
    return;
  }
  if (count < 0 || static_cast<size_t>(count) >= list.size()) {
    for (const uint32_t index : list) {
      met_[index].taken = true;
      out->push_back(met_[index].node);
    }
    list.clear();
    return;
  }
  weights_.clear();
  for (const uint32_t index : list) {
    weights_.add(hgt_weight(met_[index].score));
  }
  // A score is at most the number of nodes, so the sum of squares is finite, and there are not too
  // many.
  static_cast<void>(weights_.divide());
  slots_.resize(list.size());
  make_alias(weights_.parts(), slots_.data());
  picks_.clear();
  picker_.distinct(slots_, draws, count, &picks_);
  for (const int64_t pick : picks_) {
    Met& met = met_[list[static_cast<size_t>(pick)]];
    met.taken = true;
    out->push_back(met.node);
  }
  std::erase_if(list, [this](uint32_t index) { return met_[index].taken; });
}

}  // namespace gls
