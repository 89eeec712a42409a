// The parts of a row, docs/contract.md section 2: it is divided into 2^30, of which each entry has
// its share by weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rules/alias_rule.h"
#include "sample/kernels/index_set.h"

namespace gls {

// More entries than parts cannot each have one.
inline constexpr int64_t kMostWeighted = kAllParts;

// The running parts s_i of weights w_i and their running sums c_i, of which the last is positive
// and finite. `positive` weights are; there are at most kMostWeighted.
void divide(std::span<const double> weights, std::span<const double> sums, int64_t positive,
            int32_t* parts);

// Draws from what remains of a row when entries are taken from it.
class RemainingParts {
 public:
  // `parts` are the row's running parts, which must stay; at most `most` entries will be taken.
  void start(std::span<const int32_t> parts, int64_t most);
  // False when the entry, which has parts, was taken before.
  bool take(int64_t i);
  // An entry that is not taken; there must be one with parts.
  int64_t draw(uint32_t draw) const;

 private:
  // Up to here the entries taken are gone through for each draw; beyond, they are in a tree.
  static constexpr int64_t kFew = 1024;

  int32_t before(int64_t i) const { return i == 0 ? 0 : parts_[static_cast<size_t>(i) - 1]; }

  std::span<const int32_t> parts_;
  int32_t left_ = 0;
  bool few_ = true;
  std::vector<int32_t> taken_;  // ascending
  IndexSet set_;
  std::vector<int32_t> tree_;  // Fenwick's, of the parts that remain, from 1
};

// A list of weights to pick from.
class WeightedParts {
 public:
  void clear();
  // A finite number, not negative.
  void add(double weight);
  int64_t num_positive() const { return positive_; }
  std::span<const double> weights() const { return weights_; }
  // Divides the list, which must have a positive weight. False: the sum is infinite, or the list is
  // longer than kMostWeighted.
  bool divide();
  // Once divided.
  std::span<const int32_t> parts() const { return parts_; }
  // Index in the list of a part.
  int64_t select(int32_t part) const;

 private:
  std::vector<double> weights_;
  std::vector<double> sums_;
  std::vector<int32_t> parts_;
  int64_t positive_ = 0;
};

}  // namespace gls
