// Numbers 0 .. n-1 drawn uniformly or in proportion to weights: docs/contract.md section 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "rules/row_plan.h"

namespace gls {

class Distribution {
 public:
  explicit Distribution(int64_t count) : count_(count) {}
  // `weights`: finite, not below 0.
  explicit Distribution(std::vector<double> weights);

  bool empty() const { return count_ == 0; }
  // Of the weights; 0 where there are none.
  double total() const { return cumulative_.empty() ? 0 : cumulative_.back(); }
  // The `draw`-th draw; not of an empty one.
  int64_t draw(RowDraws& draws, uint32_t draw) const;
  // Views what is in here; not of an empty one.
  device::NodeChances chances() const;
  // The running sums of the weights.
  const std::vector<double>& sums() const { return cumulative_; }

 private:
  int64_t count_ = 0;  // 0 also when no weight is positive
  int64_t last_positive_ = -1;
  std::vector<double> cumulative_;
};

// What weights are of, for errors.
struct WeightOwner {
  const char* argument;        // the option that names the column
  const char* one;             // "node" or "edge"
  std::string_view type_name;  // node or edge type
};

// A column that holds a weight in each row.
class WeightColumn {
 public:
  // Of a node or edge type; fetched, where it is elsewhere.
  static Result<WeightColumn> open(const Dataset& dataset, bool of_nodes, size_t type,
                                   std::string_view name, WeightOwner owner);
  // An error where the number is no weight.
  Result<double> at(int64_t row) const;

 private:
  std::optional<Column> column_;
  WeightOwner owner_{};
};

// Checks the sum, too.
Result<Distribution> make_distribution(std::vector<double> weights, const WeightOwner& owner);

}  // namespace gls
