// A graph of any size, made in memory within seconds: degrees by a power law, as those of `gls
// generate`, and neighbours drawn in proportion to degree. Unlike there, edges have one direction,
// and one may be there twice.
#pragma once

#include <cstdint>
#include <memory>

#include "graph/dataset/dataset.h"

namespace gls::bench {

struct GraphShape {
  int64_t nodes = 0;
  double edges = 0;           // about
  double alpha = 0.6;         // the degree of the node at rank r is ~ (r + r0)^-alpha
  double max_degree = 17000;  // of rank 0; at most half of the nodes
  int64_t features = 0;       // float32, column "x"; 0: none, and no labels
  int64_t classes = 0;        // column "y"
};

// One node type, "node", with one edge type, its CSC with 32-bit indices, and no edge ids.
std::shared_ptr<const Dataset> make_graph(const std::shared_ptr<Context>& context,
                                          const GraphShape& shape);

}  // namespace gls::bench
