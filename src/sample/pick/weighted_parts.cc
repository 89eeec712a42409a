#include "sample/pick/weighted_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gls {

void divide(std::span<const double> weights, std::span<const double> sums, int64_t positive,
            int32_t* parts) {
  const double total = sums.back();
  int32_t met = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    met += weights[i] > 0 ? 1 : 0;
    parts[i] = running_parts(met, sums[i], total, positive);
  }
}

// ---- remaining parts ---------------------------------------------------------------------------

void RemainingParts::start(std::span<const int32_t> parts, int64_t most) {
  parts_ = parts;
  left_ = kAllParts;
  few_ = most <= kFew;
  if (few_) {
    taken_.clear();
    return;
  }
  set_.start(parts.size(), static_cast<uint64_t>(most));
  tree_.resize(parts.size() + 1);
  for (size_t i = 1; i < tree_.size(); ++i) {
    const size_t covered = i & (~i + 1);  // entries that end with this one
    tree_[i] = parts_[i - 1] - before(static_cast<int64_t>(i - covered));
  }
}

bool RemainingParts::take(int64_t i) {
  const int32_t share = parts_[static_cast<size_t>(i)] - before(i);
  if (few_) {
    const auto at = std::lower_bound(taken_.begin(), taken_.end(), i);
    if (at != taken_.end() && *at == i) {
      return false;
    }
    taken_.insert(at, static_cast<int32_t>(i));
  } else {
    if (!set_.insert(i)) {
      return false;
    }
    for (auto at = static_cast<size_t>(i) + 1; at < tree_.size(); at += at & (~at + 1)) {
      tree_[at] -= share;
    }
  }
  left_ -= share;
  return true;
}

int64_t RemainingParts::draw(uint32_t draw) const {
  auto x = static_cast<int32_t>(part_of_remaining(draw, static_cast<uint64_t>(left_)));
  if (few_) {
    // Skips the entries taken before it, which gives the part in the whole row.
    for (const int32_t i : taken_) {
      if (x < before(i)) {
        break;
      }
      x += parts_[static_cast<size_t>(i)] - before(i);
    }
    return std::upper_bound(parts_.begin(), parts_.end(), x) - parts_.begin();
  }
  size_t at = 0;
  for (size_t step = std::bit_floor(parts_.size()); step > 0; step /= 2) {
    if (at + step < tree_.size() && tree_[at + step] <= x) {
      at += step;
      x -= tree_[at];
    }
  }
  return static_cast<int64_t>(at);
}

// ---- a list ------------------------------------------------------------------------------------

void WeightedParts::clear() {
  weights_.clear();
  sums_.clear();
  positive_ = 0;
}

void WeightedParts::add(double weight) {
  weights_.push_back(weight);
  sums_.push_back(sums_.empty() ? weight : sums_.back() + weight);
  positive_ += weight > 0 ? 1 : 0;
}

bool WeightedParts::divide() {
  if (static_cast<int64_t>(weights_.size()) > kMostWeighted || std::isinf(sums_.back())) {
    return false;
  }
  parts_.resize(weights_.size());
  gls::divide(weights_, sums_, positive_, parts_.data());
  return true;
}

int64_t WeightedParts::select(int32_t part) const {
  return std::upper_bound(parts_.begin(), parts_.end(), part) - parts_.begin();
}

}  // namespace gls
