// Reads graphs in the format of the Planetoid project (Yang, Cohen, Salakhutdinov: Revisiting
// semi-supervised learning with graph embeddings, ICML 2016): eight files "ind.NAME.*".
#pragma once

#include <string>

#include "base/status.h"
#include "tensor/tensor.h"

namespace gls {

struct PlanetoidGraph {
  Tensor source;  // int64: both directions of each edge once, by source, then target
  Tensor target;
  Tensor x;      // float32 [nodes, features]
  Tensor y;      // int64 [nodes]: the class, -1 if unknown
  Tensor train;  // int64: the public split
  Tensor valid;
  Tensor test;
};

Result<PlanetoidGraph> read_planetoid(const std::string& folder, const std::string& name);

}  // namespace gls
