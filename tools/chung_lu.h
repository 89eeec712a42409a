// Random graphs with given expected degrees: Chung and Lu, "Connected components in random graphs
// with given expected degree sequences", Annals of Combinatorics 6, 2002. Each pair of nodes is an
// edge with probability w_u w_v / sum(w), independently, so no loops or repeated edges must be
// removed. Skipping finds the edges in time proportional to their number (Miller and Hagberg,
// "Efficient generation of networks with given expected degrees", WAW 2011).
#pragma once

#include <cstdint>
#include <vector>

namespace gls::tool {

struct ChungLuParameters {
  int64_t nodes = 0;
  double edges = 0;       // undirected, expected
  double alpha = 0.5;     // the expected degree of the node at rank r is ~ (r + r0)^-alpha
  double max_degree = 0;  // expected degree at rank 0, which determines r0
  uint64_t seed = 0;
};

class ChungLu {
 public:
  // Throws UsageError if no such degrees exist.
  explicit ChungLu(const ChungLuParameters& parameters);

  int64_t nodes() const { return static_cast<int64_t>(weights_.size()); }
  // Appends the neighbours of `node` with higher rank, as ascending ids.
  void append_neighbors(int64_t node, std::vector<int32_t>& out) const;

 private:
  uint64_t seed_;
  double sum_ = 0;
  std::vector<double> weights_;  // by rank, not increasing
  // Ids are shuffled, so that the degree does not follow from the id.
  std::vector<uint32_t> node_of_rank_;
  std::vector<uint32_t> rank_of_node_;
};

}  // namespace gls::tool
