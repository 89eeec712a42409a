// GraphSAINT's normalisation, estimated by counting: docs/contract.md section 6.
#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "loader/pipeline/loader.h"

namespace gls {

struct NormOptions {
  size_t node_type = 0;
  size_t edge_type = 0;
  bool nodes = true;  // which norms to compute
  bool edges = true;
  uint64_t epoch = 0;
  uint64_t batches = 0;  // 0: the batches of an epoch, or as many as coverage needs
  double coverage = 0;
  Progress progress;
};

struct SaintNorms {
  std::vector<float> node;
  std::vector<float> edge;  // by edge id
};

// Makes batches on the context's threads. The loader keeps its position.
Result<SaintNorms> saint_norms(const Loader& loader, const NormOptions& options);

}  // namespace gls
