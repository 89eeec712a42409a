// Negatives for links: pairs of nodes that are drawn. docs/contract.md section 5.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "graph/dataset.h"
#include "sample/options.h"

namespace gls {

// Nodes of one type, drawn uniformly or in proportion to a weight.
class NodeDistribution {
 public:
  explicit NodeDistribution(int64_t count) : count_(count) {}
  // `weights`: finite, not below 0, one per node.
  explicit NodeDistribution(std::vector<double> weights);

  bool empty() const { return count_ == 0; }
  // Of the weights; 0 where there are none.
  double total() const { return cumulative_.empty() ? 0 : cumulative_.back(); }
  // The `draw`-th draw; not of an empty one.
  int64_t draw(RowDraws& draws, uint32_t draw) const;

 private:
  int64_t count_ = 0;  // 0 also when no weight is positive
  int64_t last_positive_ = -1;
  std::vector<double> cumulative_;
};

// degree^(quarters / 4), by multiplications and square roots alone, which every machine rounds
// alike.
double degree_power(int64_t degree, uint32_t quarters);

class NegativeSampler {
 public:
  static Result<std::shared_ptr<const NegativeSampler>> create(
      std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options);

  // How many pairs belong to so many links; in triplets, per link.
  int64_t amount(int64_t links) const;
  // amount(links) pairs, -1 and -1 where none was found.
  Status binary(uint64_t key, int64_t links, std::vector<int64_t>* sources,
                std::vector<int64_t>* targets) const;
  // Triplets: amount(.) targets for each source, -1 where none was found.
  Status triplets(uint64_t key, std::span<const int64_t> sources,
                  std::vector<int64_t>* targets) const;

 private:
  NegativeSampler(std::shared_ptr<const Dataset> dataset, size_t edge_type,
                  const NegativeOptions& options, NodeDistribution sources,
                  NodeDistribution targets);
  Status none_found(const std::string& what) const;

  std::shared_ptr<const Dataset> dataset_;
  const EdgeType& type_;
  NegativeOptions options_;
  uint32_t row_word_;
  NodeDistribution sources_;
  NodeDistribution targets_;
};

}  // namespace gls
