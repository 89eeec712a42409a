// Draws numbers 0 .. n-1, uniformly or in proportion to weights: docs/contract.md section 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "host_device/row_plan.h"

namespace gls {

// The numbers 0 .. n-1 with their probabilities.
class SeedDistribution {
 public:
  explicit SeedDistribution(int64_t count) : count_(count) {}
  // `weights`: finite, not below 0.
  explicit SeedDistribution(std::vector<double> weights);

  bool empty() const { return count_ == 0; }
  // Of the weights; 0 without weights.
  double total() const { return cumulative_.empty() ? 0 : cumulative_.back(); }
  // The `draw`-th draw; the distribution must not be empty.
  int64_t draw(RowDraws& draws, uint32_t draw) const;
  // Views data of this object, which must not be empty.
  device::NodeChances chances() const;
  // The cumulative weights.
  const std::vector<double>& sums() const { return cumulative_; }

 private:
  int64_t count_ = 0;  // 0 also when no weight is positive
  int64_t last_positive_ = -1;
  std::vector<double> cumulative_;
};

// Names the owner of weights in errors.
struct WeightOwner {
  const char* argument;        // the option that names the column
  const char* one;             // "node" or "edge"
  std::string_view type_name;  // node or edge type
};

// A column that holds a weight in each row.
class WeightColumn {
 public:
  // For a node or edge type; fetched if it is remote.
  static Result<WeightColumn> open(const Dataset& dataset, bool of_nodes, size_t type,
                                   std::string_view name, WeightOwner owner);
  // An error if the value is not a valid weight.
  Result<double> at(int64_t row) const;

 private:
  std::optional<Column> column_;
  WeightOwner owner_{};
};

// Also checks the sum.
Result<SeedDistribution> make_distribution(std::vector<double> weights, const WeightOwner& owner);

}  // namespace gls
