// The integer parts of a row's weights, docs/contract.md section 2: 2^30 parts are divided among
// the entries by weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host_device/alias_rule.h"
#include "sample/kernels/index_set.h"

namespace gls {

// With more entries than parts, some entries could not have one.
inline constexpr int64_t kMostWeighted = kAllParts;

// Computes the running parts s_i from the weights w_i and their cumulative sums c_i, of which the
// last is positive and finite. `positive` is the number of positive weights. There are at most
// kMostWeighted.
void divide(std::span<const double> weights, std::span<const double> sums, int64_t positive,
            int32_t* parts);

// Draws from the entries of a row that were not taken yet.
class RemainingParts {
 public:
  // `parts` are the row's running parts, which must outlive this; at most `most` entries will be
  // taken.
  void start(std::span<const int32_t> parts, int64_t most);
  // False if the entry, which has parts, was taken already.
  bool take(int64_t i);
  // An entry that was not taken; at least one with parts must remain.
  int64_t draw(uint32_t draw) const;

 private:
  // Up to this many taken entries are visited for each draw; beyond, a tree holds them.
  static constexpr int64_t kFew = 1024;

  int32_t before(int64_t i) const { return i == 0 ? 0 : parts_[static_cast<size_t>(i) - 1]; }

  std::span<const int32_t> parts_;
  int32_t left_ = 0;
  bool few_ = true;
  std::vector<int32_t> taken_;  // ascending
  IndexSet set_;
  std::vector<int32_t> tree_;  // Fenwick tree of the remaining parts, from index 1
};

// A list of weights to pick from.
class WeightedParts {
 public:
  void clear();
  // `weight` is finite and not negative.
  void add(double weight);
  int64_t num_positive() const { return positive_; }
  std::span<const double> weights() const { return weights_; }
  // Divides the list, which must have a positive weight. False: the sum is infinite, or the list is
  // longer than kMostWeighted.
  bool divide();
  // Requires divide().
  std::span<const int32_t> parts() const { return parts_; }
  // The index in the list of a part.
  int64_t select(int32_t part) const;

 private:
  std::vector<double> weights_;
  std::vector<double> sums_;
  std::vector<int32_t> parts_;
  int64_t positive_ = 0;
};

}  // namespace gls
